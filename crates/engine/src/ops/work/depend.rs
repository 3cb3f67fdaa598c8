//! `work.depend`: makes one piece of work depend on another.

use base::{Problem, Result};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use work::Ref;
use work::depend::{Tie, depend};
use work::text::Summary;
use work::words::Relation;

use crate::contract::alias::Alias;
use crate::contract::op::{Effect, Example, Mutation};
use crate::contract::page::{Page, Render};
use crate::layers::work::plan;
use crate::plan::Plan;
use crate::view::View;

/// Make one piece of work block another, or relate to it
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Depend {
    /// Feature or task that blocks
    #[serde(alias = "from_id", alias = "from_task_id")]
    pub from: Ref,
    /// Feature or task that is blocked
    #[serde(alias = "to_id", alias = "to_task_id")]
    pub to: Ref,
    /// Relation between them: BLOCKS, `IS_BLOCKED_BY` or `RELATES_TO`
    #[arg(long, default_value = "BLOCKS")]
    #[serde(default = "blocks", alias = "type")]
    #[schemars(extend("enum" = ["BLOCKS", "IS_BLOCKED_BY", "RELATES_TO"]))]
    pub relation: String,
    /// Why they depend on each other
    #[arg(long)]
    #[serde(default)]
    pub reason: Option<Summary>,
}

fn blocks() -> String {
    "BLOCKS".into()
}

/// The relation that is there now
#[derive(Debug, Serialize, JsonSchema)]
pub struct Depends {
    /// The relation
    pub dependency: Tie,
}

impl Mutation for Depend {
    const NAME: &'static str = "work.depend";
    const EFFECT: Effect = Effect::ADDS;
    const ALIASES: &'static [Alias] = &[Alias::of("manage_dependency").when("operation", "create")];
    const EXAMPLES: &'static [Example] = &[Example {
        args: "task:019b7d2f-1a2b task:019b7d2f-3c4d",
        shows: "the first has to be closed before the second goes on",
    }];
    type Answer = Depends;

    fn plan(self, view: &View) -> Result<Plan<Depends>> {
        let (mut from, mut to) = (&self.from, &self.to);
        let relation = match self.relation.to_uppercase().as_str() {
            "IS_BLOCKED_BY" => {
                (from, to) = (to, from);
                Relation::Blocks
            }
            word => word.parse().map_err(Problem::invalid)?,
        };
        let reason = self.reason.as_ref().map_or("", Summary::as_str);
        plan(
            view,
            |_| format!("{from} {relation} {to}"),
            |draft| Ok(Depends { dependency: depend(draft, (from, to), relation, reason.trim())? }),
        )
    }
}

impl Render for Depends {
    fn render(&self, page: &mut Page) {
        page.answer("Now");
        super::dependencies::say(page, &self.dependency);
    }
}
