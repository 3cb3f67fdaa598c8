//! `matrix`: requirements and cards with their scenarios, code and tests, and what is missing.

mod formats;

use std::collections::BTreeSet;

use base::words::counted;
use base::{EntityRef, Hint, NextCall, Problem, Result};
use cards::CardStatus;
use clap::{Args, ValueEnum};
use kb::KbEntityKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use engine::contract::answer::Paging;
use engine::contract::args::{Limit, NodeTarget, Offset, comma_list};
use engine::contract::op::{OpExample, Query};
use engine::contract::page::{Page, PageCell, Render};
use engine::graph;
use engine::rules::baseline::Baseline;
use engine::rules::{self, RuleFinding, RuleScope};
use engine::spec_links::{
    GAP_RULE, LinkState, MatrixEnd, TestEvidence, TraceKind, TraceRow, trace_matrix,
};
use engine::view::View;

/// The rules that `gate` checks.
const GATE_RULES: [&str; 3] = [GAP_RULE, "LINK_SUSPECT", "LINK_SUSPECT_UNFINISHED"];

/// How many problems found with `gate` the page shows.
const MAX_PROBLEMS: usize = 20;

/// How many ends of one kind a cell of the page names.
const MAX_NAMED: usize = 2;

/// Show which code and tests belong to each requirement and card, and what is missing
///
/// `verified` means that a test passed since the code last changed, and none failed. With `gate`,
/// gaps and suspect links of these rows that are not in the baseline make the exit code 1.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Matrix {
    /// Only what is written in this file or folder, or linked to code there
    #[serde(default)]
    pub path: Option<NodeTarget>,
    /// Only requirements, or only cards
    #[arg(long, value_enum)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub kind: Option<MatrixKind>,
    /// Only rows with one of these statuses
    #[arg(long, value_delimiter = ',')]
    #[serde(default, deserialize_with = "comma_list")]
    #[schemars(extend("x-rare" = true))]
    pub status: Vec<String>,
    /// Only rows with all of these tags
    #[arg(long, value_delimiter = ',')]
    #[serde(default, deserialize_with = "comma_list")]
    #[schemars(extend("x-rare" = true))]
    pub tags: Vec<String>,
    /// Only rows with a gap, a suspect link or a failed test
    #[arg(long)]
    #[serde(default)]
    pub open: bool,
    /// Fail on gaps and suspect links that are not in the baseline
    #[arg(long)]
    #[serde(default)]
    pub gate: bool,
    /// Format of the matrix
    #[arg(long, value_enum, default_value_t)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub format: MatrixFormat,
    /// Rows to show
    #[arg(long, default_value_t)]
    #[serde(default)]
    pub limit: Limit,
    /// Rows to skip
    #[arg(long, default_value_t)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub offset: Offset,
}

/// What rows are about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MatrixKind {
    /// Requirements
    Requirement,
    /// Cards
    Card,
}

/// How a matrix is written.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum MatrixFormat {
    /// For reading
    #[default]
    Text,
    /// For spreadsheets; all rows
    Csv,
    /// One page without scripts or other files; all rows
    Html,
}

/// Requirements and cards with what belongs to them
#[derive(Debug, Serialize, JsonSchema)]
pub struct MatrixAnswer {
    /// How many rows have code, tests and problems
    pub summary: MatrixSummary,
    /// The rows: requirements first, then cards
    pub rows: Vec<TraceRow>,
    /// How many gaps and suspect links are not in the baseline; only with `gate`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new_problems: Option<usize>,
    /// These gaps and suspect links
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<RuleFinding>,
    #[serde(skip)]
    document: Option<String>,
    #[serde(skip)]
    known: usize,
    #[serde(skip)]
    paging: Paging,
}

/// How many rows of a matrix have code, tests and problems
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MatrixSummary {
    /// How many requirements there are
    pub requirements: usize,
    /// How many cards there are
    pub cards: usize,
    /// How many rows have code
    pub with_code: usize,
    /// How many rows have a test
    pub with_test: usize,
    /// How many rows have a test that passed since the code last changed, and none that failed
    pub verified: usize,
    /// How many rows have a test that failed
    #[serde(skip_serializing_if = "is_zero")]
    pub failed: usize,
    /// How many links are suspect
    pub suspect: usize,
    /// How many links nobody confirmed
    pub unconfirmed: usize,
    /// How many rows lack something that their status asks for
    pub with_gaps: usize,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl MatrixSummary {
    /// Counts rows.
    pub(super) fn of(rows: &[TraceRow]) -> Self {
        let count = |is: &dyn Fn(&TraceRow) -> bool| rows.iter().filter(|row| is(row)).count();
        Self {
            requirements: count(&|row| row.kind == TraceKind::Requirement),
            cards: count(&|row| row.kind == TraceKind::Card),
            with_code: count(&|row| !row.code.is_empty()),
            with_test: count(&|row| !row.tests.is_empty()),
            verified: count(&TraceRow::is_verified),
            failed: count(&|row| row.has_evidence(TestEvidence::Failed)),
            suspect: rows.iter().map(|row| row.suspect).sum(),
            unconfirmed: rows.iter().map(|row| row.unconfirmed).sum(),
            with_gaps: count(&|row| !row.gaps.is_empty()),
        }
    }

    /// The counts as a sentence.
    pub fn sentence(&self) -> String {
        let all = self.requirements + self.cards;
        let what = match (self.requirements, self.cards) {
            (0, cards) => counted(cards, "card"),
            (requirements, 0) => counted(requirements, "requirement"),
            (requirements, cards) => {
                format!("{} and {}", counted(requirements, "requirement"), counted(cards, "card"))
            }
        };
        let failed = match self.failed {
            0 => String::new(),
            failed => format!(", {failed} with a failed test"),
        };
        format!(
            "{what}: {} of {all} with code, {} with a test, {} verified{failed}; {} suspect, {} unconfirmed; {} with gaps",
            self.with_code,
            self.with_test,
            self.verified,
            counted(self.suspect, "link"),
            self.unconfirmed,
            self.with_gaps,
        )
    }
}

impl Query for Matrix {
    const NAME: &'static str = "matrix";
    const EXAMPLES: &'static [OpExample] = &[
        OpExample { args: "--open", shows: "what is missing or suspect" },
        OpExample { args: "--format html", shows: "a page for an audit" },
        OpExample { args: "--gate", shows: "a check for CI" },
    ];
    type Answer = MatrixAnswer;

    fn run(self, view: &View) -> Result<MatrixAnswer> {
        let path = self.path.as_ref().map(|path| graph::resolve(view, path)).transpose()?;
        let mut rows = trace_matrix(view)?;
        self.refuse_unknown_status(&rows)?;
        let known = rows.len();
        rows.retain(|row| self.includes(row) && path.as_ref().is_none_or(|path| is_at(row, path)));
        let summary = MatrixSummary::of(&rows);
        let problems = match self.gate {
            true => gate_problems(view, self.is_narrowed().then_some(rows.as_slice()))?,
            false => Vec::new(),
        };
        if self.open {
            rows.retain(is_open);
        }
        let document = match self.format {
            MatrixFormat::Text => None,
            MatrixFormat::Csv => Some(formats::csv(&rows)),
            MatrixFormat::Html => Some(formats::html(&rows, &summary)),
        };
        let new_problems = self.gate.then_some(problems.len());
        let (rows, paging) = Paging::cut(rows, self.offset, self.limit);
        Ok(MatrixAnswer { summary, rows, new_problems, problems, document, known, paging })
    }
}

impl MatrixAnswer {
    /// The matrix as CSV or HTML, if that format was requested.
    pub fn document(&self) -> Option<&str> {
        self.document.as_deref()
    }
}

impl Matrix {
    /// Whether some rows are left out.
    const fn is_narrowed(&self) -> bool {
        let is_any = self.status.is_empty() && self.tags.is_empty();
        self.path.is_some() || self.kind.is_some() || !is_any
    }

    /// Refuses a status that neither requirements nor cards can have, and that no row has.
    fn refuse_unknown_status(&self, rows: &[TraceRow]) -> Result<()> {
        let mut known: BTreeSet<&str> = KbEntityKind::Req.statuses().iter().copied().collect();
        known.extend(CardStatus::ALL.iter().map(|status| status.word()));
        let is_known = |status: &&String| {
            known.contains(status.as_str()) || rows.iter().any(|row| row.status == **status)
        };
        let Some(unknown) = self.status.iter().find(|status| !is_known(status)) else {
            return Ok(());
        };
        let (unknown, known) = (unknown.escape_debug(), Vec::from_iter(known).join(", "));
        Err(Problem::invalid(format!(
            "`{unknown}` is not a status of a requirement or card: {known}"
        )))
    }

    fn includes(&self, row: &TraceRow) -> bool {
        let kind = match row.kind {
            TraceKind::Requirement => MatrixKind::Requirement,
            TraceKind::Card => MatrixKind::Card,
        };
        self.kind.is_none_or(|wanted| wanted == kind)
            && (self.status.is_empty() || self.status.contains(&row.status))
            && self.tags.iter().all(|tag| row.tags.contains(tag))
    }
}

/// Whether a row has a gap, a suspect link or a failed test.
fn is_open(row: &TraceRow) -> bool {
    !row.gaps.is_empty() || row.suspect > 0 || row.has_evidence(TestEvidence::Failed)
}

/// The problems of the matrix, or of some rows of it, that are not in the baseline.
fn gate_problems(view: &View, rows: Option<&[TraceRow]>) -> Result<Vec<RuleFinding>> {
    let wanted: Vec<String> = GATE_RULES.map(ToOwned::to_owned).to_vec();
    let report = rules::run(view, &RuleScope::Everything, &wanted)?;
    let (mut new, _) = Baseline::read(view, None)?.subtract(report.findings);
    if let Some(rows) = rows {
        let nodes: BTreeSet<&EntityRef> = rows.iter().flat_map(gated_nodes).collect();
        new.retain(|finding| finding.node.as_ref().is_some_and(|node| nodes.contains(node)));
    }
    Ok(new)
}

/// A row and the ends of its links that are suspect.
fn gated_nodes(row: &TraceRow) -> impl Iterator<Item = &EntityRef> {
    let ends = row.scenarios.iter().chain(&row.code).chain(&row.tests);
    let suspects = ends.filter(|end| end.state == Some(LinkState::Suspect));
    std::iter::once(&row.node).chain(suspects.map(|end| &end.node))
}

/// Whether a row is defined in a file or folder, or linked to code in it.
fn is_at(row: &TraceRow, place: &EntityRef) -> bool {
    let Some(folder) = place.path() else { return row.node == *place };
    let below = |node: &EntityRef| node.path().is_some_and(|path| path.is_at_or_below(folder));
    row.path.as_ref().is_some_and(|path| path.is_at_or_below(folder))
        || row.code.iter().chain(&row.tests).any(|end| below(&end.node))
}

impl Render for MatrixAnswer {
    fn render(&self, page: &mut Page) {
        if let Some(document) = &self.document {
            return page.document(document);
        }
        if self.summary.requirements + self.summary.cards == 0 {
            return page.answer(match self.known {
                0 => "No requirements and no cards".to_owned(),
                known => format!("No matching requirement or card ({known} in the matrix)"),
            });
        }
        page.answer(self.summary.sentence());
        match self.new_problems {
            Some(0) => page.say("The gate passes: nothing that is not in the baseline"),
            Some(1) => page.say("The gate fails: 1 problem is not in the baseline"),
            Some(new) => {
                page.say(format!("The gate fails: {new} problems are not in the baseline"));
            }
            None => {}
        }
        if !self.problems.is_empty() {
            let row = |found: &RuleFinding| {
                let text = format!("{}; {}", found.message, found.fix.text);
                let fix = Hint { text, call: found.fix.call.clone() };
                let mut row = vec![PageCell::text(found.code), PageCell::handle(found.place())];
                row.extend(PageCell::hint_cells(&fix));
                row
            };
            page.table(2, self.problems.iter().take(MAX_PROBLEMS).map(row).collect());
            if self.problems.len() > MAX_PROBLEMS {
                let rules = GATE_RULES.map(|rule| Value::from(rule.to_lowercase())).to_vec();
                page.say_call(
                    format!("…  {} more", self.problems.len() - MAX_PROBLEMS),
                    NextCall::new("verify").with("rules", rules).with("offset", MAX_PROBLEMS),
                );
            }
        }
        let has_scenarios = self.rows.iter().any(|row| !row.scenarios.is_empty());
        page.table(0, self.rows.iter().map(|row| cells(row, has_scenarios)).collect());
        self.paging.render_rest(page, self.rows.len());
    }

    fn paging(&self) -> Option<Paging> {
        Some(self.paging)
    }

    fn has_findings(&self) -> bool {
        self.new_problems.is_some_and(|new| new > 0)
    }
}

fn cells(row: &TraceRow, has_scenarios: bool) -> Vec<PageCell> {
    let mut marks: Vec<String> = row.gaps.iter().map(|gap| gap.word().to_owned()).collect();
    if row.suspect > 0 {
        marks.push(format!("{} suspect", row.suspect));
    }
    if row.has_evidence(TestEvidence::Failed) {
        marks.push("test failed".into());
    }
    let marks = match marks.is_empty() {
        true => PageCell::faint(progress(row)),
        false => PageCell::bad(marks.join(", ")),
    };
    let scenarios =
        has_scenarios.then(|| PageCell::faint(format!("scenarios {}", named(&row.scenarios))));
    [PageCell::handle(&row.node), PageCell::text(&row.status), marks]
        .into_iter()
        .chain(scenarios)
        .chain([
            PageCell::faint(format!("code {}", named(&row.code))),
            PageCell::faint(format!("tests {}", named(&row.tests))),
            PageCell::text(format!("\"{}\"", row.title)),
        ])
        .collect()
}

/// The progress of a row without gaps.
fn progress(row: &TraceRow) -> &'static str {
    match () {
        () if row.is_verified() => "verified",
        () if row.has_evidence(TestEvidence::Outdated) => "outdated results",
        () if !row.tests.is_empty() => "no results",
        () if !row.code.is_empty() => "untested",
        () => "no code yet",
    }
}

/// A few names, and how many more there are.
fn named(ends: &[MatrixEnd]) -> String {
    if ends.is_empty() {
        return "–".into();
    }
    let names = ends.iter().take(MAX_NAMED).map(|end| formats::short(&end.node));
    let more = ends.len().saturating_sub(MAX_NAMED);
    let text = names.collect::<Vec<_>>().join(", ");
    if more > 0 { format!("{text} +{more}") } else { text }
}
