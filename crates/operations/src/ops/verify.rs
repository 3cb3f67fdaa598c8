//! `verify`: checks every rule of every area, in one report.

use base::Result;
use base::words::counted;
use clap::{Args, ValueEnum};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::answers::finding_rows::{FindingDetail, render_findings};
use crate::call_format::as_typed;
use engine::contract::answer::Paging;
use engine::contract::args::{Limit, NodeTarget, Offset, comma_list};
use engine::contract::op::{OpExample, Query, ToolVisibility};
use engine::contract::page::{Page, Render};
use engine::graph;
use engine::index::tables;
use engine::rules::baseline::Baseline;
use engine::rules::{
    self, RuleFinding, RuleReport, RuleScope, RuleSeverity, StagedChanges, VerifyRule,
};
use engine::view::View;

/// Check that specs, knowledge and links still match the code
///
/// Every rule of every area; errors make the exit code 1. Problems in `.cairn/baseline.jsonl`,
/// which `baseline` writes, are only counted.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Verify {
    /// Only problems in this file or folder
    #[serde(default)]
    pub path: Option<NodeTarget>,
    /// Only check these rules; all if left out
    #[arg(long, value_delimiter = ',')]
    #[serde(default, deserialize_with = "comma_list")]
    pub rules: Vec<String>,
    /// Only check what the next commit would change
    #[arg(long)]
    #[serde(default)]
    pub staged: bool,
    /// Baseline file to use instead; `none` counts every problem
    #[arg(long)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub baseline: Option<String>,
    /// Format of the report
    #[arg(long, value_enum, default_value_t)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub format: ReportFormat,
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
pub enum ReportFormat {
    /// For reading
    #[default]
    Text,
    /// For code scanners
    Sarif,
    /// As annotations of a GitHub workflow
    Github,
}

/// The problems that were found
#[derive(Debug, Serialize, JsonSchema)]
pub struct VerifyAnswer {
    /// How many errors there are
    pub errors: usize,
    /// How many warnings there are
    pub warnings: usize,
    /// How many problems are in the baseline
    pub in_baseline: usize,
    /// How many rules were run
    pub rules: usize,
    /// How many files there are
    pub files: u64,
    /// The problems, worst first
    pub findings: Vec<RuleFinding>,
    #[serde(skip)]
    document: Option<String>,
    #[serde(skip)]
    paging: Paging,
}

impl Query for Verify {
    const NAME: &'static str = "verify";
    const VISIBILITY: ToolVisibility = ToolVisibility::Everyday;
    const EXAMPLES: &'static [OpExample] = &[
        OpExample { args: "--staged", shows: "what the next commit would break" },
        OpExample { args: "--format sarif", shows: "the report for code scanners" },
    ];
    type Answer = VerifyAnswer;

    fn run(self, view: &View) -> Result<VerifyAnswer> {
        let scope = match self.staged {
            true => RuleScope::Staged(StagedChanges::read(view)?),
            false => RuleScope::Everything,
        };
        let path = self.path.as_ref().map(|path| graph::resolve(view, path)).transpose()?;
        let RuleReport { mut findings, rules } = rules::run(view, &scope, &self.rules)?;
        if let Some(path) = path.as_ref().and_then(|node| node.path()) {
            findings.retain(|finding| {
                finding.path.as_ref().is_some_and(|own| own.is_at_or_below(path))
            });
        }
        let baseline = Baseline::read(view, self.baseline.as_deref())?;
        let (findings, in_baseline) = baseline.subtract(findings);
        let count = |severity| findings.iter().filter(|found| found.severity == severity).count();
        let (errors, warnings) = (count(RuleSeverity::Error), count(RuleSeverity::Warning));
        let document = self.document(&findings, &rules);
        let (findings, paging) = Paging::cut(findings, self.offset, self.limit);
        let files = tables::count_files(view.index()?.conn())?;
        let rules = rules.len();
        Ok(VerifyAnswer { errors, warnings, in_baseline, rules, files, findings, document, paging })
    }
}

impl Verify {
    fn document(&self, findings: &[RuleFinding], rules: &[&VerifyRule]) -> Option<String> {
        match self.format {
            ReportFormat::Text => None,
            ReportFormat::Sarif => {
                let means: Vec<_> = rules.iter().map(|rule| rule.summary()).collect();
                Some(rules::sarif(findings, &means, &as_typed))
            }
            ReportFormat::Github => Some(rules::github(findings, &as_typed)),
        }
    }
}

impl Render for VerifyAnswer {
    fn render(&self, page: &mut Page) {
        if let Some(document) = &self.document {
            return page.document(document);
        }
        page.answer(self.summary());
        let findings: Vec<&RuleFinding> = self.findings.iter().collect();
        render_findings(page, 0, &findings, FindingDetail::Full);
        self.paging.render_rest(page, self.findings.len());
    }

    fn paging(&self) -> Option<Paging> {
        Some(self.paging)
    }

    fn has_findings(&self) -> bool {
        self.errors > 0
    }
}

impl VerifyAnswer {
    /// The problems in what the next commit changes.
    pub(super) fn staged(view: &View) -> Result<Self> {
        let staged = Verify {
            path: None,
            rules: Vec::new(),
            staged: true,
            baseline: None,
            format: ReportFormat::Text,
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
