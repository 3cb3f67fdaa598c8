//! The page of a symbol: source, callers, callees, tests, reasons and commits.

use base::words::counted;
use base::{Problem, Result};
use maud::{Markup, html};
use operations::ops::typed::{CodeShow, CodeShowPart, CodeUse, Explain};
use serde_json::json;

use super::file::path_crumbs;
use super::reasons;
use crate::components::{self, heading, section};
use crate::layout::{Crumb, NavSection, Screen};
use crate::links;
use crate::routes::{Shown, ViewContext};

/// A symbol by its handle.
pub(crate) fn symbol(context: &ViewContext<'_>) -> Result<Shown> {
    let handle = context.name.trim_start_matches("symbol:");
    let asker = &context.asker;
    let with = ["callers", "callees", "tests", "history"];
    let shown =
        asker.ask::<CodeShow>(json!({"targets": [format!("symbol:{handle}")], "with": with}))?;
    let part =
        shown.parts.first().ok_or_else(|| Problem::not_found(format!("no symbol {handle}")))?;
    let reasons = asker.ask_optional::<Explain>(json!({"target": format!("symbol:{handle}")}))?;
    let name = part.symbol.clone().unwrap_or_default();
    let (callers, callees) = (part.callers.as_deref(), part.callees.as_deref());
    let uses_of_it =
        callers.map_or_else(String::new, |callers| counted(callers.len(), "direct use"));
    let lead = format!("{} · {uses_of_it}", part.path);
    let node = format!("symbol:{}#{name}", part.path);
    let body = html! {
        (heading(html! { code { (name) } }, &lead))
        div.toolbar {
            a.button href=(links::graph(&node)) { "What may break" }
            a.button href={ (links::graph(&node)) "&direction=deps" } { "What it uses" }
            a.button href=(links::line(&part.path, part.source.first_line)) { "In its file" }
            a.button.narrow-only href="#about" { "What is known about it" }
        }
        div.columns {
            div {
                (components::source(&part.path, &part.source.text, part.source.first_line))
                @if part.lines_cut > 0 { p.muted { (counted(part.lines_cut, "line")) " more are not shown." } }
                (uses("Used by", callers, "No use of it was found in the code."))
                (uses("Calls", callees, "It calls nothing that is declared here."))
            }
            aside #about {
                @if let Some(tests) = &part.tests { (reasons::tests(tests)) }
                @if let Some(reasons) = &reasons { (reasons::part(reasons)) }
                (commits(part))
            }
        }
    };
    let mut crumbs = path_crumbs(&part.path);
    if let Some(last) = crumbs.last_mut() {
        last.address = Some(links::file(&part.path));
    }
    crumbs.push(Crumb::here(name.clone()));
    Ok(Screen::new(NavSection::Files, name, body).at(crumbs).into())
}

fn uses(title: &str, uses: Option<&[CodeUse]>, none: &str) -> Markup {
    let Some(uses) = uses else { return html! {} };
    let table = html! {
        @if uses.is_empty() { (components::empty(none, None)) } @else {
            div.scroll {
                table {
                    thead { tr { th { "Symbol" } th { "Line" } } }
                    tbody {
                        @for each in uses {
                            tr {
                                td {
                                    @if each.symbol.is_empty() { (components::path_link(&each.path)) } @else {
                                        a.node href=(links::symbol(&each.path, &each.symbol)) { code { (each.symbol) } }
                                        @if each.is_test { " " (components::badge("test", components::Tone::Neutral)) }
                                        span.why { (each.path) }
                                    }
                                }
                                td {
                                    a.place href=(links::line(&each.path, each.line)) { (each.line) }
                                    @if !each.text.is_empty() { " " code { (each.text) } }
                                }
                            }
                        }
                    }
                }
            }
        }
    };
    section(title, Some(uses.len()), table)
}

fn commits(part: &CodeShowPart) -> Markup {
    let Some(commits) = part.history.as_ref().filter(|commits| !commits.is_empty()) else {
        return html! {};
    };
    let list = html! {
        ul.list {
            @for commit in commits {
                li {
                    a.node href=(links::address("commit", &commit.commit)) { (commit.subject) }
                    br; (components::day(&commit.date)) " " span.muted { (commit.how) }
                }
            }
        }
    };
    section("Commits", Some(commits.len()), list)
}
