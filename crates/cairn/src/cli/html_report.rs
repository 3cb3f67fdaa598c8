//! `--html FILE`: the answer of an operation as a file that needs no server.

use std::path::PathBuf;
use std::sync::Arc;

use base::{Call, Problem, Result};
use clap::{Arg, ArgMatches, Command, value_parser};
use engine::{JsonObject, OpSpec, Workspace};
use page::{HTML_REPORTS, HtmlReport};

/// The name of the argument, which only the command line has.
const HTML: &str = "html";

fn report_of(op: &OpSpec) -> Option<&'static HtmlReport> {
    HTML_REPORTS.iter().find(|report| report.operation == op.name)
}

/// Adds the argument to an operation that has an HTML report.
pub(super) fn with_html_arg(command: Command, op: &OpSpec) -> Command {
    if report_of(op).is_none() {
        return command;
    }
    let help = "Also write the answer as a self-contained HTML file";
    command.arg(
        Arg::new(HTML)
            .long(HTML)
            .value_name("FILE")
            .value_parser(value_parser!(PathBuf))
            .help(help),
    )
}

/// Whether the report was requested.
pub(super) fn is_asked(op: &OpSpec, matches: &ArgMatches) -> bool {
    report_of(op).is_some() && matches.get_one::<PathBuf>(HTML).is_some()
}

/// Writes the report if it was requested.
pub(super) fn write_if_asked(
    op: &OpSpec,
    matches: &ArgMatches,
    workspace: &Workspace,
    call: &Call,
    args: &JsonObject,
) -> Result<()> {
    let Some(report) = report_of(op) else { return Ok(()) };
    let Some(file) = matches.get_one::<PathBuf>(HTML) else { return Ok(()) };
    let document = (report.document)(workspace, Arc::new(call.child(|| None)), args.clone())?;
    std::fs::write(file, document).map_err(Problem::io(format!("write {}", file.display())))
}
