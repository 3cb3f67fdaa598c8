//! `graph.delete`: forgets an atom or molecule.

use base::Result;
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use work::Ref;
use work::graph::edit::{Removed, delete};
use work::words::Grain;

use crate::contract::alias::Alias;
use crate::contract::op::{Effect, Example, Mutation};
use crate::contract::page::{Page, Render};
use crate::layers::work::plan;
use crate::plan::Plan;
use crate::view::View;

/// Delete an atom or molecule with its history; a molecule's atoms stay unless cascade
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Delete {
    /// Which one
    pub id: Ref,
    /// The version you saw
    #[arg(long)]
    pub version: u32,
    /// atom or molecule
    #[arg(long)]
    #[serde(default, alias = "entity_type")]
    pub kind: Option<Grain>,
    /// Delete a molecule's atoms too
    #[arg(long)]
    #[serde(default)]
    pub cascade: bool,
    /// The task that does it
    #[arg(long)]
    #[serde(default, alias = "last_task_id", alias = "task_id")]
    pub task: Option<Ref>,
}

impl Mutation for Delete {
    const NAME: &'static str = "graph.delete";
    const EFFECT: Effect = Effect::OVERWRITES;
    const ALIASES: &'static [Alias] = &[Alias::of("manage_graph").when("operation", "delete")];
    const EXAMPLES: &'static [Example] = &[Example {
        args: "molecule:019b7d2f-1a2b --version 2 --dry-run",
        shows: "what would become of its atoms",
    }];
    type Answer = Removed;

    fn plan(self, view: &View) -> Result<Plan<Removed>> {
        plan(
            view,
            |_| format!("delete {}", self.id),
            |draft| {
                let target = (self.kind, &self.id, self.version);
                delete(draft, target, (self.task.as_ref(), self.cascade))
            },
        )
    }
}

impl Render for Removed {
    fn render(&self, page: &mut Page) {
        page.answer(format!(
            "Deleted {} \"{}\" with {} history entries; {} atoms deleted, {} without a molecule now",
            self.entity_type,
            self.name,
            self.changelog_entries,
            self.deleted_atoms.len(),
            self.orphaned_atoms.len()
        ));
    }
}
