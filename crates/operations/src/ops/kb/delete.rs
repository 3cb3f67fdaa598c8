//! `kb.delete`: deletes entities and relations, unless something still refers to them.

use base::{NextCall, Problem, Result};
use clap::Args;
use kb::Changeset;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use engine::areas::kb::answer_rows::KbChangeAnswer;
use engine::areas::kb::{ChangeLabel, ParsedChangeset, plan_changeset};
use engine::contract::alias::OpAlias;
use engine::contract::args::Objects;
use engine::contract::op::{Effect, Mutation, OpExample};
use engine::plan::Plan;
use engine::view::View;

/// Delete entities or relations; refused while something refers to an entity
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KbDelete {
    /// Ids, or objects: `{id, if_version}` or `{type, from, to}`
    #[arg(value_name = "JSON")]
    #[schemars(extend("items" = {"minLength": 1}))]
    pub targets: Objects,
    /// Also delete the relations that point at them
    #[arg(long)]
    #[serde(default)]
    pub cascade: bool,
}

impl Mutation for KbDelete {
    const NAME: &'static str = "kb.delete";
    const EFFECT: Effect = Effect::OVERWRITES;
    const ALIASES: &'static [OpAlias] = &[OpAlias::of("kb.delete").renaming(&[
        ("ids", "targets"),
        ("id", "targets"),
        ("entities", "targets"),
        ("edges", "targets"),
        ("relations", "targets"),
    ])];
    const EXAMPLES: &'static [OpExample] = &[
        OpExample { args: "FACT-7", shows: "one entity, with its own relations" },
        OpExample { args: "REQ-9 --cascade", shows: "an entity and the relations to it" },
    ];
    type Answer = KbChangeAnswer;

    fn plan(self, view: &View) -> Result<Plan<KbChangeAnswer>> {
        if self.targets.get().is_empty() {
            return Err(Problem::invalid("no entity or relation to delete was given"));
        }
        let (mut set, faults) = Changeset::parse(&[], &[], self.targets.get());
        set.cascade = self.cascade;
        let label = ChangeLabel { action: "delete", verb: "removed" };
        let planned = plan_changeset(view, ParsedChangeset { set, faults }, label);
        planned.map_err(|problem| match problem.code {
            base::ProblemCode::Blocked => problem
                .hint_call("to delete the relations too", NextCall::repeat().with("cascade", true)),
            _ => problem,
        })
    }
}
