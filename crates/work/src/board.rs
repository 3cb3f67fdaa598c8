//! A board: the tasks of a project by status, and how far its features are.

use base::Result;
use schemars::JsonSchema;
use serde::Serialize;

use crate::container::{WorkItem, WorkItemBrief, blockers, project};
use crate::draft::WorkDraft;
use crate::flow::{WorkFlow, flow};
use crate::id::{WorkRecordId, WorkRecordRef};
use crate::pipeline::WorkPipelines;
use crate::query::tables::{self, ItemFilter};
use crate::query::{WorkPeople, priority_of};
use crate::record::{Feature, Project, Record, Task};
use crate::words::{WorkKind, WorkPriority, WorkStatus};

/// How many features a board shows.
const MAX_FEATURES: usize = 12;

/// Which tasks a board shows.
#[derive(Debug, Clone, Copy)]
pub struct BoardScope<'a> {
    /// The project; may be left out if there is only one
    pub project: Option<&'a WorkRecordRef>,
    /// Only tasks of this feature
    pub feature: Option<&'a WorkRecordRef>,
    /// Only tasks that are assigned to this person
    pub assignee: Option<&'a str>,
    /// How many tasks a column shows
    pub limit: usize,
    /// Whether to include how many tasks were created and finished
    pub with_flow: bool,
}

/// A board of tasks.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct WorkBoard {
    /// The project
    pub project: WorkItemBrief,
    /// Its open features, or the one that was asked for
    pub features: Vec<BoardFeature>,
    /// A column for each status
    pub columns: Vec<BoardColumn>,
    /// Tasks of the shown columns that wait for an answer, not for other work
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub questions: Vec<BoardQuestion>,
    /// How its tasks flow, if that was asked for
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flow: Option<WorkFlow>,
}

/// A task that a reason alone blocks.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct BoardQuestion {
    /// The task
    #[serde(flatten)]
    pub what: WorkItemBrief,
    /// The reason
    pub reason: String,
}

/// A feature and how far it is.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct BoardFeature {
    /// The feature
    #[serde(flatten)]
    pub what: WorkItemBrief,
    /// How many of its tasks are finished
    pub finished: usize,
    /// How many tasks it has
    pub tasks: usize,
}

/// The tasks with one status.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct BoardColumn {
    /// The status
    pub status: WorkStatus,
    /// How many tasks have it
    pub total: usize,
    /// The first of them, urgent first
    pub cards: Vec<BoardCard>,
}

/// A task on a board.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct BoardCard {
    /// The task
    #[serde(flatten)]
    pub what: WorkItemBrief,
    /// Its priority
    pub priority: WorkPriority,
    /// How many active blocks it has
    pub blocked_by: usize,
    /// The assignee, who works on it, and since when
    #[serde(flatten)]
    pub people: WorkPeople,
}

/// The board of a project or a feature.
pub fn board(
    draft: &WorkDraft<'_>,
    pipelines: &WorkPipelines,
    scope: BoardScope<'_>,
) -> Result<WorkBoard> {
    let feature: Option<Feature> = scope.feature.map(|id| draft.find(id)).transpose()?;
    let project: Project = match (&feature, scope.project) {
        (Some(feature), None) => draft.require(&feature.project_id)?,
        (_, asked) => project(draft, asked)?,
    };
    let mut columns = Vec::new();
    for status in WorkStatus::ALL {
        let column = column(draft, &project, feature.as_ref(), *status, scope)?;
        if column.total > 0 || pipelines.of(WorkKind::Task).contains(status) {
            columns.push(column);
        }
    }
    let features = features(draft, &project, feature.as_ref())?;
    let questions = questions(draft, &columns)?;
    let of_feature = feature.as_ref().map(|feature| feature.id.as_str());
    let flow = scope.with_flow.then(|| flow(draft, project.id.as_str(), of_feature)).transpose()?;
    Ok(WorkBoard {
        project: WorkItem::Project(project).brief(),
        features,
        columns,
        questions,
        flow,
    })
}

/// The reasons outside the project that block shown tasks.
fn questions(draft: &WorkDraft<'_>, columns: &[BoardColumn]) -> Result<Vec<BoardQuestion>> {
    let cards = columns.iter().flat_map(|column| &column.cards);
    let mut questions = Vec::new();
    for card in cards.filter(|card| card.blocked_by > 0) {
        for (block, from) in blockers(draft, &card.what.id)? {
            if from.is_none() && block.from_id.is_none() {
                questions.push(BoardQuestion { what: card.what.clone(), reason: block.reason });
            }
        }
    }
    Ok(questions)
}

fn column(
    draft: &WorkDraft<'_>,
    project: &Project,
    feature: Option<&Feature>,
    status: WorkStatus,
    scope: BoardScope<'_>,
) -> Result<BoardColumn> {
    let priorities: Vec<&'static str> = WorkPriority::ALL.iter().map(|one| one.word()).collect();
    let wanted = ItemFilter {
        project: Some(project.id.as_str()),
        feature: feature.map(|feature| feature.id.as_str()),
        statuses: &[status.word()],
        priorities: &priorities,
        assignee: scope.assignee,
        ..ItemFilter::default()
    };
    let page = tables::matching_items(draft.conn(), &[Task::TABLE], &wanted, 0, scope.limit)?;
    let total = page.total;
    let ids: Vec<WorkRecordId> = page.items.into_iter().map(|(_, id)| id).collect();
    let blocks = tables::block_counts(draft.conn(), &ids.iter().collect::<Vec<_>>())?;
    let mut cards = Vec::new();
    for id in &ids {
        let Some(item) = WorkItem::get(draft, WorkKind::Task, id)? else { continue };
        let blocked_by = match status.is_terminal() {
            true => 0,
            false => blocks.get(id).copied().unwrap_or_default(),
        };
        cards.push(BoardCard {
            what: item.brief(),
            priority: priority_of(&item).unwrap_or(WorkPriority::Medium),
            blocked_by,
            people: WorkPeople::of(draft, &item)?,
        });
    }
    Ok(BoardColumn { status, total, cards })
}

fn features(
    draft: &WorkDraft<'_>,
    project: &Project,
    only: Option<&Feature>,
) -> Result<Vec<BoardFeature>> {
    let shown: Vec<Feature> = if let Some(feature) = only {
        vec![feature.clone()]
    } else {
        let scope = tables::OverviewScope::Features(project.id.as_str());
        let ids = tables::overview_rows(draft.conn(), Feature::TABLE, scope, MAX_FEATURES)?;
        let found = ids.iter().map(|id| draft.require::<Feature>(id));
        let found: Vec<Feature> = found.collect::<Result<_>>()?;
        found.into_iter().filter(|feature| !feature.status.is_terminal()).collect()
    };
    let mut rows = Vec::new();
    for feature in shown {
        let counts = tables::feature_task_counts(draft.conn(), feature.id.as_str())?;
        let is_over =
            |status: &str| status.parse::<WorkStatus>().is_ok_and(WorkStatus::is_terminal);
        let tasks = counts.iter().map(|(_, count)| count).sum();
        let finished =
            counts.iter().filter(|(status, _)| is_over(status)).map(|(_, count)| count).sum();
        rows.push(BoardFeature { what: WorkItem::Feature(feature).brief(), finished, tasks });
    }
    Ok(rows)
}
