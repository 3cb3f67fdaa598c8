//! `matrix`: requirements and cards with their scenarios, code and tests, and what is missing.

mod formats;

use base::words::counted;
use base::{EntityRef, Result};
use clap::{Args, ValueEnum};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use engine::contract::answer::Paging;
use engine::contract::args::{Limit, NodeTarget, Offset, comma_list};
use engine::contract::op::{OpExample, Query};
use engine::contract::page::{Page, PageCell, Render};
use engine::graph;
use engine::rules::baseline::Baseline;
use engine::rules::{self, RuleScope};
use engine::spec_links::{GAP_RULE, MatrixEnd, TraceKind, TraceRow, trace_matrix};
use engine::view::View;

/// The rules that a gate on the matrix looks at.
const GATE_RULES: [&str; 3] = [GAP_RULE, "LINK_SUSPECT", "LINK_SUSPECT_UNFINISHED"];

/// How many ends of one kind a cell of the page names.
const MAX_NAMED: usize = 2;

/// Show which code and tests belong to each requirement and card, and what is missing
///
/// `verified` means that a test passed since the code last changed. With `gate`, gaps and suspect
/// links that are not in the baseline make the exit code 1.
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
    /// Only rows with a gap or a suspect link
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
    /// How the rows stand
    pub summary: MatrixSummary,
    /// The rows: requirements first, then cards
    pub rows: Vec<TraceRow>,
    /// Gaps and suspect links that are not in the baseline; only with `gate`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new_problems: Option<usize>,
    #[serde(skip)]
    document: Option<String>,
    #[serde(skip)]
    paging: Paging,
}

/// How the rows of a matrix stand
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
    /// How many rows have a test that passed since the code last changed
    pub verified: usize,
    /// How many links are suspect
    pub suspect: usize,
    /// How many links nobody confirmed
    pub unconfirmed: usize,
    /// How many rows lack something that their status asks for
    pub with_gaps: usize,
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
        format!(
            "{what}: {} of {all} with code, {} with a test, {} verified; {} suspect, {} unconfirmed; {} with gaps",
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
        rows.retain(|row| self.wants(row) && path.as_ref().is_none_or(|path| is_at(row, path)));
        let summary = MatrixSummary::of(&rows);
        if self.open {
            rows.retain(|row| !row.gaps.is_empty() || row.suspect > 0);
        }
        let document = match self.format {
            MatrixFormat::Text => None,
            MatrixFormat::Csv => Some(formats::csv(&rows)),
            MatrixFormat::Html => Some(formats::html(&rows, &summary)),
        };
        let new_problems = self.gate.then(|| new_problems(view)).transpose()?;
        let (rows, paging) = Paging::cut(rows, self.offset, self.limit);
        Ok(MatrixAnswer { summary, rows, new_problems, document, paging })
    }
}

impl MatrixAnswer {
    /// The matrix as CSV or HTML, if it was asked for.
    pub fn document(&self) -> Option<&str> {
        self.document.as_deref()
    }
}

impl Matrix {
    fn wants(&self, row: &TraceRow) -> bool {
        let kind = match row.kind {
            TraceKind::Requirement => MatrixKind::Requirement,
            TraceKind::Card => MatrixKind::Card,
        };
        self.kind.is_none_or(|wanted| wanted == kind)
            && (self.status.is_empty() || self.status.contains(&row.status))
            && self.tags.iter().all(|tag| row.tags.contains(tag))
    }
}

/// How many problems of the matrix are not in the baseline.
fn new_problems(view: &View) -> Result<usize> {
    let wanted: Vec<String> = GATE_RULES.map(ToOwned::to_owned).to_vec();
    let report = rules::run(view, &RuleScope::Everything, &wanted)?;
    let (new, _) = Baseline::read(view, None)?.subtract(report.findings);
    Ok(new.len())
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
            return page.answer("No requirements and no cards");
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
        page.table(0, self.rows.iter().map(cells).collect());
        self.paging.render_rest(page, self.rows.len());
    }

    fn paging(&self) -> Option<Paging> {
        Some(self.paging)
    }

    fn has_findings(&self) -> bool {
        self.new_problems.is_some_and(|new| new > 0)
    }
}

fn cells(row: &TraceRow) -> Vec<PageCell> {
    let mut marks: Vec<String> = row.gaps.iter().map(|gap| gap.word().to_owned()).collect();
    if row.suspect > 0 {
        marks.push(format!("{} suspect", row.suspect));
    }
    let marks = match (marks.is_empty(), row.is_verified()) {
        (true, true) => PageCell::faint("verified"),
        (true, false) => PageCell::faint("complete"),
        _ => PageCell::bad(marks.join(", ")),
    };
    vec![
        PageCell::handle(&row.node),
        PageCell::text(&row.status),
        marks,
        PageCell::faint(format!("code {}", named(&row.code))),
        PageCell::faint(format!("tests {}", named(&row.tests))),
        PageCell::text(format!("\"{}\"", row.title)),
    ]
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
