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
            table.stack.flow {
                thead { tr { th.fit { "Kind" } th.half { "Name" } th { "Found in" } } }
                tbody {
                    @for hit in hits {
                        tr {
                            td.fit { (badge(kind_name(&hit.kind), tone(&hit.kind))) }
                            td.main {
                                (linked_name(hit))
                                @if let Some(path) = &hit.path {
                                    @if !is_path(&hit.kind) { span.why { (components::breakable(&path.to_string())) } }
                                }
                            }
                            td { span.muted { (hit.why) } span.excerpt { (components::with_code(&hit.excerpt)) } }
                        }
                    }
                }
            }
        }
    }
}

/// Whether a kind of hit is named by its path.
fn is_path(kind: &str) -> bool {
    matches!(kind, "module" | "file" | "dir")
}

/// A kind as people call it.
fn kind_name(kind: &str) -> &str {
    match kind {
        "kb" => "fact",
        "dir" => "folder",
        "module" => "file",
        other => other,
    }
}

fn linked_name(hit: &SearchHitRow) -> Markup {
    let Some(address) = links::handle(&hit.node) else { return html! { (name(hit)) } };
    html! {
        a.node href=(address) {
            @if hit.kind == "symbol" { code { (components::breakable(name(hit))) } }
            @else if is_path(&hit.kind) { (components::breakable(name(hit))) }
            @else { (components::with_code(name(hit))) }
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
