//! Applies a plan to the store: changes what exists, creates what does not.

use std::collections::{BTreeMap, BTreeSet};

use base::{Problem, Result};
use schemars::JsonSchema;
use serde::Serialize;

use super::fields::{all_fields, changed_fields, differs, section_fields};
use super::{PlanDocument, PlannedItem, PlannedRelation};
use crate::container::{WorkItem, WorkItemBrief, project_if_any};
use crate::dependencies::{put_dependency, put_resolved_block};
use crate::draft::WorkDraft;
use crate::edit::{self, WorkItemFields};
use crate::id::{VersionedRef, WorkRecordId, WorkRecordRef};
use crate::pipeline::WorkPipelines;
use crate::record::{Dependency, Feature, Project, Task};
use crate::sections::{self, SectionFields};
use crate::words::{DependencyKind, WorkKind, WorkStatus};

/// How a plan is applied.
#[derive(Debug, Clone, Copy)]
pub struct PlanOptions<'a> {
    /// The project; the one that the plan names, or the only one, if it is left out
    pub project: Option<&'a WorkRecordRef>,
    /// The name of the project that is created if there is none
    pub new_project_name: &'a str,
    /// Whether relations that cannot be made are listed instead of being refused
    pub is_lenient: bool,
}

/// What a plan changes.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct AppliedPlan {
    /// The project
    pub project: WorkItemBrief,
    /// How many features and tasks are created
    pub created: usize,
    /// How many features and tasks are changed
    pub changed: usize,
    /// How many features and tasks stay as they are
    pub unchanged: usize,
    /// What is created or changed, in the order of the plan
    pub rows: Vec<PlanRow>,
    /// Relations that could not be made, with the reason
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub skipped: Vec<String>,
    /// Files and lines that were not read, with the reason
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
}

/// A feature or task that a plan creates or changes.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct PlanRow {
    /// The feature or task
    #[serde(flatten)]
    pub what: WorkItemBrief,
    /// Whether it is new
    pub is_new: bool,
    /// What changes, in words
    pub change: String,
}

/// Applies a plan.
pub fn apply(
    draft: &mut WorkDraft<'_>,
    pipelines: &WorkPipelines,
    plan: &PlanDocument,
    options: PlanOptions<'_>,
) -> Result<AppliedPlan> {
    let project = find_project(draft, plan, options)?;
    let mut applying = PlanApplication {
        project: project.id.clone(),
        ids: Vec::new(),
        created: BTreeSet::new(),
        skipped: Vec::new(),
        options,
        names: PlanNames::of(plan),
        used: BTreeSet::new(),
    };
    for item in &plan.items {
        applying.write_item(draft, item).map_err(|problem| in_item(problem, item))?;
    }
    for (at, item) in plan.items.iter().enumerate() {
        applying.write_sections(draft, at, item).map_err(|problem| in_item(problem, item))?;
    }
    // Work that has ended waits for nothing, so relations are made when the statuses are known.
    applying.write_statuses(draft, pipelines, plan)?;
    for (at, item) in plan.items.iter().enumerate() {
        applying.write_relations(draft, plan, at).map_err(|problem| in_item(problem, item))?;
    }
    let mut applied = applying.finish(draft, project)?;
    applied.left_out.clone_from(&plan.left_out);
    Ok(applied)
}

/// Adds the name of an item to a problem about it.
fn in_item(problem: Problem, item: &PlannedItem) -> Problem {
    let message = format!("{} \"{}\": {}", item.kind, item.name, problem.message);
    Problem { message, ..problem }
}

fn find_project(
    draft: &mut WorkDraft<'_>,
    plan: &PlanDocument,
    options: PlanOptions<'_>,
) -> Result<Project> {
    let named: Option<WorkRecordRef> = match (&plan.project, options.project) {
        (Some(name), None) => {
            let all: Vec<Project> = draft.all()?;
            let known = all.into_iter().find(|one| one.name.eq_ignore_ascii_case(name));
            if known.is_some() {
                return known
                    .ok_or_else(|| Problem::internal("the planned project does not exist"));
            }
            return create_project(draft, name);
        }
        (_, asked) => asked.cloned(),
    };
    match project_if_any(draft, named.as_ref())? {
        Some(project) => Ok(project),
        None => create_project(draft, options.new_project_name),
    }
}

fn create_project(draft: &mut WorkDraft<'_>, name: &str) -> Result<Project> {
    let name = Some(name.parse().map_err(Problem::invalid)?);
    let fields = WorkItemFields { name, ..WorkItemFields::default() };
    match edit::create(draft, WorkKind::Project, None, &fields)? {
        WorkItem::Project(project) => Ok(project),
        _ => Err(Problem::internal("creating a project returned another record")),
    }
}

struct PlanApplication<'a> {
    project: WorkRecordId,
    /// The ids of the plan's items
    ids: Vec<WorkRecordId>,
    /// Those of them that are new
    created: BTreeSet<WorkRecordId>,
    skipped: Vec<String>,
    options: PlanOptions<'a>,
    names: PlanNames,
    /// The records that items of the plan mean already
    used: BTreeSet<WorkRecordId>,
}

/// The items of a plan by the names that relations use, in lower case. Of several keys and sources the first counts.
#[derive(Debug, Default)]
struct PlanNames {
    keys: BTreeMap<String, usize>,
    sources: BTreeMap<String, usize>,
    names: BTreeMap<String, Vec<usize>>,
}

impl PlanNames {
    fn of(plan: &PlanDocument) -> Self {
        let mut names = Self::default();
        for (at, item) in plan.items.iter().enumerate() {
            let add = |names: &mut BTreeMap<String, usize>, name: Option<&String>| {
                if let Some(name) = name {
                    names.entry(name.to_ascii_lowercase()).or_insert(at);
                }
            };
            add(&mut names.keys, item.key.as_ref());
            add(&mut names.sources, item.source.as_ref());
            names.names.entry(item.name.to_ascii_lowercase()).or_default().push(at);
        }
        names
    }

    /// The item that a relation of another one names. If several items have the name, it is the
    /// last one before the other item in the same feature, otherwise one of that feature, otherwise
    /// the first.
    fn find(&self, plan: &PlanDocument, of: usize, name: &str) -> Option<usize> {
        let name = name.to_ascii_lowercase();
        if let Some(at) = self.keys.get(&name).or_else(|| self.sources.get(&name)) {
            return Some(*at);
        }
        let all = self.names.get(&name)?;
        let near = || all.iter().filter(|at| plan.items[**at].feature == plan.items[of].feature);
        let before = near().rfind(|at| **at < of);
        before.or_else(|| near().find(|at| **at != of)).or_else(|| all.first()).copied()
    }
}

impl PlanApplication<'_> {
    /// Creates an item or changes its fields.
    fn write_item(&mut self, draft: &mut WorkDraft<'_>, item: &PlannedItem) -> Result<()> {
        let feature = item.feature.and_then(|at| self.ids.get(at)).cloned();
        let existing = self.existing(draft, item, feature.as_ref())?;
        let id = if let Some(known) = &existing {
            let id = WorkRecordRef::from(known.id());
            if let Some(fields) = changed_fields(known, item, feature.as_ref())? {
                let target = VersionedRef { id: &id, version: None };
                edit::update(draft, Some(item.kind), target, &fields)?;
            }
            known.id().clone()
        } else {
            let fields = all_fields(item, feature.as_ref())?;
            let project = WorkRecordRef::from(&self.project);
            let project = feature.is_none().then_some(&project);
            edit::create(draft, item.kind, project, &fields)?.id().clone()
        };
        self.used.insert(id.clone());
        if existing.is_none() {
            self.created.insert(id.clone());
        }
        self.ids.push(id);
        Ok(())
    }

    /// The record that an item means: by its key, its source, or its name in the same place.
    fn existing(
        &self,
        draft: &WorkDraft<'_>,
        item: &PlannedItem,
        feature: Option<&WorkRecordId>,
    ) -> Result<Option<WorkItem>> {
        if let Some(key) = &item.key
            && let Some(known) = draft.with_key(item.kind, key)?
        {
            return Ok(Some(known));
        }
        if let Some(source) = &item.source
            && let Some(known) = draft.imported_from(item.kind, source)?
        {
            return Ok(Some(known));
        }
        let fits = |one: &WorkItem| {
            one.project_id() == &self.project
                && !self.used.contains(one.id())
                && (item.source.is_none() || one.source().is_none())
                && match one {
                    WorkItem::Task(task) => task.feature_id.as_ref() == feature,
                    _ => true,
                }
        };
        let named = draft.items_named(item.kind, &item.name)?;
        Ok(named.into_iter().find(fits))
    }

    /// Adds the sections that are missing, and changes those that differ.
    fn write_sections(
        &self,
        draft: &mut WorkDraft<'_>,
        at: usize,
        item: &PlannedItem,
    ) -> Result<()> {
        let Some(owner) = WorkItem::get(draft, item.kind, &self.ids[at])? else { return Ok(()) };
        let known = sections::of(draft, &owner)?;
        for (at, section) in item.sections.iter().enumerate() {
            // The second section of a title is the second one that is stored.
            let is_same = |title: &str| title.eq_ignore_ascii_case(&section.title);
            let before = item.sections[..at].iter().filter(|one| is_same(&one.title)).count();
            let same = known.iter().filter(|one| is_same(&one.title)).nth(before);
            let fields = section_fields(section)?;
            match same {
                None => drop(sections::add(draft, &owner, &fields)?),
                Some(same) if differs(same, section) => {
                    let id = Some(WorkRecordRef::from(&same.id));
                    let version = Some(same.version);
                    let title = None;
                    sections::update(draft, &SectionFields { id, version, title, ..fields })?;
                }
                Some(_) => {}
            }
        }
        Ok(())
    }

    fn write_relations(
        &mut self,
        draft: &mut WorkDraft<'_>,
        plan: &PlanDocument,
        at: usize,
    ) -> Result<()> {
        let item = &plan.items[at];
        for relation in &item.relations {
            if let Err(problem) = self.write_relation(draft, plan, at, relation) {
                if !self.options.is_lenient {
                    return Err(problem);
                }
                let words = relation.kind.words();
                self.skipped.push(format!(
                    "\"{}\" {words} \"{}\": {}",
                    item.name, relation.other, problem.message
                ));
            }
        }
        Ok(())
    }

    fn write_relation(
        &self,
        draft: &mut WorkDraft<'_>,
        plan: &PlanDocument,
        at: usize,
        relation: &PlannedRelation,
    ) -> Result<()> {
        let stored = relation.kind.stored();
        let own = planned_record(draft, plan.items[at].kind, &self.ids[at])?;
        let other = match relation.other.as_str() {
            "" if relation.reason.is_empty() => {
                return Err(Problem::invalid("a block without a blocking task needs a reason"));
            }
            "" => None,
            other => Some(self.related(draft, plan, at, other)?),
        };
        let (from, to) = match (other, stored.comes_in) {
            (Some(other), true) => (Some(other), own),
            (Some(other), false) => (Some(own), other),
            (None, _) => (None, own),
        };
        let from_id = from.as_ref().map(WorkItem::id);
        let is_same = |tie: &Dependency| {
            tie.relation == stored.relation
                && tie.from_id.as_ref() == from_id
                && (tie.reason == relation.reason
                    || from_id.is_some() && relation.reason.is_empty())
        };
        if draft.list::<Dependency>("to_id", to.id())?.iter().any(is_same) {
            return Ok(());
        }
        let is_block = stored.relation == DependencyKind::Blocks;
        if is_block && self.came_to_its_end(from.as_ref(), &to) {
            put_resolved_block(draft, from.as_ref(), &to, &relation.reason)?;
        } else {
            put_dependency(draft, from.as_ref(), &to, stored.relation, &relation.reason)?;
        }
        Ok(())
    }

    /// Whether a block is already resolved because the plan creates one of its ends as finished.
    fn came_to_its_end(&self, from: Option<&WorkItem>, to: &WorkItem) -> bool {
        let is_created = |item: &WorkItem| self.created.contains(item.id());
        let is_closed = |item: &WorkItem| item.status() == Some(WorkStatus::Closed);
        to.status().is_some_and(WorkStatus::is_terminal) && is_created(to)
            || from.is_some_and(|from| is_closed(from) && is_created(from))
    }

    /// The work that a relation names: an item of the plan, or any other.
    fn related(
        &self,
        draft: &WorkDraft<'_>,
        plan: &PlanDocument,
        of: usize,
        name: &str,
    ) -> Result<WorkItem> {
        if let Some(at) = self.names.find(plan, of, name) {
            return planned_record(draft, plan.items[at].kind, &self.ids[at]);
        }
        let name: WorkRecordRef = name.parse().map_err(Problem::invalid)?;
        WorkItem::find(draft, &[WorkKind::Feature, WorkKind::Task], &name)
    }

    /// Sets the statuses of new tasks and features. A feature with open tasks is never set to
    /// finished.
    fn write_statuses(
        &self,
        draft: &mut WorkDraft<'_>,
        pipelines: &WorkPipelines,
        plan: &PlanDocument,
    ) -> Result<()> {
        for kind in [WorkKind::Task, WorkKind::Feature] {
            for (at, item) in plan.items.iter().enumerate() {
                let id = &self.ids[at];
                if item.kind != kind || !self.created.contains(id) {
                    continue;
                }
                let wanted = pipelines.nearest(kind, item.status.unwrap_or(WorkStatus::New));
                let status = match kind {
                    WorkKind::Feature => feature_status(draft, id, wanted)?,
                    _ => wanted,
                };
                let mut one = planned_record(draft, kind, id)?;
                if one.status() != Some(status) {
                    one.set_end_reason(item.end_reason.as_deref());
                    one.set_initial_status(status);
                    one.put(draft)?;
                }
            }
        }
        self.reopen_features(draft)
    }

    /// A finished feature that got an open task is active again.
    fn reopen_features(&self, draft: &mut WorkDraft<'_>) -> Result<()> {
        for id in &self.ids {
            let Some(task) = draft.get::<Task>(id)? else { continue };
            let Some(feature) = &task.feature_id else { continue };
            let feature: Option<Feature> = draft.get(feature)?;
            if let Some(feature) = feature
                && feature.status.is_terminal()
                && !task.status.is_terminal()
            {
                let mut feature = WorkItem::Feature(feature);
                feature.set_initial_status(WorkStatus::Active);
                feature.put(draft)?;
            }
        }
        Ok(())
    }

    fn finish(self, draft: &WorkDraft<'_>, project: Project) -> Result<AppliedPlan> {
        let mut changes: BTreeMap<WorkRecordId, String> = draft.planned_changes()?;
        let (mut rows, mut created, mut changed) = (Vec::new(), 0, 0);
        for id in &self.ids {
            let is_new = self.created.contains(id);
            let Some(change) = changes.remove(id) else { continue };
            let Some(item) = WorkItem::of_id(draft, id)? else { continue };
            if is_new {
                created += 1;
            } else {
                changed += 1;
            }
            rows.push(PlanRow { what: item.brief(), is_new, change });
        }
        let unchanged = self.ids.len() - created - changed;
        let project = WorkItem::Project(project).brief();
        Ok(AppliedPlan {
            project,
            created,
            changed,
            unchanged,
            rows,
            skipped: self.skipped,
            left_out: Vec::new(),
        })
    }
}

/// The record that an item of the plan means.
fn planned_record(draft: &WorkDraft<'_>, kind: WorkKind, id: &WorkRecordId) -> Result<WorkItem> {
    let item = WorkItem::get(draft, kind, id)?;
    item.ok_or_else(|| Problem::internal("an item of the plan no longer exists"))
}

/// The status that a feature can have with its tasks.
fn feature_status(
    draft: &WorkDraft<'_>,
    feature: &WorkRecordId,
    wanted: WorkStatus,
) -> Result<WorkStatus> {
    let tasks: Vec<Task> = draft.list("feature_id", feature)?;
    let is_open = tasks.iter().any(|task| !task.status.is_terminal());
    // A task that was given up does not start its feature.
    let is_started = tasks
        .iter()
        .any(|task| !matches!(task.status, WorkStatus::New | WorkStatus::WillNotImplement));
    Ok(match wanted {
        _ if wanted.is_terminal() && is_open => WorkStatus::Active,
        WorkStatus::New if is_started => WorkStatus::Active,
        wanted => wanted,
    })
}
