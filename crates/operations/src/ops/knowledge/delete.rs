//! `knowledge.delete`: deletes an atom or molecule.

use base::Result;
use base::words::counted;
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use work::WorkRecordRef;
use work::knowledge::edit::{DeletedKnowledge, KnowledgeTarget, delete};
use work::words::KnowledgeKind;

use engine::areas::work::plan;
use engine::contract::alias::OpAlias;
use engine::contract::op::{Effect, Mutation, OpExample};
use engine::contract::page::{Page, Render};
use engine::plan::Plan;
use engine::view::View;

/// Delete an atom or molecule with its changelog; a molecule's atoms stay unless cascade
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Delete {
    /// Id, its first digits, a name or a handle
    pub id: WorkRecordRef,
    /// Version you last read; refused if it has changed since
    #[arg(long)]
    pub version: u32,
    /// Whether the id is of an atom or a molecule
    #[arg(long)]
    #[serde(default, alias = "entity_type")]
    #[schemars(extend("x-rare" = true))]
    pub kind: Option<KnowledgeKind>,
    /// Also delete the atoms of a molecule
    #[arg(long)]
    #[serde(default)]
    pub cascade: bool,
    /// Task in which it is deleted
    #[arg(long)]
    #[serde(default, alias = "last_task_id", alias = "task_id")]
    #[schemars(extend("x-rare" = true))]
    pub task: Option<WorkRecordRef>,
}

impl Mutation for Delete {
    const NAME: &'static str = "knowledge.delete";
    const EFFECT: Effect = Effect::OVERWRITES;
    const ALIASES: &'static [OpAlias] = &[OpAlias::of("manage_graph").when("operation", "delete")];
    const EXAMPLES: &'static [OpExample] = &[OpExample {
        args: "molecule:019b7d2f-1a2b --version 2 --dry-run",
        shows: "what would happen to its atoms",
    }];
    type Answer = KnowledgeDeleteAnswer;

    fn plan(self, view: &View) -> Result<Plan<KnowledgeDeleteAnswer>> {
        let summary = |_: &DeletedKnowledge| format!("delete {}", self.id);
        let planned = plan(view, summary, |draft| {
            let target = KnowledgeTarget { grain: self.kind, id: &self.id, version: self.version };
            delete(draft, target, self.task.as_ref(), self.cascade)
        })?;
        Ok(planned.map_answer(KnowledgeDeleteAnswer))
    }
}

/// The result of deleting an atom or molecule.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct KnowledgeDeleteAnswer(pub DeletedKnowledge);

impl Render for KnowledgeDeleteAnswer {
    fn render(&self, page: &mut Page) {
        let deleted = &self.0;
        page.answer(format!(
            "Deleted {} \"{}\" with {}; {} deleted, {} without a molecule now",
            deleted.entity_type,
            deleted.name,
            counted(deleted.changelog_entries, "changelog entry"),
            counted(deleted.deleted_atoms.len(), "atom"),
            deleted.orphaned_atoms.len()
        ));
    }
}
