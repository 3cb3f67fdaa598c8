//! `graph.update`: writes knowledge anew, or adds to it.

use base::Result;
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use work::Ref;
use work::graph::edit::{Fields, Knows, RelatedRef, find, update};
use work::graph::globs::Pattern;
use work::text::{Json, Knowledge, Many, Name, OrNone, given};
use work::words::{Grain, Mode};

use super::shown::Kept;
use crate::contract::alias::Alias;
use crate::contract::op::{Effect, Example, Mutation};
use crate::layers::work::{plan, seen};
use crate::plan::Plan;
use crate::view::View;

/// Change an atom or molecule: overwrite its knowledge or append to it, move its paths
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Update {
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
    /// New name of the atom or molecule
    #[arg(long)]
    #[serde(default)]
    pub name: Option<Name>,
    /// New text, or the text to append
    #[arg(long)]
    #[serde(default)]
    pub knowledge: Option<Knowledge>,
    /// How `knowledge` is written: overwrite (if left out) or append
    #[arg(long)]
    #[serde(default, alias = "knowledge_mode")]
    pub mode: Option<Mode>,
    /// All globs of an atom; those that are left out are removed
    #[arg(long)]
    #[serde(default)]
    pub paths: Option<Many<Pattern>>,
    /// Molecule that an atom belongs to; `none` removes it from one
    #[arg(long)]
    #[serde(
        default,
        alias = "molecule_id",
        deserialize_with = "given",
        skip_serializing_if = "Option::is_none"
    )]
    pub molecule: Option<OrNone<Ref>>,
    /// All related atoms or molecules, as JSON: id and reason
    #[arg(long)]
    #[serde(default, alias = "related_atoms", alias = "related_molecules")]
    #[schemars(with = "Vec<serde_json::Value>")]
    #[schemars(extend("x-rare" = true))]
    pub related: Option<Json<Vec<RelatedRef>>>,
    /// Task in which the change was made
    #[arg(long)]
    #[serde(default, alias = "last_task_id", alias = "task_id")]
    #[schemars(extend("x-rare" = true))]
    pub task: Option<Ref>,
}

impl Mutation for Update {
    const NAME: &'static str = "graph.update";
    const EFFECT: Effect = Effect::OVERWRITES;
    const ALIASES: &'static [Alias] = &[Alias::of("manage_graph").when("operation", "update")];
    const EXAMPLES: &'static [Example] = &[Example {
        args: "atom:019b7d2f-1a2b --version 1 --mode append --knowledge \"Retries are capped\"",
        shows: "one more thing that was learnt",
    }];
    type Answer = Kept;

    fn plan(self, view: &View) -> Result<Plan<Kept>> {
        let fields = Fields {
            name: self.name,
            paths: self.paths,
            knowledge: self.knowledge,
            molecule: self.molecule,
            related: self.related,
            task: self.task,
        };
        let mode = self.mode.unwrap_or(Mode::Overwrite);
        plan(
            view,
            |_| format!("update {}", self.id),
            |draft| {
                let files = match find(draft, self.kind, &self.id)? {
                    Knows::Atom(atom) if fields.renews() => {
                        let given = fields.paths.as_ref();
                        let given =
                            given.map(|many| many.0.iter().map(Pattern::normalised).collect());
                        Some(seen(view, &given.unwrap_or(atom.paths))?.to_vec())
                    }
                    _ => None,
                };
                let target = (self.kind, &self.id, self.version);
                let changed = update(draft, target, (&fields, mode), files)?;
                Kept::of(draft, changed, "Changed")
            },
        )
    }
}
