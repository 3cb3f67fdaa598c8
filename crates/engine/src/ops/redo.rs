//! `redo`: takes the last undo back.

use base::Result;
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::undo::{Undone, take_back};
use crate::changes::{self, Sought};
use crate::contract::op::{Effect, Example, Mutation};
use crate::plan::Plan;
use crate::view::View;

/// Take back your last undo
///
/// Each further redo takes back the undo before it. Refused where a file was edited since.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Redo {
    /// Redo even where files were edited since; `undo` brings those edits back
    #[arg(long)]
    #[serde(default)]
    pub force: bool,
}

impl Mutation for Redo {
    const NAME: &'static str = "redo";
    const EFFECT: Effect = Effect::OVERWRITES;
    const EXAMPLES: &'static [Example] =
        &[Example { args: "--dry-run", shows: "what taking back your last undo would do" }];
    type Answer = Undone;

    fn plan(self, view: &View) -> Result<Plan<Undone>> {
        take_back(view, changes::last_own(view, Sought::Undo)?, self.force, "redo")
    }
}
