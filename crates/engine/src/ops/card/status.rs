//! `card.status`: how far a card has come.

use base::Result;
use cards::Status as Stage;
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, json};

use super::{Done, edit, named_for_write};
use crate::contract::alias::Alias;
use crate::contract::args::Target;
use crate::contract::op::{Effect, Example, Mutation};
use crate::plan::Plan;
use crate::view::View;

/// Set the status of a card; every transition is allowed
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Status {
    /// Key, slug or file of the card
    pub key: Target,
    /// New status of the card
    pub status: Stage,
}

impl Mutation for Status {
    const NAME: &'static str = "card.status";
    const EFFECT: Effect = Effect::Write { destructive: false, idempotent: true };
    const ALIASES: &'static [Alias] =
        &[Alias::of("card_update_status").renaming(&[("card_key", "key")])];
    const EXAMPLES: &'static [Example] =
        &[Example { args: "auth/login implemented", shows: "what is done is marked so" }];
    type Answer = Done;

    fn plan(self, view: &View) -> Result<Plan<Done>> {
        let card = named_for_write(view, &self.key)?;
        let fields = Map::from_iter([("status".to_owned(), json!(self.status.word()))]);
        let said = format!("{} → {}", card.status, self.status);
        let mut plan =
            edit(view, &card, None, (said, |text: &str| cards::update(text, &fields, None)))?;
        let links = cards::sees_of(view.index()?.conn(), card.key.as_str())?;
        if self.status == Stage::Implemented && links.is_empty() {
            let note = "no code links it yet, which `verify` calls an error; `link.add` adds one";
            plan.answer.notes.push(note.to_owned());
        }
        Ok(plan)
    }
}
