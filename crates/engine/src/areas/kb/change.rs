//! Changes to a branch's store, as plans carry them.

use std::sync::Arc;

use base::shared::MergePreference;
use base::{Problem, ProblemCode, Result};
use kb::share::SharedImport;
use kb::{AuditEntry, ChangeStamp, Changeset, ExternalRefs, KbRowChange};
use serde_json::Value;
use store::{Connection, Transaction};

use super::STORE;
use super::index::text_of;
use crate::durable::{StoreChange, tables};
use crate::search;

/// A change to the knowledge base.
#[derive(Debug, Clone)]
pub struct KbChange {
    /// What is done
    pub kind: KbChangeKind,
    /// Who does it and when; a recorded inverse does not know yet
    pub author: Option<ChangeStamp>,
    /// What it would do, for a dry run
    pub preview: String,
}

/// What is done to a store.
#[derive(Debug, Clone)]
#[expect(
    clippy::large_enum_variant,
    reason = "one is made for each change, and most are the large one"
)]
pub enum KbChangeKind {
    /// A changeset is applied, under the name of the operation that made it
    Apply(Changeset, &'static str, ExternalRefs),
    /// Entries of the log are taken back
    RollBack(Vec<i64>),
    /// Another branch's log is replayed
    Merge(Vec<AuditEntry>, String, MergePreference),
    /// Files that share facts are taken over, or agreed with
    Share(Box<SharedImport>),
    /// A file takes an entity over
    MoveToFile(String, String),
}

impl StoreChange for KbChange {
    fn store(&self) -> &'static str {
        STORE
    }

    fn preview(&self) -> String {
        self.preview.clone()
    }

    fn apply(&self, transaction: &Transaction<'_>) -> Result<Value> {
        let nobody = || Problem::internal("nobody changes the knowledge base");
        let stamp = self.author.as_ref().ok_or_else(nobody)?;
        // The record of this change is written: entries of the log go on from its number.
        let number = tables::revision(transaction)?;
        kb::reserve_log_numbers(
            transaction,
            if self.number_count() > 1 { number + 1 } else { number },
        )?;
        let seqs = match &self.kind {
            KbChangeKind::Apply(set, action, outside) => {
                kb::apply_changeset((transaction, outside), (set, action), stamp)?
            }
            KbChangeKind::RollBack(seqs) => kb::roll_back(transaction, seqs, stamp)?,
            KbChangeKind::Merge(theirs, branch, prefer) => {
                kb::merge(transaction, (theirs, branch), *prefer, stamp)?
            }
            KbChangeKind::Share(taken) => kb::share::apply_import(transaction, taken, stamp)?,
            KbChangeKind::MoveToFile(id, file) => {
                kb::remove_promoted_entity(transaction, id, file, stamp)?
            }
        };
        seqs.iter().try_for_each(|seq| update_search_text(transaction, *seq))?;
        Ok(kb::rollback_record(&seqs))
    }

    fn number_count(&self) -> u64 {
        match &self.kind {
            KbChangeKind::Merge(theirs, ..) => theirs.len() as u64 + 1,
            _ => 1,
        }
    }

    fn attributed_to(&self, at: &str, actor: &str) -> Option<Arc<dyn StoreChange>> {
        let stamp = ChangeStamp { at: at.to_owned(), actor: actor.to_owned() };
        Some(Arc::new(Self { author: Some(stamp), ..self.clone() }))
    }
}

/// Keeps what is searched in step with an entry of the log.
fn update_search_text(conn: &Connection, seq: i64) -> Result<()> {
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

/// Reads what undoes a change back from the store's record.
pub(super) fn read_inverse(json: &Value) -> Result<Arc<dyn StoreChange>> {
    let seqs = entries_of(json)?;
    let listed: Vec<String> = seqs.iter().map(ToString::to_string).collect();
    let preview = format!("take back entry {} of the audit log\n", listed.join(", "));
    Ok(Arc::new(KbChange { kind: KbChangeKind::RollBack(seqs), author: None, preview }))
}

/// The entries of the log that a recorded change made.
pub fn logged_entries(inverse: &str) -> Result<Vec<i64>> {
    let json = serde_json::from_str(inverse);
    entries_of(&json.map_err(|error| damaged().with_source(error))?)
}

fn entries_of(inverse: &Value) -> Result<Vec<i64>> {
    let seqs = inverse["roll_back"].as_array().map(|seqs| seqs.iter().filter_map(Value::as_i64));
    seqs.map(Iterator::collect).ok_or_else(damaged)
}

fn damaged() -> Problem {
    Problem::new(ProblemCode::StoreDamaged, "a recorded change cannot be read back")
}
