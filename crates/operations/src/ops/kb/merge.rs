//! `kb.merge`: merges another branch's facts into this branch's knowledge base.

use std::sync::Arc;

use base::words::counted;
use base::{NextCall, Problem, Result};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use engine::areas::kb::answer_rows::KbChangeAnswer;
use engine::areas::kb::{KbChange, KbChangeKind, STORE, branch_stores, current_stamp, shared};
use engine::contract::args::MergeSide;
use engine::contract::op::{Door, Effect, Mutation, OpExample};
use engine::plan::{Plan, PlannedChange};
use engine::view::View;

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
        let own = view.store_locations()?.read_branch(&engine::areas::kb::DURABLE);
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
        view.catch_up_branch(&engine::areas::kb::DURABLE, &self.branch)?;
        let other = branch_stores::open(view.store_locations()?, &self.branch)?;
        let theirs = kb::full_log(&other)?;
        let prefer = MergeSide::prefer(self.prefer);
        let branch = kb::MergedBranch { name: &self.branch, log: &theirs };
        let stamp = current_stamp(view);
        let merge = match view.store(STORE)? {
            Some(reading) => kb::plan_merge(&reading.conn, branch, prefer, &stamp)?,
            None => kb::plan_merge(&shared::empty()?, branch, prefer, &stamp)?,
        };
        let edits: Vec<kb::KbRowChange> = merge.plan.row_changes().cloned().collect();
        let count = merge.plan.entries.len();
        let merged = counted(count, "changeset");
        let mut answer = KbChangeAnswer::of(format!("merged {merged} of {}", self.branch), &edits);
        answer.warnings.extend(merge.conflicts.iter().map(|what| format!("both changed {what}")));
        if count == 0 {
            return Ok(Plan::nothing(answer));
        }
        let (summary, preview) = (format!("merge of {}", self.branch), answer.preview());
        let kind = KbChangeKind::Merge(merge.plan);
        let change = KbChange { kind, author: Some(stamp), preview };
        Ok(Plan {
            summary,
            change: PlannedChange::Store(Arc::new(change)),
            answer,
            retry_on_conflict: true,
        })
    }
}
