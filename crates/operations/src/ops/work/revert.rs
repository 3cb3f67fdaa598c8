//! `work.revert`: moves a feature or task to its previous state.

use base::Result;
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use work::WorkRecordRef;
use work::pipeline::{StatusTransition, TransitionTarget, revert};
use work::words::WorkKind;

use super::transition::TransitionAnswer;
use engine::areas::work::{pipelines, plan};
use engine::contract::alias::OpAlias;
use engine::contract::op::{Effect, Mutation, OpExample};
use engine::plan::Plan;
use engine::view::View;

/// Move a feature or task back to its previous state
///
/// Reopening a closed task also reopens the feature that it closed.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Revert {
    /// Id, its first digits, a name or a handle
    pub id: WorkRecordRef,
    /// Whether the id is of a feature or a task
    #[arg(long)]
    #[serde(default, alias = "container_type")]
    #[schemars(extend("x-rare" = true))]
    pub kind: Option<WorkKind>,
    /// Version you last read; refused if it has changed since
    #[arg(long)]
    #[serde(default)]
    pub version: Option<u32>,
}

impl Mutation for Revert {
    const NAME: &'static str = "work.revert";
    const EFFECT: Effect = Effect::OVERWRITES;
    const ALIASES: &'static [OpAlias] = &[OpAlias::of("revert")];
    const EXAMPLES: &'static [OpExample] =
        &[OpExample { args: "task:019b7d2f-1a2b", shows: "a task one step back" }];
    type Answer = TransitionAnswer;

    fn plan(self, view: &View) -> Result<Plan<TransitionAnswer>> {
        let pipelines = pipelines(view)?;
        let step = TransitionTarget { kind: self.kind, id: &self.id, version: self.version };
        let summary = |_: &StatusTransition| format!("revert {}", self.id);
        let planned = plan(view, summary, |draft| revert(draft, &pipelines, &step))?;
        Ok(planned.map_answer(TransitionAnswer))
    }
}
