//! `work.depend`: makes one piece of work depend on another.

use base::{Problem, Result};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use work::WorkRecordRef;
use work::dependencies::{DependencyView, add_dependency};
use work::text::SummaryText;
use work::words::DependencyKind;

use engine::areas::work::plan;
use engine::contract::alias::OpAlias;
use engine::contract::op::{Effect, Mutation, OpExample};
use engine::contract::page::{Page, Render};
use engine::plan::Plan;
use engine::view::View;

/// Relate two pieces of work: one blocks, contains, duplicates or led to the other
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Depend {
    /// Feature or task that blocks; for other relations, the source
    #[serde(alias = "from_id", alias = "from_task_id")]
    pub from: WorkRecordRef,
    /// Feature or task that is blocked; for other relations, the target
    #[serde(alias = "to_id", alias = "to_task_id")]
    pub to: WorkRecordRef,
    /// Relation of the first to the second
    #[arg(long, default_value = "BLOCKS")]
    #[serde(default = "blocks", alias = "type")]
    #[schemars(extend("enum" = ["BLOCKS", "IS_BLOCKED_BY", "RELATES_TO", "PARENT_OF", "PART_OF", "DUPLICATES", "DISCOVERED_FROM"]))]
    pub relation: String,
    /// Why they depend on each other
    #[arg(long)]
    #[serde(default)]
    pub reason: Option<SummaryText>,
}

fn blocks() -> String {
    "BLOCKS".into()
}

/// The dependency that was added
#[derive(Debug, Serialize, JsonSchema)]
pub struct DependAnswer {
    /// The relation
    pub dependency: DependencyView,
}

impl Mutation for Depend {
    const NAME: &'static str = "work.depend";
    const EFFECT: Effect = Effect::ADDS;
    const ALIASES: &'static [OpAlias] =
        &[OpAlias::of("manage_dependency").when("operation", "create")];
    const EXAMPLES: &'static [OpExample] = &[OpExample {
        args: "task:019b7d2f-1a2b task:019b7d2f-3c4d",
        shows: "the first must be closed before the second can continue",
    }];
    type Answer = DependAnswer;

    fn plan(self, view: &View) -> Result<Plan<DependAnswer>> {
        let (mut from, mut to) = (&self.from, &self.to);
        let relation = match self.relation.to_uppercase().as_str() {
            "IS_BLOCKED_BY" => {
                (from, to) = (to, from);
                DependencyKind::Blocks
            }
            "PART_OF" => {
                (from, to) = (to, from);
                DependencyKind::ParentOf
            }
            word => word.parse().map_err(Problem::invalid)?,
        };
        let reason = self.reason.as_ref().map_or("", SummaryText::as_str);
        plan(
            view,
            |_| format!("{from} {relation} {to}"),
            |draft| {
                Ok(DependAnswer {
                    dependency: add_dependency(draft, from, to, relation, reason.trim())?,
                })
            },
        )
    }
}

impl Render for DependAnswer {
    fn render(&self, page: &mut Page) {
        page.answer("Added 1 dependency");
        super::dependencies::render_dependency(page, &self.dependency);
    }
}
