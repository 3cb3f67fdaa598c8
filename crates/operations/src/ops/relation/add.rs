//! `relation.add`: adds a relation between two cards.

use base::{Problem, Result};
use cards::{CardRelationKind, RelationChange};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::relate;
use crate::ops::card::{CardChangeAnswer, find_card, key_for_write};
use engine::contract::args::NodeTarget;
use engine::contract::op::{Effect, Mutation, OpExample};
use engine::plan::Plan;
use engine::view::View;

/// Add a relation between two cards; does nothing if it exists
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Add {
    /// Card that declares the relation
    pub src_key: NodeTarget,
    /// Card that it points to
    pub dst_key: NodeTarget,
    /// Type of the relation
    pub r#type: CardRelationKind,
}

impl Mutation for Add {
    const NAME: &'static str = "relation.add";
    const EFFECT: Effect = Effect::Write { destructive: false, idempotent: true };
    const EXAMPLES: &'static [OpExample] =
        &[OpExample { args: "auth/login auth/session depends_on", shows: "a prerequisite" }];
    type Answer = CardChangeAnswer;

    fn plan(self, view: &View) -> Result<Plan<CardChangeAnswer>> {
        let card = find_card(view, &self.src_key)?;
        let target = key_for_write(view, &self.dst_key)?;
        if card.key == target {
            return Err(Problem::invalid(format!("{} cannot have a relation to itself", card.key)));
        }
        relate(view, &card, RelationChange::Add, self.r#type, &target)
    }
}
