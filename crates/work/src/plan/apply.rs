//! Applies a plan to the store: changes what exists, creates what does not.

use std::collections::{BTreeMap, BTreeSet};

use base::{Problem, Result};
use schemars::JsonSchema;
use serde::Serialize;

use super::{PlanDocument, PlannedItem, PlannedRelation, PlannedSection};
use crate::container::{WorkItem, WorkItemBrief, project_if_any};
use crate::dependencies::put_dependency;
use crate::draft::WorkDraft;
use crate::edit::{self, WorkItemFields};
use crate::id::{VersionedRef, WorkRecordId, WorkRecordRef};
use crate::pipeline::WorkPipelines;
use crate::record::{Dependency, Feature, Project, Section, Task};
use crate::sections::{self, SectionFields};
use crate::text::{ClearableArg, Estimate, ListArg, Tag};
use crate::words::{WorkKind, WorkPriority, WorkStatus};

/// How a plan is applied.
#[derive(Debug, Clone, Copy)]
pub struct PlanOptions<'a> {
    /// The project; the one that the plan names, or the only one, if it is left out
    pub project: Option<&'a WorkRecordRef>,
    /// The name of the project that is created if there is none
    pub new_project_name: &'a str,
    /// Whether relations that cannot be made are listed rather than refused
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
        is_new: Vec::new(),
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
        applying
            .write_relations(draft, plan, at, item)
            .map_err(|problem| in_item(problem, item))?;
    }
    applying.write_statuses(draft, pipelines, plan)?;
    applying.finish(draft, project)
}

/// The same problem with the name of the item that it is about.
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
                return known.ok_or_else(|| Problem::internal("the project is there"));
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
        _ => Err(Problem::internal("a project was created")),
    }
}

struct PlanApplication<'a> {
    project: WorkRecordId,
    /// The ids of the plan's items
    ids: Vec<WorkRecordId>,
    /// Whether each of them is new
    is_new: Vec<bool>,
    skipped: Vec<String>,
    options: PlanOptions<'a>,
    names: PlanNames,
    /// The records that items of the plan mean already
    used: BTreeSet<WorkRecordId>,
}

/// The items of a plan by the names that relations use, in lower case. The first of several counts.
#[derive(Debug, Default)]
struct PlanNames {
    keys: BTreeMap<String, usize>,
    sources: BTreeMap<String, usize>,
    names: BTreeMap<String, usize>,
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
            add(&mut names.names, Some(&item.name));
        }
        names
    }
}

impl PlanApplication<'_> {
    /// Creates an item or changes its fields.
    fn write_item(&mut self, draft: &mut WorkDraft<'_>, item: &PlannedItem) -> Result<()> {
        let feature = item.feature.and_then(|at| self.ids.get(at)).cloned();
        let existing = self.existing(draft, item, feature.as_ref())?;
        let id = match &existing {
            Some(known) => {
                let fields = changed_fields(known, item, feature.as_ref())?;
                let id = WorkRecordRef::from(known.id());
                if let Some(fields) = fields {
                    let target = VersionedRef { id: &id, version: None };
                    edit::update(draft, Some(item.kind), target, &fields)?;
                }
                known.id().clone()
            }
            None => {
                let fields = all_fields(item, feature.as_ref())?;
                let project = WorkRecordRef::from(&self.project);
                let project = feature.is_none().then_some(&project);
                edit::create(draft, item.kind, project, &fields)?.id().clone()
            }
        };
        self.used.insert(id.clone());
        self.ids.push(id);
        self.is_new.push(existing.is_none());
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
            && let Some(known) = draft.from_source(item.kind, source)?
        {
            return Ok(Some(known));
        }
        let fits = |one: &WorkItem| {
            one.project_id() == &self.project
                && !self.used.contains(one.id())
                && match one {
                    WorkItem::Task(task) => task.feature_id.as_ref() == feature,
                    _ => true,
                }
        };
        let named = draft.called(item.kind, &item.name)?;
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
        for section in &item.sections {
            let same = known.iter().find(|one| one.title.eq_ignore_ascii_case(&section.title));
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
        item: &PlannedItem,
    ) -> Result<()> {
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
        let own = self.item(draft, plan.items[at].kind, &self.ids[at])?;
        let other = match relation.other.as_str() {
            "" if relation.reason.is_empty() => {
                return Err(Problem::invalid("a block without other work needs a reason"));
            }
            "" => None,
            other => Some(self.related(draft, plan, other)?),
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
        put_dependency(draft, from.as_ref(), &to, stored.relation, &relation.reason).map(drop)
    }

    /// The work that a relation names: an item of the plan, or any other.
    fn related(&self, draft: &WorkDraft<'_>, plan: &PlanDocument, name: &str) -> Result<WorkItem> {
        let places = [&self.names.keys, &self.names.sources, &self.names.names];
        let lower = name.to_ascii_lowercase();
        if let Some(at) = places.iter().find_map(|names| names.get(&lower)) {
            return self.item(draft, plan.items[*at].kind, &self.ids[*at]);
        }
        let name: WorkRecordRef = name.parse().map_err(Problem::invalid)?;
        WorkItem::find(draft, &[WorkKind::Feature, WorkKind::Task], &name)
    }

    fn item(&self, draft: &WorkDraft<'_>, kind: WorkKind, id: &WorkRecordId) -> Result<WorkItem> {
        let item = WorkItem::get(draft, kind, id)?;
        item.ok_or_else(|| Problem::internal("an item of the plan is gone"))
    }

    /// Gives new tasks and features their statuses. A feature with open tasks is not finished.
    fn write_statuses(
        &self,
        draft: &mut WorkDraft<'_>,
        pipelines: &WorkPipelines,
        plan: &PlanDocument,
    ) -> Result<()> {
        for kind in [WorkKind::Task, WorkKind::Feature] {
            for (at, item) in plan.items.iter().enumerate() {
                if item.kind != kind || !self.is_new[at] {
                    continue;
                }
                let id = &self.ids[at];
                let wanted = pipelines.nearest(kind, item.status.unwrap_or(WorkStatus::New));
                let status = match kind {
                    WorkKind::Feature => feature_status(draft, id, wanted)?,
                    _ => wanted,
                };
                let mut one = self.item(draft, kind, id)?;
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
        for (id, is_new) in self.ids.iter().zip(&self.is_new) {
            let Some(change) = changes.remove(id) else { continue };
            let Some(item) = WorkItem::of_id(draft, id)? else { continue };
            if *is_new {
                created += 1;
            } else {
                changed += 1;
            }
            rows.push(PlanRow { what: item.brief(), is_new: *is_new, change });
        }
        let unchanged = self.ids.len() - created - changed;
        let project = WorkItem::Project(project).brief();
        Ok(AppliedPlan { project, created, changed, unchanged, rows, skipped: self.skipped })
    }
}

/// The status that a feature can have with its tasks.
fn feature_status(
    draft: &WorkDraft<'_>,
    feature: &WorkRecordId,
    wanted: WorkStatus,
) -> Result<WorkStatus> {
    let tasks: Vec<Task> = draft.list("feature_id", feature)?;
    let is_open = tasks.iter().any(|task| !task.status.is_terminal());
    let is_started = tasks.iter().any(|task| task.status != WorkStatus::New);
    Ok(match wanted {
        _ if wanted.is_terminal() && is_open => WorkStatus::Active,
        WorkStatus::New if is_started => WorkStatus::Active,
        wanted => wanted,
    })
}

fn parsed<T: std::str::FromStr<Err = String>>(text: Option<&String>) -> Result<Option<T>> {
    text.map(|text| text.parse().map_err(Problem::invalid)).transpose()
}

fn tag_list(tags: Option<&Vec<String>>) -> Result<Option<ListArg<Tag>>> {
    let Some(tags) = tags else { return Ok(None) };
    let tags = tags.iter().map(|tag| tag.parse().map_err(Problem::invalid));
    Ok(Some(ListArg(tags.collect::<Result<_>>()?)))
}

/// The fields of a new record.
fn all_fields(item: &PlannedItem, feature: Option<&WorkRecordId>) -> Result<WorkItemFields> {
    let key = item.key.as_ref().map(|key| key.parse::<WorkRecordRef>()).transpose();
    Ok(WorkItemFields {
        name: parsed(Some(&item.name))?,
        summary: parsed(item.summary.as_ref())?,
        description: parsed(item.description.as_ref())?,
        priority: item.priority,
        complexity: item.complexity.filter(|_| item.kind == WorkKind::Task),
        tags: tag_list(item.tags.as_ref())?,
        feature: feature.map(|id| ClearableArg(Some(WorkRecordRef::from(id)))),
        assignee: parsed(item.assignee.as_ref())?.map(|one| ClearableArg(Some(one))),
        due: parsed(item.due.as_ref())?.map(|one| ClearableArg(Some(one))),
        milestone: parsed(item.milestone.as_ref())?.map(|one| ClearableArg(Some(one))),
        estimate: item.estimate.map(|one| ClearableArg(Some(Estimate::of_minutes(one)))),
        source: item.source.clone(),
        key: key.map_err(Problem::invalid)?,
        ..WorkItemFields::default()
    })
}

/// The fields of an item that differ from the record; `None` if none does.
fn changed_fields(
    known: &WorkItem,
    item: &PlannedItem,
    feature: Option<&WorkRecordId>,
) -> Result<Option<WorkItemFields>> {
    let mut fields = all_fields(item, feature)?;
    fields.key = None;
    let row = RecordFields::of(known);
    let is_same = |new: Option<&String>, old: &str| new.is_none_or(|new| new.trim() == old);
    let same_option = |new: Option<&String>, old: Option<&String>| new.is_none() || new == old;
    if item.name.trim() == known.name() {
        fields.name = None;
    }
    if is_same(item.summary.as_ref(), row.summary) {
        fields.summary = None;
    }
    if is_same(item.description.as_ref(), row.description) {
        fields.description = None;
    }
    fields.priority = fields.priority.filter(|new| *new != row.priority);
    fields.complexity = fields.complexity.filter(|new| Some(*new) != row.complexity);
    let mut tags = item.tags.clone().unwrap_or_default();
    tags.sort();
    tags.dedup();
    if item.tags.is_none() || tags == known.tags() {
        fields.tags = None;
    }
    if row.feature == feature || item.kind != WorkKind::Task {
        fields.feature = None;
    }
    if same_option(item.assignee.as_ref(), row.assignee) {
        fields.assignee = None;
    }
    if same_option(item.due.as_ref(), row.due) {
        fields.due = None;
    }
    if same_option(item.milestone.as_ref(), row.milestone) {
        fields.milestone = None;
    }
    if item.estimate.is_none() || item.estimate == row.estimate {
        fields.estimate = None;
    }
    if same_option(item.source.as_ref(), row.source) {
        fields.source = None;
    }
    let is_empty = fields.name.is_none()
        && fields.summary.is_none()
        && fields.description.is_none()
        && fields.priority.is_none()
        && fields.complexity.is_none()
        && fields.tags.is_none()
        && fields.feature.is_none()
        && fields.assignee.is_none()
        && fields.due.is_none()
        && fields.milestone.is_none()
        && fields.estimate.is_none()
        && fields.source.is_none();
    Ok((!is_empty).then_some(fields))
}

/// The fields of a feature or task that a plan can set.
struct RecordFields<'a> {
    summary: &'a str,
    description: &'a str,
    priority: WorkPriority,
    complexity: Option<u32>,
    feature: Option<&'a WorkRecordId>,
    assignee: Option<&'a String>,
    due: Option<&'a String>,
    milestone: Option<&'a String>,
    estimate: Option<u32>,
    source: Option<&'a String>,
}

impl<'a> RecordFields<'a> {
    fn of(item: &'a WorkItem) -> Self {
        match item {
            WorkItem::Task(one) => Self {
                summary: &one.summary,
                description: &one.description,
                priority: one.priority,
                complexity: Some(one.complexity),
                feature: one.feature_id.as_ref(),
                assignee: one.assignee.as_ref(),
                due: one.due.as_ref(),
                milestone: one.milestone.as_ref(),
                estimate: one.estimate,
                source: one.source.as_ref(),
            },
            WorkItem::Feature(one) => Self {
                summary: &one.summary,
                description: &one.description,
                priority: one.priority,
                complexity: None,
                feature: None,
                assignee: one.assignee.as_ref(),
                due: one.due.as_ref(),
                milestone: one.milestone.as_ref(),
                estimate: one.estimate,
                source: one.source.as_ref(),
            },
            WorkItem::Project(one) => Self {
                summary: &one.summary,
                description: &one.description,
                priority: WorkPriority::Medium,
                complexity: None,
                feature: None,
                assignee: None,
                due: None,
                milestone: None,
                estimate: None,
                source: None,
            },
        }
    }
}

fn section_fields(section: &PlannedSection) -> Result<SectionFields> {
    Ok(SectionFields {
        title: parsed(Some(&section.title))?,
        usage_description: parsed(section.usage.as_ref())?,
        content: parsed(Some(&section.content))?,
        content_format: section.format,
        tags: tag_list(section.tags.as_ref())?,
        ..SectionFields::default()
    })
}

fn differs(known: &Section, planned: &PlannedSection) -> bool {
    known.content != planned.content
        || planned.usage.as_ref().is_some_and(|usage| *usage != known.usage_description)
        || planned.format.is_some_and(|format| format != known.content_format)
        || planned.tags.as_ref().is_some_and(|tags| *tags != known.tags)
}
