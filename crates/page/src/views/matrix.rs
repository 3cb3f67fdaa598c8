//! The traceability matrix: what was asked for, the code that does it, the tests that check it.

use base::{EntityRef, NextCall, Result};
use engine::JsonObject;
use engine::contract::page::Render;
use engine::spec_links::{LinkState, MatrixEnd, TestEvidence, TraceGap, TraceKind, TraceRow};
use maud::{Markup, html};
use operations::ops::typed::{Matrix, MatrixAnswer, MatrixSummary};
use serde_json::json;

use super::confirm::state_tone;
use super::{card, decisions};
use crate::components::{self, Tone, badge, heading, tile};
use crate::export;
use crate::layout::{NavSection, Screen};
use crate::links;
use crate::request::{DownloadFile, SiteRequest};
use crate::routes::{ViewContext, ViewResult};

/// How many rows a page has.
const PAGE_ROWS: u64 = 100;

/// How many places a cell lists.
const MAX_PLACES: usize = 4;

/// The parameters of the view that are arguments of the operation.
const FILTERS: [&str; 2] = ["path", "kind"];

/// The matrix, as a view or as a table for other programs.
pub(crate) fn matrix(context: &ViewContext<'_>) -> Result<ViewResult> {
    let request = context.request;
    let format = request.param("format").unwrap_or_default();
    if format == "html" {
        return html_file(context);
    }
    let is_csv = format == "csv";
    let is_open = request.param("show").as_deref() == Some("gaps");
    let answer = context.asker.ask::<Matrix>(json!({
        "path": request.param("path"),
        "kind": request.param("kind"),
        "status": request.params("status"),
        "open": is_open,
        "format": if is_csv { "csv" } else { "text" },
        "limit": PAGE_ROWS,
        "offset": request.number("offset").unwrap_or(0),
    }))?;
    if let Some(body) = answer.document() {
        return Ok(ViewResult::Download(DownloadFile::csv("matrix.csv", body)));
    }
    let body = html! {
        (heading(html! { "Traceability matrix" }, lead(&answer.summary)))
        (numbers(&answer.summary))
        (toolbar(request, is_open))
        (rows_or_reason(&answer, is_open))
        (components::pager(request, answer.paging(), answer.rows.len()))
    };
    Ok(Screen::new(NavSection::Matrix, "Matrix", body).into())
}

/// All rows that the filters keep, as a file that needs no server.
fn html_file(context: &ViewContext<'_>) -> Result<ViewResult> {
    let request = context.request;
    let mut args = JsonObject::new();
    for filter in FILTERS {
        if let Some(value) = request.param(filter) {
            args.insert(filter.to_owned(), json!(value));
        }
    }
    args.insert("open".to_owned(), json!(request.param("show").as_deref() == Some("gaps")));
    let body = export::matrix_document(&context.asker, args)?;
    Ok(ViewResult::Download(DownloadFile::html("matrix.html", body)))
}

/// What the view is for.
fn lead(summary: &MatrixSummary) -> &'static str {
    match summary.requirements + summary.cards {
        0 => "",
        _ => "What was asked for, the code that does it and the tests that check it",
    }
}

/// How many rows have code, tests and so on.
fn numbers(summary: &MatrixSummary) -> Markup {
    let all = summary.requirements + summary.cards;
    if all == 0 {
        return html! {};
    }
    let of_all = |count: usize| format!("{count} of {all}");
    let kind = |word: &str| format!("/matrix?kind={word}");
    let open = "/matrix?show=gaps";
    html! {
        div.tiles.many {
            (tile(&summary.requirements.to_string(), "requirements", &kind("requirement")))
            (tile(&summary.cards.to_string(), "cards", &kind("card")))
            (tile(&of_all(summary.with_code), "have code", "/matrix"))
            (tile(&of_all(summary.with_test), "have a test", "/matrix"))
            (tile(&of_all(summary.verified), "verified by tests", "/matrix"))
            (tile(&summary.with_gaps.to_string(), "have gaps", open))
            (tile(&summary.suspect.to_string(), "suspect links", open))
            (tile(&summary.unconfirmed.to_string(), "unconfirmed links", "/matrix"))
        }
    }
}

fn toolbar(request: &SiteRequest, is_open: bool) -> Markup {
    let shown = [("All rows", ""), ("Open rows", "gaps")];
    let kinds = [("Everything", ""), ("Requirements", "requirement"), ("Cards", "card")];
    let kind = request.param("kind").unwrap_or_default();
    let chosen = kinds.iter().find(|(_, word)| *word == kind).map_or("", |(name, _)| name);
    let options = |field: &str, all: &[(&'static str, &str)]| -> Vec<(&'static str, String)> {
        all.iter().map(|(name, word)| (*name, filtered(request, field, word))).collect()
    };
    html! {
        div.toolbar {
            (components::choice("Show", &options("show", &shown), if is_open { "Open rows" } else { "All rows" }))
            (components::choice("Of", &options("kind", &kinds), chosen))
            a.button href="/cards" { "List of cards" }
            a.button href=(filtered(request, "format", "csv")) download="matrix.csv" { "Download CSV" }
            a.button href=(filtered(request, "format", "html")) download="matrix.html" { "Download HTML" }
        }
    }
}

/// This view with one field changed, from its first page.
fn filtered(request: &SiteRequest, field: &str, value: &str) -> String {
    let kept = ["show"].iter().chain(&FILTERS).filter(|name| **name != field);
    let kept = kept.filter_map(|name| request.param(name).map(|value| (*name, value)));
    let new = (!value.is_empty()).then(|| (field, value.to_owned()));
    let all: Vec<String> =
        kept.chain(new).map(|(name, value)| crate::request::query_pair(name, &value)).collect();
    if all.is_empty() { "/matrix".into() } else { format!("/matrix?{}", all.join("&")) }
}

fn rows_or_reason(answer: &MatrixAnswer, is_open: bool) -> Markup {
    let is_nothing = answer.summary.requirements + answer.summary.cards == 0;
    html! {
        @if !answer.rows.is_empty() { (table(&answer.rows)) }
        @else if is_nothing { (no_rows()) }
        @else if is_open { (components::calm("Nothing is missing, and no link is suspect.")) }
        @else { (components::empty("No such row.", None)) }
    }
}

fn no_rows() -> Markup {
    html! {
        (card::no_cards())
        (components::empty(
            "There is no requirement yet. A document in `docs/requirements` that begins with an `id` and a `status` is one. Which documents are read and why others are not is said by",
            Some(&NextCall::new("kb.adopt")),
        ))
    }
}

/// The matrix as a table.
fn table(rows: &[TraceRow]) -> Markup {
    html! {
        div.scroll {
            table.stack.labelled {
                thead {
                    tr {
                        th scope="col" { "Requirement or card" }
                        th.fit scope="col" { "Status" }
                        th scope="col" { "Scenarios and cards" }
                        th.wide scope="col" { "Code" }
                        th.wide scope="col" { "Tests" }
                        th scope="col" { "Verdict" }
                    }
                }
                tbody { @for row in rows { (table_row(row)) } }
            }
        }
    }
}

fn table_row(row: &TraceRow) -> Markup {
    html! {
        tr {
            th scope="row" {
                a.node href=(links::node(&row.node)) { (row.title) }
                span.why { (row_id(row)) @if let Some(priority) = row.priority { ", " (priority) } }
            }
            td.fit data-label="Status" { (badge(&row.status.replace('_', " "), status_tone(row))) }
            td data-label="Scenarios, cards" { div { (specs(row)) } }
            td data-label="Code" { div { (ends(&row.code, row.gaps.contains(&TraceGap::Code))) } }
            td data-label="Tests" { div { (ends(&row.tests, row.gaps.contains(&TraceGap::Test))) } }
            td data-label="Verdict" { div { (verdict(row)) } }
        }
    }
}

/// The id of a row as people write it.
fn row_id(row: &TraceRow) -> String {
    match &row.node {
        EntityRef::Kb(id) => id.as_str().to_owned(),
        node => node.short_handle(),
    }
}

fn status_tone(row: &TraceRow) -> Tone {
    match (row.kind, row.status.parse()) {
        (TraceKind::Card, Ok(status)) => card::status_tone(status),
        _ => decisions::status_tone(&row.status),
    }
}

/// The scenarios that give examples of a row, and the cards that the same code links.
fn specs(row: &TraceRow) -> Markup {
    let is_missing = row.gaps.contains(&TraceGap::Scenario);
    html! {
        @if !row.scenarios.is_empty() || is_missing { (ends(&row.scenarios, is_missing)) }
        @if !row.cards.is_empty() { (list(&row.cards, |node| html! { (components::node_link(node)) })) }
        @if row.scenarios.is_empty() && row.cards.is_empty() && !is_missing { span.muted { "none" } }
    }
}

fn ends(ends: &[MatrixEnd], is_missing: bool) -> Markup {
    html! {
        @if is_missing { (badge("missing", Tone::Bad)) }
        @else if ends.is_empty() { span.muted { "none" } }
        @else { (list(ends, end)) }
    }
}

/// One end, with its state and its evidence if they need attention.
fn end(end: &MatrixEnd) -> Markup {
    let state =
        end.state.filter(|state| matches!(state, LinkState::Suspect | LinkState::NotChecked));
    let evidence = end.evidence.filter(|evidence| *evidence != TestEvidence::Present);
    html! {
        (components::node_link(&end.node))
        @if let Some(state) = state { " " (badge(state.word(), state_tone(state))) }
        @if let Some(evidence) = evidence { " " (badge(evidence.word(), evidence_tone(evidence))) }
    }
}

const fn evidence_tone(evidence: TestEvidence) -> Tone {
    match evidence {
        TestEvidence::Verified => Tone::Good,
        TestEvidence::Present => Tone::Neutral,
        TestEvidence::Outdated | TestEvidence::Skipped => Tone::Warn,
        TestEvidence::Failed => Tone::Bad,
    }
}

fn list<T>(all: &[T], show: impl Fn(&T) -> Markup) -> Markup {
    html! {
        ul.list.tight {
            @for one in all.iter().take(MAX_PLACES) { li { (show(one)) } }
            @if all.len() > MAX_PLACES { li.muted { "and " (all.len() - MAX_PLACES) " more" } }
        }
    }
}

fn verdict(row: &TraceRow) -> Markup {
    let suspect = format!("{} suspect", row.suspect);
    let has_failed = row.has_evidence(TestEvidence::Failed);
    html! {
        @for gap in &row.gaps { (badge(gap.word(), Tone::Bad)) " " }
        @if row.suspect > 0 { (badge(&suspect, Tone::Bad)) " " }
        @if has_failed { (badge("test failed", Tone::Bad)) }
        @if row.gaps.is_empty() && row.suspect == 0 && !has_failed {
            @if row.is_verified() { (badge("verified", Tone::Good)) }
            @else if row.code.is_empty() && row.tests.is_empty() { (badge("nothing due yet", Tone::Neutral)) }
            @else { (badge("complete", Tone::Good)) }
        }
    }
}

/// What one requirement or card is linked with.
pub(crate) fn linked_ends(row: &TraceRow) -> impl Iterator<Item = (&EntityRef, LinkState)> {
    let all = row.scenarios.iter().chain(&row.code).chain(&row.tests);
    all.filter_map(|end| end.state.map(|state| (&end.node, state)))
}

/// The matrix as a document of its own.
pub(crate) fn report(repository: &str, summary: &MatrixSummary, rows: &[TraceRow]) -> Markup {
    html! {
        (heading(html! { "Traceability matrix of " (repository) }, lead(summary)))
        (numbers(summary))
        @if rows.is_empty() { (components::empty("There are no such rows.", None)) } @else { (table(rows)) }
    }
}
