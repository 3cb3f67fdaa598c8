//! `graph.drift`: atoms whose files changed since they were written.

use base::Result;
use base::words::counted;
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use work::container::project;
use work::knowledge::drift::KnowledgeDrift as Moved;
use work::record::Atom;
use work::{WorkRecordId, WorkRecordRef};

use super::search::atoms_covering;
use engine::areas::work::{drift, matched_files, read_store, work_patterns};
use engine::contract::answer::Paging;
use engine::contract::args::{Limit, Offset};
use engine::contract::op::{OpExample, Query};
use engine::contract::page::{Page, PageCell, Render};
use engine::view::View;

/// How many uncovered folders are named.
const MAX_FOLDERS: usize = 10;

/// Rank the atoms whose files changed since they were written, and list uncovered files
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Drift {
    /// Only atoms of this project
    #[arg(long)]
    #[serde(default, alias = "project_id")]
    pub project: Option<WorkRecordRef>,
    /// Only atoms that cover this file, or something in this folder
    #[arg(long)]
    #[serde(default)]
    pub path: Option<String>,
    /// Rows to show
    #[arg(long, default_value_t)]
    #[serde(default)]
    pub limit: Limit,
    /// Rows to skip
    #[arg(long, default_value_t)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub offset: Offset,
}

/// Atoms to review, most changed first
#[derive(Debug, Serialize, JsonSchema)]
pub struct DriftAnswer {
    /// Atoms whose files changed
    pub atoms: Vec<DriftedAtom>,
    /// Number of atoms whose files did not change
    pub fresh: usize,
    /// Atoms whose patterns match no file
    pub covering_nothing: Vec<DriftedAtom>,
    /// Files that no atom covers, by folder
    pub uncovered: Vec<UncoveredFolder>,
    #[serde(skip)]
    paging: Paging,
}

/// An atom and how much its files changed
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct DriftedAtom {
    /// Its id
    pub id: WorkRecordId,
    /// Its name
    pub name: String,
    /// How much the covered code changed
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drift: Option<Moved>,
}

/// A folder and how many of its files no atom covers
#[derive(Debug, Serialize, JsonSchema)]
pub struct UncoveredFolder {
    /// The folder
    pub path: String,
    /// How many files
    pub files: usize,
}

impl Query for Drift {
    const NAME: &'static str = "graph.drift";
    const EXAMPLES: &'static [OpExample] =
        &[OpExample { args: "", shows: "which atoms to review first" }];
    type Answer = DriftAnswer;

    fn run(self, view: &View) -> Result<DriftAnswer> {
        read_store(view, |draft| {
            let atoms = match &self.project {
                Some(id) => draft.list::<Atom>("project_id", &project(draft, Some(id))?.id)?,
                None => draft.all::<Atom>()?,
            };
            let covering = self.path.as_ref().map(|path| atoms_covering(view, path)).transpose()?;
            let mut atoms = atoms;
            atoms.retain(|atom| covering.as_ref().is_none_or(|known| known.contains(&atom.id)));
            let (mut moved, mut fresh, mut covering_nothing) = (Vec::new(), 0, Vec::new());
            for atom in atoms {
                view.call().check_stopped()?;
                let drift = drift(view, draft, &atom)?;
                let is_empty = match &drift {
                    Some(drift) => drift.files == drift.removed && drift.added == 0,
                    None => matched_files(view, &atom.paths)?.is_empty(),
                };
                let row = DriftedAtom { id: atom.id, name: atom.name, drift };
                match &row.drift {
                    _ if is_empty => covering_nothing.push(row),
                    Some(drift) if !drift.is_none() => moved.push(row),
                    _ => fresh += 1,
                }
            }
            moved.sort_by_key(|row| {
                let percent = row.drift.as_ref().map_or(0, |drift| drift.percent);
                (std::cmp::Reverse(percent), row.name.clone(), row.id.clone())
            });
            let (atoms, paging) = Paging::cut(moved, self.offset, self.limit);
            Ok(DriftAnswer { atoms, fresh, covering_nothing, uncovered: uncovered(view)?, paging })
        })
    }
}

/// The folders with the most files that no atom covers.
fn uncovered(view: &View) -> Result<Vec<UncoveredFolder>> {
    let derived = work_patterns(view)?;
    let mut counts = std::collections::BTreeMap::<String, usize>::new();
    for path in engine::areas::files::all_paths(view)? {
        if derived.matcher.matching(&path.to_string(), None).is_empty() {
            let folder = path.parent().map_or(".".into(), |folder| folder.to_string());
            *counts.entry(folder).or_default() += 1;
        }
    }
    let mut folders: Vec<UncoveredFolder> =
        counts.into_iter().map(|(path, files)| UncoveredFolder { path, files }).collect();
    folders.sort_by(|a, b| b.files.cmp(&a.files).then_with(|| a.path.cmp(&b.path)));
    folders.truncate(MAX_FOLDERS);
    Ok(folders)
}

impl Render for DriftAnswer {
    fn render(&self, page: &mut Page) {
        page.answer(format!(
            "{} drifted, {} up to date, {} without a matching file",
            counted(self.paging.total, "atom"),
            self.fresh,
            self.covering_nothing.len()
        ));
        let cells = |row: &DriftedAtom| {
            let words = row.drift.as_ref().map_or("no file".into(), Moved::describe);
            let name = PageCell::text(format!("\"{}\"", row.name));
            vec![name, PageCell::faint(words), PageCell::handle(format!("atom:{}", row.id.short()))]
        };
        page.table(2, self.atoms.iter().map(cells).collect());
        self.paging.render_rest(page, self.atoms.len());
        if !self.covering_nothing.is_empty() {
            page.heading("Atoms whose patterns match no file");
            page.table(2, self.covering_nothing.iter().take(20).map(cells).collect());
        }
        if !self.uncovered.is_empty() {
            page.heading("Folders with files that no atom covers");
            let cells = |folder: &UncoveredFolder| {
                vec![PageCell::text(folder.files), PageCell::handle(&folder.path)]
            };
            page.table(2, self.uncovered.iter().map(cells).collect());
        }
    }

    fn paging(&self) -> Option<Paging> {
        Some(self.paging)
    }
}
