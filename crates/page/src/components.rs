//! What several views show: badges, tables of links, source, differences, empty states.

use base::{EntityRef, NextCall, Problem, RepoPath};
use engine::Paging;
use maud::{Markup, html};
use operations::CallFormat;

use crate::links;
use crate::request::SiteRequest;

/// What a colour means; the text always says it too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tone {
    Good,
    Warn,
    Bad,
    Accent,
    Neutral,
}

impl Tone {
    /// Its class in the style sheet.
    pub(crate) const fn class(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Warn => "warn",
            Self::Bad => "bad",
            Self::Accent => "accent",
            Self::Neutral => "neutral",
        }
    }
}

/// A word in a frame.
pub(crate) fn badge(text: &str, tone: Tone) -> Markup {
    html! { span class={ "badge " (tone.class()) } { (text) } }
}

/// A number with its meaning, and where to see more.
pub(crate) fn tile(value: &str, label: &str, address: &str) -> Markup {
    html! { a.tile href=(address) { strong { (value) } span { (label) } } }
}

/// The head of a view: its name, a word about it, and what it says first.
#[expect(clippy::needless_pass_by_value, reason = "markup is made for its one use")]
pub(crate) fn heading(title: Markup, lead: &str) -> Markup {
    html! {
        div.heading {
            h1 { (title) }
            @if !lead.is_empty() { p.lead { (with_code(lead)) } }
        }
    }
}

/// A sentence whose names in back-ticks are code.
pub(crate) fn with_code(text: &str) -> Markup {
    let parts: Vec<&str> = text.split('`').collect();
    // Without a closing back-tick, all of it is text.
    if parts.len().is_multiple_of(2) {
        return html! { (text) };
    }
    html! {
        @for (position, part) in parts.iter().enumerate() {
            @if position % 2 == 1 { code { (part) } } @else { (part) }
        }
    }
}

/// A titled part of a view.
#[expect(clippy::needless_pass_by_value, reason = "markup is made for its one use")]
pub(crate) fn section(title: &str, count: Option<usize>, body: Markup) -> Markup {
    html! {
        section.part {
            h2 { (title) @if let Some(count) = count { " " span.count { (count) } } }
            (body)
        }
    }
}

/// A command as it is typed.
pub(crate) fn command(call: &NextCall) -> Markup {
    html! { code.command { (CallFormat::CommandLine.call(call)) } }
}

/// What stands where there is nothing yet: why, and what to run.
pub(crate) fn empty(text: &str, call: Option<&NextCall>) -> Markup {
    html! {
        div.empty {
            p { (text) }
            @if let Some(call) = call { p { (command(call)) } }
        }
    }
}

/// A problem of an operation, with its hints.
pub(crate) fn problem(problem: &Problem) -> Markup {
    let calls: &dyn Fn(&NextCall) -> String = &|call| CallFormat::CommandLine.call(call);
    html! {
        div.problem role="alert" {
            p { strong { (problem.code.to_string()) } " " (problem.to_string()) }
            @if !problem.hints.is_empty() {
                ul {
                    @for hint in &problem.hints {
                        li { (hint.render(calls)) }
                    }
                }
            }
        }
    }
}

/// A link to a node under its short name; code that is meant by its file says which.
pub(crate) fn node_link(node: &EntityRef) -> Markup {
    html! {
        @match node {
            EntityRef::Symbol(path, name) => {
                a.node href=(links::node(node)) { code { (name.as_str()) } }
                " " span.place { (path) }
            },
            EntityRef::Module(path) | EntityRef::File(path) | EntityRef::Dir(path) => {
                (path_link(path))
            },
            other => a.node href=(links::node(other)) { (other.to_string()) },
        }
    }
}

/// A link to a handle that an answer holds as text.
pub(crate) fn handle_link(handle: &str) -> Markup {
    let node = handle.parse::<EntityRef>();
    node.map_or_else(|_| html! { span { (handle) } }, |node| node_link(&node))
}

/// A link to a file or folder: its name stands out from its folder.
pub(crate) fn path_link(path: &RepoPath) -> Markup {
    let folder = path.parent().filter(|parent| !parent.is_root());
    html! {
        a.path href=(links::file(path)) {
            @if let Some(folder) = folder { span.folder { (folder) "/" wbr; } }
            @if path.is_root() { "." } @else { (path.name()) }
        }
    }
}

/// The day of a timestamp.
pub(crate) fn day(timestamp: &str) -> Markup {
    let short = timestamp.get(..10).unwrap_or(timestamp);
    html! { @if !timestamp.is_empty() { time datetime=(timestamp) { (short) } } }
}

/// Where a list goes on, and where it came from.
pub(crate) fn pager(request: &SiteRequest, paging: Option<Paging>, shown: usize) -> Markup {
    let Some(Paging { offset, limit, total }) = paging else { return html! {} };
    let end = offset + shown as u64;
    if offset == 0 && end >= total {
        return html! {};
    }
    let before = (offset > 0).then(|| offset.saturating_sub(limit));
    html! {
        nav.pager aria-label="Pages" {
            @if let Some(before) = before {
                a rel="prev" href=(request.with_param("offset", &before.to_string())) { "← Previous" }
            }
            span { (offset + 1) "–" (end) " of " (total) }
            @if end < total {
                a rel="next" href=(request.with_param("offset", &end.to_string())) { "Next →" }
            }
        }
    }
}

/// Source text with numbered lines, each with an address of its own.
pub(crate) fn source(text: &str, first_line: u32, label: &str) -> Markup {
    html! {
        div.source role="region" aria-label=(label) tabindex="0" {
            pre {
                @for (line, number) in text.lines().zip(first_line..) {
                    span.line #{ "L" (number) } {
                        a.number href={ "#L" (number) } aria-label={ "Line " (number) } { (number) }
                        code { (line) "\n" }
                    }
                }
            }
        }
    }
}

/// A unified difference. The signs stay, so that colour is not all that tells.
pub(crate) fn diff(text: &str) -> Markup {
    let class = |line: &str| match line.as_bytes() {
        [b'+', b'+', b'+', ..] | [b'-', b'-', b'-', ..] => "name",
        [b'+', ..] => "added",
        [b'-', ..] => "removed",
        [b'@', ..] => "place",
        _ => "same",
    };
    html! {
        div.diff role="region" aria-label="What changes" tabindex="0" {
            pre { @for line in text.lines() { span class=(class(line)) { (line) "\n" } } }
        }
    }
}

/// A choice between a few addresses, of which one is chosen.
pub(crate) fn choice(label: &str, options: &[(&str, String)], chosen: &str) -> Markup {
    html! {
        nav.choice aria-label=(label) {
            span { (label) }
            ul {
                @for (name, address) in options {
                    li { a href=(address) aria-current=[(*name == chosen).then_some("true")] { (name) } }
                }
            }
        }
    }
}
