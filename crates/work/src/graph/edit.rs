//! Writing molecules and atoms.

use base::words::with_article;
use base::{Code, Problem, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::globs::{Pattern, kept};
use crate::container::{check_version, project};
use crate::draft::Draft;
use crate::id::{Id, Ref};
use crate::record::{
    Atom, Entry, Footprint, Molecule, Project, Record, Related, Seen, Table, Task,
};
use crate::text::{Json, Knowledge, LONGEST, Many, Name, OrNone, Summary};
use crate::words::{Grain, Mode};

/// Others that one record may name.
const MOST_RELATED: usize = 50;

/// Another of the same kind, as a caller names it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RelatedRef {
    /// The other
    #[serde(alias = "atomId", alias = "moleculeId", alias = "atom_id", alias = "molecule_id")]
    pub id: Ref,
    /// What they have to do with each other
    #[serde(default = "nothing")]
    pub reason: Summary,
}

fn nothing() -> Summary {
    "".parse().expect("nothing is short enough")
}

/// What to write. What is absent stays as it is, or gets its default.
#[derive(Debug, Clone, Default)]
pub struct Fields {
    /// What it is called
    pub name: Option<Name>,
    /// Globs of an atom's files
    pub paths: Option<Many<Pattern>>,
    /// What is worth knowing
    pub knowledge: Option<Knowledge>,
    /// An atom's molecule
    pub molecule: Option<OrNone<Ref>>,
    /// Others of the same kind
    pub related: Option<Json<Vec<RelatedRef>>>,
    /// The task in which it is written
    pub task: Option<Ref>,
}

/// An atom or molecule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Knows {
    /// An atom
    Atom(Atom),
    /// A molecule
    Molecule(Molecule),
}

impl Knows {
    /// What it is.
    pub const fn grain(&self) -> Grain {
        match self {
            Self::Atom(_) => Grain::Atom,
            Self::Molecule(_) => Grain::Molecule,
        }
    }

    /// Its id.
    pub const fn id(&self) -> &Id {
        match self {
            Self::Atom(atom) => &atom.id,
            Self::Molecule(molecule) => &molecule.id,
        }
    }

    /// What it is called.
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

    /// What the next call takes.
    pub fn handle(&self) -> String {
        format!("{}:{}", self.grain(), self.id().short())
    }
}

/// The atom or molecule that a caller means.
pub fn find(draft: &Draft<'_>, grain: Option<Grain>, asked: &Ref) -> Result<Knows> {
    let written = asked.kind.as_deref().map(str::parse::<Grain>).transpose();
    let grain = grain.or(written.map_err(Problem::invalid)?);
    let tables: &[Table] = match grain {
        Some(Grain::Atom) => &[Atom::TABLE],
        Some(Grain::Molecule) => &[Molecule::TABLE],
        None => &[Atom::TABLE, Molecule::TABLE],
    };
    let (table, id) = draft.look_up(tables, asked)?;
    match table == Atom::TABLE {
        true => draft.need(&id).map(Knows::Atom),
        false => draft.need(&id).map(Knows::Molecule),
    }
}

/// Makes an atom or molecule.
pub fn create(
    draft: &mut Draft<'_>,
    (grain, project_ref): (Grain, Option<&Ref>),
    fields: &Fields,
    seen: Option<Vec<Seen>>,
) -> Result<Knows> {
    let Some(name) = &fields.name else {
        return Err(Problem::invalid(format!("{} needs a name", with_article(grain.word()))));
    };
    fields.refuse_odd(grain)?;
    let project: Project = project(draft, project_ref)?;
    let task = fields.task_id(draft)?;
    let (id, now) = (draft.new_id(), draft.stamp());
    let knowledge = fields.knowledge.as_ref().map_or("", Knowledge::as_str).trim().to_owned();
    let name = name.as_str().trim().to_owned();
    let (created_at, updated_at) = (now.clone(), now);
    let (created_by_task_id, last_task_id) = (task.clone(), task);
    let made = match grain {
        Grain::Molecule => {
            let related = fields.related_of::<Molecule>(draft, (&id, &project.id))?;
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
            Knows::Molecule(molecule)
        }
        Grain::Atom => {
            let paths = kept(fields.paths.as_ref().map_or(&[], |many| many.0.as_slice()))?;
            let molecule_id =
                fields.molecule_of(draft, &project.id)?.and_then(|molecule| molecule.0);
            let related = fields.related_of::<Atom>(draft, (&id, &project.id))?;
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
            stamp_files(draft, &atom.id, seen)?;
            Knows::Atom(atom)
        }
    };
    Ok(made)
}

/// Changes an atom or molecule.
pub fn update(
    draft: &mut Draft<'_>,
    (grain, id, version): (Option<Grain>, &Ref, u32),
    (fields, mode): (&Fields, Mode),
    seen: Option<Vec<Seen>>,
) -> Result<Knows> {
    let known = find(draft, grain, id)?;
    let what = format!("{} \"{}\"", known.grain(), known.name());
    check_version(&what, known.version(), Some(version))?;
    fields.refuse_odd(known.grain())?;
    let task = fields.task_id(draft)?;
    let now = draft.stamp();
    match known {
        Knows::Molecule(mut molecule) => {
            let own = (&molecule.id, &molecule.project_id);
            if fields.related.is_some() {
                molecule.related = fields.related_of::<Molecule>(draft, own)?;
            }
            molecule.name = fields.name_or(molecule.name);
            molecule.knowledge = fields.knowledge_or(molecule.knowledge, mode, (&now, &task))?;
            molecule.last_task_id = task.or(molecule.last_task_id);
            (molecule.version, molecule.updated_at) = (molecule.version + 1, now);
            draft.put(&molecule)?;
            Ok(Knows::Molecule(molecule))
        }
        Knows::Atom(mut atom) => {
            if let Some(paths) = &fields.paths {
                atom.paths = kept(&paths.0)?;
            }
            if let Some(molecule) = fields.molecule_of(draft, &atom.project_id)? {
                atom.molecule_id = molecule.0;
            }
            if fields.related.is_some() {
                atom.related = fields.related_of::<Atom>(draft, (&atom.id, &atom.project_id))?;
            }
            atom.name = fields.name_or(atom.name);
            atom.knowledge = fields.knowledge_or(atom.knowledge, mode, (&now, &task))?;
            atom.last_task_id = task.or(atom.last_task_id);
            (atom.version, atom.updated_at) = (atom.version + 1, now);
            draft.put(&atom)?;
            stamp_files(draft, &atom.id, seen)?;
            Ok(Knows::Atom(atom))
        }
    }
}

/// What deleting an atom or molecule took along.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Removed {
    /// What it was
    pub entity_type: Grain,
    /// Its id
    pub id: Id,
    /// What it was called
    pub name: String,
    /// Atoms that were deleted with it
    pub deleted_atoms: Vec<Id>,
    /// Atoms that now have no molecule
    pub orphaned_atoms: Vec<Id>,
    /// How many changelog entries went with it
    pub changelog_entries: usize,
}

/// Removes an atom or molecule. A molecule's atoms lose it, or go with it.
pub fn delete(
    draft: &mut Draft<'_>,
    (grain, id, version): (Option<Grain>, &Ref, u32),
    (task, cascade): (Option<&Ref>, bool),
) -> Result<Removed> {
    let known = find(draft, grain, id)?;
    let what = format!("{} \"{}\"", known.grain(), known.name());
    check_version(&what, known.version(), Some(version))?;
    let task = task.map(|task| draft.find::<Task>(task)).transpose()?.map(|task| task.id);
    let mut removed = Removed {
        entity_type: known.grain(),
        id: known.id().clone(),
        name: known.name().to_owned(),
        deleted_atoms: Vec::new(),
        orphaned_atoms: Vec::new(),
        changelog_entries: 0,
    };
    if let Knows::Molecule(molecule) = &known {
        for atom in draft.list::<Atom>("molecule_id", &molecule.id)? {
            if cascade {
                removed.changelog_entries += remove_atom(draft, &atom.id)?;
                removed.deleted_atoms.push(atom.id);
            } else {
                removed.orphaned_atoms.push(atom.id.clone());
                orphan(draft, atom, task.as_ref())?;
            }
        }
        removed.changelog_entries += remove_entries(draft, &molecule.id)?;
        draft.delete::<Molecule>(&molecule.id)?;
    } else {
        removed.changelog_entries += remove_atom(draft, known.id())?;
    }
    Ok(removed)
}

fn orphan(draft: &mut Draft<'_>, atom: Atom, task: Option<&Id>) -> Result<()> {
    let last_task_id = task.cloned().or(atom.last_task_id);
    let (version, updated_at) = (atom.version + 1, draft.stamp());
    draft.put(&Atom { molecule_id: None, last_task_id, version, updated_at, ..atom })
}

/// Removes an atom with its changelog. Returns how many entries that had.
pub(crate) fn remove_atom(draft: &mut Draft<'_>, id: &Id) -> Result<usize> {
    draft.delete::<Atom>(id)?;
    draft.delete::<Footprint>(id)?;
    remove_entries(draft, id)
}

/// Removes a molecule with its changelog; atoms that are in it lose it.
pub(crate) fn remove_molecule(draft: &mut Draft<'_>, id: &Id) -> Result<()> {
    for atom in draft.list::<Atom>("molecule_id", id)? {
        orphan(draft, atom, None)?;
    }
    remove_entries(draft, id)?;
    draft.delete::<Molecule>(id)
}

fn remove_entries(draft: &mut Draft<'_>, parent: &Id) -> Result<usize> {
    let entries = draft.list::<Entry>("parent_id", parent)?;
    for entry in &entries {
        draft.delete::<Entry>(&entry.id)?;
    }
    Ok(entries.len())
}

/// How many atoms and molecules a project has.
pub(crate) fn count_knowledge(draft: &Draft<'_>, project: &Id) -> Result<usize> {
    let atoms = draft.list::<Atom>("project_id", project)?.len();
    Ok(atoms + draft.list::<Molecule>("project_id", project)?.len())
}

/// Removes a project's atoms and molecules.
pub(crate) fn remove_project_knowledge(draft: &mut Draft<'_>, project: &Id) -> Result<()> {
    for atom in draft.list::<Atom>("project_id", project)? {
        remove_atom(draft, &atom.id)?;
    }
    for molecule in draft.list::<Molecule>("project_id", project)? {
        remove_entries(draft, &molecule.id)?;
        draft.delete::<Molecule>(&molecule.id)?;
    }
    Ok(())
}

fn stamp_files(draft: &mut Draft<'_>, atom: &Id, seen: Option<Vec<Seen>>) -> Result<()> {
    let Some(files) = seen else { return Ok(()) };
    let at = draft.stamp();
    draft.put(&Footprint { id: atom.clone(), files, at })
}

impl Fields {
    /// Whether writing this is writing knowledge anew, so that its age starts over.
    pub const fn renews(&self) -> bool {
        self.knowledge.is_some() || self.paths.is_some()
    }

    fn refuse_odd(&self, grain: Grain) -> Result<()> {
        match grain {
            Grain::Molecule if self.paths.is_some() => {
                Err(Problem::invalid("a molecule has no `paths`; its atoms have"))
            }
            Grain::Molecule if self.molecule.is_some() => {
                Err(Problem::invalid("a molecule is in no molecule"))
            }
            _ => Ok(()),
        }
    }

    fn task_id(&self, draft: &Draft<'_>) -> Result<Option<Id>> {
        let task = self.task.as_ref().map(|task| draft.find::<Task>(task)).transpose()?;
        Ok(task.map(|task| task.id))
    }

    fn name_or(&self, old: String) -> String {
        self.name.as_ref().map_or(old, |name| name.as_str().trim().to_owned())
    }

    /// The knowledge as it will be. What is appended is checked after joining.
    fn knowledge_or(
        &self,
        old: String,
        mode: Mode,
        (now, task): (&str, &Option<Id>),
    ) -> Result<String> {
        let Some(new) = &self.knowledge else { return Ok(old) };
        let new = new.as_str().trim();
        if mode == Mode::Overwrite {
            return Ok(new.to_owned());
        }
        let task = task.as_ref().map_or("none", Id::as_str);
        let joined = format!("{old}\n\n---[{now} task:{task}]---\n{new}");
        match joined.len() {
            long if long > LONGEST => Err(Problem::invalid(format!(
                "with this the knowledge has {long} bytes, more than {LONGEST}"
            ))
            .hint("overwrite it with what still holds")),
            _ => Ok(joined),
        }
    }

    /// The molecule that is assigned: none said, taken away, or one of the same project.
    fn molecule_of(&self, draft: &Draft<'_>, project: &Id) -> Result<Option<OrNone<Id>>> {
        let Some(asked) = &self.molecule else { return Ok(None) };
        let Some(asked) = &asked.0 else { return Ok(Some(OrNone(None))) };
        let molecule: Molecule = draft.find(asked)?;
        if molecule.project_id != *project {
            let what = format!("molecule \"{}\" is of another project", molecule.name);
            return Err(Problem::new(Code::InvariantViolation, what));
        }
        Ok(Some(OrNone(Some(molecule.id))))
    }

    /// The others, each of which must be there and in the same project.
    fn related_of<R: Record + Owned>(
        &self,
        draft: &Draft<'_>,
        (own, project): (&Id, &Id),
    ) -> Result<Vec<Related>> {
        let Some(related) = &self.related else { return Ok(Vec::new()) };
        if related.0.len() > MOST_RELATED {
            let what = format!("{} related are more than {MOST_RELATED}", related.0.len());
            return Err(Problem::invalid(what));
        }
        let mut found: Vec<Related> = Vec::new();
        for one in &related.0 {
            let other: R = draft.find(&one.id)?;
            if other.project() != project || other.id() == own {
                let what =
                    format!("{} {} is of another project, or the same", R::TABLE.name, other.id());
                return Err(Problem::new(Code::InvariantViolation, what));
            }
            found.retain(|known| known.id != *other.id());
            found.push(Related {
                id: other.id().clone(),
                reason: one.reason.as_str().trim().into(),
            });
        }
        Ok(found)
    }
}

/// What belongs to a project.
trait Owned {
    fn project(&self) -> &Id;
}

impl Owned for Atom {
    fn project(&self) -> &Id {
        &self.project_id
    }
}

impl Owned for Molecule {
    fn project(&self) -> &Id {
        &self.project_id
    }
}
