//! `work.undepend`: removes a dependency between two pieces of work.

use base::Result;
use base::words::counted;
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use work::WorkRecordRef;
use work::dependencies::{DependencyView, remove_dependency};
use work::words::DependencyKind;

use engine::areas::work::plan;
use engine::contract::alias::OpAlias;
use engine::contract::op::{Effect, Mutation, OpExample};
use engine::contract::page::{Page, Render};
use engine::plan::Plan;
use engine::view::View;

/// Remove a dependency, given by its id or by the two items
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Undepend {
    /// Id of the dependency
    #[serde(default, alias = "dependency_id")]
    pub id: Option<WorkRecordRef>,
    /// Feature or task that blocks
    #[arg(long)]
    #[serde(default, alias = "from_id", alias = "from_task_id")]
    pub from: Option<WorkRecordRef>,
    /// Feature or task that is blocked
    #[arg(long)]
    #[serde(default, alias = "to_id", alias = "to_task_id")]
    pub to: Option<WorkRecordRef>,
    /// Only this relation: BLOCKS, `RELATES_TO`, `PARENT_OF`, DUPLICATES or `DISCOVERED_FROM`
    #[arg(long)]
    #[serde(default, alias = "type")]
    pub relation: Option<DependencyKind>,
}

/// The dependencies that were removed
#[derive(Debug, Serialize, JsonSchema)]
pub struct UndependAnswer {
    /// The dependencies
    pub removed: Vec<DependencyView>,
}

impl Mutation for Undepend {
    const NAME: &'static str = "work.undepend";
    const EFFECT: Effect = Effect::OVERWRITES;
    const ALIASES: &'static [OpAlias] =
        &[OpAlias::of("manage_dependency").when("operation", "delete")];
    const EXAMPLES: &'static [OpExample] = &[OpExample {
        args: "--from 019b7d2f-1a2b --to 019b7d2f-3c4d",
        shows: "two tasks that no longer depend on each other",
    }];
    type Answer = UndependAnswer;

    fn plan(self, view: &View) -> Result<Plan<UndependAnswer>> {
        let ends = self.from.as_ref().zip(self.to.as_ref());
        plan(
            view,
            |_| "remove a dependency".into(),
            |draft| {
                Ok(UndependAnswer {
                    removed: remove_dependency(draft, self.id.as_ref(), ends, self.relation)?,
                })
            },
        )
    }
}

impl Render for UndependAnswer {
    fn render(&self, page: &mut Page) {
        page.answer(format!("Removed {}", counted(self.removed.len(), "dependency")));
        self.removed.iter().for_each(|tie| super::dependencies::render_dependency(page, tie));
    }
}
