//! `graph.search`: atoms and molecules by words.

use std::collections::BTreeSet;

use base::Result;
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use work::container::project;
use work::graph::search::{Wanted, atoms, molecules};
use work::record::{Atom, Molecule};
use work::words::Grain;
use work::{Id, Ref};

use super::show::Changes;
use super::shown::{AtomShown, MoleculeShown};
use crate::contract::alias::Alias;
use crate::contract::answer::Paging;
use crate::contract::args::{Limit, Offset, number_type};
use crate::contract::op::{Example, Query};
use crate::contract::page::{Cell, Page, Render};
use crate::layers::work::{derived, look, named_paths};
use crate::view::View;

number_type!(
    /// How many rows an answer holds at most.
    Few, 1..=1000, default 20
);

impl From<Few> for Limit {
    fn from(few: Few) -> Self {
        Self::try_from(u32::from(few)).unwrap_or_default()
    }
}

/// Find atoms or molecules by words in their name and knowledge
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Search {
    /// Words in names and knowledge
    #[arg(default_value_t)]
    #[serde(default)]
    pub query: String,
    /// Search atoms or molecules; atoms if left out
    #[arg(long)]
    #[serde(default, alias = "entity_type")]
    pub kind: Option<Grain>,
    /// Only atoms and molecules of this project
    #[arg(long)]
    #[serde(default, alias = "project_id")]
    pub project: Option<Ref>,
    /// Only atoms of this molecule
    #[arg(long)]
    #[serde(default, alias = "molecule_id")]
    pub molecule: Option<Ref>,
    /// Only atoms that belong to no molecule
    #[arg(long)]
    #[serde(default)]
    pub orphans_only: bool,
    /// Show changelogs; true if left out
    #[arg(long)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub include_changelog: Option<bool>,
    /// Changelog entries to show for each
    #[arg(long, default_value_t)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub changelog_limit: Changes,
    /// Only atoms that cover this file or something in this folder
    #[arg(long)]
    #[serde(default)]
    pub path: Option<String>,
    /// Rows to show
    #[arg(long, default_value_t)]
    #[serde(default)]
    pub limit: Few,
    /// Rows to skip
    #[arg(long, default_value_t)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub offset: Offset,
}

/// Atoms or molecules, by name
#[derive(Debug, Serialize, JsonSchema)]
pub struct Found {
    /// Atoms
    #[serde(skip_serializing_if = "Option::is_none")]
    pub atoms: Option<Vec<AtomShown>>,
    /// Molecules
    #[serde(skip_serializing_if = "Option::is_none")]
    pub molecules: Option<Vec<MoleculeShown>>,
    #[serde(skip)]
    paging: Paging,
}

impl Query for Search {
    const NAME: &'static str = "graph.search";
    const ALIASES: &'static [Alias] = &[Alias::of("query_graph").when("operation", "search")];
    const EXAMPLES: &'static [Example] =
        &[Example { args: "webhook", shows: "atoms that speak of webhooks" }];
    type Answer = Found;

    fn run(self, view: &View) -> Result<Found> {
        let changes = self.changelog_limit.shown(self.include_changelog);
        look(view, |draft| {
            let project = project(draft, self.project.as_ref())?;
            let molecule =
                self.molecule.as_ref().map(|id| draft.find::<Molecule>(id)).transpose()?;
            let molecule = molecule.as_ref().map(|molecule| &molecule.id);
            let wanted = Wanted { words: &self.query, molecule, orphans_only: self.orphans_only };
            let covering = self.path.as_ref().map(|path| covering(view, path)).transpose()?;
            let covers = |id: &Id| covering.as_ref().is_none_or(|atoms| atoms.contains(id));
            if self.kind == Some(Grain::Molecule) {
                let mut all = molecules(draft, &project.id, &wanted)?;
                if covering.is_some() {
                    let mut atoms = draft.list::<Atom>("project_id", &project.id)?;
                    atoms.retain(|atom| covers(&atom.id));
                    let of = |one: &Molecule| {
                        atoms.iter().any(|atom| atom.molecule_id.as_ref() == Some(&one.id))
                    };
                    all.retain(of);
                }
                let (found, paging) = Paging::cut(all, self.offset, self.limit.into());
                let shown = found.into_iter().map(|one| MoleculeShown::of(draft, one, changes));
                let molecules = Some(shown.collect::<Result<Vec<_>>>()?);
                return Ok(Found { atoms: None, molecules, paging });
            }
            let mut all = atoms(draft, &project.id, &wanted)?;
            all.retain(|atom| covers(&atom.id));
            let (found, paging) = Paging::cut(all, self.offset, self.limit.into());
            let shown = found.into_iter().map(|one| AtomShown::of(draft, one, changes));
            let atoms = Some(shown.collect::<Result<Vec<_>>>()?);
            Ok(Found { atoms, molecules: None, paging })
        })
    }
}

/// The atoms that cover a path, or something below it.
pub(super) fn covering(view: &View, path: &str) -> Result<BTreeSet<Id>> {
    view.confine(path)?;
    let derived = derived(view)?;
    let mut found = BTreeSet::new();
    for path in named_paths(view, &[path.to_owned()])? {
        found.extend(derived.matcher.matching(&path, None).into_iter().cloned());
    }
    Ok(found)
}

impl Render for Found {
    fn render(&self, page: &mut Page) {
        let kind = if self.molecules.is_some() { "molecules" } else { "atoms" };
        page.answer(match self.paging.total {
            0 => format!("No {kind} fit; names and knowledge of all were looked at"),
            total => format!("{total} {kind} fit"),
        });
        let atoms = self.atoms.iter().flatten().map(|atom| {
            let paths = Cell::faint(atom.paths.join(", "));
            vec![Cell::text(format!("\"{}\"", atom.name)), paths, Cell::handle(atom.handle())]
        });
        let molecules = self.molecules.iter().flatten().map(|one| {
            let first = one.knowledge.lines().next().unwrap_or_default();
            vec![
                Cell::text(format!("\"{}\"", one.name)),
                Cell::faint(first),
                Cell::handle(one.handle()),
            ]
        });
        let rows: Vec<Vec<Cell>> = atoms.chain(molecules).collect();
        let shown = rows.len();
        page.table(0, rows);
        self.paging.say_rest(page, shown);
    }

    fn paging(&self) -> Option<Paging> {
        Some(self.paging)
    }
}
