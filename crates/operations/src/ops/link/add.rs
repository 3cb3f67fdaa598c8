//! `link.add`: links code to the card that it implements.

use base::Result;
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use syntax::edit::add_doc_link;

use super::{edit_comment, link_target};
use crate::ops::card::{CardChangeAnswer, key_for_write};
use engine::contract::args::NodeTarget;
use engine::contract::op::{Effect, Mutation, OpExample};
use engine::plan::Plan;
use engine::view::View;

/// Link code to a card that it implements, with `@see` in its doc comment
///
/// A file gets the link in its header comment, a symbol in its own. A missing comment is created.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Add {
    /// File, or symbol as `path#name`
    #[serde(alias = "file_path", alias = "filePath")]
    pub target: NodeTarget,
    /// Key, slug or file of the card
    #[serde(alias = "card_key", alias = "cardKey")]
    pub card: NodeTarget,
}

impl Mutation for Add {
    const NAME: &'static str = "link.add";
    const EFFECT: Effect = Effect::Write { destructive: false, idempotent: true };
    const EXAMPLES: &'static [OpExample] = &[OpExample {
        args: "src/auth.ts#handleCallback spec::auth/login",
        shows: "a function that implements a card",
    }];
    type Answer = CardChangeAnswer;

    fn plan(self, view: &View) -> Result<Plan<CardChangeAnswer>> {
        let spot = link_target(view, &self.target)?;
        let key = key_for_write(view, &self.card)?;
        let said = format!("linked at {}", spot.node);
        edit_comment(view, &spot, &key, said, |text| {
            add_doc_link(spot.language, text, spot.place(), key.as_str())
        })
    }
}
