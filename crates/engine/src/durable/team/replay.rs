//! Plans the requests of the outbox again, in order, when the server is back.

use std::path::PathBuf;
use std::time::Duration;

use base::{Call, NextCall, Problem, ProblemCode, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use team::ChangeUid;

use super::conflict::{RECORDS_DETAIL, conflicting_records};
use super::outbox::{OutboxEntry, OutboxNumber, OutboxState};
use super::write::OFFLINE_DETAIL;
use crate::contract::spec::OpSpec;
use crate::workspace::Workspace;

/// The lock of the process that processes the outbox.
const LOCK_FILE: &str = "team-outbox.lock";

/// How long to wait for another process that processes it.
const LOCK_TIMEOUT: Duration = Duration::from_secs(10);

/// How long to wait for the server.
const SERVER_WAIT: Duration = Duration::from_secs(5);

/// The side of a conflict that is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ConflictSide {
    /// The change of this machine, applied again on top of the other
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
            _ => Err(format!("invalid side `{text}`: expected mine or theirs")),
        }
    }
}

/// What happened to the requests of the outbox.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct OutboxReport {
    /// What is on the server now
    pub written: Vec<String>,
    /// Requests that conflict with changes of other machines
    pub conflicts: Vec<String>,
    /// Requests that were dropped for the other side
    pub dropped: Vec<String>,
    /// What still waits, with the reason
    pub waiting: Vec<String>,
}

/// Processes the pending entries. Entries in conflict stay as they are.
pub fn work_off(workspace: &Workspace, call: &Call) -> Result<OutboxReport> {
    let entries = workspace.stores().team().outbox().in_state(OutboxState::Pending)?;
    if entries.is_empty() {
        return Ok(OutboxReport::default());
    }
    let _lock = lock(workspace, call)?;
    // Another process may have processed them meanwhile.
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
    workspace.stores().team().count_outbox(call)?;
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
    let _lock = lock(workspace, call)?;
    let mut entries = outbox.in_state(OutboxState::Conflict)?;
    entries.retain(|entry| only.is_none_or(|only| only == entry.entry));
    if entries.is_empty() && only.is_some() {
        return Err(Problem::not_found("no conflict has this number")
            .hint_call("they are listed by", NextCall::new("team.status")));
    }
    let mut report = OutboxReport::default();
    for entry in entries {
        match side {
            ConflictSide::Theirs => {
                outbox.set_state(entry.entry, OutboxState::Dropped, entry.problem.as_deref())?;
                report.dropped.push(entry.summary);
            }
            ConflictSide::Mine => match keep_mine(workspace, &entry, call) {
                Ok(()) => {
                    outbox.remove(entry.entry)?;
                    report.written.push(entry.summary);
                }
                Err(problem) => report.waiting.push(format!("{}: {problem}", entry.summary)),
            },
        }
    }
    workspace.stores().team().count_outbox(call)?;
    Ok(report)
}

/// Repeats the request on the present records of the server, with their present versions in its
/// arguments.
fn keep_mine(workspace: &Workspace, entry: &OutboxEntry, call: &Call) -> Result<()> {
    require_branch(workspace, entry, call)?;
    if is_on_server(workspace, entry)? {
        return Ok(());
    }
    let entry = OutboxEntry { records: Vec::new(), ..entry.clone() };
    let mut args = without_fact_versions(&entry.request.args);
    // Each attempt reveals one version, and a request names only a few.
    for _ in 0..8 {
        let Err(problem) = run(workspace, &entry, &args, call) else { return Ok(()) };
        let current = problem.details.get("current_version").cloned();
        let current = current.filter(|_| problem.code == ProblemCode::Conflict);
        if !current.is_some_and(|current| set_version(&mut args, &current)) {
            return Err(problem);
        }
    }
    Err(Problem::new(ProblemCode::Busy, "another machine changes the same records")
        .hint("repeat the request"))
}

/// Whether the change of an entry is on the server: its reply may have been lost. Then it must not be made again.
fn is_on_server(workspace: &Workspace, entry: &OutboxEntry) -> Result<bool> {
    let link = workspace.stores().team();
    let membership = link.require_membership()?;
    let offline = |failure: team::TeamFailure| failure.into_problem().detail(OFFLINE_DETAIL, true);
    let client = link.client(&membership, SERVER_WAIT).map_err(offline)?;
    let uid: ChangeUid = entry.change.parse().map_err(Problem::internal)?;
    let found = client.find_change(&membership.project, &uid, SERVER_WAIT).map_err(offline)?;
    Ok(found.is_some())
}

/// The arguments without the versions of single facts in a changeset: the conflicting changes that
/// they would detect are overwritten on purpose.
fn without_fact_versions(args: &Map<String, Value>) -> Map<String, Value> {
    let mut args = args.clone();
    for value in args.values_mut() {
        // Some clients send lists and objects as text.
        if let Some(parsed) =
            value.as_str().and_then(|text| serde_json::from_str::<Value>(text).ok())
            && matches!(parsed, Value::Array(_) | Value::Object(_))
        {
            *value = parsed;
        }
        remove_fact_versions(value);
    }
    args
}

fn remove_fact_versions(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(remove_fact_versions),
        Value::Object(fields) => {
            fields.retain(|key, _| key != "if_version" && key != "ifVersion");
            fields.values_mut().for_each(remove_fact_versions);
        }
        _ => {}
    }
}

/// Sets the version that a request names; false if it names none or the same.
fn set_version(args: &mut Map<String, Value>, current: &Value) -> bool {
    let named = args.get_mut("version").filter(|named| !named.is_null() && *named != current);
    named.map(|named| *named = current.clone()).is_some()
}

fn lock(workspace: &Workspace, call: &Call) -> Result<tree::FileLock> {
    tree::lock(&workspace.data_folders.shared.join(LOCK_FILE), LOCK_TIMEOUT, call)
}

/// Replays one entry. If it fails for another reason than the state of the records, it stays
/// pending; otherwise it becomes a conflict.
fn replay(
    workspace: &Workspace,
    entry: &OutboxEntry,
    args: &Map<String, Value>,
    call: &Call,
    report: &mut OutboxReport,
) -> Result<()> {
    let link = workspace.stores().team();
    let Some(membership) = link.membership()? else { return Ok(()) };
    if membership.project.as_str() != entry.project {
        return Err(Problem::new(ProblemCode::InvalidOperation, "it belongs to another project"));
    }
    require_branch(workspace, entry, call)?;
    if is_on_server(workspace, entry)? {
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
        Err(problem) if problem.details.contains_key(OFFLINE_DETAIL) || is_temporary(&problem) => {
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

/// Whether a failure is temporary and says nothing about the request itself.
fn is_temporary(problem: &Problem) -> bool {
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
    args: &Map<String, Value>,
    call: &Call,
) -> Result<()> {
    let name = &entry.request.operation;
    let unknown =
        || Problem::new(ProblemCode::Unavailable, format!("this cairn has no operation `{name}`"));
    let spec: &OpSpec = (workspace.find_operation)(name).ok_or_else(unknown)?;
    let call = entry.call(call)?;
    spec.call(workspace, call, args.clone()).map(drop)
}
