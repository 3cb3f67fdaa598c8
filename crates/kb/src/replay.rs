//! Bringing one branch's facts onto another: the entries of its log that the other has not.

use std::collections::{BTreeMap, BTreeSet};

use base::shared::MergePreference;
use base::words::counted;
use base::{NextCall, Problem, ProblemCode, Result};
use serde_json::{Value, json};
use store::Connection;

use crate::apply::{append_log_entry, write_rows};
use crate::edit::KbRowChange;
use crate::model::{Entity, KbRelation, RelationKey};
use crate::plan::ChangeStamp;
use crate::tables::{self, AuditEntry};

/// What a replay does: entries as they will stand in the log, and where the branches differ.
#[derive(Debug, Default)]
pub struct LogReplay {
    /// The entries to append, with the edits that they make here
    pub entries: Vec<AuditEntry>,
    /// Rows that both branches changed
    pub conflicts: Vec<String>,
}

/// A row of the store that is being merged into, as the replay has left it so far.
#[derive(Default)]
struct ReplayOverlay {
    entities: BTreeMap<String, Option<Entity>>,
    relations: BTreeMap<RelationKey, Option<KbRelation>>,
}

/// Plans to bring `theirs`, another branch's whole log, onto a store.
pub fn replay(
    conn: &Connection,
    theirs: &[AuditEntry],
    prefer: MergePreference,
) -> Result<LogReplay> {
    let known: BTreeSet<String> = tables::uids(conn)?.into_iter().collect();
    let mut overlay = ReplayOverlay::default();
    let mut conflicts = BTreeSet::new();
    let mut entries = Vec::new();
    for entry in theirs.iter().filter(|entry| !known.contains(&entry.uid)) {
        let mut edits = Vec::new();
        for edit in &entry.edits {
            match overlay.compare(conn, edit)? {
                ReplayedEdit::Clean(edit) => edits.push(edit),
                ReplayedEdit::AlreadyApplied => {}
                ReplayedEdit::Conflict(what, edit) => {
                    conflicts.insert(what);
                    if prefer == MergePreference::Theirs {
                        edits.push(edit);
                    }
                }
            }
        }
        for edit in &edits {
            overlay.record(edit);
        }
        entries.push(AuditEntry { edits, ..entry.clone() });
    }
    Ok(LogReplay { entries, conflicts: conflicts.into_iter().collect() })
}

/// Applies what [`replay`] planned, inside the caller's transaction.
pub fn merge(
    conn: &Connection,
    (theirs, branch): (&[AuditEntry], &str),
    prefer: MergePreference,
    stamp: &ChangeStamp,
) -> Result<Vec<i64>> {
    let plan = replay(conn, theirs, prefer)?;
    if prefer == MergePreference::Neither && !plan.conflicts.is_empty() {
        return Err(merge_conflict(branch, &plan.conflicts));
    }
    let mut seqs = Vec::new();
    for entry in plan.entries {
        write_rows(conn, &entry.edits)?;
        let action = format!("merge of {branch}: {}", original_action(&entry.action));
        // The caller's own name for a changeset counts in one branch only.
        let taken = match &entry.changeset {
            Some(name) => tables::by_changeset(conn, name)?.is_some(),
            None => false,
        };
        let changeset = entry.changeset.clone().filter(|_| !taken);
        let at = stamp.at.clone();
        seqs.push(append_log_entry(conn, AuditEntry { changeset, at, action, ..entry })?);
    }
    refuse_dangling_relations(conn, &seqs, branch)?;
    Ok(seqs)
}

/// What was done in the first place, however often it was merged since.
fn original_action(action: &str) -> &str {
    action.rsplit_once(": ").map_or(action, |(_, plain)| plain)
}

/// A merge must not leave relations whose entity the other side removed.
fn refuse_dangling_relations(conn: &Connection, seqs: &[i64], branch: &str) -> Result<()> {
    for seq in seqs {
        let edits = tables::log_entry(conn, *seq)?.map(|entry| entry.edits).unwrap_or_default();
        for edit in edits {
            let KbRowChange::Entity { id, after: None, .. } = edit else { continue };
            let left = tables::relations_touching(conn, &id)?;
            if tables::entity(conn, &id)?.is_none() && !left.is_empty() {
                let names: Vec<String> = left.iter().map(|r| r.key().to_string()).collect();
                return Err(merge_conflict(branch, &names)
                    .hint(format!("{id} was removed there and is still needed here")));
            }
        }
    }
    Ok(())
}

/// The problem of branches that both changed something.
pub fn merge_conflict(branch: &str, conflicts: &[String]) -> Problem {
    let rows: Vec<Value> = conflicts.iter().map(|what| json!({"changed in both": what})).collect();
    let rows_changed = counted(conflicts.len(), "row");
    let message = format!("{rows_changed} changed both here and in {branch}");
    Problem::new(ProblemCode::Conflict, message)
        .detail("conflicts", rows)
        .hint_call(
            "nothing was written; to keep what is here",
            NextCall::repeat().with("prefer", "ours"),
        )
        .hint_call("or to take what is there", NextCall::repeat().with("prefer", "theirs"))
}

/// How an edit of one branch meets the rows of another.
enum ReplayedEdit {
    /// The row is as the edit expects
    Clean(KbRowChange),
    /// The row is already as the edit leaves it
    AlreadyApplied,
    /// The row is something else
    Conflict(String, KbRowChange),
}

impl ReplayOverlay {
    fn compare(&self, conn: &Connection, edit: &KbRowChange) -> Result<ReplayedEdit> {
        match edit {
            KbRowChange::Entity { id, before, after } => {
                let here = match self.entities.get(id) {
                    Some(here) => here.clone(),
                    None => tables::entity(conn, id)?,
                };
                let now = KbRowChange::Entity {
                    id: id.clone(),
                    before: here.clone(),
                    after: after.clone(),
                };
                Ok(classify(here.as_ref(), before.as_ref(), after.as_ref(), (id.clone(), now)))
            }
            KbRowChange::Relation { key, before, after } => {
                let here = match self.relations.get(key) {
                    Some(here) => here.clone(),
                    None => tables::relation(conn, key)?,
                };
                let now = KbRowChange::Relation {
                    key: key.clone(),
                    before: here.clone(),
                    after: after.clone(),
                };
                Ok(classify(here.as_ref(), before.as_ref(), after.as_ref(), (key.to_string(), now)))
            }
        }
    }

    fn record(&mut self, edit: &KbRowChange) {
        match edit {
            KbRowChange::Entity { id, after, .. } => {
                drop(self.entities.insert(id.clone(), after.clone()))
            }
            KbRowChange::Relation { key, after, .. } => {
                drop(self.relations.insert(key.clone(), after.clone()));
            }
        }
    }
}

fn classify<T: PartialEq>(
    here: Option<&T>,
    before: Option<&T>,
    after: Option<&T>,
    (name, now): (String, KbRowChange),
) -> ReplayedEdit {
    if here == after {
        ReplayedEdit::AlreadyApplied
    } else if here == before {
        ReplayedEdit::Clean(now)
    } else {
        ReplayedEdit::Conflict(name, now)
    }
}
