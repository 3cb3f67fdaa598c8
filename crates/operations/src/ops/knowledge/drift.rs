//! `knowledge.drift`: atoms whose files changed since they were written.

use std::collections::BTreeMap;

use base::words::counted;
use base::{NextCall, Result};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use work::container::project;
use work::knowledge::drift::KnowledgeDrift as Moved;
use work::knowledge::globs::GlobList;
use work::record::FileFingerprint;
use work::{WorkRecordId, WorkRecordRef};

use super::search::atoms_covering;
use engine::areas::work::{
    AtomAge, MeasuredAtom, UncoveredCount, aged_atoms, matched_files, moved_files, read_store,
    uncovered_folders,
};
use engine::contract::answer::Paging;
use engine::contract::args::{Limit, Offset};
use engine::contract::op::{OpExample, Query};
use engine::contract::page::{Page, PageCell, Render};
use engine::view::View;

/// How many dead patterns are listed.
const MAX_DEAD_PATTERNS: usize = 20;

/// How many atoms without a matching file are listed.
const MAX_COVERING_NOTHING: usize = 50;

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
    /// Atoms whose patterns match no file, the first of them
    pub covering_nothing: Vec<DriftedAtom>,
    /// How many atoms have patterns that match no file
    pub covering_nothing_total: usize,
    /// Patterns that match no file any more, with where their files seem to be now
    pub dead_patterns: Vec<DeadPattern>,
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

/// A pattern that matches no file any more
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct DeadPattern {
    /// The atom that has it
    pub atom_id: WorkRecordId,
    /// The version of the atom
    pub version: u32,
    /// The pattern
    pub pattern: String,
    /// The pattern that matches where its files seem to be now
    #[serde(skip_serializing_if = "Option::is_none")]
    pub likely: Option<String>,
    /// All patterns of the atom, with the likely one in its place
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub repaired_paths: Vec<String>,
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
    const NAME: &'static str = "knowledge.drift";
    const EXAMPLES: &'static [OpExample] =
        &[OpExample { args: "", shows: "which atoms to review first" }];
    type Answer = DriftAnswer;

    fn run(self, view: &View) -> Result<DriftAnswer> {
        read_store(view, |draft| {
            let project = match &self.project {
                Some(id) => Some(project(draft, Some(id))?.id),
                None => None,
            };
            let covering = self.path.as_ref().map(|path| atoms_covering(view, path)).transpose()?;
            let is_asked = |one: &MeasuredAtom| {
                project.as_ref().is_none_or(|id| one.atom.project_id == *id)
                    && covering.as_ref().is_none_or(|known| known.contains(&one.atom.id))
            };
            let (mut moved, mut fresh, mut covering_nothing) = (Vec::new(), 0, Vec::new());
            let mut dead_patterns = Vec::new();
            let aged = aged_atoms(view, draft)?;
            let mut asked: Vec<(&MeasuredAtom, &AtomAge)> =
                aged.iter().filter(|(one, _)| is_asked(one)).collect();
            asked.sort_by_key(|(one, _)| (&one.atom.name, &one.atom.id));
            for (one, age) in asked {
                view.call().check_stopped()?;
                let (atom, drift) = (&one.atom, &age.drift);
                let has_room = dead_patterns.len() < MAX_DEAD_PATTERNS;
                if has_room && drift.as_ref().is_none_or(|drift| drift.removed > 0) {
                    dead_patterns.extend(dead_patterns_of(view, one)?);
                }
                let is_empty = match drift {
                    Some(drift) => drift.files == drift.removed && drift.added == 0,
                    None => age.covers_nothing,
                };
                let row = || DriftedAtom {
                    id: atom.id.clone(),
                    name: atom.name.clone(),
                    drift: drift.clone(),
                };
                match drift {
                    _ if is_empty => covering_nothing.push(row()),
                    Some(drift) if !drift.is_none() => moved.push(row()),
                    _ => fresh += 1,
                }
            }
            moved.sort_by_key(|row| {
                let percent = row.drift.as_ref().map_or(0, |drift| drift.percent);
                (std::cmp::Reverse(percent), row.name.clone(), row.id.clone())
            });
            let (atoms, paging) = Paging::cut(moved, self.offset, self.limit);
            let covering_nothing_total = covering_nothing.len();
            covering_nothing.truncate(MAX_COVERING_NOTHING);
            dead_patterns.truncate(MAX_DEAD_PATTERNS);
            Ok(DriftAnswer {
                atoms,
                fresh,
                covering_nothing,
                covering_nothing_total,
                dead_patterns,
                uncovered: uncovered(view)?,
                paging,
            })
        })
    }
}

/// The patterns of an atom that match nothing, with the likely new ones.
fn dead_patterns_of(view: &View, one: &MeasuredAtom) -> Result<Vec<DeadPattern>> {
    let atom = &one.atom;
    let files = one.footprint.as_ref().map(|then| then.files.as_slice()).unwrap_or_default();
    let mut dead = Vec::new();
    for (at, pattern) in atom.paths.iter().enumerate() {
        let one = std::slice::from_ref(pattern);
        if !matched_files(view, one)?.is_empty() {
            continue;
        }
        let covered = GlobList::of(one);
        let gone: Vec<FileFingerprint> =
            files.iter().filter(|file| covered.matches(&file.path)).cloned().collect();
        let likely = likely_pattern(pattern, &moved_files(view, &gone)?);
        let repaired_paths = match &likely {
            Some(likely) => {
                let mut paths = atom.paths.clone();
                likely.clone_into(&mut paths[at]);
                paths
            }
            None => Vec::new(),
        };
        dead.push(DeadPattern {
            atom_id: atom.id.clone(),
            version: atom.version,
            pattern: pattern.clone(),
            likely,
            repaired_paths,
        });
    }
    Ok(dead)
}

/// The pattern with the folder that most of its files moved to, or the new name of its only file.
fn likely_pattern(pattern: &str, moved: &BTreeMap<String, String>) -> Option<String> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for (old, new) in moved {
        if old == pattern {
            return Some(new.clone());
        }
        // The common parts at the end of both paths are removed; the others differ.
        let (old, new): (Vec<&str>, Vec<&str>) =
            (old.split('/').collect(), new.split('/').collect());
        let ends = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
        let (from, to) = (&old[..old.len() - ends], &new[..new.len() - ends]);
        let (from, to) = (from.join("/"), to.join("/"));
        let rest =
            if from.is_empty() { Some(pattern) } else { pattern.strip_prefix(from.as_str()) };
        let rest = rest.map(|rest| rest.trim_start_matches('/'));
        let renamed = rest.map(|rest| match to.as_str() {
            "" => rest.to_owned(),
            to => format!("{to}/{rest}"),
        });
        if let Some(renamed) = renamed {
            *counts.entry(renamed).or_default() += 1;
        }
    }
    let by_folder = counts.into_iter().max_by_key(|(_, count)| *count).map(|(pattern, _)| pattern);
    // If a single file was renamed, its new path is the best guess, because no folder moved.
    let only = moved.values().next().filter(|_| moved.len() == 1);
    by_folder.or_else(|| only.cloned())
}

/// The folders with the most files that no atom covers.
fn uncovered(view: &View) -> Result<Vec<UncoveredFolder>> {
    let folders = uncovered_folders(view)?;
    let row = |one: &UncoveredCount| UncoveredFolder { path: one.folder.clone(), files: one.files };
    Ok(folders.iter().take(MAX_FOLDERS).map(row).collect())
}

impl Render for DriftAnswer {
    fn render(&self, page: &mut Page) {
        page.answer(format!(
            "{} drifted, {} up to date, {} without a matching file",
            counted(self.paging.total, "atom"),
            self.fresh,
            self.covering_nothing_total
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
        if !self.dead_patterns.is_empty() {
            page.heading("Patterns that match no file any more");
        }
        for dead in &self.dead_patterns {
            let handle = format!("atom:{}", dead.atom_id.short());
            let Some(likely) = &dead.likely else {
                page.say_handle(format!("  {}", dead.pattern), handle);
                continue;
            };
            let update = NextCall::new("knowledge.update")
                .with("id", handle)
                .with("version", dead.version)
                .with("paths", dead.repaired_paths.clone());
            page.say_call(format!("  {} → {likely}", dead.pattern), update);
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
