//! Writing to a store: a changeset, the way back from one, or another branch's log.
//!
//! Everything here runs inside the caller's one transaction and ends in the audit log.

use std::collections::{BTreeMap, BTreeSet};

use base::{EntityRef, NextCall, Problem, ProblemCode, Result};
use serde_json::{Value, json};
use store::Connection;

use crate::changeset::{Changeset, ChangesetFault, faults_problem};
use crate::edit::KbRowChange;
use crate::model::{Entity, KbEntityKind, KbRelation, RelationKey};
use crate::plan::{ChangeStamp, ChangesetContext, plan};
use crate::tables::{self, AuditEntry};

/// What lies outside the store and a changeset may name: entities of files, pieces of the tree.
#[derive(Debug, Clone, Default)]
pub struct ExternalRefs {
    /// Entities that files own: type and file
    pub owned: BTreeMap<String, (KbEntityKind, String)>,
    /// Files whose relations point at an entity
    pub referencing_files: BTreeMap<String, Vec<String>>,
    /// Pieces of the tree that are there
    pub existing_code: BTreeSet<EntityRef>,
    /// For names that nothing has: the nearest that something has
    pub nearest_ids: BTreeMap<String, String>,
    /// For names that nothing has: one that files have and that differs in case alone
    pub case_variants: BTreeMap<String, String>,
}

/// A store together with what lies outside of it.
pub struct StoreWithExternals<'a> {
    /// The store; none while nobody has written to it
    pub conn: Option<&'a Connection>,
    /// The rest
    pub outside: &'a ExternalRefs,
}

impl ChangesetContext for StoreWithExternals<'_> {
    fn entity(&self, id: &str) -> Result<Option<Entity>> {
        self.conn.map_or(Ok(None), |conn| tables::entity(conn, id))
    }

    fn relation(&self, key: &RelationKey) -> Result<Option<KbRelation>> {
        self.conn.map_or(Ok(None), |conn| tables::relation(conn, key))
    }

    fn touching(&self, id: &str) -> Result<Vec<KbRelation>> {
        self.conn.map_or(Ok(Vec::new()), |conn| tables::relations_touching(conn, id))
    }

    fn owning_file(&self, id: &str) -> Option<(KbEntityKind, String)> {
        self.outside.owned.get(id).cloned()
    }

    fn referencing_files(&self, id: &str) -> Vec<String> {
        self.outside.referencing_files.get(id).cloned().unwrap_or_default()
    }

    fn has_code(&self, node: &EntityRef) -> bool {
        self.outside.existing_code.contains(node)
    }

    fn differing_in_case(&self, id: &str) -> Result<Option<String>> {
        match (self.outside.case_variants.get(id), self.conn) {
            (Some(other), _) => Ok(Some(other.clone())),
            (None, Some(conn)) => tables::differing_in_case(conn, id),
            (None, None) => Ok(None),
        }
    }

    fn nearest_id(&self, id: &str) -> Option<&str> {
        self.outside.nearest_ids.get(id).map(String::as_str)
    }
}

/// What a changeset would do, or that it was already done.
#[derive(Debug)]
pub enum CheckedChangeset {
    /// These rows change
    Edits(Vec<KbRowChange>),
    /// It was applied before, as this entry
    AlreadyApplied(AuditEntry),
}

/// Checks a changeset against a store; everything that is wrong with it is one problem, with
/// what was already found wrong with its shape.
pub fn check_changeset(
    (conn, outside): (Option<&Connection>, &ExternalRefs),
    (set, mut faults): (&Changeset, Vec<ChangesetFault>),
    stamp: &ChangeStamp,
) -> Result<CheckedChangeset> {
    if let Some(id) = &set.id
        && let Some(conn) = conn
        && let Some(logged) = tables::by_changeset(conn, id)?
    {
        if logged.digest == changeset_digest(set) {
            return Ok(CheckedChangeset::AlreadyApplied(logged));
        }
        let message = format!("changeset {id} was applied with other contents");
        return Err(Problem::new(ProblemCode::Conflict, message)
            .detail("entry", logged.seq)
            .hint("give what you send now an id of its own"));
    }
    let known = StoreWithExternals { conn, outside };
    match plan(set, &known, stamp)? {
        Ok(edits) if faults.is_empty() => Ok(CheckedChangeset::Edits(edits)),
        Ok(_) => Err(faults_problem(&faults)),
        Err(more) => {
            faults.extend(more);
            Err(faults_problem(&faults))
        }
    }
}

/// Applies a changeset. Returns the log's entry for it, which is what undoes it.
pub fn apply_changeset(
    (conn, outside): (&Connection, &ExternalRefs),
    (set, action): (&Changeset, &str),
    stamp: &ChangeStamp,
) -> Result<Vec<i64>> {
    match check_changeset((Some(conn), outside), (set, Vec::new()), stamp)? {
        CheckedChangeset::AlreadyApplied(_) => Ok(Vec::new()),
        CheckedChangeset::Edits(edits) if edits.is_empty() && set.id.is_none() => Ok(Vec::new()),
        CheckedChangeset::Edits(edits) => {
            write_rows(conn, &edits)?;
            let source = set.source.clone().unwrap_or_else(|| stamp.actor.clone());
            let entry = AuditEntry::new((action, source), stamp, edits);
            let (changeset, digest) = (set.id.clone(), changeset_digest(set));
            Ok(vec![append_log_entry(conn, AuditEntry { changeset, digest, ..entry })?])
        }
    }
}

/// Takes entries of the log back, newest first. Refused where a row is no longer as an entry
/// left it.
pub fn roll_back(conn: &Connection, seqs: &[i64], stamp: &ChangeStamp) -> Result<Vec<i64>> {
    if seqs.is_empty() {
        return Ok(Vec::new()); // the change was none of facts
    }
    let mut edits = Vec::new();
    let mut taken = Vec::new();
    for seq in seqs.iter().rev() {
        let missing = || Problem::not_found(format!("the log has no entry {seq}"));
        let logged = tables::log_entry(conn, *seq)?.ok_or_else(missing)?;
        let inverse: Vec<KbRowChange> =
            logged.edits.into_iter().rev().map(KbRowChange::inverse).collect();
        let moved = conflicting_rows(conn, &inverse)?;
        if !moved.is_empty() {
            return Err(Problem::new(
                ProblemCode::Conflict,
                format!("entry {seq} cannot be taken back: {} changed since", moved.join(", ")),
            )
            .detail("changed", moved)
            .hint_call(
                "take the newer entries back first; they are listed by",
                NextCall::new("kb.log"),
            ));
        }
        write_rows(conn, &inverse)?;
        edits.extend(inverse);
        taken.push(seq.to_string());
    }
    refuse_dangling_relations(conn, &edits)?;
    let source = format!("entry {}", taken.join(", "));
    Ok(vec![append_log_entry(conn, AuditEntry::new(("rollback", source), stamp, edits))?])
}

/// Rows that are not what an edit expects to find.
fn conflicting_rows(conn: &Connection, edits: &[KbRowChange]) -> Result<Vec<String>> {
    let mut moved = Vec::new();
    for edit in edits {
        match edit {
            KbRowChange::Entity { id, before, .. } if tables::entity(conn, id)? != *before => {
                moved.push(id.clone());
            }
            KbRowChange::Relation { key, before, .. }
                if tables::relation(conn, key)? != *before =>
            {
                moved.push(key.to_string());
            }
            _ => {}
        }
    }
    Ok(moved)
}

/// An entity that goes must not leave relations of the store behind.
fn refuse_dangling_relations(conn: &Connection, edits: &[KbRowChange]) -> Result<()> {
    for edit in edits {
        let KbRowChange::Entity { id, after: None, .. } = edit else { continue };
        if let Some(relation) = tables::relations_touching(conn, id)?.first() {
            return Err(Problem::new(
                ProblemCode::Conflict,
                format!("{id} would go, and {} still names it", relation.key()),
            )
            .hint_call(
                "take the newer entries back first; they are listed by",
                NextCall::new("kb.log"),
            ));
        }
    }
    Ok(())
}

/// Writes rows as an edit list leaves them.
pub(crate) fn write_rows(conn: &Connection, edits: &[KbRowChange]) -> Result<()> {
    edits.iter().try_for_each(|edit| match edit {
        KbRowChange::Entity { id, after, .. } => tables::set_entity(conn, id, after.as_ref()),
        KbRowChange::Relation { key, after, .. } => tables::set_relation(conn, key, after.as_ref()),
    })
}

/// Appends to the log, giving the entry a name that no other has.
pub(crate) fn append_log_entry(conn: &Connection, mut entry: AuditEntry) -> Result<i64> {
    if entry.uid.is_empty() {
        let place = tables::log_length(conn)?;
        let edits = json!(entry.edits).to_string();
        let what = format!("{place}\0{}\0{}\0{}\0{edits}", entry.at, entry.actor, entry.action);
        entry.uid = base::Hash::of(what.as_bytes()).prefix(32);
    }
    tables::insert_log_entry(conn, &entry)
}

/// What a caller sent, in short: to know it again.
fn changeset_digest(set: &Changeset) -> String {
    base::Hash::of(format!("{set:?}").as_bytes()).prefix(32)
}

/// Removes an entity that a file now owns, with its own relations, which the file tells too.
pub fn remove_promoted_entity(
    conn: &Connection,
    id: &str,
    file: &str,
    stamp: &ChangeStamp,
) -> Result<Vec<i64>> {
    let missing = || Problem::not_found(format!("no entity is called {id}"));
    let before = tables::entity(conn, id)?.ok_or_else(missing)?;
    let own =
        tables::relations_touching(conn, id)?.into_iter().filter(|relation| relation.from == id);
    let own = own.map(|r| KbRowChange::Relation { key: r.key(), before: Some(r), after: None });
    let entity = KbRowChange::Entity { id: id.to_owned(), before: Some(before), after: None };
    let edits: Vec<KbRowChange> = own.chain([entity]).collect();
    write_rows(conn, &edits)?;
    Ok(vec![append_log_entry(conn, AuditEntry::new(("promote", file), stamp, edits))?])
}

/// The inverse of some entries, as a store's record of changes keeps it.
pub fn rollback_record(seqs: &[i64]) -> Value {
    json!({"roll_back": seqs})
}
