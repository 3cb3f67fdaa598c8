//! Creates, changes and deletes projects, features and tasks. Their status is set in `pipeline`.

use base::words::counted;
use base::{NextCall, Problem, ProblemCode, Result};
use schemars::JsonSchema;
use serde::Serialize;

use crate::blocks::{self, UnblockedWork};
use crate::container::{WorkItem, WorkItemBrief, check_version, project};
use crate::dependencies::{put_dependency, refuse_cycle};
use crate::draft::WorkDraft;
use crate::id::{VersionedRef, WorkRecordId, WorkRecordRef};
use crate::knowledge::remove_project_knowledge;
use crate::pipeline::kind_and_name;
use crate::record::{Dependency, Feature, Project, Section, Task, TaskClaim};
use crate::text::{ClearableArg, KnowledgeText, ListArg, RecordName, SummaryText, Tag, tags};
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
    let (id, now) = (draft.new_id(), draft.stamp());
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
    match &mut container {
        WorkItem::Project(project) => set!(project, name),
        WorkItem::Feature(feature) => {
            feature.priority = fields.priority.unwrap_or(feature.priority);
            set!(feature, name);
        }
        WorkItem::Task(task) => {
            task.priority = fields.priority.unwrap_or(task.priority);
            task.complexity = fields.complexity.unwrap_or(task.complexity);
            task.feature_id = feature.unwrap_or(task.feature_id.take());
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
    for task in tasks {
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
            _ if self.complexity.is_some_and(|complexity| !(1..=10).contains(&complexity)) => {
                return Err(Problem::invalid("`complexity` is from 1 to 10"));
            }
            _ => return Ok(()),
        };
        Err(Problem::invalid(format!("a {kind} has no `{odd}`")))
    }

    fn text_of(&self) -> String {
        self.summary.as_ref().map_or("", SummaryText::as_str).trim().into()
    }

    fn description_of(&self) -> String {
        self.description.as_ref().map_or("", KnowledgeText::as_str).trim().into()
    }
}

fn relate(draft: &mut WorkDraft<'_>, container: &WorkItem, fields: &WorkItemFields) -> Result<()> {
    let Some(others) = &fields.related_to else { return Ok(()) };
    if container.kind() == WorkKind::Project {
        return Err(Problem::invalid("a project has no `related_to`"));
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
            NextCall::new("work.revert").with("id", format!("feature:{}", feature.id.short())),
        ));
    }
    Ok(())
}
