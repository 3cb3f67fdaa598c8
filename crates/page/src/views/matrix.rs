//! The traceability matrix: what was asked for, the code that does it, the tests that check it.
//!
//! A [`MatrixRow`] is all that the table knows. Today rows come from `card.coverage`; another
//! operation can fill them without a change to the table or its exports.

use base::words::counted;
use base::{EntityRef, Result};
use engine::Paging;
use engine::contract::page::Render;
use maud::{Markup, html};
use operations::ops::typed::{CardCoverage, CoverageAnswer, CoverageRow, CoverageVerdict};
use serde_json::{Value, json};
use syntax::FileRole;

use super::card::{no_cards, status_tone};
use crate::components::{self, Tone, badge, heading};
use crate::layout::{Screen, Section};
use crate::links;
use crate::routes::{Shown, ViewContext};

/// How many rows a page has.
const PAGE_ROWS: u64 = 100;

/// How many places a cell lists.
const MAX_PLACES: usize = 4;

/// One requirement with what satisfies it.
pub(crate) struct MatrixRow {
    /// Its handle
    handle: String,
    /// Its status, and the colour of it
    status: String,
    tone: Tone,
    /// Places in the code
    code: Vec<EntityRef>,
    /// Places in tests
    tests: Vec<EntityRef>,
    /// What is missing or in doubt, and how bad that is
    verdict: String,
    verdict_tone: Tone,
}

/// Rows, with how many there are.
pub(crate) struct MatrixPage {
    rows: Vec<MatrixRow>,
    paging: Option<Paging>,
    linked: u64,
    total: u64,
}

impl MatrixRow {
    fn of(row: &CoverageRow) -> Self {
        let is_test =
            |node: &EntityRef| node.path().is_some_and(|path| FileRole::of(path) == FileRole::Test);
        let (tests, code) = row.links.iter().map(|link| link.node.clone()).partition(is_test);
        Self {
            handle: row.key.to_string(),
            status: row.status.word().to_owned(),
            tone: status_tone(row.status),
            code,
            tests,
            verdict: row.says.to_owned(),
            verdict_tone: match row.verdict {
                CoverageVerdict::Error => Tone::Bad,
                CoverageVerdict::Warning => Tone::Warn,
                CoverageVerdict::Fine => Tone::Good,
            },
        }
    }
}

impl MatrixPage {
    /// The rows of an answer.
    pub(crate) fn of(answer: &CoverageAnswer) -> Self {
        let (linked, total) = answer
            .statuses
            .values()
            .fold((0, 0), |sum, share| (sum.0 + share.linked, sum.1 + share.total));
        let rows = answer.cards.iter().map(MatrixRow::of).collect();
        Self { rows, paging: answer.paging(), linked, total }
    }

    fn retain_gaps(&mut self) {
        self.rows.retain(|row| row.verdict_tone != Tone::Good);
        self.paging = None;
    }
}

/// The matrix, as a view or as a table for other programs.
pub(crate) fn matrix(context: &ViewContext<'_>) -> Result<Shown> {
    let request = context.request;
    let as_csv = request.param("format").as_deref() == Some("csv");
    let gaps = request.param("show").as_deref() == Some("gaps");
    let (limit, offset) = match as_csv || gaps {
        true => (1000, 0),
        false => (PAGE_ROWS, request.number("offset").unwrap_or(0)),
    };
    let args = json!({"limit": limit, "offset": offset, "path": request.param("path")});
    let mut page = MatrixPage::of(&context.asker.ask::<CardCoverage>(args.clone())?);
    if as_csv {
        return csv(context, page, args);
    }
    if gaps {
        page.retain_gaps();
    }
    let chosen = if gaps { "Gaps" } else { "All" };
    let options = [("All", "/matrix".to_owned()), ("Gaps", "/matrix?show=gaps".to_owned())];
    let body = html! {
        (heading(html! { "Traceability matrix" }, &lead(&page)))
        div.toolbar {
            (components::choice("Show", &options, chosen))
            a.button href="/cards" { "Cards" }
            a.button href="/matrix?format=csv" download="matrix.csv" { "Download CSV" }
        }
        @if page.rows.is_empty() && gaps && page.total > 0 {
            (components::empty("No card lacks the code that its status requires.", None))
        } @else if page.rows.is_empty() { (no_cards()) } @else { (table(&page.rows)) }
        (components::pager(request, page.paging, page.rows.len()))
    };
    Ok(Screen::new(Section::Matrix, "Matrix", body).into())
}

fn lead(page: &MatrixPage) -> String {
    format!(
        "{} of {} are linked from code. Those that lack something come first.",
        page.linked,
        counted(page.total, "card")
    )
}

/// The matrix as a table.
pub(crate) fn table(rows: &[MatrixRow]) -> Markup {
    html! {
        div.scroll {
            table {
                thead {
                    tr {
                        th scope="col" { "Requirement" }
                        th.fit scope="col" { "Status" }
                        th scope="col" { "Code" }
                        th scope="col" { "Tests" }
                        th scope="col" { "Verdict" }
                    }
                }
                tbody {
                    @for row in rows {
                        tr {
                            th scope="row" {
                                @match links::handle(&row.handle) {
                                    Some(address) => a.node href=(address) { (row.handle) },
                                    None => (row.handle),
                                }
                            }
                            td.fit { (badge(&row.status, row.tone)) }
                            td { (places(&row.code, row.verdict_tone)) }
                            td { (places(&row.tests, Tone::Neutral)) }
                            td { (badge(&row.verdict, row.verdict_tone)) }
                        }
                    }
                }
            }
        }
    }
}

fn places(nodes: &[EntityRef], missing: Tone) -> Markup {
    html! {
        @if nodes.is_empty() {
            @if missing == Tone::Bad { (badge("missing", Tone::Bad)) } @else { span.muted { "none" } }
        } @else {
            ul.list.tight {
                @for node in nodes.iter().take(MAX_PLACES) { li { (components::node_link(node)) } }
                @if nodes.len() > MAX_PLACES { li.muted { "and " (nodes.len() - MAX_PLACES) " more" } }
            }
        }
    }
}

/// Every row, in one file.
fn csv(context: &ViewContext<'_>, first: MatrixPage, mut args: Value) -> Result<Shown> {
    let mut body = "requirement,status,code,tests,verdict\r\n".to_owned();
    let total = first.paging.map_or(0, |paging| paging.total);
    let (mut page, mut seen) = (first, 0);
    loop {
        for row in &page.rows {
            let names = |nodes: &[EntityRef]| {
                nodes.iter().map(EntityRef::short_handle).collect::<Vec<_>>().join(" ")
            };
            let cells = [
                row.handle.clone(),
                row.status.clone(),
                names(&row.code),
                names(&row.tests),
                row.verdict.clone(),
            ];
            body.push_str(&cells.map(|cell| csv_cell(&cell)).join(","));
            body.push_str("\r\n");
        }
        seen += page.rows.len() as u64;
        if page.rows.is_empty() || seen >= total {
            break;
        }
        args["offset"] = json!(seen);
        page = MatrixPage::of(&context.asker.ask::<CardCoverage>(args.clone())?);
    }
    Ok(Shown::Csv { name: "matrix.csv".into(), body })
}

/// A cell in quotes. A first character that a spreadsheet would take for a formula is disarmed.
fn csv_cell(text: &str) -> String {
    let guard = if text.starts_with(['=', '+', '-', '@', '\t']) { "'" } else { "" };
    format!("\"{guard}{}\"", text.replace('"', "\"\""))
}

/// The matrix as a document of its own.
pub(crate) fn report(answer: &CoverageAnswer) -> Markup {
    let page = MatrixPage::of(answer);
    html! { (heading(html! { "Traceability matrix" }, &lead(&page))) (table(&page.rows)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_cannot_run_in_a_spreadsheet() {
        assert_eq!(csv_cell("a \"b\""), "\"a \"\"b\"\"\"");
        assert_eq!(csv_cell("=cmd"), "\"'=cmd\"");
    }
}
