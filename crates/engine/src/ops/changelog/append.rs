//! `changelog.append`: adds to the history of an atom or molecule.

use base::Result;
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use work::Ref;
use work::graph::changelog::append;
use work::record::Entry;
use work::text::Said;
use work::words::Grain;

use crate::contract::alias::Alias;
use crate::contract::op::{Effect, Example, Mutation};
use crate::contract::page::{Page, Render};
use crate::layers::work::plan;
use crate::plan::Plan;
use crate::view::View;

/// Add to the history of an atom or molecule: what changed and why
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Append {
    /// Atom or molecule that changed
    #[serde(alias = "parent_id", alias = "id")]
    pub parent: Ref,
    /// What changed and why
    pub summary: Said,
    /// Whether the parent is an atom or a molecule
    #[arg(long)]
    #[serde(default, alias = "parent_type", alias = "entity_type")]
    #[schemars(extend("x-rare" = true))]
    pub kind: Option<Grain>,
    /// Task in which it changed
    #[arg(long)]
    #[serde(default, alias = "task_id")]
    pub task: Option<Ref>,
}

/// The entry that was added
#[derive(Debug, Serialize, JsonSchema)]
pub struct Appended {
    /// The entry
    pub entry: Entry,
}

impl Mutation for Append {
    const NAME: &'static str = "changelog.append";
    const EFFECT: Effect = Effect::ADDS;
    const ALIASES: &'static [Alias] = &[Alias::of("manage_changelog").when("operation", "append")];
    const EXAMPLES: &'static [Example] = &[Example {
        args: "atom:019b7d2f-1a2b \"Retries moved into the gateway\"",
        shows: "one more line of its history",
    }];
    type Answer = Appended;

    fn plan(self, view: &View) -> Result<Plan<Appended>> {
        plan(
            view,
            |_| format!("add to the history of {}", self.parent),
            |draft| {
                let parent = (self.kind, &self.parent);
                Ok(Appended { entry: append(draft, parent, self.task.as_ref(), &self.summary)? })
            },
        )
    }
}

impl Render for Appended {
    fn render(&self, page: &mut Page) {
        let Entry { parent_type, parent_id, .. } = &self.entry;
        page.answer(format!("Added to its history    {parent_type}:{}", parent_id.short()));
    }
}
