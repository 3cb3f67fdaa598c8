//! A store in memory, and what it holds as text.

use std::fmt::Write as _;

use base::Result;
use kb::{
    ChangeStamp, Changeset, ChangesetContext, DocumentedEntity, ExternalRefs, KbEntityKind, LogSeq,
    PlannedChangeset,
};
use serde_json::Value;
use store::Connection;

/// A store with the code and documents that its changesets may refer to.
pub struct KbStore {
    pub conn: Connection,
    pub external: ExternalRefs,
    changes: u8,
}

/// The result of a changeset.
#[derive(Debug)]
pub enum Applied {
    /// It became this entry of the log
    Entry(LogSeq),
    /// It changed nothing
    Nothing,
    /// It was applied earlier, as this entry of the log
    Before(LogSeq),
}

impl KbStore {
    pub fn new() -> Self {
        let conn = Connection::open_in_memory().unwrap();
        for step in kb::MIGRATIONS {
            conn.execute_batch(step.sql).unwrap();
        }
        Self::of(conn)
    }

    pub fn of(conn: Connection) -> Self {
        let mut external = ExternalRefs::default();
        for code in ["symbol:src/auth/login.ts#Session.refresh", "dir:src/auth"] {
            external.existing_code.insert(code.parse().unwrap());
        }
        let owner =
            DocumentedEntity { kind: KbEntityKind::Req, file: "docs/reqs/REQ-900.md".into() };
        external.owned.insert("REQ-900".into(), owner);
        Self { conn, external, changes: 0 }
    }

    /// The author of the next change, a minute after the last one.
    pub fn stamp(&mut self) -> ChangeStamp {
        self.changes += 1;
        let at = format!("2026-05-01T{:02}:{:02}:00Z", self.changes / 60, self.changes % 60);
        ChangeStamp { at, actor: "ada".into() }
    }

    /// Applies a changeset as a caller sends it. A refused one leaves no trace.
    pub fn apply(&mut self, payload: &Value) -> Result<Applied> {
        let (set, faults) = changeset(payload);
        let stamp = self.stamp();
        let context = ChangesetContext { conn: Some(&self.conn), external: &self.external };
        let plan = match kb::plan_changeset(context, &set, faults, "upsert", &stamp)? {
            PlannedChangeset::AlreadyApplied(entry) => return Ok(Applied::Before(entry.seq)),
            PlannedChangeset::Plan(plan) => plan,
        };
        let seqs = self.transaction(|conn| kb::apply_plan(conn, &plan))?;
        Ok(seqs.first().map_or(Applied::Nothing, |seq| Applied::Entry(*seq)))
    }

    /// Undoes entries of the log.
    pub fn roll_back(&mut self, seqs: &[LogSeq]) -> Result<Vec<LogSeq>> {
        let stamp = self.stamp();
        self.transaction(|conn| kb::roll_back(conn, seqs, &stamp))
    }

    pub fn transaction<T>(&self, run: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        self.conn.execute_batch("SAVEPOINT change").unwrap();
        let done = run(&self.conn);
        let end =
            if done.is_ok() { "RELEASE change" } else { "ROLLBACK TO change; RELEASE change" };
        self.conn.execute_batch(end).unwrap();
        done
    }

    /// Every entity and relation with all its fields, one per line.
    pub fn rows(&self) -> String {
        let mut rows = String::new();
        for entity in kb::entities(&self.conn).unwrap() {
            writeln!(rows, "{}", serde_json::to_string(&entity).unwrap()).unwrap();
        }
        for relation in kb::relations(&self.conn).unwrap() {
            writeln!(rows, "{}", serde_json::to_string(&relation).unwrap()).unwrap();
        }
        rows
    }

    /// Every entity and relation in short, one per line.
    pub fn outline(&self) -> String {
        let mut rows = String::new();
        for entity in kb::entities(&self.conn).unwrap() {
            let (id, kind, status, version) =
                (&entity.id, entity.kind, &entity.status, entity.version);
            writeln!(rows, "{id} {kind} {status} v{version} \"{}\"", entity.title).unwrap();
        }
        for relation in kb::relations(&self.conn).unwrap() {
            writeln!(rows, "{}", relation.key()).unwrap();
        }
        rows
    }
}

/// A changeset from its JSON, with the faults of its shape.
pub fn changeset(payload: &Value) -> (Changeset, Vec<kb::ChangesetFault>) {
    let list = |key: &str| payload[key].as_array().cloned().unwrap_or_default();
    let (mut set, faults) =
        Changeset::parse(&list("entities"), &list("relations"), &list("delete"));
    set.id = payload["id"].as_str().map(ToOwned::to_owned);
    set.source = payload["source"].as_str().map(ToOwned::to_owned);
    set.cascade = payload["cascade"].as_bool().unwrap_or_default();
    (set, faults)
}
