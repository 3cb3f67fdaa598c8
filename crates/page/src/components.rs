//! What several views show: badges, tables of links, source, differences, empty states.

use std::ops::Range;

use base::{EntityRef, NextCall, Problem, RepoPath};
use engine::Paging;
use maud::{Markup, html};
use operations::CallFormat;
use syntax::{HighlightSpan, TokenClass};

use crate::asker::NodeNames;
use crate::links;
use crate::request::SiteRequest;

/// What a colour means. The text always says the same in words.
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

/// A number with its thousands set apart, so that large ones can be read.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// The head of a view: its title, and a sentence about it.
#[expect(clippy::needless_pass_by_value, reason = "markup is made for its one use")]
pub(crate) fn heading(title: Markup, lead: &str) -> Markup {
    html! {
        div.heading {
            h1 { (title) }
            @if !lead.is_empty() { p.lead { (with_code(lead)) } }
        }
    }
}

/// A sentence whose names in back-ticks are code, and whose paths break where their parts meet.
pub(crate) fn with_code(text: &str) -> Markup {
    let parts: Vec<&str> = text.split('`').collect();
    // Without a closing back-tick, all of it is text.
    if parts.len().is_multiple_of(2) {
        return with_breaks(text);
    }
    html! {
        @for (position, part) in parts.iter().enumerate() {
            @if position % 2 == 1 { code { (with_breaks(part)) } } @else { (with_breaks(part)) }
        }
    }
}

/// A sentence in which a word may break after a slash, as long paths have to.
fn with_breaks(text: &str) -> Markup {
    let parts = text.split_inclusive('/');
    html! { @for (position, part) in parts.enumerate() { @if position > 0 { wbr; } (part) } }
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

/// Shown where there is nothing yet: why, and what to run. Names in back-ticks are code.
pub(crate) fn empty(text: &str, call: Option<&NextCall>) -> Markup {
    html! {
        div.empty {
            p { (with_code(text)) }
            @if let Some(call) = call { p { (command(call)) } }
        }
    }
}

/// Shown where there is nothing to do, which is good news.
pub(crate) fn calm(text: &str) -> Markup {
    html! { div.empty { p { (badge("clear", Tone::Good)) " " (text) } } }
}

/// A problem of an operation, with its hints.
pub(crate) fn problem(problem: &Problem) -> Markup {
    let calls: &dyn Fn(&NextCall) -> String = &|call| CallFormat::CommandLine.call(call);
    html! {
        div.problem role="alert" {
            p { strong { (problem.code.to_string()) } " " (with_code(&problem.to_string())) }
            @if !problem.hints.is_empty() {
                ul {
                    @for hint in &problem.hints {
                        li { (with_code(&hint.render(calls))) }
                    }
                }
            }
        }
    }
}

/// The longest ending of a file name that stays on the line of the name.
const MAX_ENDING: usize = 4;

/// A name or path that breaks where its parts meet, and not within a word or before its ending.
pub(crate) fn breakable(text: &str) -> Markup {
    let ending = text.rsplit_once('.').map_or("", |(_, ending)| ending);
    let ending = if ending.len() <= MAX_ENDING { ending } else { "" };
    let parts = text[..text.len() - ending.len()].split_inclusive(['/', '_', '.', '#', ':']);
    html! { @for (position, part) in parts.enumerate() { @if position > 0 { wbr; } (part) } (ending) }
}

/// A link to a node under the name that people gave it; without one, as `node_link`.
pub(crate) fn named_link(node: &EntityRef, names: &NodeNames) -> Markup {
    match (node, names.get(node)) {
        (EntityRef::Record(..), Some(named)) => html! {
            a.node href=(links::node(node)) { (named.name) } " " span.place { (node.kind()) }
        },
        // The name of a fact is its id, which people cite, and its title.
        (EntityRef::Kb(_), Some(named)) => html! {
            a.node href=(links::node(node)) { (named.name) }
            " " span.place { (named.about.replace('_', " ")) }
        },
        _ => node_link(node),
    }
}

/// A link to a node under its short name; a symbol is followed by its file.
pub(crate) fn node_link(node: &EntityRef) -> Markup {
    html! {
        @match node {
            EntityRef::Symbol(path, name) => {
                a.node href=(links::node(node)) { code { (breakable(name.as_str())) } }
                " " span.place { (breakable(&path.to_string())) }
            },
            EntityRef::Module(path) | EntityRef::File(path) | EntityRef::Dir(path) => {
                (path_link(path))
            },
            // The kind of the entity is in the address, and a whole record id would be too long.
            EntityRef::Kb(id) => a.node href=(links::node(node)) { (id.as_str()) },
            EntityRef::Record(kind, id) => a.node href=(links::node(node)) {
                (kind.as_str()) " " (id.as_str().get(..13).unwrap_or(id.as_str()))
            },
            other => a.node href=(links::node(other)) { (breakable(&other.to_string())) },
        }
    }
}

/// A link to a file or folder: its name stands out from its folder.
pub(crate) fn path_link(path: &RepoPath) -> Markup {
    let folder = path.parent().filter(|parent| !parent.is_root());
    html! {
        a.path href=(links::file(path)) {
            @if let Some(folder) = folder { span.folder { (breakable(&format!("{folder}/"))) wbr; } }
            @if path.is_root() { "." } @else { (breakable(&path.name())) }
        }
    }
}

/// The day of a timestamp.
pub(crate) fn day(timestamp: &str) -> Markup {
    let short = timestamp.get(..10).unwrap_or(timestamp);
    html! { @if !timestamp.is_empty() { time datetime=(timestamp) { (short) } } }
}

/// The links to the previous and the next page of a list.
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
            span { (grouped(offset + 1)) "–" (grouped(end)) " of " (grouped(total)) }
            @if end < total {
                a rel="next" href=(request.with_param("offset", &end.to_string())) { "Next →" }
            }
        }
    }
}

/// Source text with numbered lines, each with an address of its own.
pub(crate) fn source(path: &RepoPath, text: &str, first_line: u32) -> Markup {
    let spans = syntax::highlight(path, text);
    let (mut start, mut next) = (0, 0);
    let lines = text.split_inclusive('\n').map(|line| {
        let range = start..start + line.trim_end_matches(['\n', '\r']).len();
        start += line.len();
        // Spans are in order, and one of several lines is needed again for the next one.
        while spans.get(next).is_some_and(|span| span.end <= range.start) {
            next += 1;
        }
        coloured(text, range, &spans[next..])
    });
    html! {
        div.source role="region" aria-label="Source" tabindex="0" {
            pre {
                @for (line, number) in lines.zip(first_line..) {
                    span.line #{ "L" (number) } {
                        a.number href={ "#L" (number) } aria-label={ "Line " (number) } { (number) }
                        code { (line) "\n" }
                    }
                }
            }
        }
    }
}

/// A line with its spans; `spans` begins with the first one that reaches it.
fn coloured(text: &str, line: Range<usize>, spans: &[HighlightSpan]) -> Markup {
    let inside = spans.iter().take_while(|span| span.start < line.end);
    let mut at = line.start;
    let mut parts = Vec::new();
    for span in inside {
        let (from, to) = (span.start.max(line.start), span.end.min(line.end));
        parts.push((&text[at..from], &text[from..to], token_class(span.class)));
        at = to;
    }
    html! {
        @for (before, part, class) in parts { (before) span class=(class) { (part) } }
        (&text[at..line.end])
    }
}

/// The class of a part of source text in the style sheet.
const fn token_class(class: TokenClass) -> &'static str {
    match class {
        TokenClass::Comment => "c",
        TokenClass::Text => "s",
        TokenClass::Number => "n",
        TokenClass::Keyword => "k",
    }
}

/// A unified difference. The signs stay, so that the colour is not the only mark.
pub(crate) fn diff(text: &str, label: &str) -> Markup {
    let class = |line: &str| match line.as_bytes() {
        [b'+', b'+', b'+', ..] | [b'-', b'-', b'-', ..] => "name",
        [b'+', ..] => "added",
        [b'-', ..] => "removed",
        [b'@', ..] => "place",
        _ => "same",
    };
    html! {
        div.diff role="region" aria-label=(label) tabindex="0" {
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

#[cfg(test)]
mod tests {
    #[test]
    fn names_break_where_their_parts_meet() {
        let broken = |text: &str| super::breakable(text).into_string();
        assert_eq!(broken("src/retries_test.go"), "src/<wbr>retries_<wbr>test.go");
        assert_eq!(broken("Server.ServeHTTP"), "Server.<wbr>ServeHTTP");
        assert_eq!(broken("walk.rs"), "walk.rs");
        assert_eq!(broken("plain"), "plain");
    }

    #[test]
    fn thousands_are_set_apart() {
        for (number, text) in [(0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567")] {
            assert_eq!(super::grouped(number), text);
        }
    }
}
