//! Creates, changes and deletes molecules and atoms.

use base::words::with_article;
use base::{Problem, ProblemCode, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::globs::{PathGlob, checked_patterns};
use crate::container::{check_version, project};
use crate::draft::WorkDraft;
use crate::id::{WorkRecordId, WorkRecordRef};
use crate::record::{
    Atom, ChangelogEntry, FileFingerprint, Footprint, Molecule, Project, Record, RelatedRecord,
    Table, Task,
};
use crate::text::{
    ClearableArg, JsonArg, KnowledgeText, ListArg, MAX_KNOWLEDGE_BYTES, RecordName, SummaryText,
};
use crate::words::{KnowledgeKind, KnowledgeWriteMode};

/// How many related records one record may have.
const MAX_RELATED: usize = 50;

/// A related record of the same kind, as a caller refers to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RelatedRef {
    /// The related record
    #[serde(alias = "atomId", alias = "moleculeId", alias = "atom_id", alias = "molecule_id")]
    pub id: WorkRecordRef,
    /// Why the two are related
    #[serde(default = "empty_summary")]
    pub reason: SummaryText,
}

fn empty_summary() -> SummaryText {
    "".parse().expect("an empty summary is valid")
}

/// The fields to set. An absent field keeps its value; a new record gets the default.
#[derive(Debug, Clone, Default)]
pub struct KnowledgeFields {
    /// Its name
    pub name: Option<RecordName>,
    /// Globs of an atom's files
    pub paths: Option<ListArg<PathGlob>>,
    /// The knowledge
    pub knowledge: Option<KnowledgeText>,
    /// The molecule of an atom
    pub molecule: Option<ClearableArg<WorkRecordRef>>,
    /// Related records of the same kind
    pub related: Option<JsonArg<Vec<RelatedRef>>>,
    /// The task that writes it
    pub task: Option<WorkRecordRef>,
}

/// An atom or molecule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KnowledgeRecord {
    /// An atom
    Atom(Atom),
    /// A molecule
    Molecule(Molecule),
}

impl KnowledgeRecord {
    /// Its kind.
    pub const fn grain(&self) -> KnowledgeKind {
        match self {
            Self::Atom(_) => KnowledgeKind::Atom,
            Self::Molecule(_) => KnowledgeKind::Molecule,
        }
    }

    /// Its id.
    pub const fn id(&self) -> &WorkRecordId {
        match self {
            Self::Atom(atom) => &atom.id,
            Self::Molecule(molecule) => &molecule.id,
        }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        match self {
            Self::Atom(atom) => &atom.name,
            Self::Molecule(molecule) => &molecule.name,
        }
    }

    /// Its version.
    pub const fn version(&self) -> u32 {
        match self {
            Self::Atom(atom) => atom.version,
            Self::Molecule(molecule) => molecule.version,
        }
    }

    /// Its handle, which other operations accept.
    pub fn handle(&self) -> String {
        format!("{}:{}", self.grain(), self.id().short())
    }
}

/// The atom or molecule that a reference means.
pub fn find(
    draft: &WorkDraft<'_>,
    grain: Option<KnowledgeKind>,
    asked: &WorkRecordRef,
) -> Result<KnowledgeRecord> {
    let written = asked.kind.as_deref().map(str::parse::<KnowledgeKind>).transpose();
    let grain = grain.or(written.map_err(Problem::invalid)?);
    let tables: &[Table] = match grain {
        Some(KnowledgeKind::Atom) => &[Atom::TABLE],
        Some(KnowledgeKind::Molecule) => &[Molecule::TABLE],
        None => &[Atom::TABLE, Molecule::TABLE],
    };
    let (table, id) = draft.look_up(tables, asked)?;
    match table == Atom::TABLE {
        true => draft.require(&id).map(KnowledgeRecord::Atom),
        false => draft.require(&id).map(KnowledgeRecord::Molecule),
    }
}

/// An atom or molecule to change, and the version that the caller last read.
#[derive(Debug, Clone, Copy)]
pub struct KnowledgeTarget<'a> {
    /// Its kind, if it is known
    pub grain: Option<KnowledgeKind>,
    /// The record
    pub id: &'a WorkRecordRef,
    /// The version
    pub version: u32,
}

/// Creates an atom or molecule.
pub fn create(
    draft: &mut WorkDraft<'_>,
    grain: KnowledgeKind,
    project_ref: Option<&WorkRecordRef>,
    fields: &KnowledgeFields,
    seen: Option<Vec<FileFingerprint>>,
) -> Result<KnowledgeRecord> {
    let Some(name) = &fields.name else {
        return Err(Problem::invalid(format!("{} needs a name", with_article(grain.word()))));
    };
    fields.refuse_inapplicable_fields(grain)?;
    let project: Project = project(draft, project_ref)?;
    let task = fields.task_id(draft)?;
    let (id, now) = (draft.new_id(), draft.stamp());
    let knowledge = fields.knowledge.as_ref().map_or("", KnowledgeText::as_str).trim().to_owned();
    let name = name.as_str().trim().to_owned();
    let (created_at, updated_at) = (now.clone(), now);
    let (created_by_task_id, last_task_id) = (task.clone(), task);
    let made = match grain {
        KnowledgeKind::Molecule => {
            let related = fields.related_of::<Molecule>(draft, &id, &project.id)?;
            let molecule = Molecule {
                project_id: project.id,
                related,
                id,
                name,
                knowledge,
                created_by_task_id,
                last_task_id,
                version: 1,
                created_at,
                updated_at,
            };
            draft.put(&molecule)?;
            KnowledgeRecord::Molecule(molecule)
        }
        KnowledgeKind::Atom => {
            let paths =
                checked_patterns(fields.paths.as_ref().map_or(&[], |many| many.0.as_slice()))?;
            let molecule_id =
                fields.molecule_of(draft, &project.id)?.and_then(|molecule| molecule.0);
            let related = fields.related_of::<Atom>(draft, &id, &project.id)?;
            let atom = Atom {
                project_id: project.id,
                related,
                id,
                molecule_id,
                name,
                paths,
                knowledge,
                created_by_task_id,
                last_task_id,
                version: 1,
                created_at,
                updated_at,
            };
            draft.put(&atom)?;
            put_footprint(draft, &atom.id, seen)?;
            KnowledgeRecord::Atom(atom)
        }
    };
    Ok(made)
}

/// Changes an atom or molecule.
pub fn update(
    draft: &mut WorkDraft<'_>,
    target: KnowledgeTarget<'_>,
    fields: &KnowledgeFields,
    mode: KnowledgeWriteMode,
    seen: Option<Vec<FileFingerprint>>,
) -> Result<KnowledgeRecord> {
    let known = find(draft, target.grain, target.id)?;
    let what = format!("{} \"{}\"", known.grain(), known.name());
    // An append removes nothing, so it is allowed after changes that its author has not seen.
    let merges = mode == KnowledgeWriteMode::Append && fields.is_only_text();
    if !merges || target.version > known.version() {
        check_version(&what, known.version(), Some(target.version))?;
    }
    fields.refuse_inapplicable_fields(known.grain())?;
    let task = fields.task_id(draft)?;
    let now = draft.stamp();
    match known {
        KnowledgeRecord::Molecule(mut molecule) => {
            if fields.related.is_some() {
                let (own, project) = (&molecule.id, &molecule.project_id);
                molecule.related = fields.related_of::<Molecule>(draft, own, project)?;
            }
            molecule.name = fields.name_or(molecule.name);
            molecule.knowledge =
                fields.knowledge_or(molecule.knowledge, mode, &now, task.as_ref())?;
            molecule.last_task_id = task.or(molecule.last_task_id);
            (molecule.version, molecule.updated_at) = (molecule.version + 1, now);
            draft.put(&molecule)?;
            Ok(KnowledgeRecord::Molecule(molecule))
        }
        KnowledgeRecord::Atom(mut atom) => {
            if let Some(paths) = &fields.paths {
                atom.paths = checked_patterns(&paths.0)?;
            }
            if let Some(molecule) = fields.molecule_of(draft, &atom.project_id)? {
                atom.molecule_id = molecule.0;
            }
            if fields.related.is_some() {
                atom.related = fields.related_of::<Atom>(draft, &atom.id, &atom.project_id)?;
            }
            atom.name = fields.name_or(atom.name);
            atom.knowledge = fields.knowledge_or(atom.knowledge, mode, &now, task.as_ref())?;
            atom.last_task_id = task.or(atom.last_task_id);
            (atom.version, atom.updated_at) = (atom.version + 1, now);
            draft.put(&atom)?;
            put_footprint(draft, &atom.id, seen)?;
            Ok(KnowledgeRecord::Atom(atom))
        }
    }
}

/// The result of deleting an atom or molecule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DeletedKnowledge {
    /// Its kind
    pub entity_type: KnowledgeKind,
    /// Its id
    pub id: WorkRecordId,
    /// What it was called
    pub name: String,
    /// Atoms that were deleted with it
    pub deleted_atoms: Vec<WorkRecordId>,
    /// Atoms that now have no molecule
    pub orphaned_atoms: Vec<WorkRecordId>,
    /// How many changelog entries were deleted with it
    pub changelog_entries: usize,
}

/// Deletes an atom or molecule. The atoms of a molecule are deleted too with `cascade`; otherwise they
/// stay without a molecule.
pub fn delete(
    draft: &mut WorkDraft<'_>,
    target: KnowledgeTarget<'_>,
    task: Option<&WorkRecordRef>,
    cascade: bool,
) -> Result<DeletedKnowledge> {
    let known = find(draft, target.grain, target.id)?;
    let what = format!("{} \"{}\"", known.grain(), known.name());
    check_version(&what, known.version(), Some(target.version))?;
    let task = task.map(|task| draft.find::<Task>(task)).transpose()?.map(|task| task.id);
    let mut removed = DeletedKnowledge {
        entity_type: known.grain(),
        id: known.id().clone(),
        name: known.name().to_owned(),
        deleted_atoms: Vec::new(),
        orphaned_atoms: Vec::new(),
        changelog_entries: 0,
    };
    if let KnowledgeRecord::Molecule(molecule) = &known {
        for atom in draft.list::<Atom>("molecule_id", &molecule.id)? {
            if cascade {
                removed.changelog_entries += remove_atom(draft, &atom.id)?;
                removed.deleted_atoms.push(atom.id);
            } else {
                removed.orphaned_atoms.push(atom.id.clone());
                remove_from_molecule(draft, atom, task.as_ref())?;
            }
        }
        removed.changelog_entries += remove_entries(draft, &molecule.id)?;
        draft.delete::<Molecule>(&molecule.id)?;
    } else {
        removed.changelog_entries += remove_atom(draft, known.id())?;
    }
    Ok(removed)
}

/// Leaves an atom without a molecule.
fn remove_from_molecule(
    draft: &mut WorkDraft<'_>,
    atom: Atom,
    task: Option<&WorkRecordId>,
) -> Result<()> {
    let last_task_id = task.cloned().or(atom.last_task_id);
    let (version, updated_at) = (atom.version + 1, draft.stamp());
    draft.put(&Atom { molecule_id: None, last_task_id, version, updated_at, ..atom })
}

/// Removes an atom with its changelog. Returns the number of changelog entries.
pub(crate) fn remove_atom(draft: &mut WorkDraft<'_>, id: &WorkRecordId) -> Result<usize> {
    draft.delete::<Atom>(id)?;
    draft.delete::<Footprint>(id)?;
    remove_entries(draft, id)
}

/// Removes a molecule with its changelog. Its atoms stay without a molecule.
pub(crate) fn remove_molecule(draft: &mut WorkDraft<'_>, id: &WorkRecordId) -> Result<()> {
    for atom in draft.list::<Atom>("molecule_id", id)? {
        remove_from_molecule(draft, atom, None)?;
    }
    remove_entries(draft, id)?;
    draft.delete::<Molecule>(id)
}

fn remove_entries(draft: &mut WorkDraft<'_>, parent: &WorkRecordId) -> Result<usize> {
    let entries = draft.list::<ChangelogEntry>("parent_id", parent)?;
    for entry in &entries {
        draft.delete::<ChangelogEntry>(&entry.id)?;
    }
    Ok(entries.len())
}

/// How many atoms and molecules a project has.
pub(crate) fn count_knowledge(draft: &WorkDraft<'_>, project: &WorkRecordId) -> Result<usize> {
    let atoms = draft.list::<Atom>("project_id", project)?.len();
    Ok(atoms + draft.list::<Molecule>("project_id", project)?.len())
}

/// Removes a project's atoms and molecules.
pub(crate) fn remove_project_knowledge(
    draft: &mut WorkDraft<'_>,
    project: &WorkRecordId,
) -> Result<()> {
    for atom in draft.list::<Atom>("project_id", project)? {
        remove_atom(draft, &atom.id)?;
    }
    for molecule in draft.list::<Molecule>("project_id", project)? {
        remove_entries(draft, &molecule.id)?;
        draft.delete::<Molecule>(&molecule.id)?;
    }
    Ok(())
}

fn put_footprint(
    draft: &mut WorkDraft<'_>,
    atom: &WorkRecordId,
    seen: Option<Vec<FileFingerprint>>,
) -> Result<()> {
    let Some(files) = seen else { return Ok(()) };
    let at = draft.stamp();
    draft.put(&Footprint { id: atom.clone(), files, at })
}

impl KnowledgeFields {
    /// Whether nothing but knowledge is set.
    const fn is_only_text(&self) -> bool {
        self.name.is_none()
            && self.paths.is_none()
            && self.molecule.is_none()
            && self.related.is_none()
    }

    /// Whether the fields rewrite the knowledge, so that drift is measured from now on.
    pub const fn resets_drift(&self) -> bool {
        self.knowledge.is_some() || self.paths.is_some()
    }

    fn refuse_inapplicable_fields(&self, grain: KnowledgeKind) -> Result<()> {
        match grain {
            KnowledgeKind::Molecule if self.paths.is_some() => {
                Err(Problem::invalid("`paths` applies to atoms, not to molecules"))
            }
            KnowledgeKind::Molecule if self.molecule.is_some() => {
                Err(Problem::invalid("molecules cannot be nested"))
            }
            _ => Ok(()),
        }
    }

    fn task_id(&self, draft: &WorkDraft<'_>) -> Result<Option<WorkRecordId>> {
        let task = self.task.as_ref().map(|task| draft.find::<Task>(task)).transpose()?;
        Ok(task.map(|task| task.id))
    }

    fn name_or(&self, old: String) -> String {
        self.name.as_ref().map_or(old, |name| name.as_str().trim().to_owned())
    }

    /// The new knowledge. The limit is checked after the new text was appended to the old.
    fn knowledge_or(
        &self,
        old: String,
        mode: KnowledgeWriteMode,
        now: &str,
        task: Option<&WorkRecordId>,
    ) -> Result<String> {
        let Some(new) = &self.knowledge else { return Ok(old) };
        let new = new.as_str().trim();
        if mode == KnowledgeWriteMode::Overwrite {
            return Ok(new.to_owned());
        }
        let task = task.map_or("none", WorkRecordId::as_str);
        let joined = format!("{old}\n\n---[{now} task:{task}]---\n{new}");
        match joined.len() {
            long if long > MAX_KNOWLEDGE_BYTES => Err(Problem::invalid(format!(
                "the combined knowledge would have {long} bytes; the limit is {MAX_KNOWLEDGE_BYTES}"
            ))
            .hint("replace the knowledge with what is still true")),
            _ => Ok(joined),
        }
    }

    /// The molecule to assign: `None` keeps the old one, a cleared argument removes it.
    fn molecule_of(
        &self,
        draft: &WorkDraft<'_>,
        project: &WorkRecordId,
    ) -> Result<Option<ClearableArg<WorkRecordId>>> {
        let Some(asked) = &self.molecule else { return Ok(None) };
        let Some(asked) = &asked.0 else { return Ok(Some(ClearableArg(None))) };
        let molecule: Molecule = draft.find(asked)?;
        if molecule.project_id != *project {
            let what = format!("molecule \"{}\" belongs to another project", molecule.name);
            return Err(Problem::new(ProblemCode::InvariantViolation, what));
        }
        Ok(Some(ClearableArg(Some(molecule.id))))
    }

    /// The related records. Each must exist in the same project.
    fn related_of<R: Record + InProject>(
        &self,
        draft: &WorkDraft<'_>,
        own: &WorkRecordId,
        project: &WorkRecordId,
    ) -> Result<Vec<RelatedRecord>> {
        let Some(related) = &self.related else { return Ok(Vec::new()) };
        if related.0.len() > MAX_RELATED {
            let what = format!("{} related records; the limit is {MAX_RELATED}", related.0.len());
            return Err(Problem::invalid(what));
        }
        let mut found: Vec<RelatedRecord> = Vec::new();
        for one in &related.0 {
            let other: R = draft.find(&one.id)?;
            if other.project() != project || other.id() == own {
                let what = format!(
                    "{} {} belongs to another project or is the record itself",
                    R::TABLE.name,
                    other.id()
                );
                return Err(Problem::new(ProblemCode::InvariantViolation, what));
            }
            found.retain(|known| known.id != *other.id());
            found.push(RelatedRecord {
                id: other.id().clone(),
                reason: one.reason.as_str().trim().into(),
            });
        }
        Ok(found)
    }
}

/// What belongs to a project.
trait InProject {
    fn project(&self) -> &WorkRecordId;
}

impl InProject for Atom {
    fn project(&self) -> &WorkRecordId {
        &self.project_id
    }
}

impl InProject for Molecule {
    fn project(&self) -> &WorkRecordId {
        &self.project_id
    }
}
