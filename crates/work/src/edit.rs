//! Creates, changes and deletes projects, features and tasks. Their status is set in `pipeline`.

use base::words::counted;
use base::{NextCall, Problem, ProblemCode, Result};
use schemars::JsonSchema;
use serde::Serialize;

use crate::blocks::{self, UnblockedWork};
use crate::claim::refuse_foreign_claim;
use crate::container::{WorkItem, WorkItemBrief, check_version, project};
use crate::dependencies::{put_dependency, refuse_cycle, set_parent};
use crate::draft::WorkDraft;
use crate::id::{VersionedRef, WorkRecordId, WorkRecordRef};
use crate::key::{WrittenKey, slug};
use crate::knowledge::remove_project_knowledge;
use crate::pipeline::kind_and_name;
use crate::record::{Dependency, Feature, Project, Section, Task, TaskClaim, WorkEvent};
use crate::text::{
    ClearableArg, DueDate, Estimate, KnowledgeText, ListArg, PersonName, RecordName, SummaryText,
    Tag, tags,
};
use crate::words::{DependencyKind, WorkKind, WorkPriority, WorkStatus};

/// The complexity of a task if none is given.
const DEFAULT_COMPLEXITY: u32 = 5;

/// The fields to set. An absent field keeps its value; a new record gets the default.
#[derive(Debug, Clone, Default)]
pub struct WorkItemFields {
    /// Its name
    pub name: Option<RecordName>,
    /// A short summary
    pub summary: Option<SummaryText>,
    /// The description
    pub description: Option<KnowledgeText>,
    /// Its priority
    pub priority: Option<WorkPriority>,
    /// Its complexity, from 1 to 10
    pub complexity: Option<u32>,
    /// Labels
    pub tags: Option<ListArg<Tag>>,
    /// The feature of a task
    pub feature: Option<ClearableArg<WorkRecordRef>>,
    /// Related features and tasks
    pub related_to: Option<ListArg<WorkRecordRef>>,
    /// The task that a task is a part of
    pub parent: Option<ClearableArg<WorkRecordRef>>,
    /// The work during which it was found
    pub discovered_from: Option<WorkRecordRef>,
    /// Person or agent that it is assigned to
    pub assignee: Option<ClearableArg<PersonName>>,
    /// The day by which it is due
    pub due: Option<ClearableArg<DueDate>>,
    /// The milestone that it belongs to
    pub milestone: Option<ClearableArg<RecordName>>,
    /// How long it is expected to take
    pub estimate: Option<ClearableArg<Estimate>>,
    /// Where it was imported from
    pub source: Option<String>,
    /// The key that a new record gets, if it is free
    pub key: Option<WorkRecordRef>,
}

/// The result of a deletion.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DeletedWorkItem {
    /// What was deleted
    #[serde(flatten)]
    pub what: WorkItemBrief,
    /// How many features were deleted with it
    pub features: usize,
    /// How many tasks were deleted with it
    pub tasks: usize,
    /// How many sections were deleted with it
    pub sections: usize,
    /// How many molecules and atoms were deleted with it
    pub knowledge: usize,
    /// The work that it no longer blocks
    pub unblocked: Vec<UnblockedWork>,
}

/// Creates a project, feature or task.
pub fn create(
    draft: &mut WorkDraft<'_>,
    kind: WorkKind,
    project_ref: Option<&WorkRecordRef>,
    fields: &WorkItemFields,
) -> Result<WorkItem> {
    let Some(name) = &fields.name else {
        return Err(Problem::invalid(format!("a {kind} needs a name")));
    };
    fields.refuse_inapplicable_fields(kind)?;
    let (id, now) = (new_id(draft, kind, name.as_str(), fields)?, draft.stamp());
    let slug = Some(fields.written_slug().unwrap_or_else(|| slug(name.as_str())));
    let (summary, description) = (fields.text_of(), fields.description_of());
    let tags = fields.tags.as_ref().map(tags).unwrap_or_default();
    let name = name.as_str().trim().to_owned();
    let (created_at, updated_at) = (now.clone(), now);
    let priority = fields.priority.unwrap_or(WorkPriority::Medium);
    let container = match kind {
        WorkKind::Project => WorkItem::Project(Project {
            id,
            name,
            summary,
            description,
            tags,
            version: 1,
            created_at,
            updated_at,
        }),
        WorkKind::Feature => {
            let project_id = project(draft, project_ref)?.id;
            WorkItem::Feature(Feature {
                id,
                project_id,
                name,
                summary,
                description,
                status: WorkStatus::New,
                priority,
                tags,
                ended_from: None,
                end_reason: None,
                slug,
                assignee: fields.assignee_of(),
                due: fields.due_of(),
                milestone: fields.milestone_of(),
                estimate: fields.estimate_of(),
                source: fields.source.clone(),
                version: 1,
                created_at,
                updated_at,
            })
        }
        WorkKind::Task => {
            let feature = fields.feature.as_ref().and_then(|feature| feature.0.as_ref());
            let feature: Option<Feature> = feature.map(|id| draft.find(id)).transpose()?;
            let project_id = match (&feature, project_ref) {
                (Some(feature), None) => feature.project_id.clone(),
                (_, asked) => project(draft, asked)?.id,
            };
            if let Some(feature) = &feature {
                check_feature_accepts(feature, &project_id, true)?;
            }
            WorkItem::Task(Task {
                id,
                project_id,
                feature_id: feature.map(|feature| feature.id),
                title: name,
                summary,
                description,
                status: WorkStatus::New,
                priority,
                complexity: fields.complexity.unwrap_or(DEFAULT_COMPLEXITY),
                tags,
                evidence: Vec::new(),
                end_reason: None,
                slug,
                assignee: fields.assignee_of(),
                due: fields.due_of(),
                milestone: fields.milestone_of(),
                estimate: fields.estimate_of(),
                source: fields.source.clone(),
                version: 1,
                created_at,
                updated_at,
            })
        }
    };
    container.put(draft)?;
    relate(draft, &container, fields)?;
    Ok(container)
}

/// Changes a project, feature or task.
pub fn update(
    draft: &mut WorkDraft<'_>,
    kind: Option<WorkKind>,
    target: VersionedRef<'_>,
    fields: &WorkItemFields,
) -> Result<WorkItem> {
    let mut container = WorkItem::find(draft, kinds(kind).as_slice(), target.id)?;
    check_version(&kind_and_name(&container), container.version(), target.version)?;
    fields.refuse_inapplicable_fields(container.kind())?;
    if let WorkItem::Task(task) = &container {
        refuse_foreign_claim(draft, task)?;
    }
    let feature = match (&container, &fields.feature) {
        (WorkItem::Task(task), Some(feature)) => Some(move_task(draft, task, feature)?),
        _ => None,
    };
    let now = draft.stamp();
    let name = fields.name.as_ref().map(|name| name.as_str().trim().to_owned());
    let summary = fields.summary.as_ref().map(|text| text.as_str().trim().to_owned());
    let description = fields.description.as_ref().map(|text| text.as_str().trim().to_owned());
    macro_rules! set {
        ($record:expr, $name:ident) => {{
            let record = $record;
            record.$name = name.unwrap_or(std::mem::take(&mut record.$name));
            record.summary = summary.unwrap_or(std::mem::take(&mut record.summary));
            record.description = description.unwrap_or(std::mem::take(&mut record.description));
            record.tags = fields.tags.as_ref().map_or(std::mem::take(&mut record.tags), tags);
            (record.version, record.updated_at) = (record.version + 1, now);
        }};
    }
    macro_rules! set_plan {
        ($record:expr) => {{
            let record = $record;
            set_if_given(&mut record.assignee, fields.assignee.is_some(), fields.assignee_of());
            set_if_given(&mut record.due, fields.due.is_some(), fields.due_of());
            set_if_given(&mut record.milestone, fields.milestone.is_some(), fields.milestone_of());
            set_if_given(&mut record.estimate, fields.estimate.is_some(), fields.estimate_of());
            set_if_given(&mut record.source, fields.source.is_some(), fields.source.clone());
        }};
    }
    match &mut container {
        WorkItem::Project(project) => set!(project, name),
        WorkItem::Feature(feature) => {
            feature.priority = fields.priority.unwrap_or(feature.priority);
            set_plan!(&mut *feature);
            set!(feature, name);
        }
        WorkItem::Task(task) => {
            task.priority = fields.priority.unwrap_or(task.priority);
            task.complexity = fields.complexity.unwrap_or(task.complexity);
            task.feature_id = feature.unwrap_or(task.feature_id.take());
            set_plan!(&mut *task);
            set!(task, title);
        }
    }
    container.put(draft)?;
    relate(draft, &container, fields)?;
    Ok(container)
}

/// Deletes a project, feature or task together with its sections and dependencies; with `cascade`, also
/// the features, tasks and knowledge in it.
pub fn delete(
    draft: &mut WorkDraft<'_>,
    kind: Option<WorkKind>,
    target: VersionedRef<'_>,
    cascade: bool,
) -> Result<DeletedWorkItem> {
    let container = WorkItem::find(draft, kinds(kind).as_slice(), target.id)?;
    check_version(&kind_and_name(&container), container.version(), target.version)?;
    let mut deleted = DeletedWorkItem {
        what: container.brief(),
        features: 0,
        tasks: 0,
        sections: 0,
        knowledge: 0,
        unblocked: Vec::new(),
    };
    let (features, tasks): (Vec<Feature>, Vec<Task>) = match &container {
        WorkItem::Project(project) => {
            (draft.list("project_id", &project.id)?, draft.list("project_id", &project.id)?)
        }
        WorkItem::Feature(feature) => (Vec::new(), draft.list("feature_id", &feature.id)?),
        WorkItem::Task(_) => (Vec::new(), Vec::new()),
    };
    let knowledge = match &container {
        WorkItem::Project(project) => crate::knowledge::count_knowledge(draft, &project.id)?,
        _ => 0,
    };
    let is_empty = features.is_empty() && tasks.is_empty() && knowledge == 0;
    if !cascade && !is_empty {
        let what = format!(
            "{} still has {}, {} and {}",
            kind_and_name(&container),
            counted(features.len(), "feature"),
            counted(tasks.len(), "task"),
            counted(knowledge, "record") + " of knowledge"
        );
        return Err(Problem::new(ProblemCode::HasChildren, what)
            .detail("features", features.len())
            .detail("tasks", tasks.len())
            .detail("knowledge", knowledge)
            .hint("`cascade` deletes them too"));
    }
    if let WorkItem::Task(task) = &container {
        refuse_foreign_claim(draft, task)?;
    }
    for task in tasks {
        refuse_foreign_claim(draft, &task)?;
        deleted.tasks += 1;
        remove(draft, &WorkItem::Task(task), &mut deleted)?;
    }
    for feature in features {
        deleted.features += 1;
        remove(draft, &WorkItem::Feature(feature), &mut deleted)?;
    }
    if let WorkItem::Project(project) = &container {
        deleted.knowledge = knowledge;
        remove_project_knowledge(draft, &project.id)?;
    }
    remove(draft, &container, &mut deleted)?;
    let is_there =
        |freed: &UnblockedWork| WorkItem::of_id(draft, &freed.what.id).map(|one| one.is_some());
    let mut kept = Vec::new();
    for freed in std::mem::take(&mut deleted.unblocked) {
        if is_there(&freed)? {
            kept.push(freed);
        }
    }
    deleted.unblocked = kept;
    Ok(deleted)
}

fn remove(
    draft: &mut WorkDraft<'_>,
    container: &WorkItem,
    deleted: &mut DeletedWorkItem,
) -> Result<()> {
    let id = container.id();
    deleted.unblocked.extend(blocks::delete(draft, id)?);
    let ties = [draft.list::<Dependency>("from_id", id)?, draft.list("to_id", id)?].concat();
    for tie in ties {
        draft.delete::<Dependency>(&tie.id)?;
    }
    for section in draft.list::<Section>("entity_id", id)? {
        deleted.sections += 1;
        draft.delete::<Section>(&section.id)?;
    }
    for event in draft.list::<WorkEvent>("item_id", id)? {
        draft.delete::<WorkEvent>(&event.id)?;
    }
    match container {
        WorkItem::Project(_) => draft.delete::<Project>(id),
        WorkItem::Feature(_) => draft.delete::<Feature>(id),
        WorkItem::Task(_) => {
            draft.delete::<TaskClaim>(id)?;
            draft.delete::<Task>(id)
        }
    }
}

/// The given kind, or all kinds.
pub fn kinds(kind: Option<WorkKind>) -> Vec<WorkKind> {
    kind.map_or_else(|| WorkKind::ALL.to_vec(), |kind| vec![kind])
}

impl WorkItemFields {
    /// Refuses fields that a kind does not have.
    fn refuse_inapplicable_fields(&self, kind: WorkKind) -> Result<()> {
        let odd = match kind {
            WorkKind::Project if self.priority.is_some() => "priority",
            WorkKind::Project | WorkKind::Feature if self.complexity.is_some() => "complexity",
            WorkKind::Project | WorkKind::Feature if self.feature.is_some() => "feature",
            WorkKind::Project if self.assignee.is_some() => "assignee",
            WorkKind::Project if self.due.is_some() => "due",
            WorkKind::Project if self.milestone.is_some() => "milestone",
            WorkKind::Project if self.estimate.is_some() => "estimate",
            WorkKind::Project | WorkKind::Feature if self.parent.is_some() => "parent",
            WorkKind::Project if self.discovered_from.is_some() => "discovered_from",
            _ if self.complexity.is_some_and(|complexity| !(1..=10).contains(&complexity)) => {
                return Err(Problem::invalid("`complexity` must be between 1 and 10"));
            }
            _ => return Ok(()),
        };
        Err(Problem::invalid(format!("`{odd}` does not apply to a {kind}")))
    }

    fn text_of(&self) -> String {
        self.summary.as_ref().map_or("", SummaryText::as_str).trim().into()
    }

    fn assignee_of(&self) -> Option<String> {
        let given = self.assignee.as_ref()?.0.as_ref();
        given.map(|name| name.as_str().trim().to_owned())
    }

    fn due_of(&self) -> Option<String> {
        self.due.as_ref()?.0.as_ref().map(ToString::to_string)
    }

    fn milestone_of(&self) -> Option<String> {
        let given = self.milestone.as_ref()?.0.as_ref();
        given.map(|name| name.as_str().trim().to_owned())
    }

    fn estimate_of(&self) -> Option<u32> {
        self.estimate.as_ref()?.0.map(Estimate::minutes)
    }

    /// The slug of the key that the record should get.
    fn written_slug(&self) -> Option<String> {
        let key = WrittenKey::parse(&self.key.as_ref()?.name)?;
        (!key.slug.is_empty()).then_some(key.slug)
    }

    fn description_of(&self) -> String {
        self.description.as_ref().map_or("", KnowledgeText::as_str).trim().into()
    }
}

fn set_if_given<T>(field: &mut Option<T>, is_given: bool, value: Option<T>) {
    if is_given {
        *field = value;
    }
}

/// How many ids are tried until a key is free.
const MAX_KEY_TRIES: usize = 16;

/// An id whose key no other record of the kind has: the written key, if it is free.
fn new_id(
    draft: &WorkDraft<'_>,
    kind: WorkKind,
    name: &str,
    fields: &WorkItemFields,
) -> Result<WorkRecordId> {
    let mut id = draft.new_id();
    let written = fields.key.as_ref().and_then(|key| WrittenKey::parse(&key.name));
    if let Some(key) = written {
        id = id.with_key_digits(&key.digits);
    }
    let slug = fields.written_slug().unwrap_or_else(|| slug(name));
    for _ in 0..MAX_KEY_TRIES {
        if !draft.is_key_taken(kind.table(), &slug, &id)? {
            break;
        }
        id = draft.new_id();
    }
    Ok(id)
}

fn relate(draft: &mut WorkDraft<'_>, container: &WorkItem, fields: &WorkItemFields) -> Result<()> {
    if let (Some(parent), WorkItem::Task(task)) = (&fields.parent, container) {
        set_parent(draft, task, parent.0.as_ref())?;
    }
    if let Some(origin) = &fields.discovered_from {
        let origin = WorkItem::find(draft, &[WorkKind::Feature, WorkKind::Task], origin)?;
        put_dependency(draft, Some(container), &origin, DependencyKind::DiscoveredFrom, "")?;
    }
    let Some(others) = &fields.related_to else { return Ok(()) };
    if container.kind() == WorkKind::Project {
        return Err(Problem::invalid("`related_to` does not apply to a project"));
    }
    for other in &others.0 {
        let other = WorkItem::find(draft, &[WorkKind::Feature, WorkKind::Task], other)?;
        put_dependency(draft, Some(container), &other, DependencyKind::RelatesTo, "")?;
    }
    Ok(())
}

/// The feature that a task moves to; an error if it may not.
fn move_task(
    draft: &WorkDraft<'_>,
    task: &Task,
    to: &ClearableArg<WorkRecordRef>,
) -> Result<Option<WorkRecordId>> {
    let Some(to) = &to.0 else { return Ok(None) };
    let feature: Feature = draft.find(to)?;
    check_feature_accepts(&feature, &task.project_id, !task.status.is_terminal())?;
    let id = feature.id.clone();
    if !task.status.is_terminal() {
        // The feature will wait for the task: the task must not wait for the feature.
        refuse_cycle(draft, &WorkItem::Task(task.clone()), &WorkItem::Feature(feature))?;
    }
    Ok(Some(id))
}

/// Refuses a feature that cannot take a task of this project.
fn check_feature_accepts(feature: &Feature, project: &WorkRecordId, is_open: bool) -> Result<()> {
    if feature.project_id != *project {
        let what = format!("feature \"{}\" belongs to another project", feature.name);
        return Err(Problem::new(ProblemCode::InvariantViolation, what));
    }
    if is_open && feature.status.is_terminal() {
        let what =
            format!("feature \"{}\" is {} and takes no open task", feature.name, feature.status);
        return Err(Problem::new(ProblemCode::InvalidOperation, what).hint_call(
            "reopen it with",
            NextCall::new("work.revert")
                .with("id", WorkItem::Feature(feature.clone()).brief().handle()),
        ));
    }
    Ok(())
}
