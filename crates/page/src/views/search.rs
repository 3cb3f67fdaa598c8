//! Search in everything that has a name or a text.

use base::{NextCall, Result};
use engine::contract::page::Render;
use maud::{Markup, html};
use operations::ops::typed::{Search, SearchHitRow};
use serde_json::{Value, json};

use crate::components::{self, Tone, badge, heading};
use crate::layout::{NavSection, Screen};
use crate::links;
use crate::routes::{ViewContext, ViewResult};

/// The kinds that a search can be narrowed to: the name of the choice and the kinds it means.
const KINDS: &[(&str, &[&str])] = &[
    ("All", &[]),
    ("Code", &["symbol", "module"]),
    ("Files", &["module", "file", "dir"]),
    ("Cards", &["card"]),
    ("Knowledge", &["kb", "atom", "molecule"]),
    ("Work", &["task", "feature", "project"]),
    ("Commits", &["commit"]),
];

/// Hits for the words in `q`.
pub(crate) fn search(context: &ViewContext<'_>) -> Result<ViewResult> {
    let request = context.request;
    let Some(query) = request.param("q") else {
        let text = "Type words, a name or a part of one. Files, symbols, cards, knowledge, tasks and commits are searched at once.";
        let body = html! { (heading(html! { "Search" }, "")) (components::empty(text, None)) };
        return Ok(Screen::new(NavSection::Search, "Search", body).into());
    };
    let chosen = request.param("kind").unwrap_or_else(|| "All".to_owned());
    let kinds = KINDS.iter().find(|(name, _)| *name == chosen).map_or(&[][..], |(_, kinds)| kinds);
    let kinds: Vec<Value> = kinds.iter().map(|kind| json!(kind)).collect();
    let offset = request.number("offset").unwrap_or(0);
    let answer =
        context.asker.ask::<Search>(json!({"query": query, "kinds": kinds, "offset": offset}))?;
    let total = answer.paging().map_or(0, |paging| paging.total);
    let lead = match (total, answer.is_cut) {
        (0, _) => String::new(),
        (total, true) => format!("The best {total} hits"),
        (1, false) => "1 hit".to_owned(),
        (total, false) => format!("{total} hits"),
    };
    let first = format!("/search?{}", crate::request::query_pair("q", &query));
    let options: Vec<(&str, String)> =
        KINDS.iter().map(|(name, _)| (*name, format!("{first}&kind={name}"))).collect();
    let body = html! {
        (heading(html! { "Search: " (query) }, &lead))
        div.toolbar { (components::choice("Kind", &options, &chosen)) }
        @if answer.hits.is_empty() {
            (components::empty(
                "No name, title, heading or comment matches. Every line of text is searched by",
                Some(&NextCall::new("code.grep").with("pattern", query.as_str())),
            ))
        } @else { (hits(&answer.hits)) }
        (components::pager(request, answer.paging(), answer.hits.len()))
    };
    Ok(Screen::new(NavSection::Search, format!("Search: {query}"), body).into())
}

fn hits(hits: &[SearchHitRow]) -> Markup {
    html! {
        div.scroll {
            table.stack {
                thead { tr { th.fit { "Kind" } th { "Name" } th { "Why" } } }
                tbody {
                    @for hit in hits {
                        tr {
                            td.fit { (badge(&hit.kind, tone(&hit.kind))) }
                            td {
                                @match links::handle(&hit.node) {
                                    Some(address) => a.node href=(address) {
                                        @if hit.kind == "symbol" { code { (name(hit)) } } @else { (name(hit)) }
                                    },
                                    None => (name(hit)),
                                }
                                @if let Some(path) = &hit.path {
                                    @if hit.kind != "module" && hit.kind != "file" && hit.kind != "dir" {
                                        span.why { (path) }
                                    }
                                }
                            }
                            td { span.muted { (hit.why) } span.excerpt { (hit.excerpt) } }
                        }
                    }
                }
            }
        }
    }
}

/// The name of a hit; that of a symbol without its file, which stands below it.
fn name(hit: &SearchHitRow) -> &str {
    match hit.kind.as_str() {
        "symbol" => hit.name.split_once('#').map_or(hit.name.as_str(), |(_, name)| name),
        _ => &hit.name,
    }
}

fn tone(kind: &str) -> Tone {
    match kind {
        "symbol" | "module" => Tone::Accent,
        "card" => Tone::Good,
        "task" | "feature" | "project" => Tone::Warn,
        _ => Tone::Neutral,
    }
}
