//! Changes to a branch's store, as plans carry them.

use std::sync::Arc;

use base::shared::Prefer;
use base::{Code, Problem, Result};
use kb::share::Taken;
use kb::{Changeset, Edit, Logged, Outside, Stamp};
use serde_json::Value;
use store::{Connection, Transaction};

use super::STORE;
use super::index::text_of;
use crate::durable::{StoreChange, tables};
use crate::search;

/// A change to the knowledge base.
#[derive(Debug, Clone)]
pub(crate) struct KbChange {
    /// What is done
    pub what: What,
    /// Who does it and when; a recorded inverse does not know yet
    pub stamp: Option<Stamp>,
    /// What it would do, for a dry run
    pub preview: String,
}

/// What is done to a store.
#[derive(Debug, Clone)]
#[expect(
    clippy::large_enum_variant,
    reason = "one is made for each change, and most are the large one"
)]
pub(crate) enum What {
    /// A changeset is applied, under the name of the operation that made it
    Apply(Changeset, &'static str, Outside),
    /// Entries of the log are taken back
    RollBack(Vec<i64>),
    /// Another branch's log is replayed
    Merge(Vec<Logged>, String, Prefer),
    /// Files that share facts are taken over, or agreed with
    Share(Box<Taken>),
    /// A file takes an entity over
    HandOver(String, String),
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
        let stamp = self.stamp.as_ref().ok_or_else(nobody)?;
        // The record of this change is written: entries of the log go on from its number.
        let number = tables::revision(transaction)?;
        kb::number_log_from(transaction, if self.numbers() > 1 { number + 1 } else { number })?;
        let seqs = match &self.what {
            What::Apply(set, action, outside) => {
                kb::apply((transaction, outside), (set, action), stamp)?
            }
            What::RollBack(seqs) => kb::roll_back(transaction, seqs, stamp)?,
            What::Merge(theirs, branch, prefer) => {
                kb::merge(transaction, (theirs, branch), *prefer, stamp)?
            }
            What::Share(taken) => kb::share::took(transaction, taken, stamp)?,
            What::HandOver(id, file) => kb::hand_over(transaction, id, file, stamp)?,
        };
        seqs.iter().try_for_each(|seq| keep_text(transaction, *seq))?;
        Ok(kb::inverse(&seqs))
    }

    fn numbers(&self) -> u64 {
        match &self.what {
            What::Merge(theirs, ..) => theirs.len() as u64 + 1,
            _ => 1,
        }
    }

    fn stamped(&self, at: &str, actor: &str) -> Option<Arc<dyn StoreChange>> {
        let stamp = Stamp { at: at.to_owned(), actor: actor.to_owned() };
        Some(Arc::new(Self { stamp: Some(stamp), ..self.clone() }))
    }
}

/// Keeps what is searched in step with an entry of the log.
fn keep_text(conn: &Connection, seq: i64) -> Result<()> {
    let edits = kb::entry(conn, seq)?.map(|entry| entry.edits).unwrap_or_default();
    for edit in &edits {
        match edit {
            Edit::Entity { after: Some(entity), .. } => search::put(conn, &text_of(entity, None))?,
            Edit::Entity { id, after: None, .. } => search::remove(conn, &format!("kb:{id}"))?,
            Edit::Relation { .. } => {}
        }
    }
    Ok(())
}

/// Reads what undoes a change back from the store's record.
pub(super) fn read_inverse(json: &Value) -> Result<Arc<dyn StoreChange>> {
    let seqs = entries_of(json)?;
    let listed: Vec<String> = seqs.iter().map(ToString::to_string).collect();
    let preview = format!("take back entry {} of the audit log\n", listed.join(", "));
    Ok(Arc::new(KbChange { what: What::RollBack(seqs), stamp: None, preview }))
}

/// The entries of the log that a recorded change made.
pub(crate) fn made_entries(inverse: &str) -> Result<Vec<i64>> {
    let json = serde_json::from_str(inverse);
    entries_of(&json.map_err(|error| damaged().because(error))?)
}

fn entries_of(inverse: &Value) -> Result<Vec<i64>> {
    let seqs = inverse["roll_back"].as_array().map(|seqs| seqs.iter().filter_map(Value::as_i64));
    seqs.map(Iterator::collect).ok_or_else(damaged)
}

fn damaged() -> Problem {
    Problem::new(Code::StoreDamaged, "a recorded change cannot be read back")
}
