//! Searches molecules and atoms by words.

use base::Result;

use crate::draft::WorkDraft;
use crate::id::WorkRecordId;
use crate::query::tables::{KnowledgeFilter, matching_knowledge};
use crate::record::{Atom, Molecule, Record};

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

/// The ids of the matching atoms, by name.
pub fn atoms(
    draft: &WorkDraft<'_>,
    project: &WorkRecordId,
    wanted: &KnowledgeQuery<'_>,
) -> Result<Vec<WorkRecordId>> {
    matching(draft, project, wanted, |atom: &Atom| {
        wanted.contains_words(&atom.name, &atom.knowledge)
    })
}

/// The ids of the matching molecules, by name.
pub fn molecules(
    draft: &WorkDraft<'_>,
    project: &WorkRecordId,
    wanted: &KnowledgeQuery<'_>,
) -> Result<Vec<WorkRecordId>> {
    let wanted = KnowledgeQuery { words: wanted.words, ..KnowledgeQuery::default() };
    let fits = |one: &Molecule| wanted.contains_words(&one.name, &one.knowledge);
    matching(draft, project, &wanted, fits)
}

/// The ids of matching records. The store compares words; it lowers the case of ASCII letters only, so the
/// records are read where a word has others.
fn matching<R: Record>(
    draft: &WorkDraft<'_>,
    project: &WorkRecordId,
    wanted: &KnowledgeQuery<'_>,
    fits: impl Fn(&R) -> bool,
) -> Result<Vec<WorkRecordId>> {
    let words = wanted.words.to_lowercase();
    let in_store = words.is_ascii();
    let filter = KnowledgeFilter {
        project: project.as_str(),
        molecule: wanted.molecule.map(WorkRecordId::as_str),
        orphans_only: wanted.orphans_only,
        words: if in_store { words.split_whitespace().collect() } else { Vec::new() },
    };
    let mut found = matching_knowledge(draft.conn(), R::TABLE, &filter)?;
    if !in_store {
        let read =
            |id: &WorkRecordId| draft.get::<R>(id).map(|one| one.is_some_and(|one| fits(&one)));
        let kept = found.iter().map(read).collect::<Result<Vec<bool>>>()?;
        let mut kept = kept.into_iter();
        found.retain(|_| kept.next().unwrap_or_default());
    }
    Ok(found)
}
