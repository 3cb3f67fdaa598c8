//! `work.undepend`: takes a relation between two pieces of work away.

use base::Result;
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use work::Ref;
use work::depend::{Tie, undepend};
use work::words::Relation;

use crate::contract::alias::Alias;
use crate::contract::op::{Effect, Example, Mutation};
use crate::contract::page::{Page, Render};
use crate::layers::work::plan;
use crate::plan::Plan;
use crate::view::View;

/// Take a dependency away, by its id or by its ends
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Undepend {
    /// Id of the dependency
    #[serde(default, alias = "dependency_id")]
    pub id: Option<Ref>,
    /// Feature or task that blocks
    #[arg(long)]
    #[serde(default, alias = "from_id", alias = "from_task_id")]
    pub from: Option<Ref>,
    /// Feature or task that is blocked
    #[arg(long)]
    #[serde(default, alias = "to_id", alias = "to_task_id")]
    pub to: Option<Ref>,
    /// Only this relation: BLOCKS or `RELATES_TO`
    #[arg(long)]
    #[serde(default, alias = "type")]
    pub relation: Option<Relation>,
}

/// The relations that are gone
#[derive(Debug, Serialize, JsonSchema)]
pub struct Undone {
    /// The relations
    pub removed: Vec<Tie>,
}

impl Mutation for Undepend {
    const NAME: &'static str = "work.undepend";
    const EFFECT: Effect = Effect::OVERWRITES;
    const ALIASES: &'static [Alias] = &[Alias::of("manage_dependency").when("operation", "delete")];
    const EXAMPLES: &'static [Example] = &[Example {
        args: "--from 019b7d2f-1a2b --to 019b7d2f-3c4d",
        shows: "two tasks that no longer depend on each other",
    }];
    type Answer = Undone;

    fn plan(self, view: &View) -> Result<Plan<Undone>> {
        let ends = self.from.as_ref().zip(self.to.as_ref());
        plan(
            view,
            |_| "take a dependency away".into(),
            |draft| Ok(Undone { removed: undepend(draft, self.id.as_ref(), ends, self.relation)? }),
        )
    }
}

impl Render for Undone {
    fn render(&self, page: &mut Page) {
        page.answer(format!("Taken away: {}", self.removed.len()));
        self.removed.iter().for_each(|tie| super::dependencies::say(page, tie));
    }
}
