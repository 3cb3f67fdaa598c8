//! `watch`: keeps the index fresh in the foreground, and says what it does.

use std::process::ExitCode;
use std::sync::Arc;

use base::words::counted;
use base::{Call, Result};
use clap::{ArgMatches, Command};
use engine::{WatchUpdate, WorkspaceMode};

use super::{invocation, stderr_log};
use crate::perform::now;

/// Its words on the command line.
pub(super) fn command() -> Command {
    Command::new("watch").about("Keep the index up to date until interrupted").long_about(
        "Keep the index up to date until interrupted\n\nReads do this by themselves; a watcher \
         does it before they ask. It sleeps until a file changes. Ctrl-C ends it at any time: \
         an index is never half written.",
    )
}

/// Watches until the process is told to end.
pub(super) fn watch(matches: &ArgMatches) -> Result<ExitCode> {
    let workspace = invocation::open(matches, WorkspaceMode::Serving)?;
    let call = Arc::new(Call::new("watch", now()));
    workspace.watch(&call, |watched| stderr_log::log_line(&summary_line(watched)))?;
    Ok(ExitCode::SUCCESS)
}

fn summary_line(WatchUpdate { files, basis, took }: &WatchUpdate) -> String {
    let at = now().strftime("%H:%M:%S");
    let branch = basis.branch.as_deref().unwrap_or("no branch");
    let edited = basis.edited.map_or(String::new(), |edited| format!(", {edited} edited"));
    let reasons: String = basis.reasons.iter().map(|reason| format!("; {reason}")).collect();
    let files = counted(*files, "file");
    format!("{at}  {files} on {branch}{edited}, in {took:.0?}{reasons}")
}
