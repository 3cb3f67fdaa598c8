//! `review`: what a change may break, forgot, and must keep to.

use base::words::counted;
use base::{EntityRef, RepoPath, Result};
use clap::{Args, ValueEnum};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::verify::Format;
use crate::contract::answer::Paging;
use crate::contract::args::{Limit, Offset, Words};
use crate::contract::op::{Example, Query, Toolset};
use crate::contract::page::{Cell, Page, Render};
use crate::diff::{Between, ChangedFile, ChangedSymbol, SymbolHow};
use crate::review::{self, MEANS, Review as Reviewed, ToRun};
use crate::rules::{self, Finding, Severity};
use crate::view::View;

/// How many changed symbols and tests a page shows.
const SHOWN: usize = 12;

/// Look at a change before it is committed: what it may break, forgot, must keep to
///
/// Callers at risk, linked specs and requirements, files that usually change too, stale
/// knowledge, new violations, tests to run.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Review {
    /// `A..B`, `A...B`, or a commit to compare the working tree with; HEAD if left out
    #[serde(default)]
    pub range: Option<Words>,
    /// Review what the next commit would hold
    #[arg(long, conflicts_with = "range")]
    #[serde(default)]
    pub staged: bool,
    /// Format of the report
    #[arg(long, value_enum, default_value_t)]
    #[serde(default)]
    pub format: Format,
    /// Least severity of a finding that makes the exit code 1
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

/// What a gate stops at.
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

/// What a change asks of its author
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    /// What was compared
    pub compared: String,
    /// Files that changed
    pub files: Vec<File>,
    /// Symbols that changed
    pub symbols: Vec<Symbol>,
    /// How many errors, warnings and notes there are
    pub counts: [usize; 3],
    /// What to look at, most pressing first
    pub findings: Vec<Finding>,
    /// What to run, nearest first
    pub tests: Vec<Tests>,
    /// What was looked at
    pub checked: Vec<&'static str>,
    /// What was not looked at, and why
    pub not_checked: Vec<String>,
    /// What the answer leaves open
    pub notes: Vec<String>,
    #[serde(skip)]
    document: Option<String>,
    #[serde(skip)]
    stops: bool,
    #[serde(skip)]
    paging: Paging,
}

/// A file that changed
#[derive(Debug, Serialize, JsonSchema)]
pub struct File {
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
pub struct Symbol {
    /// Its handle, now or last
    pub node: EntityRef,
    /// What happened
    pub how: &'static str,
    /// Where it was
    #[serde(skip_serializing_if = "Option::is_none")]
    pub was: Option<String>,
}

/// Tests to run
#[derive(Debug, Serialize, JsonSchema)]
pub struct Tests {
    /// The file, or the entity
    pub node: EntityRef,
    /// The tests in it that reach what changed
    pub names: Vec<String>,
    /// How many of the changed symbols they reach
    pub symbols: usize,
    /// How many calls away the nearest is, where calls lead to it; 0 if it changed itself
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hops: Option<usize>,
    /// How it was found
    pub how: String,
}

impl Query for Review {
    const NAME: &'static str = "review";
    const TOOLSET: Toolset = Toolset::Everyday;
    const EXAMPLES: &'static [Example] = &[
        Example { args: "", shows: "what is edited since the last commit" },
        Example { args: "--staged", shows: "what the next commit would hold" },
        Example {
            args: "main... --format github",
            shows: "a branch, as annotations of its pull request",
        },
    ];
    type Answer = Answer;

    fn run(self, view: &View) -> Result<Answer> {
        let between = match (&self.range, self.staged) {
            (Some(range), _) => Between::range(range.as_str().trim()),
            (None, true) => Between::Staged,
            (None, false) => Between::Working,
        };
        let Reviewed { files, symbols, findings, tests, checked, not_checked, notes } =
            review::review(view, &between)?;
        let count = |severity| findings.iter().filter(|found| found.severity == severity).count();
        let counts = [Severity::Error, Severity::Warning, Severity::Note].map(count);
        let stops = match self.fail_on {
            FailOn::Error => counts[0] > 0,
            FailOn::Warning => counts[0] + counts[1] > 0,
            FailOn::Never => false,
        };
        let document = match self.format {
            Format::Text => None,
            Format::Github => Some(rules::github(&findings)),
            Format::Sarif => {
                let of_rules = rules::all(view).into_iter().map(rules::Rule::means);
                let means: Vec<_> = MEANS.iter().copied().chain(of_rules).collect();
                Some(rules::sarif(&findings, &means))
            }
        };
        let (findings, paging) = Paging::cut(findings, self.offset, self.limit);
        Ok(Answer {
            compared: between.words(),
            files: files.into_iter().map(file).collect(),
            symbols: symbols.iter().map(symbol).collect(),
            counts,
            findings,
            tests: tests.into_iter().map(to_run).collect(),
            checked,
            not_checked,
            notes,
            document,
            stops,
            paging,
        })
    }
}

fn file(file: ChangedFile) -> File {
    File { path: file.path, how: file.how.word(), old: file.old }
}

fn symbol(symbol: &ChangedSymbol) -> Symbol {
    let was = symbol.was.as_ref().map(|(path, full)| format!("{path}#{full}"));
    Symbol { node: symbol.node(), how: symbol.how.word(), was }
}

fn to_run(tests: ToRun) -> Tests {
    let ToRun { node, names, symbols, hops, how } = tests;
    Tests { node, names, symbols, hops, how }
}

impl Render for Answer {
    fn render(&self, page: &mut Page) {
        if let Some(document) = &self.document {
            return page.document(document);
        }
        page.answer(self.summary());
        if self.files.is_empty() {
            return;
        }
        self.render_changed(page);
        if !self.findings.is_empty() {
            page.heading("Look");
            page.table(2, self.findings.iter().map(cells).collect());
            self.paging.say_rest(page, self.findings.len());
        }
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
        self.stops
    }
}

impl Answer {
    fn summary(&self) -> String {
        if self.files.is_empty() {
            return format!("Nothing changed {}", self.compared);
        }
        let look = match self.counts.iter().sum() {
            0 => "Nothing found to look at".to_owned(),
            count => format!("{} to look at", counted(count, "thing")),
        };
        let run = match self.tests.len() {
            0 => "no test found to run".to_owned(),
            count => format!("{} to run", counted(count, "test file")),
        };
        format!(
            "{} changed {}: {}. {look}, {run}.",
            counted(self.files.len(), "file"),
            self.compared,
            counted(self.symbols.len(), "symbol")
        )
    }

    /// Symbols, and files that have none, most telling first.
    fn render_changed(&self, page: &mut Page) {
        page.heading("Changed");
        let mut rows: Vec<Vec<Cell>> = Vec::new();
        for symbol in &self.symbols {
            let how = match &symbol.was {
                Some(was) if symbol.how == SymbolHow::Moved.word() => format!("moved from {was}"),
                _ => symbol.how.to_owned(),
            };
            rows.push(vec![Cell::text(how), Cell::handle(symbol.node.typed())]);
        }
        let has_symbols =
            |path: &RepoPath| self.symbols.iter().any(|symbol| symbol.node.path() == Some(path));
        for file in self.files.iter().filter(|file| !has_symbols(&file.path)) {
            let how = match &file.old {
                Some(old) => format!("{} from {old}", file.how),
                None => file.how.to_owned(),
            };
            rows.push(vec![Cell::text(how), Cell::handle(&file.path)]);
        }
        let more = rows.len().saturating_sub(SHOWN);
        rows.truncate(SHOWN);
        page.table(2, rows);
        if more > 0 {
            page.say(format!("  …  {more} more, in the JSON form of this answer"));
        }
    }

    fn render_tests(&self, page: &mut Page) {
        if self.tests.is_empty() {
            return;
        }
        page.heading("Run");
        let row = |tests: &Tests| {
            let names: Vec<&str> =
                tests.names.iter().map(String::as_str).filter(|name| !name.is_empty()).collect();
            let shown = match names.len() {
                0 => String::new(),
                1..=4 => names.join(", "),
                many => format!("{} and {} more", names[..3].join(", "), many - 3),
            };
            vec![Cell::handle(tests.node.typed()), Cell::text(&tests.how), Cell::faint(shown)]
        };
        page.table(2, self.tests.iter().take(SHOWN).map(row).collect());
        if let Some(more) = self.tests.len().checked_sub(SHOWN).filter(|more| *more > 0) {
            page.say(format!("  …  {more} more, in the JSON form of this answer"));
        }
    }
}

fn cells(found: &Finding) -> Vec<Cell> {
    let severity = match found.severity {
        Severity::Error => Cell::bad("error"),
        other => Cell::faint(other.word()),
    };
    let text = Cell::text(format!("{}; {}", found.message, found.fix));
    let place = match &found.node {
        Some(node) => node.typed(),
        None => found.place(),
    };
    vec![severity, Cell::text(found.code), text, Cell::handle(place)]
}
