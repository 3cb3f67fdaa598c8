//! `relation.remove`: removes a relation between two cards.

use base::entity::CardKey;
use base::{NextCall, Problem, ProblemCode, Result};
use cards::{CardRelationKind, RelationChange};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::relate;
use crate::ops::card::{CardChangeAnswer, find_card};
use engine::contract::args::NodeTarget;
use engine::contract::op::{Effect, Mutation, OpExample};
use engine::plan::Plan;
use engine::view::View;

/// Remove a relation between two cards
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Remove {
    /// Card that declares the relation
    pub src_key: NodeTarget,
    /// Card that it points to, which need not exist
    pub dst_key: NodeTarget,
    /// Type of the relation
    pub r#type: CardRelationKind,
}

impl Mutation for Remove {
    const NAME: &'static str = "relation.remove";
    const EFFECT: Effect = Effect::Write { destructive: true, idempotent: true };
    const EXAMPLES: &'static [OpExample] = &[OpExample {
        args: "auth/login auth/session depends_on",
        shows: "a prerequisite removed",
    }];
    type Answer = CardChangeAnswer;

    fn plan(self, view: &View) -> Result<Plan<CardChangeAnswer>> {
        let card = find_card(view, &self.src_key)?;
        let said = cards::relations_from(view.index()?.conn(), card.key.as_str())?;
        // The relation may be broken, so the key as written counts before any card that it resolves
        // to.
        let written = self.dst_key.as_str().trim();
        let target: CardKey = match said.iter().any(|said| said.target == written) {
            true => written.parse().map_err(Problem::invalid)?,
            false => find_card(view, &self.dst_key)?.key,
        };
        let is_there = |said: &cards::StoredCardRelation| {
            said.kind == self.r#type && said.target == target.as_str()
        };
        if !said.iter().any(is_there) {
            let message = format!("{} has no relation {} {target}", card.key, self.r#type);
            return Err(Problem::new(ProblemCode::NotFound, message).hint_call(
                "its relations are listed by",
                NextCall::new("card.relations").with("key", card.key.to_string()),
            ));
        }
        relate(view, &card, RelationChange::Remove, self.r#type, &target)
    }
}
