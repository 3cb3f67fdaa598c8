//! `link.add`: code says that it implements a card.

use base::Result;
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use syntax::edit::link;

use super::{comment, spot};
use crate::contract::args::Target;
use crate::contract::op::{Effect, Example, Mutation};
use crate::ops::card::{Done, key_for_write};
use crate::plan::Plan;
use crate::view::View;

/// Say in code that it implements a card, with `@see` in its doc comment
///
/// A file gets it in its header comment, a symbol in its own. The comment is made if there is none.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Add {
    /// File, or symbol as `path#name`
    #[serde(alias = "file_path", alias = "filePath")]
    pub target: Target,
    /// Key, slug or file of the card
    #[serde(alias = "card_key", alias = "cardKey")]
    pub card: Target,
}

impl Mutation for Add {
    const NAME: &'static str = "link.add";
    const EFFECT: Effect = Effect::Write { destructive: false, idempotent: true };
    const EXAMPLES: &'static [Example] = &[Example {
        args: "src/auth.ts#handleCallback spec::auth/login",
        shows: "a function that implements a card",
    }];
    type Answer = Done;

    fn plan(self, view: &View) -> Result<Plan<Done>> {
        let spot = spot(view, &self.target)?;
        let key = key_for_write(view, &self.card)?;
        let said = format!("linked at {}", spot.node);
        comment(view, &spot, (&key, said), |text| {
            link(spot.language, text, spot.place(), key.as_str())
        })
    }
}
