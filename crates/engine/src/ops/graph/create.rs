//! `graph.create`: writes down what was learnt.

use base::Result;
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use work::Ref;
use work::graph::edit::{Fields, RelatedRef, create};
use work::graph::globs::Pattern;
use work::text::{Json, Knowledge, Many, Name, OrNone};
use work::words::Grain;

use super::shown::Kept;
use crate::contract::alias::Alias;
use crate::contract::op::{Effect, Example, Mutation};
use crate::layers::work::{plan, seen};
use crate::plan::Plan;
use crate::view::View;

/// Write down knowledge: an atom about some paths, or a molecule that groups atoms
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Create {
    /// What to make: atom or molecule
    #[serde(alias = "entity_type")]
    pub kind: Grain,
    /// Name of the atom or molecule
    pub name: Name,
    /// What is worth knowing, as text
    #[arg(long)]
    #[serde(default)]
    pub knowledge: Option<Knowledge>,
    /// Globs of the files that an atom is about
    #[arg(long)]
    #[serde(default)]
    pub paths: Option<Many<Pattern>>,
    /// Molecule that an atom belongs to
    #[arg(long)]
    #[serde(default, alias = "molecule_id")]
    pub molecule: Option<Ref>,
    /// Related atoms or molecules, as JSON: id and reason
    #[arg(long)]
    #[serde(default, alias = "related_atoms", alias = "related_molecules")]
    #[schemars(with = "Vec<serde_json::Value>")]
    #[schemars(extend("x-rare" = true))]
    pub related: Option<Json<Vec<RelatedRef>>>,
    /// Project that it belongs to
    #[arg(long)]
    #[serde(default, alias = "project_id")]
    pub project: Option<Ref>,
    /// Task in which it was learnt
    #[arg(long)]
    #[serde(default, alias = "created_by_task_id", alias = "last_task_id", alias = "task_id")]
    pub task: Option<Ref>,
}

impl Mutation for Create {
    const NAME: &'static str = "graph.create";
    const EFFECT: Effect = Effect::ADDS;
    const ALIASES: &'static [Alias] = &[Alias::of("manage_graph").when("operation", "create")];
    const EXAMPLES: &'static [Example] = &[Example {
        args: "atom Webhooks --paths src/webhooks/** --knowledge \"All handlers are idempotent\"",
        shows: "knowledge about a folder",
    }];
    type Answer = Kept;

    fn plan(self, view: &View) -> Result<Plan<Kept>> {
        let summary = format!("create {} \"{}\"", self.kind, self.name.as_str().trim());
        let fields = Fields {
            name: Some(self.name),
            paths: self.paths,
            knowledge: self.knowledge,
            molecule: self.molecule.map(|molecule| OrNone(Some(molecule))),
            related: self.related,
            task: self.task,
        };
        plan(
            view,
            |_| summary,
            |draft| {
                let patterns: Vec<String> =
                    fields.paths.iter().flat_map(|many| &many.0).map(Pattern::normalised).collect();
                let files = match self.kind {
                    Grain::Atom if !patterns.is_empty() => Some(seen(view, &patterns)?.to_vec()),
                    _ => None,
                };
                let made = create(draft, (self.kind, self.project.as_ref()), &fields, files)?;
                Kept::of(draft, made, "Wrote")
            },
        )
    }
}
