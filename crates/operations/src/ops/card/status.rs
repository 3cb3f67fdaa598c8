//! `card.status`: sets the status of a card.

use base::Result;
use cards::CardStatus as Stage;
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, json};

use super::{CardChangeAnswer, edit, find_card_for_write};
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
        let card = find_card_for_write(view, &self.key)?;
        let fields = Map::from_iter([("status".to_owned(), json!(self.status.word()))]);
        let said = format!("{} → {}", card.status, self.status);
        let mut plan =
            edit(view, &card, None, said, |text| cards::update_fields(text, &fields, None))?;
        let links = cards::see_tags_of_key(view.index()?.conn(), card.key.as_str())?;
        if self.status == Stage::Implemented && links.is_empty() {
            let note =
                "no code links it yet, which `verify` reports as an error; `link.add` adds a link";
            plan.answer.notes.push(note.to_owned());
        }
        Ok(plan)
    }
}
