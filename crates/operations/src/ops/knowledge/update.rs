//! `knowledge.update`: replaces knowledge, or appends to it.

use base::Result;
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use work::WorkRecordRef;
use work::knowledge::edit::{
    KnowledgeFields, KnowledgeRecord, KnowledgeTarget, RelatedRef, find, update,
};
use work::knowledge::globs::PathGlob;
use work::text::{ClearableArg, JsonArg, KnowledgeText, ListArg, RecordName, deserialize_given};
use work::words::{KnowledgeKind, KnowledgeWriteMode};

use super::details::GraphWriteAnswer;
use engine::areas::work::{matched_files, plan};
use engine::contract::alias::OpAlias;
use engine::contract::op::{Effect, Mutation, OpExample};
use engine::plan::Plan;
use engine::view::View;

/// Change an atom or molecule: its name, knowledge, paths or relations
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Update {
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
    /// New name of the atom or molecule
    #[arg(long)]
    #[serde(default)]
    pub name: Option<RecordName>,
    /// New text, or the text to append
    #[arg(long)]
    #[serde(default)]
    pub knowledge: Option<KnowledgeText>,
    /// How `knowledge` is written: overwrite (if left out) or append
    #[arg(long)]
    #[serde(default, alias = "knowledge_mode")]
    pub mode: Option<KnowledgeWriteMode>,
    /// All globs of an atom; those that are left out are removed
    #[arg(long)]
    #[serde(default)]
    pub paths: Option<ListArg<PathGlob>>,
    /// Molecule that an atom belongs to; `none` removes it from one
    #[arg(long)]
    #[serde(
        default,
        alias = "molecule_id",
        deserialize_with = "deserialize_given",
        skip_serializing_if = "Option::is_none"
    )]
    pub molecule: Option<ClearableArg<WorkRecordRef>>,
    /// All related atoms or molecules, as JSON: id and reason
    #[arg(long)]
    #[serde(default, alias = "related_atoms", alias = "related_molecules")]
    #[schemars(with = "Vec<serde_json::Value>")]
    #[schemars(extend("x-rare" = true))]
    pub related: Option<JsonArg<Vec<RelatedRef>>>,
    /// Task in which the change was made
    #[arg(long)]
    #[serde(default, alias = "last_task_id", alias = "task_id")]
    #[schemars(extend("x-rare" = true))]
    pub task: Option<WorkRecordRef>,
}

impl Mutation for Update {
    const NAME: &'static str = "knowledge.update";
    const EFFECT: Effect = Effect::OVERWRITES;
    const ALIASES: &'static [OpAlias] = &[OpAlias::of("manage_graph").when("operation", "update")];
    const EXAMPLES: &'static [OpExample] = &[OpExample {
        args: "atom:019b7d2f-1a2b --version 1 --mode append --knowledge \"Retries are capped\"",
        shows: "one more sentence of knowledge",
    }];
    type Answer = GraphWriteAnswer;

    fn plan(self, view: &View) -> Result<Plan<GraphWriteAnswer>> {
        let fields = KnowledgeFields {
            name: self.name,
            paths: self.paths,
            knowledge: self.knowledge,
            molecule: self.molecule,
            related: self.related,
            task: self.task,
        };
        let mode = self.mode.unwrap_or(KnowledgeWriteMode::Overwrite);
        plan(
            view,
            |_| format!("update {}", self.id),
            |draft| {
                let files = match find(draft, self.kind, &self.id)? {
                    KnowledgeRecord::Atom(atom) if fields.resets_drift() => {
                        let given = fields.paths.as_ref();
                        let given =
                            given.map(|many| many.0.iter().map(PathGlob::normalised).collect());
                        Some(matched_files(view, &given.unwrap_or(atom.paths))?.to_vec())
                    }
                    _ => None,
                };
                let target =
                    KnowledgeTarget { grain: self.kind, id: &self.id, version: self.version };
                let changed = update(draft, target, &fields, mode, files)?;
                GraphWriteAnswer::of(draft, changed, "Changed")
            },
        )
    }
}
