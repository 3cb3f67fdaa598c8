//! `card.status`: sets the status of a card.

use base::{Hint, NextCall, Problem, ProblemCode, Result};
use cards::CardStatus as Stage;
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, json};

use super::{CardChangeAnswer, edit, find_card, link_call};
use engine::contract::alias::OpAlias;
use engine::contract::args::NodeTarget;
use engine::contract::op::{Effect, Mutation, OpExample};
use engine::plan::Plan;
use engine::view::View;

/// Set the status of a card; every transition is allowed
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Status {
    /// Key, slug or file of the card
    pub key: NodeTarget,
    /// New status of the card
    pub status: Stage,
}

impl Mutation for Status {
    const NAME: &'static str = "card.status";
    const EFFECT: Effect = Effect::Write { destructive: false, idempotent: true };
    const ALIASES: &'static [OpAlias] =
        &[OpAlias::of("card_update_status").renaming(&[("card_key", "key")])];
    const EXAMPLES: &'static [OpExample] =
        &[OpExample { args: "auth/login implemented", shows: "a card marked as implemented" }];
    type Answer = CardChangeAnswer;

    fn plan(self, view: &View) -> Result<Plan<CardChangeAnswer>> {
        let card = find_card(view, &self.key)?;
        refuse_unreviewed(&card, self.status)?;
        let fields = Map::from_iter([("status".to_owned(), json!(self.status.word()))]);
        let said = format!("{} → {}", card.status, self.status);
        let mut plan =
            edit(view, &card, None, said, |text| cards::update_fields(text, &fields, None))?;
        let links = cards::see_tags_of_key(view.index()?.conn(), card.key.as_str())?;
        if self.status == Stage::Implemented && links.is_empty() {
            plan.answer.notes.push(Hint::call(
                "no code links it yet, which `verify` reports as an error; to link it:",
                link_call(&card.key, "…"),
            ));
        }
        Ok(plan)
    }
}

/// Refuses to accept a draft that nobody has reviewed.
fn refuse_unreviewed(card: &cards::CardRow, status: Stage) -> Result<()> {
    let is_marked = card.extra.get(cards::UNREVIEWED) == Some(&json!(true));
    if !is_marked || matches!(status, Stage::Draft | Stage::Deprecated) {
        return Ok(());
    }
    let message = format!("{} was drafted and nobody has reviewed it", card.key);
    let fields = json!({cards::UNREVIEWED: null});
    Err(Problem::new(ProblemCode::InvalidOperation, message).hint_call(
        "edit it, then remove the mark with",
        NextCall::new("card.update").with("key", card.key.to_string()).with("fields", fields),
    ))
}
