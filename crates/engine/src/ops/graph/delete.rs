//! `graph.delete`: forgets an atom or molecule.

use base::Result;
use base::words::counted;
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
    /// Id, its first digits, a name or a handle
    pub id: Ref,
    /// Version you last read; refused if it has changed since
    #[arg(long)]
    pub version: u32,
    /// Whether the id is of an atom or a molecule
    #[arg(long)]
    #[serde(default, alias = "entity_type")]
    #[schemars(extend("x-rare" = true))]
    pub kind: Option<Grain>,
    /// Also delete the atoms of a molecule
    #[arg(long)]
    #[serde(default)]
    pub cascade: bool,
    /// Task in which it is deleted
    #[arg(long)]
    #[serde(default, alias = "last_task_id", alias = "task_id")]
    #[schemars(extend("x-rare" = true))]
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
            "Deleted {} \"{}\" with {}; {} deleted, {} without a molecule now",
            self.entity_type,
            self.name,
            counted(self.changelog_entries, "changelog entry"),
            counted(self.deleted_atoms.len(), "atom"),
            self.orphaned_atoms.len()
        ));
    }
}
