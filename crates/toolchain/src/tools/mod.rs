//! Reads the reports of linters.

mod lint;

pub use lint::{LintFinding, LintSeverity};

use syntax::tools::LintReportFormat;

/// The findings in the output of a linter; `None` if it is not a report of that format.
pub fn parse_lint_report(format: LintReportFormat, output: &str) -> Option<Vec<LintFinding>> {
    match format {
        LintReportFormat::Oxlint => lint::oxlint(output),
        LintReportFormat::Eslint => lint::eslint(output),
        LintReportFormat::Cargo => lint::cargo(output),
        LintReportFormat::Ruff => lint::ruff(output),
    }
}
