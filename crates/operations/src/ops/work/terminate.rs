//! `work.terminate`: ends a feature or task without implementing it.

use base::Result;
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use work::WorkRecordRef;
use work::pipeline::{StatusTransition, TerminationOptions, TransitionTarget, terminate};
use work::text::SummaryText;
use work::words::WorkKind;

use super::transition::TransitionAnswer;
use engine::areas::work::{pipelines, plan};
use engine::contract::alias::OpAlias;
use engine::contract::op::{Effect, Mutation, OpExample};
use engine::plan::Plan;
use engine::view::View;

/// End a feature or task as `WILL_NOT_IMPLEMENT`, even if it is blocked
///
/// What it blocks stays blocked and is listed.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Terminate {
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
    /// Why it will not be implemented; stored with it
    #[arg(long)]
    #[serde(default)]
    pub reason: Option<SummaryText>,
    /// Also terminate the open tasks of a feature
    #[arg(long)]
    #[serde(default)]
    pub cascade: bool,
}

impl Mutation for Terminate {
    const NAME: &'static str = "work.terminate";
    const EFFECT: Effect = Effect::OVERWRITES;
    const ALIASES: &'static [OpAlias] = &[OpAlias::of("terminate")];
    const EXAMPLES: &'static [OpExample] = &[OpExample {
        args: "task:019b7d2f-1a2b --reason \"the vendor closed the API\"",
        shows: "a task that will not be implemented",
    }];
    type Answer = TransitionAnswer;

    fn plan(self, view: &View) -> Result<Plan<TransitionAnswer>> {
        let pipelines = pipelines(view)?;
        let step = TransitionTarget { kind: self.kind, id: &self.id, version: self.version };
        let reason = self.reason.as_ref().map(SummaryText::as_str);
        let options = TerminationOptions { reason, cascade: self.cascade };
        let summary = |_: &StatusTransition| format!("terminate {}", self.id);
        let planned = plan(view, summary, |draft| terminate(draft, &pipelines, &step, options))?;
        Ok(planned.map_answer(TransitionAnswer))
    }
}
