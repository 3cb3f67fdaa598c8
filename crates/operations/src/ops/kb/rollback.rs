//! `kb.rollback`: reverses an entry of the log with a new entry.

use std::sync::Arc;

use base::{NextCall, Problem, Result};
use clap::Args;
use kb::LogSeq;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::{Connection, RowChange};
use tree::ChangeId;

use engine::areas::kb::answer_rows::KbChangeAnswer;
use engine::areas::kb::{KbChange, KbChangeKind, STORE, current_stamp, logged_entries};
use engine::contract::op::{Effect, Mutation, OpExample};
use engine::durable::tables;
use engine::plan::{Plan, PlannedChange};
use engine::view::View;

/// Reverse a changeset of the knowledge base
///
/// Refused if an affected row changed since; the log keeps both entries.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KbRollback {
    /// Number of the entry or change, as `kb log` shows it
    pub entry: i64,
}

impl Mutation for KbRollback {
    const NAME: &'static str = "kb.rollback";
    const EFFECT: Effect = Effect::OVERWRITES;
    const EXAMPLES: &'static [OpExample] =
        &[OpExample { args: "12 --dry-run", shows: "what reversing entry 12 would change" }];
    type Answer = KbChangeAnswer;

    fn plan(self, view: &View) -> Result<Plan<KbChangeAnswer>> {
        let unknown = || {
            Problem::not_found(format!("the log has no entry {}", self.entry))
                .hint_call("entries are listed by", NextCall::new("kb.log"))
        };
        let reading = view.store(STORE)?.ok_or_else(unknown)?;
        let entries = entries(&reading.conn, self.entry)?.ok_or_else(unknown)?;
        let edits = entries.iter().flat_map(|entry| entry.edits.iter().cloned());
        let edits: Vec<kb::KbRowChange> = edits.map(RowChange::inverse).collect();
        let answer = KbChangeAnswer::of(format!("reversed entry {}", self.entry), &edits);
        let seqs = entries.iter().map(|entry| entry.seq).collect();
        let (what, preview) = (KbChangeKind::RollBack(seqs), answer.preview());
        let change = KbChange { kind: what, author: Some(current_stamp(view)), preview };
        let summary = format!("rollback of entry {}", self.entry);
        Ok(Plan {
            summary,
            change: PlannedChange::Store(Arc::new(change)),
            answer,
            retry_on_conflict: true,
        })
    }
}

/// The entries with this number. A merge has a number of its own and one for each merged entry, so
/// its own number stands for all of them.
fn entries(conn: &Connection, number: i64) -> Result<Option<Vec<kb::AuditEntry>>> {
    if let Some(entry) = kb::log_entry(conn, LogSeq(number))? {
        return Ok(Some(vec![entry]));
    }
    let Ok(id) = u64::try_from(number) else { return Ok(None) };
    let made = tables::change_record(conn, ChangeId(id))?.filter(|made| made.session.is_some());
    let Some(seqs) = made.map(|made| logged_entries(&made.inverse)).transpose()? else {
        return Ok(None);
    };
    let entries = seqs.into_iter().filter_map(|seq| kb::log_entry(conn, seq).transpose());
    entries.collect::<Result<Vec<_>>>().map(Some)
}
