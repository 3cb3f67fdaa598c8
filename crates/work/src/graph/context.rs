//! What to know before touching some files.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use base::Result;
use schemars::JsonSchema;
use serde::Serialize;

use super::changelog::{self, Change};
use super::drift::Drift;
use super::globs::Matcher;
use crate::draft::Draft;
use crate::id::Id;
use crate::record::{Atom, Footprint, Molecule, Related};

/// Knowledge about some paths.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Known {
    /// Molecules with the atoms that matched, by name
    pub molecules: Vec<KnownMolecule>,
    /// Atoms that matched and have no molecule, by name
    pub orphan_atoms: Vec<KnownAtom>,
    /// Paths that no atom covers
    pub unmatched_paths: Vec<String>,
}

/// A molecule, with its atoms that matched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct KnownMolecule {
    /// Its id
    pub id: Id,
    /// What it is called
    pub name: String,
    /// What is worth knowing
    pub knowledge: String,
    /// Its atoms that matched, by name
    pub atoms: Vec<KnownAtom>,
}

/// An atom that matched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct KnownAtom {
    /// Its id
    pub id: Id,
    /// What it is called
    pub name: String,
    /// What is worth knowing
    pub knowledge: String,
    /// Which of the paths it covers
    pub matched_paths: Vec<String>,
    /// Atoms it has to do with
    pub related_atoms: Vec<RelatedAtom>,
    /// The last entries of its history
    pub changelog: Vec<Change>,
    /// How far the code has moved on since
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drift: Option<Drift>,
}

/// Another atom.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RelatedAtom {
    /// Its id
    pub atom_id: Id,
    /// What it is called
    pub name: String,
    /// What they have to do with each other
    pub reason: String,
}

/// Another molecule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RelatedMolecule {
    /// Its id
    pub molecule_id: Id,
    /// What it is called
    pub name: String,
    /// What they have to do with each other
    pub reason: String,
}

impl Known {
    /// Every atom that matched.
    pub fn atoms(&self) -> impl Iterator<Item = &KnownAtom> {
        self.molecules.iter().flat_map(|molecule| &molecule.atoms).chain(&self.orphan_atoms)
    }
}

/// Atoms that were asked for before, for as long as the store is the same.
#[derive(Debug, Default)]
pub struct Recall(Mutex<HashMap<Id, Arc<Recalled>>>);

/// An atom with what is kept beside it.
#[derive(Debug)]
struct Recalled {
    atom: Atom,
    then: Option<Footprint>,
    changelog: Vec<Change>,
}

impl Recall {
    /// The atoms with these ids, by id. Those that nobody has asked for yet are read together.
    fn all(&self, draft: &Draft<'_>, ids: &[&Id]) -> Result<Vec<Arc<Recalled>>> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let new: Vec<&Id> = ids.iter().copied().filter(|id| !known.contains_key(*id)).collect();
        if !new.is_empty() {
            let footprints = draft.stored::<Footprint>("id", &new)?.into_iter();
            let mut footprints: BTreeMap<Id, Footprint> =
                footprints.map(|then| (then.id.clone(), then)).collect();
            let mut changes = changelog::of_all(draft, &new)?;
            for atom in draft.stored::<Atom>("id", &new)? {
                let then = footprints.remove(&atom.id);
                let changelog = changes.remove(&atom.id).unwrap_or_default();
                known.insert(atom.id.clone(), Arc::new(Recalled { atom, then, changelog }));
            }
        }
        Ok(ids.iter().filter_map(|id| known.get(*id).cloned()).collect())
    }
}

/// Matches paths and gathers what is known about them; `aged` says how old an atom's knowledge is
/// by what its files were.
pub fn context(
    (draft, matcher, recall): (&Draft<'_>, &Matcher, &Recall),
    (project, paths): (Option<&Id>, &[String]),
    changelog_limit: usize,
    aged: impl Fn(&Atom, &Footprint) -> Result<Drift>,
) -> Result<Known> {
    let mut matched: BTreeMap<&Id, Vec<String>> = BTreeMap::new();
    let mut unmatched_paths = Vec::new();
    for path in paths {
        let atoms = matcher.matching(path, project);
        if atoms.is_empty() {
            unmatched_paths.push(path.clone());
        }
        for id in atoms {
            matched.entry(id).or_default().push(path.clone());
        }
    }
    let ids: Vec<&Id> = matched.keys().copied().collect();
    let recalled = recall.all(draft, &ids)?;
    let mut known = Known { unmatched_paths, ..Known::default() };
    let mut molecules: BTreeMap<Id, KnownMolecule> = BTreeMap::new();
    for recalled in &recalled {
        let Recalled { atom, then, changelog } = recalled.as_ref();
        let shown = KnownAtom {
            related_atoms: related_atoms(draft, &atom.related)?,
            matched_paths: matched.remove(&atom.id).unwrap_or_default(),
            id: atom.id.clone(),
            name: atom.name.clone(),
            knowledge: atom.knowledge.clone(),
            changelog: changelog.iter().take(changelog_limit).cloned().collect(),
            drift: then.as_ref().map(|then| aged(atom, then)).transpose()?,
        };
        let molecule = atom.molecule_id.as_ref().map(|id| draft.get::<Molecule>(id)).transpose()?;
        match molecule.flatten() {
            None => known.orphan_atoms.push(shown),
            Some(molecule) => {
                let Molecule { id, name, knowledge, .. } = molecule;
                let new = KnownMolecule { id: id.clone(), name, knowledge, atoms: Vec::new() };
                molecules.entry(id).or_insert(new).atoms.push(shown);
            }
        }
    }
    known.molecules = molecules.into_values().collect();
    known.molecules.sort_by(|a, b| (&a.name, &a.id).cmp(&(&b.name, &b.id)));
    let by_name = |atoms: &mut Vec<KnownAtom>| {
        atoms.sort_by(|a, b| (&a.name, &a.id).cmp(&(&b.name, &b.id)));
    };
    known.molecules.iter_mut().for_each(|molecule| by_name(&mut molecule.atoms));
    by_name(&mut known.orphan_atoms);
    Ok(known)
}

/// The related atoms that are still there, with their names.
pub fn related_atoms(draft: &Draft<'_>, related: &[Related]) -> Result<Vec<RelatedAtom>> {
    let mut found = Vec::new();
    for Related { id, reason } in related {
        if let Some(atom) = draft.get::<Atom>(id)? {
            found.push(RelatedAtom {
                atom_id: id.clone(),
                name: atom.name,
                reason: reason.clone(),
            });
        }
    }
    Ok(found)
}

/// The related molecules that are still there, with their names.
pub fn related_molecules(draft: &Draft<'_>, related: &[Related]) -> Result<Vec<RelatedMolecule>> {
    let mut found = Vec::new();
    for Related { id, reason } in related {
        if let Some(molecule) = draft.get::<Molecule>(id)? {
            let (molecule_id, name) = (id.clone(), molecule.name);
            found.push(RelatedMolecule { molecule_id, name, reason: reason.clone() });
        }
    }
    Ok(found)
}
