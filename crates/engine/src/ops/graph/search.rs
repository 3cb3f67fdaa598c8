//! `graph.search`: atoms and molecules by words.

use base::Result;
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use work::Ref;
use work::container::project;
use work::graph::search::{Wanted, atoms, molecules};
use work::record::Molecule;
use work::words::Grain;

use super::show::Changes;
use super::shown::{AtomShown, MoleculeShown};
use crate::contract::alias::Alias;
use crate::contract::answer::Paging;
use crate::contract::args::{Limit, Offset, number_type};
use crate::contract::op::{Example, Query};
use crate::contract::page::{Cell, Page, Render};
use crate::layers::work::look;
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
    /// Words
    #[arg(default_value_t)]
    #[serde(default)]
    pub query: String,
    /// atom or molecule; atoms if left out
    #[arg(long)]
    #[serde(default, alias = "entity_type")]
    pub kind: Option<Grain>,
    /// The project
    #[arg(long)]
    #[serde(default, alias = "project_id")]
    pub project: Option<Ref>,
    /// Only atoms of this molecule
    #[arg(long)]
    #[serde(default, alias = "molecule_id")]
    pub molecule: Option<Ref>,
    /// Only atoms without a molecule
    #[arg(long)]
    #[serde(default)]
    pub orphans_only: bool,
    /// With their history; true if left out
    #[arg(long)]
    #[serde(default)]
    pub include_changelog: Option<bool>,
    /// Entries of it
    #[arg(long, default_value_t)]
    #[serde(default)]
    pub changelog_limit: Changes,
    /// Rows to show
    #[arg(long, default_value_t)]
    #[serde(default)]
    pub limit: Few,
    /// Rows to pass over
    #[arg(long, default_value_t)]
    #[serde(default)]
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
        let changes = match self.include_changelog {
            Some(false) => 0,
            _ => self.changelog_limit.get(),
        };
        look(view, |draft| {
            let project = project(draft, self.project.as_ref())?;
            let molecule =
                self.molecule.as_ref().map(|id| draft.find::<Molecule>(id)).transpose()?;
            let molecule = molecule.as_ref().map(|molecule| &molecule.id);
            let wanted = Wanted { words: &self.query, molecule, orphans_only: self.orphans_only };
            if self.kind == Some(Grain::Molecule) {
                let all = molecules(draft, &project.id, &wanted)?;
                let (found, paging) = Paging::cut(all, self.offset, self.limit.into());
                let shown = found.into_iter().map(|one| MoleculeShown::of(draft, one, changes));
                let molecules = Some(shown.collect::<Result<Vec<_>>>()?);
                return Ok(Found { atoms: None, molecules, paging });
            }
            let all = atoms(draft, &project.id, &wanted)?;
            let (found, paging) = Paging::cut(all, self.offset, self.limit.into());
            let shown = found.into_iter().map(|one| AtomShown::of(draft, one, changes));
            let atoms = Some(shown.collect::<Result<Vec<_>>>()?);
            Ok(Found { atoms, molecules: None, paging })
        })
    }
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
