//! Queries over projects, features and tasks.

pub(crate) mod tables;

use std::collections::{BTreeMap, BTreeSet};

use base::{NextCall, Problem, Result};
use schemars::JsonSchema;
use serde::Serialize;

use self::tables::{ItemFilter, OverviewScope};
use crate::claim::active_claim;
use crate::container::{WorkItem, WorkItemBrief};
use crate::draft::WorkDraft;
use crate::id::WorkRecordId;
use crate::lookup::not_found;
use crate::record::{Feature, Project, Record, Table, Task};
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
    /// Person or agent that it is assigned to
    pub assignee: Option<String>,
    /// The milestone that it belongs to
    pub milestone: Option<String>,
    /// Only these records
    pub ids: Option<BTreeSet<WorkRecordId>>,
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

impl<T: std::str::FromStr<Err = String> + PartialEq + Copy> ValueFilter<T> {
    /// The words of the values that are allowed.
    fn words(&self, all: &[T], word: impl Fn(T) -> &'static str) -> Vec<&'static str> {
        all.iter().filter(|one| self.allows(one)).map(|one| word(*one)).collect()
    }
}

/// A part of the results of a search.
#[derive(Debug, Clone, Default)]
pub struct WorkSearchPage {
    /// How many records match
    pub total: usize,
    /// Projects by name, then features and tasks by priority and name
    pub items: Vec<WorkItemRef>,
}

/// A part of the matching records.
pub fn search(
    draft: &WorkDraft<'_>,
    wanted: &WorkQuery,
    offset: usize,
    limit: usize,
) -> Result<WorkSearchPage> {
    let status = ValueFilter::<WorkStatus>::parse(&wanted.status)?;
    let priority = ValueFilter::<WorkPriority>::parse(&wanted.priority)?;
    let words = wanted.words.to_lowercase();
    let (no_words, words): (Vec<&str>, Vec<&str>) =
        words.split_whitespace().partition(|word| word.len() > 1 && word.starts_with('-'));
    let no_words: Vec<&str> = no_words.iter().map(|word| &word[1..]).collect();
    let tags: Vec<&str> = wanted.tags.0.iter().map(|tag| tag.trim()).collect();
    let (no_tags, tags): (Vec<&str>, Vec<&str>) =
        tags.into_iter().partition(|tag| tag.starts_with('!'));
    let no_tags: Vec<&str> = no_tags.iter().map(|tag| tag[1..].trim()).collect();
    // SQLite lowers the case of ASCII letters only.
    let in_store = words.iter().chain(&no_words).all(|word| word.is_ascii());
    let filter = ItemFilter {
        project: wanted.project.as_ref().map(WorkRecordId::as_str),
        feature: wanted.feature.as_ref().map(WorkRecordId::as_str),
        statuses: &status.words(WorkStatus::ALL, WorkStatus::word),
        priorities: &priority.words(WorkPriority::ALL, WorkPriority::word),
        words: if in_store { &words } else { &[] },
        unwanted_words: if in_store { &no_words } else { &[] },
        tags: &tags,
        unwanted_tags: &no_tags,
        assignee: wanted.assignee.as_deref(),
        milestone: wanted.milestone.as_deref(),
        ids: wanted.ids.as_ref(),
    };
    let mut found = Vec::new();
    let of_work = !status.is_empty()
        || !priority.is_empty()
        || wanted.feature.is_some()
        || wanted.assignee.is_some()
        || wanted.milestone.is_some()
        || wanted.ids.is_some();
    if wanted.kind.is_none_or(|kind| kind == WorkKind::Project) && !of_work {
        found = matching_projects(draft, wanted, &words, &no_words)?;
    }
    let is_wanted = |kind: &&WorkKind| {
        let fits = wanted.kind.is_none_or(|wanted| wanted == **kind);
        fits && !(**kind == WorkKind::Feature && wanted.feature.is_some())
    };
    let kinds = [WorkKind::Feature, WorkKind::Task];
    let tables: Vec<Table> = kinds.iter().filter(is_wanted).map(|kind| kind.table()).collect();
    if !in_store {
        let all = matching_work(draft, &tables, &filter, 0, usize::MAX)?.items;
        found.extend(retain_words(draft, all, &words, &no_words)?);
        let total = found.len();
        let items = found.into_iter().skip(offset).take(limit).collect();
        return Ok(WorkSearchPage { total, items });
    }
    let projects = found.len();
    let mut items: Vec<WorkItemRef> = found.into_iter().skip(offset).take(limit).collect();
    let (skipped, room) = (offset.saturating_sub(projects), limit - items.len());
    let page = matching_work(draft, &tables, &filter, skipped, room)?;
    items.extend(page.items);
    Ok(WorkSearchPage { total: projects + page.total, items })
}

/// A part of the features and tasks that fit.
fn matching_work(
    draft: &WorkDraft<'_>,
    among: &[Table],
    filter: &ItemFilter<'_>,
    offset: usize,
    limit: usize,
) -> Result<WorkSearchPage> {
    if among.is_empty() {
        return Ok(WorkSearchPage::default());
    }
    let limit = limit.min(i32::MAX as usize);
    let page = tables::matching_items(draft.conn(), among, filter, offset, limit)?;
    let found = |(kind, id): (String, WorkRecordId)| {
        Ok(WorkItemRef { kind: kind.parse().map_err(Problem::internal)?, id })
    };
    let items = page.items.into_iter().map(found).collect::<Result<_>>()?;
    Ok(WorkSearchPage { total: page.total, items })
}

/// A project, feature or task that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkItemRef {
    /// Its kind
    pub kind: WorkKind,
    /// Its id
    pub id: WorkRecordId,
}

impl WorkItemRef {
    /// The record.
    pub fn load(&self, draft: &WorkDraft<'_>) -> Result<WorkItem> {
        let item = WorkItem::get(draft, self.kind, &self.id)?;
        item.ok_or_else(|| not_found(self.kind.word(), self.id.as_str()))
    }
}

fn matching_projects(
    draft: &WorkDraft<'_>,
    wanted: &WorkQuery,
    words: &[&str],
    no_words: &[&str],
) -> Result<Vec<WorkItemRef>> {
    let mut projects: Vec<Project> = draft.all()?;
    projects.sort_by(|a, b| (&a.name, &a.id).cmp(&(&b.name, &b.id)));
    let (no_tags, tags): (Vec<&String>, Vec<&String>) =
        wanted.tags.0.iter().partition(|tag| tag.starts_with('!'));
    projects.retain(|project| {
        let has = |tag: &str| project.tags.iter().any(|known| known.eq_ignore_ascii_case(tag));
        wanted.project.as_ref().is_none_or(|id| *id == project.id)
            && tags.iter().all(|tag| has(tag))
            && !no_tags.iter().any(|tag| has(tag[1..].trim()))
            && has_words(&WorkItem::Project(project.clone()), words, no_words)
    });
    let found = |project: Project| WorkItemRef { kind: WorkKind::Project, id: project.id };
    Ok(projects.into_iter().map(found).collect())
}

fn has_words(one: &WorkItem, words: &[&str], no_words: &[&str]) -> bool {
    let text = text(one).to_lowercase();
    words.iter().all(|word| text.contains(word)) && !no_words.iter().any(|word| text.contains(word))
}

fn retain_words(
    draft: &WorkDraft<'_>,
    found: Vec<WorkItemRef>,
    words: &[&str],
    no_words: &[&str],
) -> Result<Vec<WorkItemRef>> {
    let mut kept = Vec::new();
    for one in found {
        if has_words(&one.load(draft)?, words, no_words) {
            kept.push(one);
        }
    }
    Ok(kept)
}

/// Its priority; `None` for a project.
pub fn priority_of(one: &WorkItem) -> Option<WorkPriority> {
    match one {
        WorkItem::Project(_) => None,
        WorkItem::Feature(feature) => Some(feature.priority),
        WorkItem::Task(task) => Some(task.priority),
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
    /// Its children, the first of them
    pub children: Vec<OverviewChild>,
    /// How many more children it has
    pub more_children: usize,
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
    /// The assignee, who works on it, and since when
    #[serde(flatten)]
    pub people: WorkPeople,
}

/// Who is concerned with a feature or task, and when it last changed
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct WorkPeople {
    /// Person or agent that it is assigned to
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assignee: Option<String>,
    /// Who holds it now
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claimed_by: Option<String>,
    /// Whether the session that asks holds it
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_mine: bool,
    /// The day by which it is due
    #[serde(skip_serializing_if = "Option::is_none")]
    pub due: Option<String>,
    /// When it last changed
    pub updated_at: String,
}

impl WorkPeople {
    /// The people of a feature or task.
    pub fn of(draft: &WorkDraft<'_>, one: &WorkItem) -> Result<Self> {
        let claim = match one {
            WorkItem::Task(task) => active_claim(draft, task)?,
            _ => None,
        };
        let due = match one {
            WorkItem::Task(task) => task.due.clone(),
            WorkItem::Feature(feature) => feature.due.clone(),
            WorkItem::Project(_) => None,
        };
        Ok(Self {
            assignee: one.assignee().map(ToOwned::to_owned),
            is_mine: claim.as_ref().is_some_and(|claim| claim.is_held_by(draft)),
            claimed_by: claim.map(|claim| claim.actor),
            due,
            updated_at: one.updated_at().to_owned(),
        })
    }
}

/// All projects; or the features of a project and its tasks without a feature; or the tasks of a
/// feature. The number of children of each is limited.
pub fn overview(
    draft: &WorkDraft<'_>,
    of: Option<&WorkItem>,
    limit: usize,
) -> Result<Vec<WorkOverview>> {
    match of {
        None => {
            let projects = draft.all::<Project>()?.into_iter();
            projects.map(|one| of_project(draft, one, limit)).collect()
        }
        Some(WorkItem::Project(project)) => Ok(vec![of_project(draft, project.clone(), limit)?]),
        Some(WorkItem::Feature(feature)) => Ok(vec![of_feature(draft, feature.clone(), limit)?]),
        Some(WorkItem::Task(_)) => Err(Problem::invalid("a task has no children")
            .hint_call("show a task with", NextCall::new("work.show"))),
    }
}

fn of_project(draft: &WorkDraft<'_>, project: Project, limit: usize) -> Result<WorkOverview> {
    let (conn, id) = (draft.conn(), project.id.as_str());
    let mut by_feature: BTreeMap<String, BTreeMap<&'static str, usize>> = BTreeMap::new();
    let mut tasks: BTreeMap<&'static str, usize> = BTreeMap::new();
    for (feature, status, count) in tables::task_counts(conn, id)? {
        let status = status.parse::<WorkStatus>().map_err(Problem::internal)?.word();
        *by_feature.entry(feature).or_default().entry(status).or_default() += count;
        *tasks.entry(status).or_default() += count;
    }
    let loose: usize = by_feature.get("").map_or(0, |counts| counts.values().sum());
    let all_features = tables::count(conn, Feature::TABLE, id)?;
    let features = tables::overview_rows(conn, Feature::TABLE, OverviewScope::Features(id), limit)?;
    let room = limit - features.len().min(limit);
    let own = OverviewScope::LooseTasks(id);
    let own = tables::overview_rows(conn, Task::TABLE, own, room)?;
    let more_children = all_features + loose - features.len() - own.len();
    let mut children = children(draft, WorkKind::Feature, &features)?;
    for child in &mut children {
        child.tasks = by_feature.remove(child.what.id.as_str()).unwrap_or_default();
    }
    children.extend(self::children(draft, WorkKind::Task, &own)?);
    let summary = project.summary.clone();
    let what = WorkItem::Project(project).brief();
    Ok(WorkOverview { what, summary, tasks, children, more_children })
}

fn of_feature(draft: &WorkDraft<'_>, feature: Feature, limit: usize) -> Result<WorkOverview> {
    let mut tasks: BTreeMap<&'static str, usize> = BTreeMap::new();
    for (status, count) in tables::feature_task_counts(draft.conn(), feature.id.as_str())? {
        let status = status.parse::<WorkStatus>().map_err(Problem::internal)?.word();
        *tasks.entry(status).or_default() += count;
    }
    let scope = OverviewScope::Tasks(feature.id.as_str());
    let ids = tables::overview_rows(draft.conn(), Task::TABLE, scope, limit)?;
    let more_children = tasks.values().sum::<usize>() - ids.len();
    let summary = feature.summary.clone();
    let children = children(draft, WorkKind::Task, &ids)?;
    let what = WorkItem::Feature(feature).brief();
    Ok(WorkOverview { what, summary, tasks, children, more_children })
}

fn children(
    draft: &WorkDraft<'_>,
    kind: WorkKind,
    ids: &[WorkRecordId],
) -> Result<Vec<OverviewChild>> {
    let blocks = tables::block_counts(draft.conn(), &ids.iter().collect::<Vec<_>>())?;
    let mut found = Vec::new();
    for id in ids {
        let Some(one) = WorkItem::get(draft, kind, id)? else { continue };
        let is_over = one.status().is_some_and(WorkStatus::is_terminal);
        found.push(OverviewChild {
            what: one.brief(),
            priority: priority_of(&one).unwrap_or(WorkPriority::Medium),
            tasks: BTreeMap::new(),
            blocked_by: if is_over { 0 } else { blocks.get(id).copied().unwrap_or_default() },
            people: WorkPeople::of(draft, &one)?,
        });
    }
    Ok(found)
}

/// The ids of open features or tasks that are blocked, urgent first.
pub fn blocked(
    draft: &WorkDraft<'_>,
    kind: WorkKind,
    project: &WorkRecordId,
) -> Result<Vec<WorkItemRef>> {
    let table = if kind == WorkKind::Feature { Feature::TABLE } else { Task::TABLE };
    let ids = crate::claim::tables::blocked(draft.conn(), table, project.as_str())?;
    let id = |id: String| WorkRecordId::try_from(id).map_err(Problem::internal);
    ids.into_iter().map(|one| Ok(WorkItemRef { kind, id: id(one)? })).collect()
}
