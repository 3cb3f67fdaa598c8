//! Requests that wait for the server, in the order in which they were made.
//!
//! An entry keeps the request itself, because it is planned again when the server is back, and the
//! records that it changed, before and after: reads show them until then, and a record that another
//! machine changed meanwhile is a conflict with two known sides.

use std::path::{Path, PathBuf};

use base::call::{CallRequest, ExpectedRecord, ReplayedRequest};
use base::{Call, Problem, ProblemCode, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use store::{Durability, RecordChange, Store};

use super::tables::{self, OutboxRow};

/// The file, in the folder that all worktrees share.
const FILE: &str = "team-outbox.sqlite";

/// The state of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OutboxState {
    /// It waits for the server
    Pending,
    /// It conflicts with a change of another machine and waits for a decision
    Conflict,
    /// The other side was chosen; the entry is kept for reading
    Dropped,
}

/// A request that waits.
#[derive(Debug, Clone)]
pub struct OutboxEntry {
    /// Its number on this machine
    pub entry: OutboxNumber,
    /// The id that its change has or will have
    pub change: String,
    /// The project that it belongs to
    pub project: String,
    /// The store that it changes
    pub store: String,
    /// The branch that was checked out
    pub branch: Option<String>,
    /// What was asked for
    pub request: CallRequest,
    /// When, in RFC 3339
    pub at: String,
    /// Who asked
    pub actor: String,
    /// In which session
    pub session: String,
    /// What it does, in a few words
    pub summary: String,
    /// The records that it changed, before and after
    pub records: Vec<ExpectedRecord>,
    /// Its state
    pub state: OutboxState,
    /// Why it is in conflict
    pub problem: Option<String>,
}

/// The number of an entry on this machine.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(transparent)]
pub struct OutboxNumber(pub i64);

impl std::fmt::Display for OutboxNumber {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// A request that is to wait.
pub(crate) struct NewOutboxEntry<'a> {
    pub change: &'a str,
    pub project: &'a str,
    pub store: &'a str,
    pub branch: Option<&'a str>,
    pub summary: &'a str,
    pub records: &'a [RecordChange],
    pub call: &'a Call,
}

/// The outbox of a clone.
#[derive(Debug)]
pub struct Outbox {
    path: PathBuf,
}

impl Outbox {
    /// The outbox in the folder that all worktrees share.
    pub fn of(shared: &Path) -> Self {
        Self { path: shared.join(FILE) }
    }

    /// Every entry, in order; nothing if there never was one.
    pub fn entries(&self) -> Result<Vec<OutboxEntry>> {
        if !self.path.exists() {
            return Ok(Vec::new());
        }
        let conn = store::open_read_only(&self.path)?;
        tables::outbox(&conn)?.into_iter().map(read_entry).collect()
    }

    /// The entries in a state.
    pub fn in_state(&self, state: OutboxState) -> Result<Vec<OutboxEntry>> {
        Ok(self.entries()?.into_iter().filter(|entry| entry.state == state).collect())
    }

    /// Appends a request.
    pub(crate) fn append(&self, new: &NewOutboxEntry<'_>) -> Result<OutboxNumber> {
        let request = new.call.request.as_ref().ok_or_else(|| cannot_wait(new.summary))?;
        let records: Vec<Value> = new.records.iter().map(record_json).collect();
        let row = OutboxRow {
            entry: 0,
            change: new.change.to_owned(),
            project: new.project.to_owned(),
            store: new.store.to_owned(),
            branch: new.branch.map(ToOwned::to_owned),
            operation: request.operation.clone(),
            args: Value::Object(request.args.clone()).to_string(),
            seed: hex::encode(request.seed),
            at: new.call.now.to_string(),
            actor: new.call.actor.clone(),
            session: new.call.session.clone(),
            summary: new.summary.to_owned(),
            images: Value::Array(records).to_string(),
            state: state_text(OutboxState::Pending),
            problem: None,
        };
        self.open()?.write(|conn| tables::append_to_outbox(conn, &row)).map(OutboxNumber)
    }

    pub(super) fn set_state(
        &self,
        entry: OutboxNumber,
        state: OutboxState,
        problem: Option<&str>,
    ) -> Result<()> {
        self.open()?
            .write(|conn| tables::set_outbox_state(conn, entry.0, &state_text(state), problem))
    }

    pub(super) fn remove(&self, entry: OutboxNumber) -> Result<()> {
        self.open()?.write(|conn| tables::remove_from_outbox(conn, entry.0))
    }

    fn open(&self) -> Result<Store> {
        let mut store = store::open(&self.path, Durability::Durable)?;
        store.write(|conn| {
            conn.execute_batch(tables::CREATE_OUTBOX)
                .map_err(store::sqlite_problem("open the outbox"))
        })?;
        Ok(store)
    }
}

/// The problem of a request that cannot be planned again later.
pub(crate) fn cannot_wait(what: &str) -> Problem {
    Problem::new(
        ProblemCode::Unavailable,
        format!("the team's server cannot be reached, and `{what}` cannot wait for it"),
    )
    .hint("repeat the request when `team status` says that the server is back")
}

impl OutboxEntry {
    /// The call that plans the request again, with its original actor, time and session.
    pub(crate) fn call(&self, call: &Call) -> Result<Call> {
        let now = self.at.parse().map_err(|_| damaged("the time"))?;
        let replayed =
            ReplayedRequest { change: self.change.clone(), expected: self.records.clone() };
        let request = CallRequest { replayed: Some(replayed), ..self.request.clone() };
        let mut again = call.on_behalf_of(&self.actor).in_session(self.session.clone());
        again.now = now;
        Ok(again.with_request(request))
    }
}

fn record_json(record: &RecordChange) -> Value {
    json!({
        "kind": record.after.kind, "id": record.after.id,
        "before": record.before, "after": record.after.body,
    })
}

fn read_entry(row: OutboxRow) -> Result<OutboxEntry> {
    let args: Map<String, Value> =
        serde_json::from_str(&row.args).map_err(|_| damaged("the arguments"))?;
    let mut seed = [0; 32];
    hex::decode_to_slice(&row.seed, &mut seed).map_err(|_| damaged("the seed"))?;
    let records: Vec<Value> =
        serde_json::from_str(&row.images).map_err(|_| damaged("the records"))?;
    let text = |value: &Value| value.as_str().map(ToOwned::to_owned);
    let records = records.iter().map(|record| ExpectedRecord {
        kind: text(&record["kind"]).unwrap_or_default(),
        id: text(&record["id"]).unwrap_or_default(),
        before: text(&record["before"]),
        after: text(&record["after"]),
    });
    Ok(OutboxEntry {
        entry: OutboxNumber(row.entry),
        records: records.collect(),
        request: CallRequest { operation: row.operation, args, seed, replayed: None },
        state: serde_json::from_value(Value::String(row.state))
            .map_err(|_| damaged("the state"))?,
        change: row.change,
        project: row.project,
        store: row.store,
        branch: row.branch,
        at: row.at,
        actor: row.actor,
        session: row.session,
        summary: row.summary,
        problem: row.problem,
    })
}

fn state_text(state: OutboxState) -> String {
    match state {
        OutboxState::Pending => "pending".into(),
        OutboxState::Conflict => "conflict".into(),
        OutboxState::Dropped => "dropped".into(),
    }
}

fn damaged(what: &str) -> Problem {
    Problem::new(ProblemCode::StoreDamaged, format!("{what} of a waiting change cannot be read"))
}
