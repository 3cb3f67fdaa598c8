//! Writing to a store: a changeset, the way back from one, or another branch's log.
//!
//! Everything here runs inside the caller's one transaction and ends in the audit log.

use std::collections::{BTreeMap, BTreeSet};

use base::{Code, EntityRef, NextCall, Problem, Result};
use serde_json::{Value, json};
use store::Connection;

use crate::changeset::{Changeset, Fault, refused};
use crate::edit::Edit;
use crate::model::{Entity, Kind, Relation, RelationKey};
use crate::plan::{Known, Stamp, plan};
use crate::tables::{self, Logged};

/// What lies outside the store and a changeset may name: entities of files, pieces of the tree.
#[derive(Debug, Clone, Default)]
pub struct Outside {
    /// Entities that files own: type and file
    pub owned: BTreeMap<String, (Kind, String)>,
    /// Files whose relations point at an entity
    pub pointing: BTreeMap<String, Vec<String>>,
    /// Pieces of the tree that are there
    pub code: BTreeSet<EntityRef>,
    /// For names that nothing has: the nearest that something has
    pub near: BTreeMap<String, String>,
    /// For names that nothing has: one that files have and that differs in case alone
    pub differing: BTreeMap<String, String>,
}

/// A store together with what lies outside of it.
pub struct Stored<'a> {
    /// The store; none while nobody has written to it
    pub conn: Option<&'a Connection>,
    /// The rest
    pub outside: &'a Outside,
}

impl Known for Stored<'_> {
    fn entity(&self, id: &str) -> Result<Option<Entity>> {
        self.conn.map_or(Ok(None), |conn| tables::entity(conn, id))
    }

    fn relation(&self, key: &RelationKey) -> Result<Option<Relation>> {
        self.conn.map_or(Ok(None), |conn| tables::relation(conn, key))
    }

    fn touching(&self, id: &str) -> Result<Vec<Relation>> {
        self.conn.map_or(Ok(Vec::new()), |conn| tables::touching(conn, id))
    }

    fn owned(&self, id: &str) -> Option<(Kind, String)> {
        self.outside.owned.get(id).cloned()
    }

    fn pointing(&self, id: &str) -> Vec<String> {
        self.outside.pointing.get(id).cloned().unwrap_or_default()
    }

    fn has_code(&self, node: &EntityRef) -> bool {
        self.outside.code.contains(node)
    }

    fn differing_in_case(&self, id: &str) -> Result<Option<String>> {
        match (self.outside.differing.get(id), self.conn) {
            (Some(other), _) => Ok(Some(other.clone())),
            (None, Some(conn)) => tables::differing_in_case(conn, id),
            (None, None) => Ok(None),
        }
    }

    fn near(&self, id: &str) -> Option<&str> {
        self.outside.near.get(id).map(String::as_str)
    }
}

/// What a changeset would do, or that it was already done.
#[derive(Debug)]
pub enum Planned {
    /// These rows change
    Edits(Vec<Edit>),
    /// It was applied before, as this entry
    Known(Logged),
}

/// Checks a changeset against a store; everything that is wrong with it is one problem, with
/// what was already found wrong with its shape.
pub fn check(
    (conn, outside): (Option<&Connection>, &Outside),
    (set, mut faults): (&Changeset, Vec<Fault>),
    stamp: &Stamp,
) -> Result<Planned> {
    if let Some(id) = &set.id
        && let Some(conn) = conn
        && let Some(logged) = tables::by_changeset(conn, id)?
    {
        if logged.digest == digest(set) {
            return Ok(Planned::Known(logged));
        }
        let message = format!("changeset {id} was applied with other contents");
        return Err(Problem::new(Code::Conflict, message)
            .detail("entry", logged.seq)
            .hint("give what you send now an id of its own"));
    }
    let known = Stored { conn, outside };
    match plan(set, &known, stamp)? {
        Ok(edits) if faults.is_empty() => Ok(Planned::Edits(edits)),
        Ok(_) => Err(refused(&faults)),
        Err(more) => {
            faults.extend(more);
            Err(refused(&faults))
        }
    }
}

/// Applies a changeset. Returns the log's entry for it, which is what undoes it.
pub fn apply(
    (conn, outside): (&Connection, &Outside),
    (set, action): (&Changeset, &str),
    stamp: &Stamp,
) -> Result<Vec<i64>> {
    match check((Some(conn), outside), (set, Vec::new()), stamp)? {
        Planned::Known(_) => Ok(Vec::new()),
        Planned::Edits(edits) if edits.is_empty() && set.id.is_none() => Ok(Vec::new()),
        Planned::Edits(edits) => {
            write(conn, &edits)?;
            let source = set.source.clone().unwrap_or_else(|| stamp.actor.clone());
            let entry = Logged::new((action, source), stamp, edits);
            let (changeset, digest) = (set.id.clone(), digest(set));
            Ok(vec![append(conn, Logged { changeset, digest, ..entry })?])
        }
    }
}

/// Takes entries of the log back, newest first. Refused where a row is no longer as an entry
/// left it.
pub fn roll_back(conn: &Connection, seqs: &[i64], stamp: &Stamp) -> Result<Vec<i64>> {
    if seqs.is_empty() {
        return Ok(Vec::new()); // the change was none of facts
    }
    let mut edits = Vec::new();
    let mut taken = Vec::new();
    for seq in seqs.iter().rev() {
        let missing = || Problem::not_found(format!("the log has no entry {seq}"));
        let logged = tables::entry(conn, *seq)?.ok_or_else(missing)?;
        let inverse: Vec<Edit> = logged.edits.into_iter().rev().map(Edit::inverse).collect();
        let moved = changed_since(conn, &inverse)?;
        if !moved.is_empty() {
            return Err(Problem::new(
                Code::Conflict,
                format!("entry {seq} cannot be taken back: {} changed since", moved.join(", ")),
            )
            .detail("changed", moved)
            .hint_call(
                "take the newer entries back first; they are listed by",
                NextCall::to("kb.log"),
            ));
        }
        write(conn, &inverse)?;
        edits.extend(inverse);
        taken.push(seq.to_string());
    }
    check_ends(conn, &edits)?;
    let source = format!("entry {}", taken.join(", "));
    Ok(vec![append(conn, Logged::new(("rollback", source), stamp, edits))?])
}

/// Rows that are not what an edit expects to find.
fn changed_since(conn: &Connection, edits: &[Edit]) -> Result<Vec<String>> {
    let mut moved = Vec::new();
    for edit in edits {
        match edit {
            Edit::Entity { id, before, .. } if tables::entity(conn, id)? != *before => {
                moved.push(id.clone());
            }
            Edit::Relation { key, before, .. } if tables::relation(conn, key)? != *before => {
                moved.push(key.to_string());
            }
            _ => {}
        }
    }
    Ok(moved)
}

/// An entity that goes must not leave relations of the store behind.
fn check_ends(conn: &Connection, edits: &[Edit]) -> Result<()> {
    for edit in edits {
        let Edit::Entity { id, after: None, .. } = edit else { continue };
        if let Some(relation) = tables::touching(conn, id)?.first() {
            return Err(Problem::new(
                Code::Conflict,
                format!("{id} would go, and {} still names it", relation.key()),
            )
            .hint_call(
                "take the newer entries back first; they are listed by",
                NextCall::to("kb.log"),
            ));
        }
    }
    Ok(())
}

/// Writes rows as an edit list leaves them.
pub(crate) fn write(conn: &Connection, edits: &[Edit]) -> Result<()> {
    edits.iter().try_for_each(|edit| match edit {
        Edit::Entity { id, after, .. } => tables::set_entity(conn, id, after.as_ref()),
        Edit::Relation { key, after, .. } => tables::set_relation(conn, key, after.as_ref()),
    })
}

/// Appends to the log, giving the entry a name that no other has.
pub(crate) fn append(conn: &Connection, mut entry: Logged) -> Result<i64> {
    if entry.uid.is_empty() {
        let place = tables::log_length(conn)?;
        let edits = json!(entry.edits).to_string();
        let what = format!("{place}\0{}\0{}\0{}\0{edits}", entry.at, entry.actor, entry.action);
        blake3::hash(what.as_bytes()).to_hex()[..32].clone_into(&mut entry.uid);
    }
    tables::log(conn, &entry)
}

/// What a caller sent, in short: to know it again.
fn digest(set: &Changeset) -> String {
    blake3::hash(format!("{set:?}").as_bytes()).to_hex()[..32].to_owned()
}

/// Removes an entity that a file now owns, with its own relations, which the file tells too.
pub fn hand_over(conn: &Connection, id: &str, file: &str, stamp: &Stamp) -> Result<Vec<i64>> {
    let missing = || Problem::not_found(format!("no entity is called {id}"));
    let before = tables::entity(conn, id)?.ok_or_else(missing)?;
    let own = tables::touching(conn, id)?.into_iter().filter(|relation| relation.from == id);
    let own = own.map(|r| Edit::Relation { key: r.key(), before: Some(r), after: None });
    let entity = Edit::Entity { id: id.to_owned(), before: Some(before), after: None };
    let edits: Vec<Edit> = own.chain([entity]).collect();
    write(conn, &edits)?;
    Ok(vec![append(conn, Logged::new(("promote", file), stamp, edits))?])
}

/// The inverse of some entries, as a store's record of changes keeps it.
pub fn inverse(seqs: &[i64]) -> Value {
    json!({"roll_back": seqs})
}
