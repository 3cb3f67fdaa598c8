//! The review of a change: what it may break, what it forgot, and which tests to run.

use base::words::counted;
use base::{ProblemCode, Result};
use engine::contract::page::Render;
use maud::{Markup, html};
use operations::ops::typed::{Review, ReviewAnswer, ReviewTestRow};
use serde_json::json;

use super::checks;
use crate::asker::NodeNames;
use crate::components::{self, Tone, badge, heading, section};
use crate::layout::{NavSection, Screen};
use crate::routes::{ViewContext, ViewResult};

/// How many rows of each list are shown.
const MAX_ROWS: usize = 200;

/// The review of the working tree, or of a range that `base` names.
pub(crate) fn review(context: &ViewContext<'_>) -> Result<ViewResult> {
    let request = context.request;
    let base = request.param("base");
    let offset = request.number("offset").unwrap_or(0);
    let asked = context.asker.ask::<Review>(json!({
        "range": base, "fail_on": "never", "limit": 100, "offset": offset,
    }));
    let answer = match asked {
        Err(problem) if problem.code == ProblemCode::Unavailable => return Ok(without_git()),
        asked => asked?,
    };
    let body = html! {
        (heading(html! { "Review" }, &summary(&answer)))
        form.inline.toolbar method="get" action="/review" {
            label for="base" { "Compare with" }
            input #base type="text" name="base" value=(base.unwrap_or_default()) placeholder="HEAD, main..., v1..v2"
                spellcheck="false" autocapitalize="none";
            button type="submit" { "Review" }
            span.muted { "A commit, or a range such as main..." }
        }
        (report(&answer, &checks::names(&context.asker, &answer.findings)?))
        @if answer.files.is_empty() && request.param("base").is_none() {
            p { "Edit a file to review it before it is committed, or " a href="/review?base=HEAD~1" { "review the last commit" } "." }
        }
        (components::pager(request, answer.paging(), answer.findings.len()))
    };
    Ok(Screen::new(NavSection::Review, "Review", body).into())
}

/// Shown where nothing can be compared.
fn without_git() -> ViewResult {
    let text = "A review compares the files with a commit, and there is no git repository here. Make one with `git init`, and commit something.";
    let body = html! {
        (heading(html! { "Review" }, ""))
        div.empty { p { (components::with_code(text)) } }
    };
    Screen::new(NavSection::Review, "Review", body).into()
}

/// What was compared, in one line.
pub(crate) fn summary(answer: &ReviewAnswer) -> String {
    match answer.files.len() {
        0 => format!("Nothing changed {}", answer.compared),
        files => format!(
            "{} and {} changed {}",
            counted(files, "file"),
            counted(answer.symbols.len(), "symbol"),
            answer.compared
        ),
    }
}

/// Everything that a review says.
pub(crate) fn report(answer: &ReviewAnswer, names: &NodeNames) -> Markup {
    if answer.files.is_empty() {
        return components::empty("There is nothing to review: no file differs.", None);
    }
    let [errors, warnings, notes] = answer.counts;
    html! {
        div.toolbar {
            (badge(&counted(errors, "error"), if errors > 0 { Tone::Bad } else { Tone::Good }))
            (badge(&counted(warnings, "warning"), if warnings > 0 { Tone::Warn } else { Tone::Good }))
            (badge(&counted(notes, "note"), Tone::Neutral))
            (badge(&format!("{} to run", counted(answer.tests.len(), "test file")), Tone::Accent))
        }
        @if answer.findings.is_empty() {
            (section("Look at", Some(0), html! { p.muted { "No finding." } }))
        } @else {
            (section("Look at", Some(errors + warnings + notes), checks::findings(&answer.findings, names)))
        }
        (section("Tests to run", Some(answer.tests.len()), tests(&answer.tests)))
        div.pair {
            (section("Changed symbols", Some(answer.symbols.len()), symbols(answer)))
            (section("Changed files", Some(answer.files.len()), files(answer)))
        }
        (section("What was checked", None, checked(answer)))
    }
}

fn tests(tests: &[ReviewTestRow]) -> Markup {
    let has_names = tests.iter().take(MAX_ROWS).any(|row| !names(row).is_empty());
    html! {
        @if tests.is_empty() { p.muted { "No test that reaches the change was found." } } @else {
            div.scroll {
                table.stack.flow {
                    thead { tr { th.name { "Test file" } th { "How it was found" } @if has_names { th { "Tests" } } } }
                    tbody {
                        @for row in tests.iter().take(MAX_ROWS) {
                            tr {
                                td.main { (components::node_link(&row.node)) }
                                td { (components::with_code(&row.how)) }
                                @if has_names { td { span.muted { (names(row)) } } }
                            }
                        }
                    }
                }
            }
            (rest(tests.len()))
        }
    }
}

fn names(row: &ReviewTestRow) -> String {
    let names: Vec<&str> =
        row.names.iter().map(String::as_str).filter(|name| !name.is_empty()).collect();
    match names.len() {
        0..=3 => names.join(", "),
        many => format!("{} and {} more", names[..3].join(", "), many - 3),
    }
}

fn symbols(answer: &ReviewAnswer) -> Markup {
    html! {
        ul.list {
            @for row in answer.symbols.iter().take(MAX_ROWS) {
                li {
                    (badge(row.how, Tone::Neutral)) " " (components::node_link(&row.node))
                    @if let Some(was) = &row.was { span.excerpt { "was " (was) } }
                }
            }
        }
        (rest(answer.symbols.len()))
    }
}

fn files(answer: &ReviewAnswer) -> Markup {
    html! {
        ul.list {
            @for row in answer.files.iter().take(MAX_ROWS) {
                li {
                    (badge(row.how, Tone::Neutral)) " " (components::path_link(&row.path))
                    @if let Some(old) = &row.old { span.excerpt { "was " (old) } }
                }
            }
        }
        (rest(answer.files.len()))
    }
}

fn rest(total: usize) -> Markup {
    html! { @if total > MAX_ROWS { p.muted { (total - MAX_ROWS) " more left out." } } }
}

fn checked(answer: &ReviewAnswer) -> Markup {
    html! {
        dl.facts {
            dt { "Checked" } dd { (answer.checked.join(", ")) }
            @if !answer.not_checked.is_empty() { dt { "Not checked" } dd { (answer.not_checked.join(", ")) } }
            @for note in &answer.notes { dt { "Note" } dd { (components::with_code(note)) } }
        }
    }
}
