//! `knowledge.create`: creates an atom or molecule.

use base::Result;
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use work::WorkRecordRef;
use work::knowledge::edit::{KnowledgeFields, RelatedRef, create};
use work::knowledge::globs::PathGlob;
use work::text::{ClearableArg, JsonArg, KnowledgeText, ListArg, RecordName};
use work::words::KnowledgeKind;

use super::details::GraphWriteAnswer;
use engine::areas::work::{matched_files, plan};
use engine::contract::alias::OpAlias;
use engine::contract::op::{Effect, Mutation, OpExample};
use engine::plan::Plan;
use engine::view::View;

/// Record knowledge: an atom about some paths, or a molecule that groups atoms
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Create {
    /// What to create: atom or molecule
    #[serde(alias = "entity_type")]
    pub kind: KnowledgeKind,
    /// Name of the atom or molecule
    pub name: RecordName,
    /// The knowledge, as text
    #[arg(long)]
    #[serde(default)]
    pub knowledge: Option<KnowledgeText>,
    /// Globs of the files that an atom is about
    #[arg(long)]
    #[serde(default)]
    pub paths: Option<ListArg<PathGlob>>,
    /// Molecule that an atom belongs to
    #[arg(long)]
    #[serde(default, alias = "molecule_id")]
    pub molecule: Option<WorkRecordRef>,
    /// Related atoms or molecules, as JSON: id and reason
    #[arg(long)]
    #[serde(default, alias = "related_atoms", alias = "related_molecules")]
    #[schemars(with = "Vec<serde_json::Value>")]
    #[schemars(extend("x-rare" = true))]
    pub related: Option<JsonArg<Vec<RelatedRef>>>,
    /// Project that it belongs to
    #[arg(long)]
    #[serde(default, alias = "project_id")]
    pub project: Option<WorkRecordRef>,
    /// Task in which it was learned
    #[arg(long)]
    #[serde(default, alias = "created_by_task_id", alias = "last_task_id", alias = "task_id")]
    pub task: Option<WorkRecordRef>,
}

impl Mutation for Create {
    const NAME: &'static str = "knowledge.create";
    const EFFECT: Effect = Effect::ADDS;
    const ALIASES: &'static [OpAlias] = &[OpAlias::of("manage_graph").when("operation", "create")];
    const EXAMPLES: &'static [OpExample] = &[OpExample {
        args: "atom Webhooks --paths src/webhooks/** --knowledge \"All handlers are idempotent\"",
        shows: "knowledge about a folder",
    }];
    type Answer = GraphWriteAnswer;

    fn plan(self, view: &View) -> Result<Plan<GraphWriteAnswer>> {
        let summary = format!("create {} \"{}\"", self.kind, self.name.as_str().trim());
        let fields = KnowledgeFields {
            name: Some(self.name),
            paths: self.paths,
            knowledge: self.knowledge,
            molecule: self.molecule.map(|molecule| ClearableArg(Some(molecule))),
            related: self.related,
            task: self.task,
        };
        plan(
            view,
            |_| summary,
            |draft| {
                let patterns: Vec<String> = fields
                    .paths
                    .iter()
                    .flat_map(|many| &many.0)
                    .map(PathGlob::normalised)
                    .collect();
                let files = match self.kind {
                    KnowledgeKind::Atom if !patterns.is_empty() => {
                        Some(matched_files(view, &patterns)?.to_vec())
                    }
                    _ => None,
                };
                let made = create(draft, self.kind, self.project.as_ref(), &fields, files)?;
                GraphWriteAnswer::of(draft, made, "Wrote")
            },
        )
    }
}
