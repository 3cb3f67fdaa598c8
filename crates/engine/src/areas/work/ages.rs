//! How far the files of all atoms have moved on, computed once for each state of the store and the index.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use base::Result;
use work::knowledge::drift::{KnowledgeDrift, compute_drift};
use work::record::{Atom, Footprint};
use work::{WorkDraft, WorkRecordId};

use super::files::covered_files;
use super::{STORE, work_patterns};
use crate::view::View;

/// An atom and the state of its files when its knowledge was written.
#[derive(Debug)]
pub struct MeasuredAtom {
    /// The atom
    pub atom: Atom,
    /// The files then
    pub footprint: Option<Footprint>,
}

/// The present state of an atom's files.
#[derive(Debug)]
pub struct AtomAge {
    /// How much they changed since the knowledge was written; `None` if their state was not
    /// recorded
    pub drift: Option<KnowledgeDrift>,
    /// Whether the patterns of the atom match no file
    pub covers_nothing: bool,
}

/// All atoms with their ages, by id.
#[derive(Debug)]
pub struct AgedAtoms {
    atoms: Arc<Vec<MeasuredAtom>>,
    ages: Arc<Vec<AtomAge>>,
}

impl AgedAtoms {
    /// Each atom with its age.
    pub fn iter(&self) -> impl Iterator<Item = (&MeasuredAtom, &AtomAge)> {
        self.atoms.iter().zip(self.ages.iter())
    }
}

/// A folder, and how many of its files no atom covers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UncoveredCount {
    /// The folder; `.` for the root
    pub folder: String,
    /// How many files
    pub files: usize,
}

/// All atoms with their ages.
pub fn aged_atoms(view: &View, draft: &WorkDraft<'_>) -> Result<AgedAtoms> {
    let atoms = measured_atoms(view, draft)?;
    let ages = cached_for_both(view, "ages of atoms", || {
        let covered = covered_files(view)?;
        let age = |one: &MeasuredAtom| {
            view.call().check_stopped()?;
            let now = covered.matching(&one.atom.paths)?;
            let drift = one.footprint.as_ref().map(|then| compute_drift(then, &now));
            Ok(AtomAge { drift, covers_nothing: now.is_empty() })
        };
        atoms.iter().map(age).collect()
    })?;
    Ok(AgedAtoms { atoms, ages })
}

/// All atoms with their footprints, by id, read once for a state of the store.
fn measured_atoms(view: &View, draft: &WorkDraft<'_>) -> Result<Arc<Vec<MeasuredAtom>>> {
    view.cached_for_store("measured atoms", STORE, || {
        let footprints = draft.all::<Footprint>()?.into_iter();
        let mut footprints: HashMap<WorkRecordId, Footprint> =
            footprints.map(|one| (one.id.clone(), one)).collect();
        let measured = |atom: Atom| MeasuredAtom { footprint: footprints.remove(&atom.id), atom };
        Ok(draft.all::<Atom>()?.into_iter().map(measured).collect())
    })
}

/// The folders with files that no atom covers, those with the most such files first.
pub fn uncovered_folders(view: &View) -> Result<Arc<Vec<UncoveredCount>>> {
    cached_for_both(view, "uncovered folders", || {
        let derived = work_patterns(view)?;
        let mut counts = BTreeMap::<String, usize>::new();
        for path in crate::index::tables::all_files(view.index()?.conn())? {
            let name = path.to_string();
            // Nobody writes knowledge about cairn's own files.
            if !name.starts_with(".cairn/") && derived.matcher.matching(&name, None).is_empty() {
                let folder = path.parent().map_or(".".into(), |folder| folder.to_string());
                *counts.entry(folder).or_default() += 1;
            }
        }
        let mut folders: Vec<UncoveredCount> =
            counts.into_iter().map(|(folder, files)| UncoveredCount { folder, files }).collect();
        folders.sort_by(|a, b| b.files.cmp(&a.files).then_with(|| a.folder.cmp(&b.folder)));
        Ok(folders)
    })
}

/// A value derived from the store and the index, cached until one of them changes.
fn cached_for_both<T: Send + Sync + 'static>(
    view: &View,
    name: &'static str,
    make: impl FnOnce() -> Result<T>,
) -> Result<Arc<T>> {
    let Some(index) = view.index()?.fingerprint() else { return make().map(Arc::new) };
    let mark = format!("{} {index}", view.store_fingerprint(STORE)?);
    match view.cached_at(name, &mark) {
        Some(kept) => Ok(kept),
        None => Ok(view.cache_at(name, mark, make()?)),
    }
}
