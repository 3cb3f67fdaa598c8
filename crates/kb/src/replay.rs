//! Merging a branch: the entries of its log that this branch does not have are planned again here.

use std::collections::BTreeSet;

use base::shared::MergePreference;
use base::words::counted;
use base::{NextCall, Problem, ProblemCode, Result};
use serde_json::{Value, json};
use store::{Connection, RowChange, RowOverlay};

use crate::apply::KbPlan;
use crate::edit::KbRowChange;
use crate::log::{AuditEntry, LogUid};
use crate::model::{Entity, KbRelation, RelationKey};
use crate::plan::ChangeStamp;
use crate::tables;

/// The branch that is merged.
#[derive(Debug, Clone, Copy)]
pub struct MergedBranch<'a> {
    /// Its name
    pub name: &'a str,
    /// Its whole log, oldest first
    pub log: &'a [AuditEntry],
}

/// The plan of a merge.
#[derive(Debug, Default)]
pub struct MergePlan {
    /// The entries to append, with the rows that they change here
    pub plan: KbPlan,
    /// Names of the rows that both branches changed
    pub conflicts: Vec<String>,
}

/// Plans to merge a branch into the store. Rows that both branches changed are a problem, unless
/// one side is preferred.
pub fn plan_merge(
    conn: &Connection,
    branch: MergedBranch<'_>,
    prefer: MergePreference,
    stamp: &ChangeStamp,
) -> Result<MergePlan> {
    let known: BTreeSet<LogUid> = tables::uids(conn)?.into_iter().collect();
    let mut replay = LogReplay::new(conn, prefer);
    let mut entries = Vec::new();
    for entry in branch.log.iter().filter(|entry| !known.contains(&entry.uid)) {
        let edits = replay.edits(entry)?;
        let action = format!("merge of {}: {}", branch.name, original_action(&entry.action));
        let at = stamp.at.clone();
        let changeset = free_changeset_id(conn, entry)?;
        entries.push(AuditEntry { changeset, at, action, edits, ..entry.clone() });
    }
    let conflicts: Vec<String> = replay.conflicts.into_iter().collect();
    if prefer == MergePreference::Neither && !conflicts.is_empty() {
        return Err(merge_conflict(branch.name, &conflicts));
    }
    let plan = KbPlan { entries, refuses_dangling: true, ..KbPlan::default() };
    Ok(MergePlan { plan, conflicts })
}

/// The changeset id of an entry, unless an entry of this store has the same: a changeset id is
/// unique in one branch only.
fn free_changeset_id(conn: &Connection, entry: &AuditEntry) -> Result<Option<String>> {
    match &entry.changeset {
        Some(id) if tables::entry_of_changeset(conn, id)?.is_some() => Ok(None),
        id => Ok(id.clone()),
    }
}

/// The action of an entry without the branches that it was merged from.
fn original_action(action: &str) -> &str {
    action.rsplit_once(": ").map_or(action, |(_, plain)| plain)
}

/// The problem of rows that two branches changed.
fn merge_conflict(branch: &str, conflicts: &[String]) -> Problem {
    let rows: Vec<Value> = conflicts.iter().map(|what| json!({"changed in both": what})).collect();
    let rows_changed = counted(conflicts.len(), "row");
    let message = format!("{rows_changed} changed both here and in {branch}");
    Problem::new(ProblemCode::Conflict, message)
        .detail("conflicts", rows)
        .hint_call(
            "nothing was written; to keep the rows of this branch",
            NextCall::repeat().with("prefer", "ours"),
        )
        .hint_call(
            "or to take the rows of the other branch",
            NextCall::repeat().with("prefer", "theirs"),
        )
}

/// The rows of the store as the entries planned so far leave them.
struct LogReplay<'c> {
    conn: &'c Connection,
    prefer: MergePreference,
    entities: RowOverlay<String, Entity>,
    relations: RowOverlay<RelationKey, KbRelation>,
    conflicts: BTreeSet<String>,
}

/// How an edit of one branch fits the row of another.
enum ReplayedEdit {
    /// The row is as the edit expects it
    Clean,
    /// The row is already as the edit leaves it
    AlreadyApplied,
    /// The row differs from both
    Conflict,
}

impl<'c> LogReplay<'c> {
    fn new(conn: &'c Connection, prefer: MergePreference) -> Self {
        Self {
            conn,
            prefer,
            entities: RowOverlay::default(),
            relations: RowOverlay::default(),
            conflicts: BTreeSet::new(),
        }
    }

    /// The edits of an entry that are made here.
    fn edits(&mut self, entry: &AuditEntry) -> Result<Vec<KbRowChange>> {
        let mut edits = Vec::new();
        for edit in &entry.edits {
            let (fit, edit) = self.rebase(edit)?;
            let is_made = match fit {
                ReplayedEdit::Clean => true,
                ReplayedEdit::AlreadyApplied => false,
                ReplayedEdit::Conflict => {
                    self.conflicts.insert(edit.row_name());
                    self.prefer == MergePreference::Theirs
                }
            };
            if is_made {
                self.record(&edit)?;
                edits.push(edit);
            }
        }
        Ok(edits)
    }

    /// The same edit, starting from the row of this store.
    fn rebase(&self, edit: &KbRowChange) -> Result<(ReplayedEdit, KbRowChange)> {
        match edit.clone() {
            KbRowChange::Entity { id, before, after } => {
                let here = self.entities.get(&id, || tables::entity(self.conn, &id))?;
                let fit = compare(here.as_ref(), before.as_ref(), after.as_ref());
                Ok((fit, KbRowChange::Entity { id, before: here, after }))
            }
            KbRowChange::Relation { key, before, after } => {
                let here = self.relations.get(&key, || tables::relation(self.conn, &key))?;
                let fit = compare(here.as_ref(), before.as_ref(), after.as_ref());
                Ok((fit, KbRowChange::Relation { key, before: here, after }))
            }
        }
    }

    fn record(&mut self, edit: &KbRowChange) -> Result<()> {
        match edit.clone() {
            KbRowChange::Entity { id, before, after } => {
                self.entities.set(id, after, || Ok(before))
            }
            KbRowChange::Relation { key, before, after } => {
                self.relations.set(key, after, || Ok(before))
            }
        }
    }
}

fn compare<T: PartialEq>(here: Option<&T>, before: Option<&T>, after: Option<&T>) -> ReplayedEdit {
    if here == after {
        ReplayedEdit::AlreadyApplied
    } else if here == before {
        ReplayedEdit::Clean
    } else {
        ReplayedEdit::Conflict
    }
}
