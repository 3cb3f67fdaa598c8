//! `work.revert`: one state back.

use base::Result;
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use work::Ref;
use work::flow::{Moved, Step, revert};
use work::words::Kind;

use crate::contract::alias::Alias;
use crate::contract::op::{Effect, Example, Mutation};
use crate::layers::work::{pipelines, plan};
use crate::plan::Plan;
use crate::view::View;

/// Move a feature or task one state back
///
/// A closed task that is reopened opens the feature it had closed.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Revert {
    /// Id, its first digits, a name or a handle
    pub id: Ref,
    /// Whether the id is of a feature or a task
    #[arg(long)]
    #[serde(default, alias = "container_type")]
    #[schemars(extend("x-rare" = true))]
    pub kind: Option<Kind>,
    /// Version you last read; refused if it has changed since
    #[arg(long)]
    #[serde(default)]
    pub version: Option<u32>,
}

impl Mutation for Revert {
    const NAME: &'static str = "work.revert";
    const EFFECT: Effect = Effect::OVERWRITES;
    const ALIASES: &'static [Alias] = &[Alias::of("revert")];
    const EXAMPLES: &'static [Example] =
        &[Example { args: "task:019b7d2f-1a2b", shows: "a task one step back" }];
    type Answer = Moved;

    fn plan(self, view: &View) -> Result<Plan<Moved>> {
        let pipelines = pipelines(view)?;
        let step = Step { kind: self.kind, id: &self.id, version: self.version };
        plan(view, |_| format!("revert {}", self.id), |draft| revert(draft, &pipelines, &step))
    }
}
