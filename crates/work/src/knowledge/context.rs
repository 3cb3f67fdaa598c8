//! The knowledge about some paths.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use base::Result;
use schemars::JsonSchema;
use serde::Serialize;

use super::changelog::{self, ChangelogView};
use super::drift::KnowledgeDrift;
use super::globs::AtomMatcher;
use crate::draft::WorkDraft;
use crate::id::WorkRecordId;
use crate::record::{Atom, Footprint, Molecule, RelatedRecord};

/// Knowledge about some paths.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PathKnowledge {
    /// Molecules with the atoms that matched, by name
    pub molecules: Vec<MatchedMolecule>,
    /// Atoms that matched and have no molecule, by name
    pub orphan_atoms: Vec<MatchedAtom>,
    /// The first of the paths that no atom covers
    pub unmatched_paths: Vec<String>,
    /// How many more paths no atom covers
    #[serde(skip_serializing_if = "is_zero")]
    pub more_unmatched_paths: usize,
    /// How many atoms cover one of the paths
    pub total_atoms: usize,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks with a reference")]
const fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// How many covered paths are listed for each atom, and how many uncovered paths in total.
const MAX_LISTED_PATHS: usize = 100;

/// The default number of atoms in an answer.
const DEFAULT_ATOM_LIMIT: usize = 200;

/// Once an answer has this many bytes of knowledge, no further atom is added.
const MAX_KNOWLEDGE_BYTES: usize = 128 * 1024;

/// Which page of the knowledge is returned.
#[derive(Debug, Clone, Copy)]
pub struct KnowledgePage {
    /// How many atoms are skipped
    pub offset: usize,
    /// How many atoms are returned at most
    pub limit: usize,
    /// How many changelog entries are returned with each atom
    pub changelog_limit: usize,
}

impl KnowledgePage {
    /// The largest page that an answer can hold.
    pub const fn all(changelog_limit: usize) -> Self {
        Self { offset: 0, limit: DEFAULT_ATOM_LIMIT, changelog_limit }
    }
}

/// A molecule, with its atoms that matched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MatchedMolecule {
    /// Its id
    pub id: WorkRecordId,
    /// What it is called
    pub name: String,
    /// The knowledge
    pub knowledge: String,
    /// Its atoms that matched, by name
    pub atoms: Vec<MatchedAtom>,
}

/// An atom that matched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MatchedAtom {
    /// Its id
    pub id: WorkRecordId,
    /// What it is called
    pub name: String,
    /// The knowledge
    pub knowledge: String,
    /// The first of the paths that it covers
    pub matched_paths: Vec<String>,
    /// How many more of the paths it covers
    #[serde(skip_serializing_if = "is_zero")]
    pub more_matched_paths: usize,
    /// Related atoms
    pub related_atoms: Vec<RelatedAtom>,
    /// The last entries of its history
    pub changelog: Vec<ChangelogView>,
    /// How much the code has changed since
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drift: Option<KnowledgeDrift>,
}

/// Another atom.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RelatedAtom {
    /// Its id
    pub atom_id: WorkRecordId,
    /// What it is called
    pub name: String,
    /// How they are related
    pub reason: String,
}

/// Another molecule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RelatedMolecule {
    /// Its id
    pub molecule_id: WorkRecordId,
    /// What it is called
    pub name: String,
    /// How they are related
    pub reason: String,
}

impl PathKnowledge {
    /// Every atom that matched.
    pub fn atoms(&self) -> impl Iterator<Item = &MatchedAtom> {
        self.molecules.iter().flat_map(|molecule| &molecule.atoms).chain(&self.orphan_atoms)
    }
}

/// Cache of atoms, valid for one revision of the store.
#[derive(Debug, Default)]
pub struct AtomCache(Mutex<HashMap<WorkRecordId, Arc<CachedAtom>>>);

/// An atom with its changelog and footprint.
#[derive(Debug)]
struct CachedAtom {
    atom: Atom,
    footprint: Option<Footprint>,
    changelog: Vec<ChangelogView>,
}

impl AtomCache {
    /// The atoms with these ids, by id. Those that are not cached are read in one query.
    fn all(&self, draft: &WorkDraft<'_>, ids: &[&WorkRecordId]) -> Result<Vec<Arc<CachedAtom>>> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let new: Vec<&WorkRecordId> =
            ids.iter().copied().filter(|id| !known.contains_key(*id)).collect();
        if !new.is_empty() {
            let footprints = draft.stored::<Footprint>("id", &new)?.into_iter();
            let mut footprints: BTreeMap<WorkRecordId, Footprint> =
                footprints.map(|then| (then.id.clone(), then)).collect();
            let mut changes = changelog::of_all(draft, &new)?;
            for atom in draft.stored::<Atom>("id", &new)? {
                let then = footprints.remove(&atom.id);
                let changelog = changes.remove(&atom.id).unwrap_or_default();
                known.insert(
                    atom.id.clone(),
                    Arc::new(CachedAtom { atom, footprint: then, changelog }),
                );
            }
        }
        Ok(ids.iter().filter_map(|id| known.get(*id).cloned()).collect())
    }
}

/// The sources of atoms.
#[derive(Clone, Copy)]
pub struct KnowledgeSources<'a> {
    /// The store
    pub draft: &'a WorkDraft<'a>,
    /// The patterns of all atoms
    pub matcher: &'a AtomMatcher,
    /// Cache of atoms
    pub cache: &'a AtomCache,
}

/// The knowledge about some paths: molecules by name, and in each its atoms by name. `aged` computes the
/// drift of an atom from its footprint.
pub fn knowledge_for_paths(
    sources: KnowledgeSources<'_>,
    project: Option<&WorkRecordId>,
    paths: &[String],
    part: KnowledgePage,
    aged: impl Fn(&Atom, &Footprint) -> Result<KnowledgeDrift>,
) -> Result<PathKnowledge> {
    let KnowledgeSources { draft, matcher, cache: recall } = sources;
    let mut matched: BTreeMap<&WorkRecordId, Vec<String>> = BTreeMap::new();
    let mut known = PathKnowledge::default();
    for path in paths {
        let atoms = matcher.matching(path, project);
        match atoms.is_empty() {
            true if known.unmatched_paths.len() < MAX_LISTED_PATHS => {
                known.unmatched_paths.push(path.clone());
            }
            true => known.more_unmatched_paths += 1,
            false => {}
        }
        for id in atoms {
            matched.entry(id).or_default().push(path.clone());
        }
    }
    let ids: Vec<&WorkRecordId> = matched.keys().copied().collect();
    let ordered = OrderedAtoms::of(draft, recall.all(draft, &ids)?)?;
    known.total_atoms = ordered.atoms.len();
    let mut bytes = 0;
    for (molecule, recalled) in ordered.atoms.iter().skip(part.offset).take(part.limit) {
        let CachedAtom { atom, footprint: then, changelog } = recalled.as_ref();
        bytes += atom.knowledge.len();
        if bytes > MAX_KNOWLEDGE_BYTES && known.atoms().next().is_some() {
            break;
        }
        let mut matched_paths = matched.remove(&atom.id).unwrap_or_default();
        let more_matched_paths = matched_paths.len().saturating_sub(MAX_LISTED_PATHS);
        matched_paths.truncate(MAX_LISTED_PATHS);
        let shown = MatchedAtom {
            related_atoms: related_atoms(draft, &atom.related)?,
            matched_paths,
            more_matched_paths,
            id: atom.id.clone(),
            name: atom.name.clone(),
            knowledge: atom.knowledge.clone(),
            changelog: changelog.iter().take(part.changelog_limit).cloned().collect(),
            drift: then.as_ref().map(|then| aged(atom, then)).transpose()?,
        };
        known.push_atom(molecule.as_ref().and_then(|id| ordered.molecules.get(id)), shown);
    }
    Ok(known)
}

impl PathKnowledge {
    /// Adds an atom, which comes after those that are there.
    fn push_atom(&mut self, molecule: Option<&Molecule>, atom: MatchedAtom) {
        let Some(molecule) = molecule else { return self.orphan_atoms.push(atom) };
        match self.molecules.last_mut().filter(|last| last.id == molecule.id) {
            Some(last) => last.atoms.push(atom),
            None => self.molecules.push(MatchedMolecule {
                id: molecule.id.clone(),
                name: molecule.name.clone(),
                knowledge: molecule.knowledge.clone(),
                atoms: vec![atom],
            }),
        }
    }
}

/// Atoms in the order of the answer, each with its molecule.
struct OrderedAtoms {
    atoms: Vec<(Option<WorkRecordId>, Arc<CachedAtom>)>,
    molecules: BTreeMap<WorkRecordId, Molecule>,
}

impl OrderedAtoms {
    fn of(draft: &WorkDraft<'_>, recalled: Vec<Arc<CachedAtom>>) -> Result<Self> {
        let mut molecules: BTreeMap<WorkRecordId, Molecule> = BTreeMap::new();
        for id in recalled.iter().filter_map(|one| one.atom.molecule_id.as_ref()) {
            if !molecules.contains_key(id)
                && let Some(molecule) = draft.get::<Molecule>(id)?
            {
                molecules.insert(id.clone(), molecule);
            }
        }
        let home =
            |one: &CachedAtom| one.atom.molecule_id.clone().filter(|id| molecules.contains_key(id));
        let mut atoms: Vec<(Option<WorkRecordId>, Arc<CachedAtom>)> =
            recalled.into_iter().map(|one| (home(&one), one)).collect();
        atoms.sort_by_cached_key(|(molecule, one)| {
            let name = molecule.as_ref().map(|id| molecules[id].name.clone());
            (molecule.is_none(), name, molecule.clone(), one.atom.name.clone(), one.atom.id.clone())
        });
        Ok(Self { atoms, molecules })
    }
}

/// The related atoms that still exist, with their names.
pub fn related_atoms(draft: &WorkDraft<'_>, related: &[RelatedRecord]) -> Result<Vec<RelatedAtom>> {
    let mut found = Vec::new();
    for RelatedRecord { id, reason } in related {
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

/// The related molecules that still exist, with their names.
pub fn related_molecules(
    draft: &WorkDraft<'_>,
    related: &[RelatedRecord],
) -> Result<Vec<RelatedMolecule>> {
    let mut found = Vec::new();
    for RelatedRecord { id, reason } in related {
        if let Some(molecule) = draft.get::<Molecule>(id)? {
            let (molecule_id, name) = (id.clone(), molecule.name);
            found.push(RelatedMolecule { molecule_id, name, reason: reason.clone() });
        }
    }
    Ok(found)
}
