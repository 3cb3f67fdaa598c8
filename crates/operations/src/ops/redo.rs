//! `redo`: reverses the last undo.

use base::Result;
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::undo::{UndoAnswer, plan_undo};
use engine::changes::{self, UndoTarget};
use engine::contract::op::{Effect, Mutation, OpExample};
use engine::plan::Plan;
use engine::view::View;

/// Reverse your last undo
///
/// Each further redo reverses the undo before it. Refused where a file was edited since.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Redo {
    /// Redo even where files were edited since; `undo` restores those edits
    #[arg(long)]
    #[serde(default)]
    pub force: bool,
}

impl Mutation for Redo {
    const NAME: &'static str = "redo";
    const EFFECT: Effect = Effect::OVERWRITES;
    const EXAMPLES: &'static [OpExample] =
        &[OpExample { args: "--dry-run", shows: "what reversing your last undo would do" }];
    type Answer = UndoAnswer;

    fn plan(self, view: &View) -> Result<Plan<UndoAnswer>> {
        plan_undo(view, changes::last_by_caller(view, UndoTarget::Undo)?, self.force, "redo")
    }
}
