//! `watch`: keeps the index up to date in the foreground, and prints what it does.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::process::ExitCode;
use std::sync::Arc;

use base::words::counted;
use base::{Call, Result};
use clap::{ArgMatches, Command};
use engine::rules::{self, RuleScope};
use engine::{WatchUpdate, Workspace, WorkspaceMode};

use super::{invocation, stderr_log};
use crate::perform::now;

/// Its words on the command line.
pub(super) fn command() -> Command {
    Command::new("watch").about("Keep the index up to date until interrupted").long_about(
        "Keep the index up to date until interrupted\n\n\
         Reads update the index themselves; a watcher does so in advance. It sleeps until a file \
         changes, and says which problems of `verify` a change made and which it mended. Ctrl-C \
         ends it at any time: an index is never half written.",
    )
}

/// Watches until the process receives a signal to end.
pub(super) fn watch(matches: &ArgMatches) -> Result<ExitCode> {
    let workspace = invocation::open(matches, WorkspaceMode::Serving)?;
    let call = Arc::new(Call::new("watch", now()));
    let known = RefCell::new(None);
    workspace.watch(&call, |watched| {
        stderr_log::log_line(&summary_line(watched));
        match problems(&workspace, &call) {
            Ok(now) => {
                let before = known.replace(Some(now.clone()));
                for line in changes(before.as_ref(), &now) {
                    stderr_log::log_line(&line);
                }
            }
            Err(problem) => stderr_log::log_line(&format!("rules were not checked: {problem}")),
        }
    })?;
    Ok(ExitCode::SUCCESS)
}

/// The problems that `verify` would report now, each as one line.
fn problems(workspace: &Workspace, call: &Arc<Call>) -> Result<BTreeSet<String>> {
    let (report, _) = workspace.read(call, |view| rules::run(view, &RuleScope::Everything, &[]))?;
    // The line number is left out, so that a problem that only moves does not count as fixed and
    // new.
    let line = |found: &rules::RuleFinding| {
        let place = found.path.as_ref().map(ToString::to_string);
        let place = place.or_else(|| found.node.as_ref().map(ToString::to_string));
        format!("{}  {}  {}", found.code, place.unwrap_or_default(), found.message)
    };
    Ok(report.findings.iter().map(line).collect())
}

/// The problems that a change caused and fixed. For the first state, only their number.
fn changes(before: Option<&BTreeSet<String>>, now: &BTreeSet<String>) -> Vec<String> {
    let Some(before) = before else {
        return vec![format!("{} known", counted(now.len(), "problem"))];
    };
    let broke = now.difference(before).map(|line| format!("broke   {line}"));
    let mended = before.difference(now).map(|line| format!("mended  {line}"));
    broke.chain(mended).collect()
}

fn summary_line(WatchUpdate { files, basis, took }: &WatchUpdate) -> String {
    let at = now().strftime("%H:%M:%S");
    let branch = basis.branch.as_deref().unwrap_or("no branch");
    let edited = basis.edited.map_or(String::new(), |edited| format!(", {edited} edited"));
    let reasons: String = basis.reasons.iter().map(|reason| format!("; {reason}")).collect();
    let files = counted(*files, "file");
    format!("{at}  {files} on {branch}{edited}, in {took:.0?}{reasons}")
}
