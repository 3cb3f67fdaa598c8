//! The page of a symbol: source, callers, callees, tests, reasons and commits.

use base::words::counted;
use base::{Problem, RepoPath, Result};
use maud::{Markup, html};
use operations::ops::typed::{Cochange, CodeShow, CodeShowPart, CodeUse, Explain};
use serde_json::json;

use super::file::path_crumbs;
use super::reasons;
use crate::components::{self, heading, section};
use crate::layout::{Crumb, NavSection, Screen};
use crate::links;
use crate::request::query_pair;
use crate::routes::{ViewContext, ViewResult};

/// How many files that change with its file are listed.
const MAX_PARTNERS: usize = 8;

/// A symbol by its handle.
pub(crate) fn symbol(context: &ViewContext<'_>) -> Result<ViewResult> {
    let handle = context.name.trim_start_matches("symbol:");
    let asker = &context.asker;
    let with = ["callers", "callees", "tests"];
    let shown =
        asker.ask::<CodeShow>(json!({"targets": [format!("symbol:{handle}")], "with": with}))?;
    let part =
        shown.parts.first().ok_or_else(|| Problem::not_found(format!("no symbol {handle}")))?;
    let together =
        asker.ask_optional::<Cochange>(json!({"paths": [part.path], "limit": MAX_PARTNERS}))?;
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
                @if part.lines_cut > 0 { p.muted { (counted(part.lines_cut, "line")) " more left out." } }
                (uses("Used by", callers, "No use of it was found in the code."))
                (uses("Calls", callees, "It calls nothing that is declared here."))
            }
            aside #about {
                @if let Some(tests) = &part.tests { (reasons::tests(tests)) }
                (late_reasons_link(&node, &part.path))
                @if let Some(together) = &together { (reasons::partners("Its file changes with", &together.partners)) }
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

/// A part of the page that follows the symbol through the versions of its file, which takes long
/// where these are many. Without the script a link leads to the history of the file.
fn late_reasons_link(node: &str, path: &RepoPath) -> Markup {
    let address = format!("/part/reasons?{}", query_pair("of", node));
    html! {
        div data-late=(address) {
            section.part {
                h2 { "Why it exists" }
                p { a href=(links::address("history", &path.to_string())) { "History of its file" } }
            }
        }
    }
}

/// Why a symbol exists and which commits changed it, loaded after the rest of its page.
pub(crate) fn late_reasons(context: &ViewContext<'_>) -> Result<Markup> {
    let of = context.request.param("of").unwrap_or_default();
    let asker = &context.asker;
    let reasons = asker.ask_optional::<Explain>(json!({"target": of}))?;
    let shown = asker.ask_optional::<CodeShow>(json!({"targets": [of], "with": ["history"]}))?;
    Ok(html! {
        @if let Some(reasons) = &reasons { (reasons::part(reasons)) }
        @for part in shown.iter().flat_map(|answer| &answer.parts) { (commits(part)) }
    })
}

fn uses(title: &str, uses: Option<&[CodeUse]>, none: &str) -> Markup {
    let Some(uses) = uses else { return html! {} };
    let table = html! {
        @if uses.is_empty() { (components::empty(none, None)) } @else {
            div.scroll {
                table.stack.single {
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
                    a.node href=(links::address("commit", &commit.commit)) { (components::with_code(&commit.subject)) }
                    br; (components::day(&commit.date)) " " span.muted { (commit.how) }
                }
            }
        }
    };
    section("Commits", Some(commits.len()), list)
}
