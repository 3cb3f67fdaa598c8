//! Molecules and atoms as answers show them.

use base::words::counted;
use base::{Problem, Result};
use schemars::JsonSchema;
use serde::Serialize;
use work::knowledge::changelog::{self, ChangelogView};
use work::knowledge::context::{
    MatchedAtom, PathKnowledge, RelatedAtom, RelatedMolecule, related_atoms, related_molecules,
};
use work::knowledge::drift::KnowledgeDrift;
use work::knowledge::edit::KnowledgeRecord;
use work::record::{Atom, Molecule};
use work::{WorkDraft, WorkRecordId};

use engine::contract::page::{Page, Render};

/// How many uncovered paths a page shows.
const MAX_UNCOVERED: usize = 20;

/// How many covered paths of an atom a page shows.
const MAX_COVERED: usize = 6;

/// An atom with what answers add to it
#[derive(Debug, Serialize, JsonSchema)]
pub struct AtomDetails {
    /// Its id
    pub id: WorkRecordId,
    /// Its project
    pub project_id: WorkRecordId,
    /// Its molecule
    pub molecule_id: Option<WorkRecordId>,
    /// Its name
    pub name: String,
    /// Globs of the files it is about
    pub paths: Vec<String>,
    /// The knowledge
    pub knowledge: String,
    /// Related atoms
    pub related_atoms: Vec<RelatedAtom>,
    /// The task that created it
    pub created_by_task_id: Option<WorkRecordId>,
    /// The task that changed it last
    pub last_task_id: Option<WorkRecordId>,
    /// Its version
    pub version: u32,
    /// When it was created
    pub created_at: String,
    /// When it was last changed
    pub updated_at: String,
    /// The newest changelog entries
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changelog: Vec<ChangelogView>,
    /// How much the covered code changed since it was written
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drift: Option<KnowledgeDrift>,
}

/// A molecule with what answers add to it
#[derive(Debug, Serialize, JsonSchema)]
pub struct MoleculeDetails {
    /// Its id
    pub id: WorkRecordId,
    /// Its project
    pub project_id: WorkRecordId,
    /// Its name
    pub name: String,
    /// The knowledge
    pub knowledge: String,
    /// Related molecules
    pub related_molecules: Vec<RelatedMolecule>,
    /// The task that created it
    pub created_by_task_id: Option<WorkRecordId>,
    /// The task that changed it last
    pub last_task_id: Option<WorkRecordId>,
    /// Its version
    pub version: u32,
    /// When it was created
    pub created_at: String,
    /// When it was last changed
    pub updated_at: String,
    /// The newest changelog entries
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changelog: Vec<ChangelogView>,
}

/// The newest entries of a changelog.
fn last_changes(
    draft: &WorkDraft<'_>,
    id: &WorkRecordId,
    most: usize,
) -> Result<Vec<ChangelogView>> {
    if most == 0 {
        return Ok(Vec::new());
    }
    let mut entries = changelog::of(draft, id)?;
    entries.truncate(most);
    Ok(entries)
}

impl AtomDetails {
    /// An atom with its changelog and related names.
    pub(crate) fn of(draft: &WorkDraft<'_>, atom: Atom, changes: usize) -> Result<Self> {
        Ok(Self {
            related_atoms: related_atoms(draft, &atom.related)?,
            changelog: last_changes(draft, &atom.id, changes)?,
            drift: None,
            id: atom.id,
            project_id: atom.project_id,
            molecule_id: atom.molecule_id,
            name: atom.name,
            paths: atom.paths,
            knowledge: atom.knowledge,
            created_by_task_id: atom.created_by_task_id,
            last_task_id: atom.last_task_id,
            version: atom.version,
            created_at: atom.created_at,
            updated_at: atom.updated_at,
        })
    }

    /// Its handle.
    pub(crate) fn handle(&self) -> String {
        format!("atom:{}", self.id.short())
    }
}

impl MoleculeDetails {
    /// A molecule with its changelog and related names.
    pub(crate) fn of(draft: &WorkDraft<'_>, molecule: Molecule, changes: usize) -> Result<Self> {
        Ok(Self {
            related_molecules: related_molecules(draft, &molecule.related)?,
            changelog: last_changes(draft, &molecule.id, changes)?,
            id: molecule.id,
            project_id: molecule.project_id,
            name: molecule.name,
            knowledge: molecule.knowledge,
            created_by_task_id: molecule.created_by_task_id,
            last_task_id: molecule.last_task_id,
            version: molecule.version,
            created_at: molecule.created_at,
            updated_at: molecule.updated_at,
        })
    }

    /// Its handle.
    pub(crate) fn handle(&self) -> String {
        format!("molecule:{}", self.id.short())
    }
}

/// The answer of a write to an atom or molecule
#[derive(Debug, Serialize, JsonSchema)]
pub struct GraphWriteAnswer {
    /// The atom, if it is one
    #[serde(skip_serializing_if = "Option::is_none")]
    pub atom: Option<AtomDetails>,
    /// The molecule, if it is one
    #[serde(skip_serializing_if = "Option::is_none")]
    pub molecule: Option<MoleculeDetails>,
    /// Warnings
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    #[serde(skip)]
    outcome: String,
}

impl GraphWriteAnswer {
    /// A record that was written, and a verb for what happened to it.
    pub(crate) fn of(draft: &WorkDraft<'_>, known: KnowledgeRecord, told: &str) -> Result<Self> {
        let line = format!(
            "{told} {} \"{}\"  version {}    {}",
            known.grain(),
            known.name(),
            known.version(),
            known.handle()
        );
        let (mut atom, mut molecule, mut warnings) = (None, None, Vec::new());
        match known {
            KnowledgeRecord::Atom(one) => {
                warnings.extend(secret_warning(&one.knowledge));
                atom = Some(AtomDetails::of(draft, one, 0)?);
            }
            KnowledgeRecord::Molecule(one) => {
                warnings.extend(secret_warning(&one.knowledge));
                molecule = Some(MoleculeDetails::of(draft, one, 0)?);
            }
        }
        if atom.is_none() && molecule.is_none() {
            return Err(Problem::internal("neither an atom nor a molecule"));
        }
        Ok(Self { atom, molecule, warnings, outcome: line })
    }
}

/// A warning if a text looks as if it contained a secret.
fn secret_warning(text: &str) -> Option<String> {
    let marks = ["-----BEGIN", "AKIA", "ghp_", "xox", "sk-", "password=", "secret=", "api_key="];
    let lower = text.to_lowercase();
    let found = marks.iter().find(|mark| text.contains(**mark) || lower.contains(**mark))?;
    Some(format!(
        "the knowledge contains `{found}`, which looks like a secret that others could read"
    ))
}

impl Render for GraphWriteAnswer {
    fn render(&self, page: &mut Page) {
        page.answer(&self.outcome);
        self.warnings.iter().for_each(|warning| page.item("warning", warning));
    }
}

/// Knowledge about paths, quoted with its source and its age.
pub(crate) fn render_known(page: &mut Page, known: &PathKnowledge) {
    for molecule in &known.molecules {
        page.heading(format!("{}    molecule:{}", molecule.name, molecule.id.short()));
        if !molecule.knowledge.is_empty() {
            page.quoted(&molecule.knowledge, format!("molecule \"{}\"", molecule.name));
        }
        molecule.atoms.iter().for_each(|atom| render_atom(page, atom));
    }
    if !known.orphan_atoms.is_empty() && !known.molecules.is_empty() {
        page.heading("Atoms without a molecule");
    }
    known.orphan_atoms.iter().for_each(|atom| render_atom(page, atom));
    if !known.unmatched_paths.is_empty() {
        let count = known.unmatched_paths.len() + known.more_unmatched_paths;
        page.heading(format!("No atom covers {}", counted(count, "path")));
        render_unmatched(page, known);
    }
}

/// Renders the paths that no atom covers, without a heading.
pub(crate) fn render_unmatched(page: &mut Page, known: &PathKnowledge) {
    let shown = known.unmatched_paths.iter().take(MAX_UNCOVERED);
    shown.for_each(|path| page.say(format!("  {path}")));
    let count = known.unmatched_paths.len() + known.more_unmatched_paths;
    if count > MAX_UNCOVERED {
        page.say(format!("  and {} more", count - MAX_UNCOVERED));
    }
}

fn render_atom(page: &mut Page, atom: &MatchedAtom) {
    let age = atom.drift.as_ref().map_or(String::new(), |drift| format!("  {}", drift.describe()));
    let shown: Vec<&str> =
        atom.matched_paths.iter().take(MAX_COVERED).map(String::as_str).collect();
    let more = atom.matched_paths.len() - shown.len() + atom.more_matched_paths;
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    let line = format!("\"{}\" covers {}{more}{age}", atom.name, shown.join(", "));
    page.say_handle(line, format!("atom:{}", atom.id.short()));
    if !atom.knowledge.is_empty() {
        page.quoted(&atom.knowledge, format!("atom \"{}\"", atom.name));
    }
    for related in &atom.related_atoms {
        let line = format!("  related: \"{}\", {}", related.name, related.reason);
        page.say_handle(line, format!("atom:{}", related.atom_id.short()));
    }
    for change in &atom.changelog {
        let day = change.created_at.get(..10).unwrap_or_default();
        page.say_handle(format!("  {day}  {}", change.summary), change.task());
    }
}
