//! What is shown beside a file or symbol: why it exists, who uses it, its tests, and the files that
//! change with it.

use base::words::counted;
use maud::{Markup, html};
use operations::ops::typed::{CochangeRow, ExplainAnswer, ReachAnswer, TestFile};

use crate::components::{self, Tone, badge, section};
use crate::links;
use crate::markdown::plain;

/// How many reasons are listed.
const MAX_ROWS: usize = 20;

/// How many test files are listed.
const MAX_TESTS: usize = 100;

/// Why something exists: requirements, cards, decisions, knowledge, commits and tasks.
pub(crate) fn part(answer: &ExplainAnswer) -> Markup {
    let body = html! {
        @if answer.reasons.is_empty() {
            p.muted { "No requirement, card, decision, knowledge or commit mentions it." }
        } @else {
            ul.list {
                @for reason in answer.reasons.iter().take(MAX_ROWS) {
                    li {
                        (badge(&sort_name(&format!("{:?}", reason.sort)), Tone::Neutral)) " "
                        a.node href=(links::node(&reason.node)) { (components::with_code(&reason.says)) }
                        @if let Some(quote) = &reason.quote { span.excerpt { (plain(quote)) } }
                        @if let Some(through) = &reason.through {
                            span.excerpt { "through " (components::node_link(through)) }
                        }
                    }
                }
            }
            @if answer.reasons.len() > MAX_ROWS {
                p.muted { (answer.reasons.len() - MAX_ROWS) " more left out." }
            }
        }
        @if !answer.gaps.is_empty() { p.muted { "Not documented: " (answer.gaps.join(", ")) "." } }
    };
    section("Why it exists", None, body)
}

fn sort_name(variant: &str) -> String {
    variant.to_lowercase()
}

/// Who uses a file or symbol directly.
pub(crate) fn users(answer: &ReachAnswer) -> Markup {
    if answer.rows.is_empty() {
        return html! {};
    }
    let total: usize = answer.reached.values().sum();
    let list = html! {
        ul.list.tight { @for row in &answer.rows { li { (components::node_link(&row.node)) } } }
        @if total > answer.rows.len() { p.muted { (total - answer.rows.len()) " more left out." } }
        p { a href=(links::graph(&answer.target.to_string())) { "As a graph" } }
    };
    section("Used by", Some(total), list)
}

/// Tests to run for something.
pub(crate) fn tests(tests: &[TestFile]) -> Markup {
    let body = html! {
        @if tests.is_empty() { p.muted { "No test that reaches it was found." } } @else {
            ul.list.tight.long {
                @for test in tests.iter().take(MAX_TESTS) {
                    li {
                        (components::path_link(&test.path))
                        @if !test.tests.is_empty() { " " span.muted { (counted(test.tests.len(), "test")) } }
                    }
                }
            }
            @if tests.len() > MAX_TESTS { p.muted { (tests.len() - MAX_TESTS) " more left out." } }
        }
    };
    section("Tests", Some(tests.len()), body)
}

/// Files that change together with one.
pub(crate) fn partners(title: &str, partners: &[CochangeRow]) -> Markup {
    if partners.is_empty() {
        return html! {};
    }
    let list = html! {
        ul.list.tight {
            @for row in partners {
                li { (components::path_link(&row.path)) " " span.muted { (counted(row.count, "commit")) } }
            }
        }
    };
    section(title, None, list)
}
