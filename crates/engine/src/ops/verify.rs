//! `verify`: is what we wrote down still true? Every rule of every area in one report.

use base::Result;
use base::words::counted;
use clap::{Args, ValueEnum};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::contract::answer::Paging;
use crate::contract::args::{Limit, Offset, Target, comma_list};
use crate::contract::op::{Example, Query, Toolset};
use crate::contract::page::{Cell, Page, Render};
use crate::graph;
use crate::index::tables;
use crate::rules::baseline::Baseline;
use crate::rules::{self, Finding, Report, Rule, Scope, Severity, Staged};
use crate::view::View;

/// Check that what was written down is still true
///
/// Every rule of every area; errors make the exit code 1. Problems in `.cairn/baseline.jsonl`,
/// which `baseline` writes, are only counted.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Verify {
    /// Only problems in this file or folder
    #[serde(default)]
    pub path: Option<Target>,
    /// Only check these rules; all if left out
    #[arg(long, value_delimiter = ',')]
    #[serde(default, deserialize_with = "comma_list")]
    pub rules: Vec<String>,
    /// Only check what the next commit would change
    #[arg(long)]
    #[serde(default)]
    pub staged: bool,
    /// Other baseline file; `none` counts every problem
    #[arg(long)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub baseline: Option<String>,
    /// Format of the report
    #[arg(long, value_enum, default_value_t)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub format: Format,
    /// Problems to show
    #[arg(long, default_value_t)]
    #[serde(default)]
    pub limit: Limit,
    /// Problems to skip
    #[arg(long, default_value_t)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub offset: Offset,
}

/// How a report is written.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// For reading
    #[default]
    Text,
    /// For code scanners
    Sarif,
    /// As annotations of a GitHub workflow
    Github,
}

/// What does not hold
#[derive(Debug, Serialize, JsonSchema)]
pub struct Verified {
    /// How many errors there are
    pub errors: usize,
    /// How many warnings there are
    pub warnings: usize,
    /// How many problems the baseline knows
    pub in_baseline: usize,
    /// How many rules were run
    pub rules: usize,
    /// How many files there are
    pub files: u64,
    /// The problems, worst first
    pub findings: Vec<Finding>,
    #[serde(skip)]
    document: Option<String>,
    #[serde(skip)]
    paging: Paging,
}

impl Query for Verify {
    const NAME: &'static str = "verify";
    const TOOLSET: Toolset = Toolset::Everyday;
    const EXAMPLES: &'static [Example] = &[
        Example { args: "--staged", shows: "what the next commit would break" },
        Example { args: "--format sarif", shows: "the report as code scanners read it" },
    ];
    type Answer = Verified;

    fn run(self, view: &View) -> Result<Verified> {
        let scope = match self.staged {
            true => Scope::Staged(Staged::look(view)?),
            false => Scope::Everything,
        };
        let path = self.path.as_ref().map(|path| graph::resolve(view, path)).transpose()?;
        let Report { mut findings, rules } = rules::run(view, &scope, &self.rules)?;
        if let Some(path) = path.as_ref().and_then(|node| node.path()) {
            findings.retain(|finding| finding.path.as_ref().is_some_and(|own| own.is_below(path)));
        }
        let baseline = Baseline::read(view, self.baseline.as_deref())?;
        let (findings, in_baseline) = baseline.subtract(findings);
        let count = |severity| findings.iter().filter(|found| found.severity == severity).count();
        let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
        let document = self.document(&findings, &rules);
        let (findings, paging) = Paging::cut(findings, self.offset, self.limit);
        let files = tables::count_files(view.index()?.conn())?;
        let rules = rules.len();
        Ok(Verified { errors, warnings, in_baseline, rules, files, findings, document, paging })
    }
}

impl Verify {
    fn document(&self, findings: &[Finding], rules: &[&Rule]) -> Option<String> {
        match self.format {
            Format::Text => None,
            Format::Sarif => {
                let means: Vec<_> = rules.iter().map(|rule| rule.means()).collect();
                Some(rules::sarif(findings, &means))
            }
            Format::Github => Some(rules::github(findings)),
        }
    }
}

impl Render for Verified {
    fn render(&self, page: &mut Page) {
        if let Some(document) = &self.document {
            return page.document(document);
        }
        page.answer(self.summary());
        let cells = |found: &Finding| {
            let severity = match found.severity {
                Severity::Error => Cell::bad("error"),
                other => Cell::text(other.word()),
            };
            let text = format!("{}; {}", found.message, found.fix);
            vec![severity, Cell::text(found.code), Cell::handle(found.place()), Cell::text(text)]
        };
        page.table(0, self.findings.iter().map(cells).collect());
        self.paging.say_rest(page, self.findings.len());
    }

    fn paging(&self) -> Option<Paging> {
        Some(self.paging)
    }

    fn has_findings(&self) -> bool {
        self.errors > 0
    }
}

impl Verified {
    /// What the next commit would break.
    pub(super) fn staged(view: &View) -> Result<Self> {
        let staged = Verify {
            path: None,
            rules: Vec::new(),
            staged: true,
            baseline: None,
            format: Format::Text,
            limit: Limit::default(),
            offset: Offset::default(),
        };
        staged.run(view)
    }

    fn summary(&self) -> String {
        let found = match (self.errors, self.warnings) {
            (0, 0) => "No problems".to_owned(),
            (errors, 0) => counted(errors, "error"),
            (0, warnings) => counted(warnings, "warning"),
            (errors, warnings) => {
                format!("{}, {}", counted(errors, "error"), counted(warnings, "warning"))
            }
        };
        let older = match self.in_baseline {
            0 => String::new(),
            older => format!("; {} in the baseline", counted(older, "older problem")),
        };
        let rules = counted(self.rules, "rule");
        format!("{found} in {rules} over {}{older}", counted(self.files, "file"))
    }
}
