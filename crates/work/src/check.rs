//! Integrity rules of the whole store. They hold after every change.

use std::collections::{BTreeMap, BTreeSet};

use base::Result;
use store::Connection;

use crate::draft::{WorkDraft, record};
use crate::id::WorkRecordId;
use crate::record::{
    Atom, ChangelogEntry, Dependency, Feature, Footprint, Molecule, Project, Record, Section, Task,
    TaskClaim, WorkEvent,
};
use crate::tables;
use crate::words::{DependencyKind, KnowledgeKind, WorkKind, WorkStatus};

/// Every violation of an integrity rule; empty if the store is sound.
pub fn integrity_violations(conn: &Connection) -> Result<Vec<String>> {
    let store = StoreContents::load(conn)?;
    let mut broken = Vec::new();
    store.check_owners(&mut broken);
    store.check_ended_work(&mut broken);
    store.check_dependencies(&mut broken);
    store.check_parts(&mut broken);
    store.check_knowledge(&mut broken);
    Ok(broken)
}

struct StoreContents {
    projects: Vec<Project>,
    features: Vec<Feature>,
    tasks: Vec<Task>,
    sections: Vec<Section>,
    dependencies: Vec<Dependency>,
    claims: Vec<TaskClaim>,
    molecules: Vec<Molecule>,
    atoms: Vec<Atom>,
    entries: Vec<ChangelogEntry>,
    footprints: Vec<Footprint>,
    events: Vec<WorkEvent>,
}

fn all<R: Record>(conn: &Connection) -> Result<Vec<R>> {
    tables::all(conn, R::TABLE)?.into_iter().map(record).collect()
}

fn ids<R: Record>(records: &[R]) -> BTreeSet<&WorkRecordId> {
    records.iter().map(Record::id).collect()
}

impl StoreContents {
    fn load(conn: &Connection) -> Result<Self> {
        Ok(Self {
            projects: all(conn)?,
            features: all(conn)?,
            tasks: all(conn)?,
            sections: all(conn)?,
            dependencies: all(conn)?,
            claims: all(conn)?,
            molecules: all(conn)?,
            atoms: all(conn)?,
            entries: all(conn)?,
            footprints: all(conn)?,
            events: all(conn)?,
        })
    }

    /// Every record belongs to a record that exists.
    fn check_owners(&self, broken: &mut Vec<String>) {
        let (projects, tasks) = (ids(&self.projects), ids(&self.tasks));
        let features: BTreeMap<&WorkRecordId, &Feature> =
            self.features.iter().map(|f| (&f.id, f)).collect();
        for feature in self.features.iter().filter(|one| !projects.contains(&one.project_id)) {
            broken.push(format!("feature {} has no project", feature.id));
        }
        for task in &self.tasks {
            if !projects.contains(&task.project_id) {
                broken.push(format!("task {} has no project", task.id));
            }
            let Some(id) = &task.feature_id else { continue };
            match features.get(id) {
                Some(feature) if feature.project_id == task.project_id => {}
                Some(_) => broken.push(format!("task {} is in another project's feature", task.id)),
                None => broken.push(format!("task {} has no feature", task.id)),
            }
        }
        for section in &self.sections {
            let there = match section.entity_type {
                WorkKind::Project => projects.contains(&section.entity_id),
                WorkKind::Feature => features.contains_key(&section.entity_id),
                WorkKind::Task => tasks.contains(&section.entity_id),
            };
            if !there {
                broken.push(format!("section {} refers to a missing record", section.id));
            }
        }
    }

    /// A finished feature has no open task, and a finished task has no claim.
    fn check_ended_work(&self, broken: &mut Vec<String>) {
        let over: BTreeSet<&WorkRecordId> = self
            .features
            .iter()
            .filter(|one| one.status.is_terminal())
            .map(|one| &one.id)
            .collect();
        for task in self.tasks.iter().filter(|task| !task.status.is_terminal()) {
            if task.feature_id.as_ref().is_some_and(|id| over.contains(id)) {
                broken.push(format!("task {} is open in a finished feature", task.id));
            }
        }
        let tasks: BTreeMap<&WorkRecordId, &Task> =
            self.tasks.iter().map(|task| (&task.id, task)).collect();
        for claim in &self.claims {
            match tasks.get(&claim.id) {
                Some(task) if !task.status.is_terminal() || claim.until <= task.updated_at => {}
                Some(_) => broken.push(format!("task {} is finished and claimed", claim.id)),
                None => broken.push(format!("claim {} refers to a missing task", claim.id)),
            }
        }
    }

    /// Both ends of a dependency exist, and nothing waits for itself.
    fn check_dependencies(&self, broken: &mut Vec<String>) {
        let works = self.states();
        for tie in &self.dependencies {
            let from = tie.from_id.as_ref().map(|id| works.get(id));
            if from == Some(None) || !works.contains_key(&tie.to_id) {
                broken.push(format!("dependency {} refers to a missing record", tie.id));
            }
        }
        let waits = self.waits_for_map();
        let next = |id: &WorkRecordId| waits.get(id).cloned().unwrap_or_default();
        for id in waits.keys() {
            let mut seen = BTreeSet::new();
            let mut todo: Vec<&WorkRecordId> = next(id);
            while let Some(one) = todo.pop() {
                if one == *id {
                    broken.push(format!("{id} waits for itself"));
                    break;
                }
                if seen.insert(one) {
                    todo.extend(next(one));
                }
            }
        }
    }

    fn states(&self) -> BTreeMap<&WorkRecordId, WorkStatus> {
        let features = self.features.iter().map(|one| (&one.id, one.status));
        features.chain(self.tasks.iter().map(|one| (&one.id, one.status))).collect()
    }

    /// The work that each feature or task waits for: its active blockers, and the open tasks of a feature.
    fn waits_for_map(&self) -> BTreeMap<&WorkRecordId, Vec<&WorkRecordId>> {
        let states = self.states();
        let is_over = |id: &WorkRecordId| states.get(id).is_some_and(|status| status.is_terminal());
        let is_closed = |id: &&WorkRecordId| states.get(*id) == Some(&WorkStatus::Closed);
        let mut waits: BTreeMap<&WorkRecordId, Vec<&WorkRecordId>> = BTreeMap::new();
        let blocks = self.dependencies.iter().filter(|tie| tie.relation == DependencyKind::Blocks);
        for tie in blocks.filter(|tie| !is_over(&tie.to_id)) {
            let from = tie.from_id.as_ref().filter(|from| !is_closed(from));
            waits.entry(&tie.to_id).or_default().extend(from);
        }
        for task in self.tasks.iter().filter(|task| !task.status.is_terminal()) {
            if let Some(feature) = &task.feature_id {
                waits.entry(feature).or_default().push(&task.id);
            }
        }
        for (parent, part) in self.parts() {
            if !is_over(parent) && !is_over(part) {
                waits.entry(parent).or_default().push(part);
            }
        }
        waits
    }

    /// Every parent with each of its subtasks.
    fn parts(&self) -> impl Iterator<Item = (&WorkRecordId, &WorkRecordId)> {
        let ties = self.dependencies.iter().filter(|tie| tie.relation == DependencyKind::ParentOf);
        ties.filter_map(|tie| Some((tie.from_id.as_ref()?, &tie.to_id)))
    }

    /// A task is a part of one task at most, and of none that it contains. Events have an owner.
    fn check_parts(&self, broken: &mut Vec<String>) {
        let mut parents = BTreeMap::new();
        for (parent, part) in self.parts() {
            if parents.insert(part, parent).is_some() {
                broken.push(format!("task {part} has two parents"));
            }
        }
        for part in parents.keys() {
            let mut above = parents.get(part);
            for _ in 0..parents.len() {
                above = above.and_then(|id| parents.get(*id));
            }
            if above.is_some() {
                broken.push(format!("task {part} is a part of itself"));
            }
        }
        let works = self.states();
        for event in self.events.iter().filter(|event| !works.contains_key(&event.item_id)) {
            broken.push(format!("event {} refers to a missing record", event.id));
        }
    }

    fn check_knowledge(&self, broken: &mut Vec<String>) {
        let (projects, atoms) = (ids(&self.projects), ids(&self.atoms));
        let molecules: BTreeMap<&WorkRecordId, &Molecule> =
            self.molecules.iter().map(|m| (&m.id, m)).collect();
        for molecule in self.molecules.iter().filter(|one| !projects.contains(&one.project_id)) {
            broken.push(format!("molecule {} has no project", molecule.id));
        }
        for atom in &self.atoms {
            if !projects.contains(&atom.project_id) || atom.paths.is_empty() {
                broken.push(format!("atom {} has no project or no paths", atom.id));
            }
            let Some(id) = &atom.molecule_id else { continue };
            if molecules.get(id).is_none_or(|molecule| molecule.project_id != atom.project_id) {
                broken.push(format!(
                    "atom {} has a molecule of another project, or a missing one",
                    atom.id
                ));
            }
        }
        for entry in &self.entries {
            let there = match entry.parent_type {
                KnowledgeKind::Atom => atoms.contains(&entry.parent_id),
                KnowledgeKind::Molecule => molecules.contains_key(&entry.parent_id),
            };
            if !there {
                broken.push(format!("changelog entry {} refers to a missing record", entry.id));
            }
        }
        for footprint in self.footprints.iter().filter(|one| !atoms.contains(&one.id)) {
            broken.push(format!("footprint {} refers to a missing atom", footprint.id));
        }
    }
}

/// Relations of atoms and molecules to records that no longer exist. Answers leave them out.
pub fn dangling_relations(draft: &WorkDraft<'_>) -> Result<Vec<(String, String, WorkRecordId)>> {
    let mut found = Vec::new();
    for id in tables::ids_with_relations(draft.conn(), Atom::TABLE)? {
        let atom: Atom = draft.require(&id)?;
        for one in &atom.related {
            if draft.get::<Atom>(&one.id)?.is_none() {
                found.push((format!("atom:{id}"), atom.name.clone(), one.id.clone()));
            }
        }
    }
    for id in tables::ids_with_relations(draft.conn(), Molecule::TABLE)? {
        let molecule: Molecule = draft.require(&id)?;
        for one in &molecule.related {
            if draft.get::<Molecule>(&one.id)?.is_none() {
                found.push((format!("molecule:{id}"), molecule.name.clone(), one.id.clone()));
            }
        }
    }
    Ok(found)
}
