//! `link.remove`: code no longer says that it implements a card.

use base::entity::CardKey;
use base::{Problem, Result};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use syntax::edit::unlink;

use super::{comment, spot};
use crate::contract::args::Target;
use crate::contract::op::{Effect, Example, Mutation};
use crate::layers::cards::code_node;
use crate::ops::card::{Done, named};
use crate::plan::Plan;
use crate::view::View;

/// Take a link to a card out of a doc comment; undoes `link add` byte for byte
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Remove {
    /// File, or symbol as `path#name`
    #[serde(alias = "file_path", alias = "filePath")]
    pub target: Target,
    /// Key of the card, which need not exist
    #[serde(alias = "card_key", alias = "cardKey")]
    pub card: Target,
}

impl Mutation for Remove {
    const NAME: &'static str = "link.remove";
    const EFFECT: Effect = Effect::Write { destructive: true, idempotent: true };
    const EXAMPLES: &'static [Example] = &[Example {
        args: "src/auth.ts#handleCallback spec::auth/login",
        shows: "a function that implements it no more",
    }];
    type Answer = Done;

    fn plan(self, view: &View) -> Result<Plan<Done>> {
        let spot = spot(view, &self.target)?;
        let sees = cards::sees_in(view.index()?.conn(), &spot.path)?;
        let written = self.card.as_str().trim();
        let key: CardKey = match sees.iter().any(|see| see.key.as_str() == written) {
            true => written.parse().map_err(Problem::invalid)?,
            false => named(view, &self.card)?.key,
        };
        let elsewhere: Vec<String> = sees
            .iter()
            .filter(|see| see.key == key)
            .map(|see| code_node(see).to_string())
            .collect();
        if !elsewhere.contains(&spot.node.to_string()) {
            let problem = Problem::not_found(format!("{} does not link {key}", spot.node));
            return Err(elsewhere
                .iter()
                .map(|node| format!("it is linked at {node}"))
                .fold(problem, Problem::hint));
        }
        let said = format!("no longer linked at {}", spot.node);
        comment(view, &spot, (&key, said), |text| {
            unlink(spot.language, text, spot.place(), key.as_str())
        })
    }
}
