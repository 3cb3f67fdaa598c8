//! Writing to a store. Every change is a [`KbPlan`]: entries for the audit log, with the rows that
//! each changes. One function applies it, inside the caller's transaction.

use base::shared::MergeBase;
use base::{NextCall, Problem, ProblemCode, Result};
use serde_json::{Value, json};
use store::{Connection, StaleRows, apply_row_changes, inverse_row_changes};

use crate::changeset::{Changeset, ChangesetFault, faults_problem};
use crate::context::ChangesetContext;
use crate::digest;
use crate::edit::KbRowChange;
use crate::log::{AuditEntry, LogSeq, LogUid};
use crate::plan::{ChangeStamp, plan_rows};
use crate::tables;

/// How many hex digits the id of an entry has.
const UID_DIGITS: usize = 32;

/// A planned change of a store.
#[derive(Debug, Clone, Default)]
pub struct KbPlan {
    /// Entries to append to the log, in this order
    pub entries: Vec<AuditEntry>,
    /// What the store and its shared files agree on from now on
    pub agreements: Vec<FileAgreement>,
    /// Whether the plan is refused if it leaves a relation to an entity that it removes
    pub refuses_dangling: bool,
}

/// The content on which the store and one shared file agree.
#[derive(Debug, Clone)]
pub struct FileAgreement {
    /// Path of the file
    pub file: String,
    /// Its revision and the hash of its content
    pub content: MergeBase,
}

impl KbPlan {
    /// A plan that appends one entry.
    pub(crate) fn of_entry(entry: AuditEntry) -> Self {
        Self { entries: vec![entry], ..Self::default() }
    }

    /// Whether the plan writes nothing.
    pub const fn is_empty(&self) -> bool {
        self.entries.is_empty() && self.agreements.is_empty()
    }

    /// The rows that change, in the order in which they are written.
    pub fn row_changes(&self) -> impl Iterator<Item = &KbRowChange> {
        self.entries.iter().flat_map(|entry| &entry.edits)
    }
}

/// Applies a plan. Returns the numbers of its entries in the log.
pub fn apply_plan(conn: &Connection, plan: &KbPlan) -> Result<Vec<LogSeq>> {
    for agreement in &plan.agreements {
        tables::set_agreement(conn, &agreement.file, &agreement.content)?;
    }
    let mut seqs = Vec::new();
    for entry in &plan.entries {
        apply_row_changes(conn, &entry.edits)?.map_err(|stale| {
            conflict(format!("{} changed since the change was planned", listed(&stale)), stale)
                .hint("repeat the request")
        })?;
        seqs.push(append_log_entry(conn, entry)?);
    }
    if plan.refuses_dangling {
        refuse_dangling_relations(conn, plan.row_changes())?;
    }
    Ok(seqs)
}

fn conflict(message: String, stale: StaleRows) -> Problem {
    Problem::new(ProblemCode::Conflict, message).detail("changed", stale.0)
}

fn listed(stale: &StaleRows) -> String {
    stale.0.join(", ")
}

/// What a changeset does to the store.
#[derive(Debug)]
pub enum PlannedChangeset {
    /// It changes these rows; without rows and without an id, the plan is empty
    Plan(KbPlan),
    /// It was applied before, as this entry
    AlreadyApplied(AuditEntry),
}

/// Plans a changeset, for the operation `action`. All faults become one problem, together with
/// those that were found in the shape of the changeset.
pub fn plan_changeset(
    context: ChangesetContext<'_>,
    set: &Changeset,
    mut faults: Vec<ChangesetFault>,
    action: &str,
    stamp: &ChangeStamp,
) -> Result<PlannedChangeset> {
    if let Some(logged) = applied_entry(context.conn, set)? {
        return Ok(PlannedChangeset::AlreadyApplied(logged));
    }
    let edits = match plan_rows(set, context, stamp)? {
        Ok(edits) => edits,
        Err(found) => {
            faults.extend(found);
            Vec::new()
        }
    };
    if !faults.is_empty() {
        return Err(faults_problem(&faults));
    }
    if edits.is_empty() && set.id.is_none() {
        return Ok(PlannedChangeset::Plan(KbPlan::default()));
    }
    let source = set.source.clone().unwrap_or_else(|| stamp.actor.clone());
    let entry = AuditEntry {
        changeset: set.id.clone(),
        digest: digest::digest(set),
        ..AuditEntry::new(action, source, stamp, edits)
    };
    Ok(PlannedChangeset::Plan(KbPlan::of_entry(entry)))
}

/// The entry of the log for a changeset that was applied before.
fn applied_entry(conn: Option<&Connection>, set: &Changeset) -> Result<Option<AuditEntry>> {
    let (Some(id), Some(conn)) = (&set.id, conn) else { return Ok(None) };
    let Some(logged) = tables::entry_of_changeset(conn, id)? else { return Ok(None) };
    if digest::matches(&logged.digest, set) {
        return Ok(Some(logged));
    }
    let message = format!("changeset {id} was already applied with different contents");
    Err(Problem::new(ProblemCode::Conflict, message)
        .detail("entry", logged.seq.0)
        .hint("use a new changeset id"))
}

/// Undoes entries of the log, newest first, by a new entry. Refused if a row is no longer as an
/// entry left it.
pub fn roll_back(conn: &Connection, seqs: &[LogSeq], stamp: &ChangeStamp) -> Result<Vec<LogSeq>> {
    if seqs.is_empty() {
        return Ok(Vec::new()); // the change to undo wrote no rows
    }
    let mut edits = Vec::new();
    for seq in seqs.iter().rev() {
        let missing = || Problem::not_found(format!("the log has no entry {seq}"));
        let logged = tables::log_entry(conn, *seq)?.ok_or_else(missing)?;
        edits.extend(inverse_row_changes(&logged.edits));
    }
    let numbers: Vec<String> = seqs.iter().rev().map(ToString::to_string).collect();
    let source = format!("entry {}", numbers.join(", "));
    apply_row_changes(conn, &edits)?.map_err(|stale| {
        let message = format!("{source} cannot be undone: {} changed since", listed(&stale));
        undo_newer_first(conflict(message, stale))
    })?;
    refuse_dangling_relations(conn, edits.iter())?;
    let entry = AuditEntry::new("rollback", source, stamp, edits);
    Ok(vec![append_log_entry(conn, &entry)?])
}

fn undo_newer_first(problem: Problem) -> Problem {
    problem.hint_call("undo the newer entries first; they are listed by", NextCall::new("kb.log"))
}

/// A removed entity must not leave relations of the store behind.
fn refuse_dangling_relations<'a>(
    conn: &Connection,
    edits: impl Iterator<Item = &'a KbRowChange>,
) -> Result<()> {
    for edit in edits {
        let KbRowChange::Entity { id, after: None, .. } = edit else { continue };
        if tables::entity(conn, id)?.is_some() {
            continue; // a later edit made it again
        }
        if let Some(relation) = tables::relations_touching(conn, id)?.first() {
            let message = format!("cannot delete {id}: `{}` still refers to it", relation.key());
            return Err(undo_newer_first(Problem::new(ProblemCode::Conflict, message)));
        }
    }
    Ok(())
}

/// Appends an entry to the log. An entry that no log has yet gets a new id.
fn append_log_entry(conn: &Connection, entry: &AuditEntry) -> Result<LogSeq> {
    if !entry.uid.0.is_empty() {
        return tables::insert_log_entry(conn, entry);
    }
    let last = tables::last_seq(conn)?;
    let edits = json!(entry.edits).to_string();
    let text = format!("{last}\0{}\0{}\0{}\0{edits}", entry.at, entry.actor, entry.action);
    let uid = LogUid(blake3::hash(text.as_bytes()).to_hex()[..UID_DIGITS].to_owned());
    tables::insert_log_entry(conn, &AuditEntry { uid, ..entry.clone() })
}

/// Plans to remove an entity that a file now defines, together with the relations that start at it,
/// which the file lists too.
pub fn plan_promotion(
    conn: &Connection,
    id: &str,
    file: &str,
    stamp: &ChangeStamp,
) -> Result<KbPlan> {
    let missing = || Problem::not_found(format!("no entity has the id {id}"));
    let before = tables::entity(conn, id)?.ok_or_else(missing)?;
    let own = tables::relations_touching(conn, id)?.into_iter().filter(|one| one.from == id);
    let own =
        own.map(|one| KbRowChange::Relation { key: one.key(), before: Some(one), after: None });
    let entity = KbRowChange::Entity { id: id.to_owned(), before: Some(before), after: None };
    let edits = own.chain([entity]).collect();
    Ok(KbPlan::of_entry(AuditEntry::new("promote", file, stamp, edits)))
}

/// The record from which the entries of a change can be undone later. Its form is stored.
pub fn rollback_record(seqs: &[LogSeq]) -> Value {
    json!({"roll_back": seqs})
}
