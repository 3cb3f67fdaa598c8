//! `kb.merge`: merges another branch's facts into this branch's knowledge base.

use std::sync::Arc;

use base::shared::MergePreference;
use base::words::counted;
use base::{NextCall, Problem, Result};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::upsert::empty_plan;
use crate::areas::kb::answer_rows::KbChangeAnswer;
use crate::areas::kb::{KbChange, KbChangeKind, STORE, branch_stores, current_stamp, shared};
use crate::contract::args::MergeSide;
use crate::contract::op::{Door, Effect, Mutation, OpExample};
use crate::plan::{Plan, PlannedChange};
use crate::view::View;

/// Replay another branch's changesets onto this branch's knowledge base
///
/// Changesets that this branch has are skipped. Rows that both changed are conflicts, and nothing
/// is written unless one side is preferred.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KbMerge {
    /// Branch to merge from
    pub branch: String,
    /// Whose rows win where both sides changed them; refused if left out
    #[arg(long, value_enum)]
    #[serde(default)]
    pub prefer: Option<MergeSide>,
}

impl Mutation for KbMerge {
    const NAME: &'static str = "kb.merge";
    const EFFECT: Effect = Effect::OVERWRITES;
    const DOORS: &'static [Door] = Door::PERSON;
    const EXAMPLES: &'static [OpExample] = &[
        OpExample { args: "feature/x --dry-run", shows: "what would be merged" },
        OpExample { args: "feature/x --prefer theirs", shows: "their rows win" },
    ];
    type Answer = KbChangeAnswer;

    fn plan(self, view: &View) -> Result<Plan<KbChangeAnswer>> {
        let own = view.store_locations()?.read_branch(&crate::areas::kb::DURABLE);
        if own.as_deref() == Some(self.branch.as_str()) {
            return Err(Problem::invalid(format!(
                "{} is already the knowledge base in use",
                self.branch
            ))
            .hint_call(
                "branches with a knowledge base are listed by",
                NextCall::new("kb.branches"),
            ));
        }
        let other = branch_stores::open(view.store_locations()?, &self.branch)?;
        let theirs = kb::full_log(&other)?;
        let prefer = MergeSide::prefer(self.prefer);
        let replay = match view.store(STORE)? {
            Some(reading) => kb::replay(&reading.conn, &theirs, prefer)?,
            None => kb::replay(&shared::empty()?, &theirs, prefer)?,
        };
        if prefer == MergePreference::Neither && !replay.conflicts.is_empty() {
            return Err(kb::merge_conflict(&self.branch, &replay.conflicts));
        }
        let edits: Vec<kb::KbRowChange> =
            replay.entries.iter().flat_map(|entry| entry.edits.clone()).collect();
        let count = replay.entries.len();
        let merged = counted(count, "changeset");
        let mut answer =
            KbChangeAnswer::of(format!("merged {merged} from {}", self.branch), &edits);
        answer.warnings.extend(
            replay.conflicts.iter().map(|what| format!("changed on both branches: {what}")),
        );
        if count == 0 {
            return Ok(empty_plan(answer));
        }
        let (summary, preview) = (format!("merge of {}", self.branch), answer.preview());
        let what = KbChangeKind::Merge(theirs, self.branch, prefer);
        let change = KbChange { kind: what, author: Some(current_stamp(view)), preview };
        Ok(Plan {
            summary,
            change: PlannedChange::Store(Arc::new(change)),
            answer,
            retry_on_conflict: true,
        })
    }
}
