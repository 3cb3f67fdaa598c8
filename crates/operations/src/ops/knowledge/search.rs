//! `knowledge.search`: atoms and molecules by words.

use std::collections::BTreeSet;

use base::Result;
use base::words::{counted, plural};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use work::container::project;
use work::knowledge::search::{KnowledgeQuery, atoms, molecules};
use work::record::{Atom, Molecule};
use work::words::KnowledgeKind;
use work::{WorkRecordId, WorkRecordRef};

use super::details::{AtomDetails, MoleculeDetails};
use super::show::ChangelogLimit;
use engine::areas::work::{expand_paths, read_store, work_patterns};
use engine::contract::alias::OpAlias;
use engine::contract::answer::Paging;
use engine::contract::args::{Limit, Offset, number_type};
use engine::contract::op::{OpExample, Query};
use engine::contract::page::{Page, PageCell, Render};
use engine::view::View;

number_type!(
    /// How many rows an answer holds at most.
    SearchLimit, 1..=1000, default 20
);

impl From<SearchLimit> for Limit {
    fn from(few: SearchLimit) -> Self {
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
    pub kind: Option<KnowledgeKind>,
    /// Only atoms and molecules of this project
    #[arg(long)]
    #[serde(default, alias = "project_id")]
    pub project: Option<WorkRecordRef>,
    /// Only atoms of this molecule
    #[arg(long)]
    #[serde(default, alias = "molecule_id")]
    pub molecule: Option<WorkRecordRef>,
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
    pub changelog_limit: ChangelogLimit,
    /// Only atoms that cover this file or something in this folder
    #[arg(long)]
    #[serde(default)]
    pub path: Option<String>,
    /// Rows to show
    #[arg(long, default_value_t)]
    #[serde(default)]
    pub limit: SearchLimit,
    /// Rows to skip
    #[arg(long, default_value_t)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub offset: Offset,
}

/// Atoms or molecules, by name
#[derive(Debug, Serialize, JsonSchema)]
pub struct KnowledgeSearchAnswer {
    /// Atoms
    #[serde(skip_serializing_if = "Option::is_none")]
    pub atoms: Option<Vec<AtomDetails>>,
    /// Molecules
    #[serde(skip_serializing_if = "Option::is_none")]
    pub molecules: Option<Vec<MoleculeDetails>>,
    #[serde(skip)]
    paging: Paging,
}

impl Query for Search {
    const NAME: &'static str = "knowledge.search";
    const ALIASES: &'static [OpAlias] = &[OpAlias::of("query_graph").when("operation", "search")];
    const EXAMPLES: &'static [OpExample] =
        &[OpExample { args: "webhook", shows: "atoms about webhooks" }];
    type Answer = KnowledgeSearchAnswer;

    fn run(self, view: &View) -> Result<KnowledgeSearchAnswer> {
        let changes = self.changelog_limit.entry_count(self.include_changelog);
        read_store(view, |draft| {
            let project = project(draft, self.project.as_ref())?;
            let molecule =
                self.molecule.as_ref().map(|id| draft.find::<Molecule>(id)).transpose()?;
            let molecule = molecule.as_ref().map(|molecule| &molecule.id);
            let wanted =
                KnowledgeQuery { words: &self.query, molecule, orphans_only: self.orphans_only };
            let covering = self.path.as_ref().map(|path| atoms_covering(view, path)).transpose()?;
            let covers =
                |id: &WorkRecordId| covering.as_ref().is_none_or(|atoms| atoms.contains(id));
            if self.kind == Some(KnowledgeKind::Molecule) {
                let mut all = molecules(draft, &project.id, &wanted)?;
                if covering.is_some() {
                    let mut atoms = draft.list::<Atom>("project_id", &project.id)?;
                    atoms.retain(|atom| covers(&atom.id));
                    let of = |id: &WorkRecordId| {
                        atoms.iter().any(|atom| atom.molecule_id.as_ref() == Some(id))
                    };
                    all.retain(of);
                }
                let (found, paging) = Paging::cut(all, self.offset, self.limit.into());
                let shown =
                    found.iter().map(|id| MoleculeDetails::of(draft, draft.require(id)?, changes));
                let molecules = Some(shown.collect::<Result<Vec<_>>>()?);
                return Ok(KnowledgeSearchAnswer { atoms: None, molecules, paging });
            }
            let mut all = atoms(draft, &project.id, &wanted)?;
            all.retain(covers);
            let (found, paging) = Paging::cut(all, self.offset, self.limit.into());
            let shown = found.iter().map(|id| AtomDetails::of(draft, draft.require(id)?, changes));
            let atoms = Some(shown.collect::<Result<Vec<_>>>()?);
            Ok(KnowledgeSearchAnswer { atoms, molecules: None, paging })
        })
    }
}

/// The atoms that cover a path, or something below it.
pub(super) fn atoms_covering(view: &View, path: &str) -> Result<BTreeSet<WorkRecordId>> {
    view.paths().check_inside(path)?;
    let derived = work_patterns(view)?;
    let mut found = BTreeSet::new();
    for path in expand_paths(view, &[path.to_owned()])? {
        found.extend(derived.matcher.matching(&path, None).into_iter().cloned());
    }
    Ok(found)
}

impl Render for KnowledgeSearchAnswer {
    fn render(&self, page: &mut Page) {
        let kind = if self.molecules.is_some() { "matching molecule" } else { "matching atom" };
        page.answer(match self.paging.total {
            0 => format!("No {}: names and knowledge of all were searched", plural(kind)),
            total => counted(total, kind),
        });
        let atoms = self.atoms.iter().flatten().map(|atom| {
            let paths = PageCell::faint(atom.paths.join(", "));
            vec![
                PageCell::text(format!("\"{}\"", atom.name)),
                paths,
                PageCell::handle(atom.handle()),
            ]
        });
        let molecules = self.molecules.iter().flatten().map(|one| {
            let first = one.knowledge.lines().next().unwrap_or_default();
            vec![
                PageCell::text(format!("\"{}\"", one.name)),
                PageCell::faint(first),
                PageCell::handle(one.handle()),
            ]
        });
        let rows: Vec<Vec<PageCell>> = atoms.chain(molecules).collect();
        let shown = rows.len();
        page.table(0, rows);
        self.paging.render_rest(page, shown);
    }

    fn paging(&self) -> Option<Paging> {
        Some(self.paging)
    }
}
