//! `relation.add`: one card says something about another.

use base::{Problem, Result};
use cards::{Relate, RelationKind};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::relate;
use crate::contract::args::Target;
use crate::contract::op::{Effect, Example, Mutation};
use crate::ops::card::{Done, key_for_write, named_for_write};
use crate::plan::Plan;
use crate::view::View;

/// Say how one card hangs on another; nothing changes if it says so already
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Add {
    /// Card that declares the relation
    pub src_key: Target,
    /// Card that it points to
    pub dst_key: Target,
    /// Type of the relation
    pub r#type: RelationKind,
}

impl Mutation for Add {
    const NAME: &'static str = "relation.add";
    const EFFECT: Effect = Effect::Write { destructive: false, idempotent: true };
    const EXAMPLES: &'static [Example] =
        &[Example { args: "auth/login auth/session depends_on", shows: "a prerequisite" }];
    type Answer = Done;

    fn plan(self, view: &View) -> Result<Plan<Done>> {
        let card = named_for_write(view, &self.src_key)?;
        let target = key_for_write(view, &self.dst_key)?;
        if card.key == target {
            return Err(Problem::invalid(format!("{} cannot hang on itself", card.key)));
        }
        relate(view, &card, Relate::Add, (self.r#type, &target))
    }
}
