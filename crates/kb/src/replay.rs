//! Bringing one branch's facts onto another: the entries of its log that the other has not.

use std::collections::{BTreeMap, BTreeSet};

use base::shared::Prefer;
use base::words::counted;
use base::{Code, NextCall, Problem, Result};
use serde_json::{Value, json};
use store::Connection;

use crate::apply::{append, write};
use crate::edit::Edit;
use crate::model::{Entity, Relation, RelationKey};
use crate::plan::Stamp;
use crate::tables::{self, Logged};

/// What a replay does: entries as they will stand in the log, and where the branches differ.
#[derive(Debug, Default)]
pub struct Replay {
    /// The entries to append, with the edits that they make here
    pub entries: Vec<Logged>,
    /// Rows that both branches changed
    pub conflicts: Vec<String>,
}

/// A row of the store that is being merged into, as the replay has left it so far.
#[derive(Default)]
struct Overlay {
    entities: BTreeMap<String, Option<Entity>>,
    relations: BTreeMap<RelationKey, Option<Relation>>,
}

/// Plans to bring `theirs`, another branch's whole log, onto a store.
pub fn replay(conn: &Connection, theirs: &[Logged], prefer: Prefer) -> Result<Replay> {
    let known: BTreeSet<String> = tables::uids(conn)?.into_iter().collect();
    let mut overlay = Overlay::default();
    let mut conflicts = BTreeSet::new();
    let mut entries = Vec::new();
    for entry in theirs.iter().filter(|entry| !known.contains(&entry.uid)) {
        let mut edits = Vec::new();
        for edit in &entry.edits {
            match overlay.lay(conn, edit)? {
                Laid::Clean(edit) => edits.push(edit),
                Laid::Same => {}
                Laid::Torn(what, edit) => {
                    conflicts.insert(what);
                    if prefer == Prefer::Theirs {
                        edits.push(edit);
                    }
                }
            }
        }
        for edit in &edits {
            overlay.keep(edit);
        }
        entries.push(Logged { edits, ..entry.clone() });
    }
    Ok(Replay { entries, conflicts: conflicts.into_iter().collect() })
}

/// Applies what [`replay`] planned, inside the caller's transaction.
pub fn merge(
    conn: &Connection,
    (theirs, branch): (&[Logged], &str),
    prefer: Prefer,
    stamp: &Stamp,
) -> Result<Vec<i64>> {
    let plan = replay(conn, theirs, prefer)?;
    if prefer == Prefer::Neither && !plan.conflicts.is_empty() {
        return Err(torn(branch, &plan.conflicts));
    }
    let mut seqs = Vec::new();
    for entry in plan.entries {
        write(conn, &entry.edits)?;
        let action = format!("merge of {branch}: {}", plain(&entry.action));
        // The caller's own name for a changeset counts in one branch only.
        let taken = match &entry.changeset {
            Some(name) => tables::by_changeset(conn, name)?.is_some(),
            None => false,
        };
        let changeset = entry.changeset.clone().filter(|_| !taken);
        let at = stamp.at.clone();
        seqs.push(append(conn, Logged { changeset, at, action, ..entry })?);
    }
    dangling(conn, &seqs, branch)?;
    Ok(seqs)
}

/// What was done in the first place, however often it was merged since.
fn plain(action: &str) -> &str {
    action.rsplit_once(": ").map_or(action, |(_, plain)| plain)
}

/// A merge must not leave relations whose entity the other side removed.
fn dangling(conn: &Connection, seqs: &[i64], branch: &str) -> Result<()> {
    for seq in seqs {
        let edits = tables::entry(conn, *seq)?.map(|entry| entry.edits).unwrap_or_default();
        for edit in edits {
            let Edit::Entity { id, after: None, .. } = edit else { continue };
            let left = tables::touching(conn, &id)?;
            if tables::entity(conn, &id)?.is_none() && !left.is_empty() {
                let names: Vec<String> = left.iter().map(|r| r.key().to_string()).collect();
                return Err(torn(branch, &names)
                    .hint(format!("{id} was removed there and is still needed here")));
            }
        }
    }
    Ok(())
}

/// The problem of branches that both changed something.
pub fn torn(branch: &str, conflicts: &[String]) -> Problem {
    let rows: Vec<Value> = conflicts.iter().map(|what| json!({"changed in both": what})).collect();
    let rows_changed = counted(conflicts.len(), "row");
    let message = format!("{rows_changed} changed both here and in {branch}");
    Problem::new(Code::Conflict, message)
        .detail("conflicts", rows)
        .hint_call(
            "nothing was written; to keep what is here",
            NextCall::again().with("prefer", "ours"),
        )
        .hint_call("or to take what is there", NextCall::again().with("prefer", "theirs"))
}

/// How an edit of one branch meets the rows of another.
enum Laid {
    /// The row is as the edit expects
    Clean(Edit),
    /// The row is already as the edit leaves it
    Same,
    /// The row is something else
    Torn(String, Edit),
}

impl Overlay {
    fn lay(&self, conn: &Connection, edit: &Edit) -> Result<Laid> {
        match edit {
            Edit::Entity { id, before, after } => {
                let here = match self.entities.get(id) {
                    Some(here) => here.clone(),
                    None => tables::entity(conn, id)?,
                };
                let now =
                    Edit::Entity { id: id.clone(), before: here.clone(), after: after.clone() };
                Ok(judge(here.as_ref(), before.as_ref(), after.as_ref(), (id.clone(), now)))
            }
            Edit::Relation { key, before, after } => {
                let here = match self.relations.get(key) {
                    Some(here) => here.clone(),
                    None => tables::relation(conn, key)?,
                };
                let now =
                    Edit::Relation { key: key.clone(), before: here.clone(), after: after.clone() };
                Ok(judge(here.as_ref(), before.as_ref(), after.as_ref(), (key.to_string(), now)))
            }
        }
    }

    fn keep(&mut self, edit: &Edit) {
        match edit {
            Edit::Entity { id, after, .. } => drop(self.entities.insert(id.clone(), after.clone())),
            Edit::Relation { key, after, .. } => {
                drop(self.relations.insert(key.clone(), after.clone()));
            }
        }
    }
}

fn judge<T: PartialEq>(
    here: Option<&T>,
    before: Option<&T>,
    after: Option<&T>,
    (name, now): (String, Edit),
) -> Laid {
    if here == after {
        Laid::Same
    } else if here == before {
        Laid::Clean(now)
    } else {
        Laid::Torn(name, now)
    }
}
