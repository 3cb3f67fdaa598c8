//! A project, feature or task, for code that treats all three alike.

use base::{NextCall, Problem, ProblemCode, Result};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use crate::draft::WorkDraft;
use crate::id::{WorkRecordId, WorkRecordRef};
use crate::key::{WorkKey, slug};
use crate::lookup::not_found;
use crate::record::{Dependency, Feature, Project, Record, Table, Task};
use crate::words::{DependencyKind, WorkKind, WorkStatus};

/// A project, feature or task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WorkItem {
    /// A project
    Project(Project),
    /// A feature
    Feature(Feature),
    /// A task
    Task(Task),
}

/// A short description of a project, feature or task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct WorkItemBrief {
    /// Its kind
    pub kind: WorkKind,
    /// Its id
    pub id: WorkRecordId,
    /// Its key, which other operations accept as well as its id
    pub key: WorkKey,
    /// Its name
    pub name: String,
    /// Its status; absent for a project
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<WorkStatus>,
}

impl WorkItemBrief {
    /// Its handle, which other operations accept.
    pub fn handle(&self) -> String {
        format!("{}:{}", self.kind, self.key)
    }
}

impl WorkKind {
    pub(crate) const fn table(self) -> Table {
        match self {
            Self::Project => Project::TABLE,
            Self::Feature => Feature::TABLE,
            Self::Task => Task::TABLE,
        }
    }
}

impl WorkItem {
    /// The record of this kind with this id.
    pub fn get(draft: &WorkDraft<'_>, kind: WorkKind, id: &WorkRecordId) -> Result<Option<Self>> {
        Ok(match kind {
            WorkKind::Project => draft.get(id)?.map(Self::Project),
            WorkKind::Feature => draft.get(id)?.map(Self::Feature),
            WorkKind::Task => draft.get(id)?.map(Self::Task),
        })
    }

    /// The feature or task with this id.
    pub fn of_id(draft: &WorkDraft<'_>, id: &WorkRecordId) -> Result<Option<Self>> {
        match Self::get(draft, WorkKind::Task, id)? {
            Some(task) => Ok(Some(task)),
            None => Self::get(draft, WorkKind::Feature, id),
        }
    }

    /// The one record of these kinds that a reference means.
    pub fn find(draft: &WorkDraft<'_>, kinds: &[WorkKind], asked: &WorkRecordRef) -> Result<Self> {
        let written = asked.kind.as_deref().map(str::parse::<WorkKind>).transpose();
        let written = written.map_err(Problem::invalid)?;
        let fits = |kind: &&WorkKind| written.is_none_or(|written| written == **kind);
        let fitting: Vec<WorkKind> = kinds.iter().filter(fits).copied().collect();
        let tables: Vec<Table> = fitting.iter().map(|kind| kind.table()).collect();
        if tables.is_empty() {
            let words: Vec<&str> = kinds.iter().map(|kind| kind.word()).collect();
            return Err(not_found(&words.join(" or "), &asked.to_string()));
        }
        let (table, id) = draft.look_up(&tables, asked)?;
        let kind = fitting.into_iter().find(|kind| kind.table() == table);
        let container = kind.map(|kind| Self::get(draft, kind, &id)).transpose()?.flatten();
        container.ok_or_else(|| not_found(table.name, id.as_str()))
    }

    /// Its kind.
    pub const fn kind(&self) -> WorkKind {
        match self {
            Self::Project(_) => WorkKind::Project,
            Self::Feature(_) => WorkKind::Feature,
            Self::Task(_) => WorkKind::Task,
        }
    }

    /// Its id.
    pub const fn id(&self) -> &WorkRecordId {
        match self {
            Self::Project(project) => &project.id,
            Self::Feature(feature) => &feature.id,
            Self::Task(task) => &task.id,
        }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        match self {
            Self::Project(project) => &project.name,
            Self::Feature(feature) => &feature.name,
            Self::Task(task) => &task.title,
        }
    }

    /// Its key.
    pub fn key(&self) -> WorkKey {
        let stored = match self {
            Self::Project(_) => None,
            Self::Feature(feature) => feature.slug.as_deref(),
            Self::Task(task) => task.slug.as_deref(),
        };
        match stored {
            Some(stored) => WorkKey::new(stored, self.id()),
            None => WorkKey::new(&slug(self.name()), self.id()),
        }
    }

    /// Person or agent that it is assigned to.
    pub fn assignee(&self) -> Option<&str> {
        match self {
            Self::Project(_) => None,
            Self::Feature(feature) => feature.assignee.as_deref(),
            Self::Task(task) => task.assignee.as_deref(),
        }
    }

    /// Where it was imported from.
    pub fn source(&self) -> Option<&str> {
        match self {
            Self::Project(_) => None,
            Self::Feature(feature) => feature.source.as_deref(),
            Self::Task(task) => task.source.as_deref(),
        }
    }

    /// When it was created.
    pub fn created_at(&self) -> &str {
        match self {
            Self::Project(project) => &project.created_at,
            Self::Feature(feature) => &feature.created_at,
            Self::Task(task) => &task.created_at,
        }
    }

    /// Its version.
    pub const fn version(&self) -> u32 {
        match self {
            Self::Project(project) => project.version,
            Self::Feature(feature) => feature.version,
            Self::Task(task) => task.version,
        }
    }

    /// Its status.
    pub const fn status(&self) -> Option<WorkStatus> {
        match self {
            Self::Project(_) => None,
            Self::Feature(feature) => Some(feature.status),
            Self::Task(task) => Some(task.status),
        }
    }

    /// The id of its project, or its own id if it is a project.
    pub const fn project_id(&self) -> &WorkRecordId {
        match self {
            Self::Project(project) => &project.id,
            Self::Feature(feature) => &feature.project_id,
            Self::Task(task) => &task.project_id,
        }
    }

    /// Its tags.
    pub fn tags(&self) -> &[String] {
        match self {
            Self::Project(project) => &project.tags,
            Self::Feature(feature) => &feature.tags,
            Self::Task(task) => &task.tags,
        }
    }

    /// When it was last changed.
    pub fn updated_at(&self) -> &str {
        match self {
            Self::Project(project) => &project.updated_at,
            Self::Feature(feature) => &feature.updated_at,
            Self::Task(task) => &task.updated_at,
        }
    }

    /// A short description of it.
    pub fn brief(&self) -> WorkItemBrief {
        let (kind, id, name) = (self.kind(), self.id().clone(), self.name().to_owned());
        WorkItemBrief { kind, id, key: self.key(), name, status: self.status() }
    }

    /// Sets its status.
    pub(crate) fn set_status(&mut self, status: WorkStatus, now: &str) {
        match self {
            Self::Project(_) => {}
            Self::Feature(feature) => {
                feature.status = status;
                (feature.version, feature.updated_at) = (feature.version + 1, now.to_owned());
            }
            Self::Task(task) => {
                task.status = status;
                (task.version, task.updated_at) = (task.version + 1, now.to_owned());
            }
        }
    }

    /// Sets the status that a new record starts with. Its version stays.
    pub(crate) fn set_initial_status(&mut self, status: WorkStatus) {
        match self {
            Self::Project(_) => {}
            Self::Feature(feature) => feature.status = status,
            Self::Task(task) => task.status = status,
        }
    }

    /// Why it was terminated.
    pub fn end_reason(&self) -> Option<&str> {
        match self {
            Self::Project(_) => None,
            Self::Feature(feature) => feature.end_reason.as_deref(),
            Self::Task(task) => task.end_reason.as_deref(),
        }
    }

    /// Sets why it is terminated.
    pub(crate) fn set_end_reason(&mut self, reason: Option<&str>) {
        let reason = reason.map(str::trim).filter(|reason| !reason.is_empty());
        match self {
            Self::Project(_) => {}
            Self::Feature(feature) => feature.end_reason = reason.map(ToOwned::to_owned),
            Self::Task(task) => task.end_reason = reason.map(ToOwned::to_owned),
        }
    }

    pub(crate) fn put(&self, draft: &mut WorkDraft<'_>) -> Result<()> {
        match self {
            Self::Project(project) => draft.put(project),
            Self::Feature(feature) => draft.put(feature),
            Self::Task(task) => draft.put(task),
        }
    }
}

/// The given project, or the only one.
pub fn project(draft: &WorkDraft<'_>, asked: Option<&WorkRecordRef>) -> Result<Project> {
    if let Some(asked) = asked {
        return draft.find(asked);
    }
    let mut all: Vec<Project> = draft.all()?;
    match all.len() {
        0 => Err(Problem::not_found("there is no project yet")
            .hint_call(
                "write a plan in Markdown, which creates one, with",
                NextCall::new("work.plan").with("file", "PLAN.md"),
            )
            .hint_call(
                "or create one with",
                NextCall::new("work.create").with("kind", "project").with("name", "its name"),
            )),
        1 => Ok(all.remove(0)),
        many => {
            let row =
                |one: &Project| json!({"node": format!("project:{}", one.id), "name": one.name});
            Err(Problem::new(ProblemCode::Ambiguous, format!("there are {many} projects"))
                .detail("candidates", all.iter().map(row).collect::<Vec<_>>())
                .hint_call(
                    "name one, for example",
                    NextCall::repeat()
                        .with("project", WorkItem::Project(all[0].clone()).key().as_str()),
                ))
        }
    }
}

/// The given project, or the only one; `None` if there is no project yet.
pub fn project_if_any(
    draft: &WorkDraft<'_>,
    asked: Option<&WorkRecordRef>,
) -> Result<Option<Project>> {
    match (asked, draft.all::<Project>()?.is_empty()) {
        (None, true) => Ok(None),
        (asked, _) => project(draft, asked).map(Some),
    }
}

/// Refuses a change that was planned from an older version of the record.
pub fn check_version(what: &str, current: u32, expected: Option<u32>) -> Result<()> {
    match expected {
        Some(expected) if expected != current => Err(conflict(what, current, expected)),
        _ => Ok(()),
    }
}

fn conflict(what: &str, current: u32, expected: u32) -> Problem {
    let message = format!("{what} is at version {current}, not {expected}");
    Problem::new(ProblemCode::Conflict, message)
        .detail("current_version", current)
        .detail("version", current)
        .hint(format!("read it again, then retry with version {current}"))
}

/// The active blocks of a feature or task, each with its blocker. Finished work waits for nothing, and a
/// closed blocker does not block until it is reopened.
pub fn blockers(
    draft: &WorkDraft<'_>,
    id: &WorkRecordId,
) -> Result<Vec<(Dependency, Option<WorkItemBrief>)>> {
    let mut found = Vec::new();
    let blocked = WorkItem::of_id(draft, id)?;
    if blocked.and_then(|blocked| blocked.status()).is_some_and(WorkStatus::is_terminal) {
        return Ok(found);
    }
    for block in draft.list::<Dependency>("to_id", id)? {
        if block.relation == DependencyKind::Blocks {
            let from = block.from_id.as_ref().map(|from| WorkItem::of_id(draft, from));
            let from = from.transpose()?.flatten().map(|from| from.brief());
            if from.as_ref().is_none_or(|from| from.status != Some(WorkStatus::Closed)) {
                found.push((block, from));
            }
        }
    }
    Ok(found)
}
