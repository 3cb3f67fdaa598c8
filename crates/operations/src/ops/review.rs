//! `review`: what a change may break, what it forgot, and what it must respect.

use base::words::counted;
use base::{EntityRef, RepoPath, Result};
use clap::{Args, ValueEnum};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::verify::ReportFormat;
use crate::answers::finding_rows::{FindingDetail, render_findings, without_own_path};
use crate::call_format::as_typed;
use crate::diff::{ChangedFile, ChangedSymbol, DiffRange, SymbolHow};
use crate::review::{
    self, MAYBE_FORGOTTEN, REVIEW_RULES, ReviewDepth, ReviewReport as Reviewed, TestsToRun,
};
use engine::contract::answer::Paging;
use engine::contract::args::{Limit, Offset, Words};
use engine::contract::op::{OpExample, Query, ToolVisibility};
use engine::contract::page::{Page, PageCell, Render};
use engine::rules::{self, RuleFinding, RuleSeverity};
use engine::view::View;

/// How many changed files a page shows, and how many symbols of each.
const MAX_FILES_SHOWN: usize = 8;
const MAX_SYMBOLS_SHOWN: usize = 6;

/// How many test files a page shows: the nearest ones are run first.
const MAX_TESTS_SHOWN: usize = 6;

/// Review a change before it is committed: what it may break, forgot, must respect
///
/// Callers at risk, linked specs and requirements, files that usually change too, stale
/// knowledge, new violations, tests to run.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Review {
    /// `A..B`, `A...B`, or a commit to compare the working tree with; HEAD if left out
    #[serde(default)]
    pub range: Option<Words>,
    /// Review the staged changes
    #[arg(long, conflicts_with = "range")]
    #[serde(default)]
    pub staged: bool,
    /// Do not ask the language server of a trusted repository for type errors
    #[arg(long)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub no_types: bool,
    /// Format of the report
    #[arg(long, value_enum, default_value_t)]
    #[serde(default)]
    pub format: ReportFormat,
    /// Lowest severity of a finding that makes the exit code 1
    #[arg(long, value_enum, default_value_t)]
    #[serde(default)]
    pub fail_on: FailOn,
    /// Findings to show
    #[arg(long, default_value_t)]
    #[serde(default)]
    pub limit: Limit,
    /// Findings to skip
    #[arg(long, default_value_t)]
    #[serde(default)]
    pub offset: Offset,
}

/// The lowest severity that makes the exit code 1.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum FailOn {
    /// Errors
    #[default]
    Error,
    /// Warnings too
    Warning,
    /// Nothing
    Never,
}

/// The review of a change
#[derive(Debug, Serialize, JsonSchema)]
pub struct ReviewAnswer {
    /// What was compared
    pub compared: String,
    /// Files that changed
    pub files: Vec<ReviewFileRow>,
    /// Symbols that changed
    pub symbols: Vec<ReviewSymbolRow>,
    /// How many errors, warnings and notes there are
    pub counts: [usize; 3],
    /// Findings, most severe first
    pub findings: Vec<RuleFinding>,
    /// Tests to run, nearest first
    pub tests: Vec<ReviewTestRow>,
    /// What was checked
    pub checked: Vec<&'static str>,
    /// What was not checked, and why
    pub not_checked: Vec<String>,
    /// Limits of the answer: what was cut off
    pub notes: Vec<String>,
    #[serde(skip)]
    document: Option<String>,
    #[serde(skip)]
    fails: bool,
    #[serde(skip)]
    paging: Paging,
}

/// A file that changed
#[derive(Debug, Serialize, JsonSchema)]
pub struct ReviewFileRow {
    /// Where it is, or was
    pub path: RepoPath,
    /// What happened
    pub how: &'static str,
    /// Where it was
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old: Option<RepoPath>,
}

/// A symbol that changed
#[derive(Debug, Serialize, JsonSchema)]
pub struct ReviewSymbolRow {
    /// Its handle; the last one if it is deleted
    pub node: EntityRef,
    /// What happened
    pub how: &'static str,
    /// Where it was
    #[serde(skip_serializing_if = "Option::is_none")]
    pub was: Option<String>,
}

/// Tests to run
#[derive(Debug, Serialize, JsonSchema)]
pub struct ReviewTestRow {
    /// The file, or the entity
    pub node: EntityRef,
    /// The tests in it that reach what changed
    pub names: Vec<String>,
    /// How many of the changed symbols they reach
    pub symbols: usize,
    /// How many calls away the nearest is, if calls lead to it; 0 if it changed itself
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hops: Option<usize>,
    /// How it was found
    pub how: String,
}

impl Query for Review {
    const NAME: &'static str = "review";
    const VISIBILITY: ToolVisibility = ToolVisibility::Everyday;
    const EXAMPLES: &'static [OpExample] = &[
        OpExample { args: "", shows: "the edits since the last commit" },
        OpExample { args: "--staged", shows: "the staged changes" },
        OpExample {
            args: "main... --format github",
            shows: "a branch, as annotations of its pull request",
        },
    ];
    type Answer = ReviewAnswer;

    fn run(self, view: &View) -> Result<ReviewAnswer> {
        let between = match (&self.range, self.staged) {
            (Some(range), _) => DiffRange::parse(range.as_str().trim()),
            (None, true) => DiffRange::Staged,
            (None, false) => DiffRange::WorkingTree,
        };
        let depth = if self.no_types { ReviewDepth::WithoutTypes } else { ReviewDepth::WithTypes };
        let Reviewed { files, symbols, findings, tests, checked, not_checked, notes } =
            review::review(view, &between, depth)?;
        let count = |severity| findings.iter().filter(|found| found.severity == severity).count();
        let counts = [RuleSeverity::Error, RuleSeverity::Warning, RuleSeverity::Note].map(count);
        let stops = match self.fail_on {
            FailOn::Error => counts[0] > 0,
            FailOn::Warning => counts[0] + counts[1] > 0,
            FailOn::Never => false,
        };
        let document = match self.format {
            ReportFormat::Text => None,
            ReportFormat::Github => Some(rules::github(&findings, &as_typed)),
            ReportFormat::Sarif => {
                let of_rules = rules::all(view).into_iter().map(rules::VerifyRule::summary);
                let means: Vec<_> = REVIEW_RULES.iter().copied().chain(of_rules).collect();
                Some(rules::sarif(&findings, &means, &as_typed))
            }
        };
        let (findings, paging) = Paging::cut(findings, self.offset, self.limit);
        Ok(ReviewAnswer {
            compared: between.description(),
            files: files.into_iter().map(file_row).collect(),
            symbols: symbols.iter().map(symbol_row).collect(),
            counts,
            findings,
            tests: tests.into_iter().map(test_row).collect(),
            checked,
            not_checked,
            notes,
            document,
            fails: stops,
            paging,
        })
    }
}

fn file_row(file: ChangedFile) -> ReviewFileRow {
    ReviewFileRow { path: file.path, how: file.kind.as_str(), old: file.old }
}

fn symbol_row(symbol: &ChangedSymbol) -> ReviewSymbolRow {
    let was = symbol.previous.as_ref().map(|(path, full)| format!("{path}#{full}"));
    ReviewSymbolRow { node: symbol.node(), how: symbol.kind.as_str(), was }
}

fn test_row(tests: TestsToRun) -> ReviewTestRow {
    let TestsToRun { node, names, symbols, hops, how } = tests;
    ReviewTestRow { node, names, symbols, hops, how }
}

impl Render for ReviewAnswer {
    fn render(&self, page: &mut Page) {
        if let Some(document) = &self.document {
            return page.document(document);
        }
        page.answer(self.summary());
        if self.files.is_empty() {
            return;
        }
        self.render_changed(page);
        let (forgotten, others): (Vec<&RuleFinding>, Vec<&RuleFinding>) =
            self.findings.iter().partition(|found| found.code == MAYBE_FORGOTTEN);
        if !forgotten.is_empty() {
            page.heading("Possibly forgotten");
            page.table(2, forgotten.into_iter().map(|one| self.forgotten_cells(one)).collect());
        }
        if !others.is_empty() {
            page.heading("Findings");
            render_findings(page, 2, &others, FindingDetail::Brief);
        }
        self.paging.render_rest(page, self.findings.len());
        self.render_tests(page);
        page.blank();
        page.item("Checked", self.checked.join(", "));
        if !self.not_checked.is_empty() {
            page.item("Not checked", self.not_checked.join(", "));
        }
        self.notes.iter().for_each(|note| page.item("note", note));
    }

    fn paging(&self) -> Option<Paging> {
        Some(self.paging)
    }

    fn has_findings(&self) -> bool {
        self.fails
    }
}

impl ReviewAnswer {
    fn summary(&self) -> String {
        if self.files.is_empty() {
            return format!("Nothing changed {}", self.compared);
        }
        let look = match self.counts.iter().sum() {
            0 => "No findings".to_owned(),
            count => format!("{} to look at", counted(count, "thing")),
        };
        let run = match self.tests.len() {
            0 => "no tests found".to_owned(),
            count => format!("{} to run", counted(count, "test file")),
        };
        let types = match self.not_checked.iter().any(|what| what.starts_with("types")) {
            true => ", types not checked",
            false => "",
        };
        format!(
            "{} changed {}: {}. {look}, {run}{types}.",
            counted(self.files.len(), "file"),
            self.compared,
            counted(self.symbols.len(), "symbol")
        )
    }

    /// One line for each file, with its symbols.
    fn render_changed(&self, page: &mut Page) {
        for file in self.files.iter().take(MAX_FILES_SHOWN) {
            let own = self.symbols.iter().filter(|symbol| symbol.node.path() == Some(&file.path));
            let mut names: Vec<String> = own.map(|symbol| symbol.text(&file.path)).collect();
            let more = names.len().saturating_sub(MAX_SYMBOLS_SHOWN);
            names.truncate(MAX_SYMBOLS_SHOWN);
            if more > 0 {
                names.push(format!("{more} more"));
            }
            let how = match (&file.old, names.is_empty()) {
                (Some(old), _) => format!("{} from {old}", file.how),
                (None, true) => file.how.to_owned(),
                (None, false) => String::new(),
            };
            let parts = [how, names.join(", ")];
            let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
            let row = vec![PageCell::handle(&file.path), PageCell::text(parts.join(": "))];
            page.table(2, vec![row]);
        }
        if let Some(more) = self.files.len().checked_sub(MAX_FILES_SHOWN).filter(|more| *more > 0) {
            page.say(format!("  …  {more} more, in the JSON form of this answer"));
        }
    }

    /// A file that usually changes with a changed one, and how often it did.
    fn forgotten_cells(&self, found: &RuleFinding) -> Vec<PageCell> {
        let why = found.message.split_once("; it ").map_or(found.message.as_str(), |(_, why)| why);
        let why = match (self.files.as_slice(), &found.path) {
            ([only], Some(path)) if only.path == *path => {
                why.replace(&format!("with {path} in "), "with it in ")
            }
            _ => why.to_owned(),
        };
        let place = found.node.as_ref().map_or_else(|| found.place(), EntityRef::short_handle);
        vec![PageCell::handle(place), PageCell::text(why.replace("; it ", "; "))]
    }

    fn render_tests(&self, page: &mut Page) {
        if self.tests.is_empty() {
            return;
        }
        page.heading("Tests to run");
        let row = |tests: &ReviewTestRow| {
            let names: Vec<&str> =
                tests.names.iter().map(String::as_str).filter(|name| !name.is_empty()).collect();
            let shown = match names.len() {
                0 => String::new(),
                1..=3 => names.join(", "),
                many => format!("{} and {} more", names[..2].join(", "), many - 2),
            };
            vec![
                PageCell::handle(tests.node.short_handle()),
                PageCell::text(&tests.how),
                PageCell::faint(shown),
            ]
        };
        page.table(2, self.tests.iter().take(MAX_TESTS_SHOWN).map(row).collect());
        if let Some(more) = self.tests.len().checked_sub(MAX_TESTS_SHOWN).filter(|more| *more > 0) {
            page.say(format!("  …  {more} more, in the JSON form of this answer"));
        }
    }
}

impl ReviewSymbolRow {
    /// Its name below the heading of its file, with the kind of change unless only its body
    /// changed.
    fn text(&self, file: &RepoPath) -> String {
        let name = without_own_path(&self.node.short_handle(), file);
        match (self.how, &self.was) {
            (how, _) if how == SymbolHow::Body.as_str() => name,
            (how, Some(was)) if how == SymbolHow::Moved.as_str() => {
                format!("{name} (moved from {was})")
            }
            (how, _) => format!("{name} ({how})"),
        }
    }
}
