//! `kb.merge`: brings another branch's facts into this one's knowledge base.

use std::sync::Arc;

use base::shared::Prefer;
use base::words::counted;
use base::{NextCall, Problem, Result};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::upsert::nothing;
use crate::contract::args::Side;
use crate::contract::op::{Door, Effect, Example, Mutation};
use crate::layers::kb::show::Applied;
use crate::layers::kb::{KbChange, STORE, What, branch, shared, stamp};
use crate::plan::{Change, Plan};
use crate::view::View;

/// Replay another branch's changesets onto this branch's knowledge base
///
/// What this branch already has is passed over. Rows that both changed are conflicts, and nothing
/// is written unless one side is preferred.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KbMerge {
    /// Branch whose facts to bring over
    pub branch: String,
    /// Whose rows win where both sides changed them; refused if left out
    #[arg(long, value_enum)]
    #[serde(default)]
    pub prefer: Option<Side>,
}

impl Mutation for KbMerge {
    const NAME: &'static str = "kb.merge";
    const EFFECT: Effect = Effect::OVERWRITES;
    const DOORS: &'static [Door] = Door::PERSON;
    const EXAMPLES: &'static [Example] = &[
        Example { args: "feature/x --dry-run", shows: "what would come over" },
        Example { args: "feature/x --prefer theirs", shows: "their rows win" },
    ];
    type Answer = Applied;

    fn plan(self, view: &View) -> Result<Plan<Applied>> {
        let own = view.place()?.seen_branch(&crate::layers::kb::DURABLE);
        if own.as_deref() == Some(self.branch.as_str()) {
            return Err(Problem::invalid(format!("{} is what is read here", self.branch))
                .hint_call(
                    "name another branch; they are listed by",
                    NextCall::to("kb.branches"),
                ));
        }
        let other = branch::open(view.place()?, &self.branch)?;
        let theirs = kb::whole_log(&other)?;
        let prefer = Side::prefer(self.prefer);
        let replay = match view.store(STORE)? {
            Some(reading) => kb::replay(&reading.conn, &theirs, prefer)?,
            None => kb::replay(&shared::empty()?, &theirs, prefer)?,
        };
        if prefer == Prefer::Neither && !replay.conflicts.is_empty() {
            return Err(kb::torn(&self.branch, &replay.conflicts));
        }
        let edits: Vec<kb::Edit> =
            replay.entries.iter().flat_map(|entry| entry.edits.clone()).collect();
        let count = replay.entries.len();
        let merged = counted(count, "changeset");
        let mut answer = Applied::of(format!("merged {merged} of {}", self.branch), &edits);
        answer.warnings.extend(replay.conflicts.iter().map(|what| format!("both changed {what}")));
        if count == 0 {
            return Ok(nothing(answer));
        }
        let (summary, preview) = (format!("merge of {}", self.branch), answer.preview());
        let what = What::Merge(theirs, self.branch, prefer);
        let change = KbChange { what, stamp: Some(stamp(view)), preview };
        Ok(Plan { summary, change: Change::Store(Arc::new(change)), answer, again: true })
    }
}
