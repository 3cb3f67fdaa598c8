//! Queries over projects, features and tasks.

use std::collections::BTreeMap;

use base::{NextCall, Problem, Result};
use schemars::JsonSchema;
use serde::Serialize;

use crate::container::{WorkItem, WorkItemBrief, blockers};
use crate::draft::WorkDraft;
use crate::id::WorkRecordId;
use crate::record::{Feature, Project, Record, Task};
use crate::tables;
use crate::tags::containers;
use crate::text::ListArg;
use crate::words::{WorkKind, WorkPriority, WorkStatus};

/// A filter. In a list, `!` before a value excludes it.
#[derive(Debug, Clone, Default)]
pub struct WorkQuery {
    /// Only this kind
    pub kind: Option<WorkKind>,
    /// Only in this project
    pub project: Option<WorkRecordId>,
    /// Only in this feature
    pub feature: Option<WorkRecordId>,
    /// Words that the name or texts must all contain; `-word` must not occur
    pub words: String,
    /// Statuses
    pub status: ListArg<String>,
    /// Priorities
    pub priority: ListArg<String>,
    /// Tags
    pub tags: ListArg<String>,
}

/// Required values and excluded values.
struct ValueFilter<T> {
    included: Vec<T>,
    excluded: Vec<T>,
}

impl<T: std::str::FromStr<Err = String> + PartialEq> ValueFilter<T> {
    fn parse(many: &ListArg<String>) -> Result<Self> {
        let (mut wanted, mut unwanted) = (Vec::new(), Vec::new());
        for text in &many.0 {
            match text.strip_prefix('!') {
                Some(text) => unwanted.push(text.trim().parse().map_err(Problem::invalid)?),
                None => wanted.push(text.parse().map_err(Problem::invalid)?),
            }
        }
        Ok(Self { included: wanted, excluded: unwanted })
    }

    fn allows(&self, value: &T) -> bool {
        (self.included.is_empty() || self.included.contains(value))
            && !self.excluded.contains(value)
    }

    const fn is_empty(&self) -> bool {
        self.included.is_empty() && self.excluded.is_empty()
    }
}

/// The matching records, by priority, then by name.
pub fn search(draft: &WorkDraft<'_>, wanted: &WorkQuery) -> Result<Vec<WorkItem>> {
    let status = ValueFilter::<WorkStatus>::parse(&wanted.status)?;
    let priority = ValueFilter::<WorkPriority>::parse(&wanted.priority)?;
    let (no_tags, tags): (Vec<&String>, Vec<&String>) =
        wanted.tags.0.iter().partition(|tag| tag.starts_with('!'));
    let words = wanted.words.to_lowercase();
    let (no_words, words): (Vec<&str>, Vec<&str>) =
        words.split_whitespace().partition(|word| word.len() > 1 && word.starts_with('-'));
    let mut found = containers(draft, wanted.project.as_ref())?;
    found.retain(|one| {
        let text = text(one).to_lowercase();
        let has = |tag: &str| one.tags().iter().any(|known| known.eq_ignore_ascii_case(tag));
        wanted.kind.is_none_or(|kind| kind == one.kind())
            && wanted.feature.as_ref().is_none_or(|id| feature_of(one) == Some(id))
            && one.status().map_or(status.is_empty(), |one| status.allows(&one))
            && priority_of(one).map_or(priority.is_empty(), |one| priority.allows(&one))
            && tags.iter().all(|tag| has(tag))
            && !no_tags.iter().any(|tag| has(tag[1..].trim()))
            && words.iter().all(|word| text.contains(word))
            && !no_words.iter().any(|word| text.contains(&word[1..]))
    });
    found.sort_by(|a, b| {
        let key = |one: &WorkItem| (priority_of(one), one.name().to_owned(), one.id().clone());
        key(a).cmp(&key(b))
    });
    Ok(found)
}

/// Its priority; `None` for a project.
pub fn priority_of(one: &WorkItem) -> Option<WorkPriority> {
    match one {
        WorkItem::Project(_) => None,
        WorkItem::Feature(feature) => Some(feature.priority),
        WorkItem::Task(task) => Some(task.priority),
    }
}

fn feature_of(one: &WorkItem) -> Option<&WorkRecordId> {
    match one {
        WorkItem::Task(task) => task.feature_id.as_ref(),
        _ => None,
    }
}

/// All its texts.
pub fn text(one: &WorkItem) -> String {
    let (summary, description) = match one {
        WorkItem::Project(x) => (&x.summary, &x.description),
        WorkItem::Feature(x) => (&x.summary, &x.description),
        WorkItem::Task(x) => (&x.summary, &x.description),
    };
    format!("{}\n{summary}\n{description}", one.name())
}

/// A project or feature with its children.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct WorkOverview {
    /// The record
    #[serde(flatten)]
    pub what: WorkItemBrief,
    /// Its summary
    pub summary: String,
    /// How many tasks have each status
    pub tasks: BTreeMap<&'static str, usize>,
    /// Its children
    pub children: Vec<OverviewChild>,
}

/// A feature or task in an overview.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct OverviewChild {
    /// The record
    #[serde(flatten)]
    pub what: WorkItemBrief,
    /// Its priority
    pub priority: WorkPriority,
    /// How many tasks of a feature have each status
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub tasks: BTreeMap<&'static str, usize>,
    /// How many active blocks it has
    pub blocked_by: usize,
}

/// All projects; or the features of a project and its tasks without a feature; or the tasks of a feature.
pub fn overview(draft: &WorkDraft<'_>, of: Option<&WorkItem>) -> Result<Vec<WorkOverview>> {
    match of {
        None => draft.all::<Project>()?.into_iter().map(|one| of_project(draft, one)).collect(),
        Some(WorkItem::Project(project)) => Ok(vec![of_project(draft, project.clone())?]),
        Some(WorkItem::Feature(feature)) => Ok(vec![of_feature(draft, feature.clone())?]),
        Some(WorkItem::Task(_)) => Err(Problem::invalid("a task has no children")
            .hint_call("show a task with", NextCall::new("work.show"))),
    }
}

fn of_project(draft: &WorkDraft<'_>, project: Project) -> Result<WorkOverview> {
    let features: Vec<Feature> = draft.list("project_id", &project.id)?;
    let tasks: Vec<Task> = draft.list("project_id", &project.id)?;
    let mut children = Vec::new();
    for feature in features {
        let own = tasks.iter().filter(|task| task.feature_id.as_ref() == Some(&feature.id));
        children.push(child(draft, &WorkItem::Feature(feature.clone()), counts(own))?);
    }
    for task in tasks.iter().filter(|task| task.feature_id.is_none()) {
        children.push(child(draft, &WorkItem::Task(task.clone()), BTreeMap::new())?);
    }
    let (summary, tasks) = (project.summary.clone(), counts(tasks.iter()));
    Ok(WorkOverview {
        what: WorkItem::Project(project).brief(),
        summary,
        tasks,
        children: sorted(children),
    })
}

fn of_feature(draft: &WorkDraft<'_>, feature: Feature) -> Result<WorkOverview> {
    let tasks: Vec<Task> = draft.list("feature_id", &feature.id)?;
    let counted = counts(tasks.iter());
    let children =
        tasks.into_iter().map(|task| child(draft, &WorkItem::Task(task), BTreeMap::new()));
    let children = children.collect::<Result<Vec<_>>>()?;
    let summary = feature.summary.clone();
    let what = WorkItem::Feature(feature).brief();
    Ok(WorkOverview { what, summary, tasks: counted, children: sorted(children) })
}

fn child(
    draft: &WorkDraft<'_>,
    one: &WorkItem,
    tasks: BTreeMap<&'static str, usize>,
) -> Result<OverviewChild> {
    let blocked_by = blockers(draft, one.id())?.len();
    let priority = priority_of(one).unwrap_or(WorkPriority::Medium);
    Ok(OverviewChild { what: one.brief(), priority, tasks, blocked_by })
}

/// Features before tasks, open before finished, then by priority and name.
fn sorted(mut children: Vec<OverviewChild>) -> Vec<OverviewChild> {
    children.sort_by_key(|child| {
        let is_over = child.what.status.is_some_and(WorkStatus::is_terminal);
        (child.what.kind, is_over, child.priority, child.what.name.clone(), child.what.id.clone())
    });
    children
}

fn counts<'a>(tasks: impl Iterator<Item = &'a Task>) -> BTreeMap<&'static str, usize> {
    let mut counts = BTreeMap::new();
    tasks.for_each(|task| *counts.entry(task.status.word()).or_default() += 1);
    counts
}

/// Open features or tasks that are blocked.
pub fn blocked(
    draft: &WorkDraft<'_>,
    kind: WorkKind,
    project: &WorkRecordId,
) -> Result<Vec<WorkItem>> {
    let table = if kind == WorkKind::Feature { Feature::TABLE } else { Task::TABLE };
    let ids = tables::blocked(draft.conn(), table, project.as_str())?;
    let mut found = Vec::new();
    for id in ids {
        let id = WorkRecordId::try_from(id).map_err(Problem::internal)?;
        found.extend(WorkItem::get(draft, kind, &id)?);
    }
    Ok(found)
}
