//! Searches molecules and atoms by words.

use base::Result;

use crate::draft::WorkDraft;
use crate::id::WorkRecordId;
use crate::record::{Atom, Molecule};

/// A filter for atoms or molecules.
#[derive(Debug, Clone, Default)]
pub struct KnowledgeQuery<'a> {
    /// Words that the name or the knowledge must all contain
    pub words: &'a str,
    /// Atoms of this molecule
    pub molecule: Option<&'a WorkRecordId>,
    /// Atoms without a molecule
    pub orphans_only: bool,
}

impl KnowledgeQuery<'_> {
    fn contains_words(&self, name: &str, knowledge: &str) -> bool {
        let text = format!("{name}\n{knowledge}").to_lowercase();
        self.words.to_lowercase().split_whitespace().all(|word| text.contains(word))
    }
}

/// The matching atoms, by name.
pub fn atoms(
    draft: &WorkDraft<'_>,
    project: &WorkRecordId,
    wanted: &KnowledgeQuery<'_>,
) -> Result<Vec<Atom>> {
    let mut found = match wanted.molecule {
        Some(molecule) => draft.list::<Atom>("molecule_id", molecule)?,
        None => draft.list::<Atom>("project_id", project)?,
    };
    found.retain(|atom| {
        atom.project_id == *project
            && !(wanted.orphans_only && atom.molecule_id.is_some())
            && wanted.contains_words(&atom.name, &atom.knowledge)
    });
    found.sort_by(|a, b| (&a.name, &a.id).cmp(&(&b.name, &b.id)));
    Ok(found)
}

/// The matching molecules, by name.
pub fn molecules(
    draft: &WorkDraft<'_>,
    project: &WorkRecordId,
    wanted: &KnowledgeQuery<'_>,
) -> Result<Vec<Molecule>> {
    let mut found = draft.list::<Molecule>("project_id", project)?;
    found.retain(|molecule| wanted.contains_words(&molecule.name, &molecule.knowledge));
    found.sort_by(|a, b| (&a.name, &a.id).cmp(&(&b.name, &b.id)));
    Ok(found)
}
