//! Changes to a branch's store, as plans carry them.

use std::sync::Arc;

use base::{Problem, ProblemCode, Result};
use kb::{ChangeStamp, KbPlan, KbRowChange, LogSeq};
use serde_json::Value;
use store::{Connection, RecordImage, Transaction};

use super::STORE;
use super::index::text_of;
use crate::durable::{StoreChange, tables};
use crate::search;

/// A change to the knowledge base.
#[derive(Debug, Clone)]
pub struct KbChange {
    /// What the change does
    pub kind: KbChangeKind,
    /// Who makes the change and when; `None` for a recorded inverse that is not applied yet
    pub author: Option<ChangeStamp>,
    /// What it would do, for a dry run
    pub preview: String,
}

/// What a change does to the store.
#[derive(Debug, Clone)]
pub enum KbChangeKind {
    /// Applies a plan; its one log entry has the number of the change
    Apply(KbPlan),
    /// Applies the plan of a merge; its log entries have numbers of their own
    Merge(KbPlan),
    /// Undoes entries of the log
    RollBack(Vec<LogSeq>),
}

impl StoreChange for KbChange {
    fn store(&self) -> &'static str {
        STORE
    }

    fn preview(&self) -> String {
        self.preview.clone()
    }

    fn apply(&self, transaction: &Transaction<'_>) -> Result<Value> {
        // The record of this change is already written, so the revision is its number.
        let number = tables::revision(transaction)?;
        let first_entry = if self.number_count() > 1 { number + 1 } else { number };
        kb::reserve_log_numbers(transaction, LogSeq(first_entry))?;
        let seqs = match &self.kind {
            KbChangeKind::Apply(plan) | KbChangeKind::Merge(plan) => {
                kb::apply_plan(transaction, plan)?
            }
            KbChangeKind::RollBack(seqs) => {
                let no_author = || Problem::internal("the change has no author");
                kb::roll_back(transaction, seqs, self.author.as_ref().ok_or_else(no_author)?)?
            }
        };
        seqs.iter().try_for_each(|seq| update_search_text(transaction, *seq))?;
        Ok(kb::rollback_record(&seqs))
    }

    fn number_count(&self) -> u64 {
        match &self.kind {
            KbChangeKind::Merge(plan) => plan.entries.len() as u64 + 1,
            _ => 1,
        }
    }

    fn attributed_to(&self, at: &str, actor: &str) -> Option<Arc<dyn StoreChange>> {
        let stamp = ChangeStamp { at: at.to_owned(), actor: actor.to_owned() };
        Some(Arc::new(Self { author: Some(stamp), ..self.clone() }))
    }
}

/// Updates the search text of the entities that an entry of the log changed.
fn update_search_text(conn: &Connection, seq: LogSeq) -> Result<()> {
    let edits = kb::log_entry(conn, seq)?.map(|entry| entry.edits).unwrap_or_default();
    for edit in &edits {
        match edit {
            KbRowChange::Entity { after: Some(entity), .. } => {
                search::put(conn, &text_of(entity, None))?;
            }
            KbRowChange::Entity { id, after: None, .. } => {
                search::remove(conn, &format!("kb:{id}"))?;
            }
            KbRowChange::Relation { .. } => {}
        }
    }
    Ok(())
}

/// Updates the search text of an entity that another machine wrote.
pub(super) fn index_record(conn: &Connection, image: &RecordImage) -> Result<()> {
    let id = serde_json::from_str::<Vec<String>>(&image.id).unwrap_or_default();
    let Some(id) = id.first().filter(|_| image.kind == "kb_entity") else { return Ok(()) };
    match kb::entity(conn, id)? {
        Some(entity) => search::put(conn, &text_of(&entity, None)),
        None => search::remove(conn, &format!("kb:{id}")),
    }
}

/// An entry of another log, as it is added to this one: a changeset id is unique in one log only.
pub(super) fn added_record(conn: &Connection, image: RecordImage) -> Result<RecordImage> {
    let body = image.body.as_deref().filter(|_| image.kind == "kb_audit");
    let body: Option<Value> = body.and_then(|body| serde_json::from_str(body).ok());
    let Some(mut body) = body else { return Ok(image) };
    match body["changeset"].as_str() {
        Some(id) if kb::has_changeset(conn, id)? => body["changeset"] = Value::Null,
        _ => return Ok(image),
    }
    Ok(RecordImage { body: Some(body.to_string()), ..image })
}

/// Parses the recorded inverse of a change.
pub(super) fn read_inverse(json: &Value) -> Result<Arc<dyn StoreChange>> {
    let seqs = entries_of(json)?;
    let listed: Vec<String> = seqs.iter().map(ToString::to_string).collect();
    let preview = format!("undo entry {} of the audit log\n", listed.join(", "));
    Ok(Arc::new(KbChange { kind: KbChangeKind::RollBack(seqs), author: None, preview }))
}

/// The entries of the log that a recorded change made.
pub fn logged_entries(inverse: &str) -> Result<Vec<LogSeq>> {
    let json = serde_json::from_str(inverse);
    entries_of(&json.map_err(|error| damaged().with_source(error))?)
}

fn entries_of(inverse: &Value) -> Result<Vec<LogSeq>> {
    let seqs = inverse["roll_back"].as_array();
    let seqs = seqs.map(|seqs| seqs.iter().filter_map(Value::as_i64).map(LogSeq));
    seqs.map(Iterator::collect).ok_or_else(damaged)
}

fn damaged() -> Problem {
    Problem::new(ProblemCode::StoreDamaged, "a recorded change cannot be read back")
}
