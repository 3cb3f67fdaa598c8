//! Plans the requests of the outbox again, in order, when the server is back.

use std::path::PathBuf;
use std::time::Duration;

use base::{Call, Problem, ProblemCode, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use team::ChangeUid;

use super::conflict::{RECORDS_DETAIL, conflicting_records};
use super::outbox::{OutboxEntry, OutboxNumber, OutboxState};
use super::write::OFFLINE_DETAIL;
use crate::contract::spec::OpSpec;
use crate::workspace::Workspace;

/// The lock of the process that works the outbox off.
const LOCK_FILE: &str = "team-outbox.lock";

/// How long to wait for another process that works it off.
const LOCK_TIMEOUT: Duration = Duration::from_secs(10);

/// How long to wait for the server.
const SERVER_WAIT: Duration = Duration::from_secs(5);

/// The side of a conflict that is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ConflictSide {
    /// The change of this machine, made again over the other
    Mine,
    /// What the server has; the change of this machine is kept for reading only
    Theirs,
}

impl std::str::FromStr for ConflictSide {
    type Err = String;
    fn from_str(text: &str) -> std::result::Result<Self, String> {
        match text {
            "mine" => Ok(Self::Mine),
            "theirs" => Ok(Self::Theirs),
            _ => Err(format!("`{text}` is no side: mine or theirs")),
        }
    }
}

/// What became of the requests of the outbox.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct OutboxReport {
    /// What is on the server now
    pub written: Vec<String>,
    /// What met changes of other machines
    pub conflicts: Vec<String>,
    /// What was given up for the other side
    pub dropped: Vec<String>,
    /// What still waits, with the reason
    pub waiting: Vec<String>,
}

/// Works the pending entries off. Entries in conflict stay as they are.
pub fn work_off(workspace: &Workspace, call: &Call) -> Result<OutboxReport> {
    let entries = workspace.stores().team().outbox().in_state(OutboxState::Pending)?;
    if entries.is_empty() {
        return Ok(OutboxReport::default());
    }
    let _lock = lock(workspace, call)?;
    // Another process may have been quicker.
    let entries = workspace.stores().team().outbox().in_state(OutboxState::Pending)?;
    let mut report = OutboxReport::default();
    for entry in entries {
        call.check_stopped()?;
        if let Err(problem) = replay(workspace, &entry, &entry.request.args, call, &mut report) {
            report.waiting.push(format!("{}: {problem}", entry.summary));
            if problem.details.contains_key(OFFLINE_DETAIL)
                || problem.code == ProblemCode::Unavailable
            {
                break;
            }
        }
    }
    Ok(report)
}

/// Sends the pending entries before a newer change; returns whether there were any. A failure leaves them
/// waiting.
pub(crate) fn work_off_first(workspace: &Workspace, call: &Call) -> Result<bool> {
    let is_replay = call.request.as_ref().is_some_and(|request| request.replayed.is_some());
    let outbox = workspace.stores().team().outbox();
    if is_replay || outbox.in_state(OutboxState::Pending)?.is_empty() {
        return Ok(false);
    }
    work_off(workspace, call).map(|_| true)
}

/// Settles entries in conflict, all or one.
pub fn settle(
    workspace: &Workspace,
    only: Option<OutboxNumber>,
    side: ConflictSide,
    call: &Call,
) -> Result<OutboxReport> {
    let outbox = workspace.stores().team().outbox();
    let mut entries = outbox.in_state(OutboxState::Conflict)?;
    entries.retain(|entry| only.is_none_or(|only| only == entry.entry));
    if entries.is_empty() && only.is_some() {
        return Err(
            Problem::not_found("no conflict has this number").hint("`team status` lists them")
        );
    }
    let _lock = lock(workspace, call)?;
    let mut report = OutboxReport::default();
    for entry in entries {
        match side {
            ConflictSide::Theirs => {
                outbox.set_state(entry.entry, OutboxState::Dropped, entry.problem.as_deref())?;
                report.dropped.push(entry.summary);
            }
            ConflictSide::Mine => keep_mine(workspace, entry, call, &mut report)?,
        }
    }
    Ok(report)
}

/// Makes the change again over what the server has now: the same request, with the versions that the
/// records have now.
fn keep_mine(
    workspace: &Workspace,
    mut entry: OutboxEntry,
    call: &Call,
    report: &mut OutboxReport,
) -> Result<()> {
    entry.records.clear();
    let mut args = entry.request.args.clone();
    // Each round learns one version, and a request names a few at most.
    for _ in 0..8 {
        let mut tried = OutboxReport::default();
        let problem = match run(workspace, &entry, &args, call) {
            Ok(()) => {
                workspace.stores().team().outbox().remove(entry.entry)?;
                tried.written.push(entry.summary.clone());
                report.written.append(&mut tried.written);
                return Ok(());
            }
            Err(problem) => problem,
        };
        let current = problem.details.get("current_version").cloned();
        let Some(current) = current.filter(|_| problem.code == ProblemCode::Conflict) else {
            report.waiting.push(format!("{}: {problem}", entry.summary));
            return Ok(());
        };
        if !set_version(&mut args, &current) {
            report.waiting.push(format!("{}: {problem}", entry.summary));
            return Ok(());
        }
    }
    report.waiting.push(entry.summary);
    Ok(())
}

/// Sets the version that a request names; false if it names none or the same.
fn set_version(args: &mut serde_json::Map<String, Value>, current: &Value) -> bool {
    for key in ["version", "if_version"] {
        if let Some(named) = args.get_mut(key).filter(|named| !named.is_null() && *named != current)
        {
            *named = current.clone();
            return true;
        }
    }
    false
}

fn lock(workspace: &Workspace, call: &Call) -> Result<tree::FileLock> {
    tree::lock(&workspace.data_folders.shared.join(LOCK_FILE), LOCK_TIMEOUT, call)
}

/// Replays one entry. An error leaves it pending; what it meets on the server makes it a conflict.
fn replay(
    workspace: &Workspace,
    entry: &OutboxEntry,
    args: &serde_json::Map<String, Value>,
    call: &Call,
    report: &mut OutboxReport,
) -> Result<()> {
    let link = workspace.stores().team();
    let Some(membership) = link.membership()? else { return Ok(()) };
    if membership.project.as_str() != entry.project {
        return Err(Problem::new(ProblemCode::InvalidOperation, "it belongs to another project"));
    }
    require_branch(workspace, entry, call)?;
    let offline = |failure: team::TeamFailure| failure.into_problem().detail(OFFLINE_DETAIL, true);
    let client = link.client(&membership, SERVER_WAIT).map_err(offline)?;
    let uid: ChangeUid = entry.change.parse().map_err(Problem::internal)?;
    // Its reply may have been lost: then it is there, and must not be made again.
    if client.find_change(&membership.project, &uid, SERVER_WAIT).map_err(offline)?.is_some() {
        link.outbox().remove(entry.entry)?;
        report.written.push(entry.summary.clone());
        return Ok(());
    }
    match run(workspace, entry, args, call) {
        Ok(()) => {
            link.outbox().remove(entry.entry)?;
            report.written.push(entry.summary.clone());
            Ok(())
        }
        Err(problem) if problem.details.contains_key(OFFLINE_DETAIL) || is_passing(&problem) => {
            Err(problem)
        }
        Err(mut problem) => {
            // A rule may have refused the request before its records were compared.
            let records =
                conflicting_records(&replica_of(workspace, entry, call)?, &entry.records)?;
            problem.details.insert(RECORDS_DETAIL.into(), records.into());
            let text = json!({
                "message": problem.to_string(), "code": problem.code, "details": problem.details,
            });
            link.outbox().set_state(entry.entry, OutboxState::Conflict, Some(&text.to_string()))?;
            report.conflicts.push(format!("{}: {problem}", entry.summary));
            Ok(())
        }
    }
}

/// The replica of the store that an entry changes.
fn replica_of(workspace: &Workspace, entry: &OutboxEntry, call: &Call) -> Result<PathBuf> {
    let locations = workspace.store_locations(call)?;
    let stores = workspace.stores().durables().iter();
    let mut stores = stores.flat_map(|durable| locations.team_stores(durable));
    let store = stores.find(|store| store.name == entry.store);
    store.map(|store| store.path).ok_or_else(|| Problem::internal("a change has no store"))
}

/// Whether a failure says nothing about the request itself.
fn is_passing(problem: &Problem) -> bool {
    matches!(
        problem.code,
        ProblemCode::Busy
            | ProblemCode::Timeout
            | ProblemCode::Cancelled
            | ProblemCode::Io
            | ProblemCode::Unavailable
    )
}

/// A request about the knowledge base of a branch is planned where that branch is checked out.
fn require_branch(workspace: &Workspace, entry: &OutboxEntry, call: &Call) -> Result<()> {
    let Some(branch) = &entry.branch else { return Ok(()) };
    let locations = workspace.store_locations(call)?;
    let here = locations.checked_out().map(|owner| owner.display_name().to_owned());
    if here.as_ref() == Some(branch) {
        return Ok(());
    }
    Err(Problem::new(ProblemCode::Blocked, format!("it was made on branch {branch}"))
        .hint(format!("check out {branch}; it is written then")))
}

fn run(
    workspace: &Workspace,
    entry: &OutboxEntry,
    args: &serde_json::Map<String, Value>,
    call: &Call,
) -> Result<()> {
    let name = &entry.request.operation;
    let unknown =
        || Problem::new(ProblemCode::Unavailable, format!("this cairn has no operation `{name}`"));
    let spec: &OpSpec = (workspace.find_operation)(name).ok_or_else(unknown)?;
    let call = entry.call(call)?;
    spec.call(workspace, call, args.clone()).map(drop)
}
