//! Starts a task in one step: claims it and moves it out of its first status.

use base::{NextCall, Problem, Result};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use crate::blocks::UnblockedWork;
use crate::claim::{
    ClaimRequest, ClaimScope, abandoned_tasks, active_claim, claimable, held_tasks, next_tasks,
    put_claim, scope, unclaimed_tasks,
};
use crate::container::{WorkItem, WorkItemBrief, blockers};
use crate::draft::WorkDraft;
use crate::id::{WorkRecordId, WorkRecordRef};
use crate::pipeline::{StatusTransition, TransitionTarget, WorkPipelines, advance};
use crate::record::{Dependency, Task, TaskClaim};
use crate::words::{DependencyKind, WorkKind, WorkPriority, WorkStatus};

/// Why a task was started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StartReason {
    /// The caller named it
    Named,
    /// The session holds it already
    Held,
    /// Its last claim ran out before it was finished
    Abandoned,
    /// It is the next task that can be started
    Next,
}

/// A task that was started.
#[derive(Debug, Clone)]
pub struct StartedTask {
    /// The task as it is now
    pub task: Task,
    /// The claim on it
    pub claim: TaskClaim,
    /// Why it was chosen
    pub reason: StartReason,
    /// The change of its status, if it was new
    pub moved: Option<StatusTransition>,
    /// Who held it until now, if it was taken over
    pub taken_from: Option<String>,
}

/// Starts the named task, else one that the session holds, else an abandoned one, else the next. A held task that is
/// blocked is left until its blocks are gone.
pub fn start(
    draft: &mut WorkDraft<'_>,
    pipelines: &WorkPipelines,
    request: ClaimRequest<'_>,
) -> Result<StartedTask> {
    match start_if_ready(draft, pipelines, request, &[])? {
        Some(started) => Ok(started),
        None => Err(nothing_to_start(draft, request.scope)?),
    }
}

/// Starts a task as [`start`] does, or none if none is ready. Work that the draft has unblocked is
/// not in the tables yet, so the caller passes it.
pub fn start_if_ready(
    draft: &mut WorkDraft<'_>,
    pipelines: &WorkPipelines,
    request: ClaimRequest<'_>,
    freed: &[UnblockedWork],
) -> Result<Option<StartedTask>> {
    let Some((task, reason)) = choose(draft, request, freed)? else { return Ok(None) };
    let other = active_claim(draft, &task)?.filter(|claim| !claim.is_held_by(draft));
    let taken_from = other.map(|claim| claim.actor);
    let claim = put_claim(draft, &task, request.minutes)?;
    let mut moved = None;
    if task.status == WorkStatus::New {
        let id = WorkRecordRef::from(&task.id);
        let step = TransitionTarget { kind: Some(WorkKind::Task), id: &id, version: None };
        moved = Some(advance(draft, pipelines, &step, &[])?);
    }
    Ok(Some(StartedTask { task: draft.require(&task.id)?, claim, reason, moved, taken_from }))
}

fn choose(
    draft: &WorkDraft<'_>,
    request: ClaimRequest<'_>,
    freed: &[UnblockedWork],
) -> Result<Option<(Task, StartReason)>> {
    if let Some(asked) = request.task {
        return Ok(Some((
            claimable(draft, asked, request.steal, "work.start")?,
            StartReason::Named,
        )));
    }
    if let Some(task) = workable_held_tasks(draft)?.into_iter().next() {
        return Ok(Some((task, StartReason::Held)));
    }
    if let Some(abandoned) = abandoned_tasks(draft, request.scope, 1)?.into_iter().next() {
        return Ok(Some((abandoned.task, StartReason::Abandoned)));
    }
    let mut ready = next_tasks(draft, request.scope, 1)?.items;
    ready.extend(freed_tasks(draft, request.scope, freed)?);
    let next = ready.into_iter().min_by_key(|task| StartOrder::of(draft, task));
    Ok(next.map(|task| (task, StartReason::Next)))
}

/// The open tasks that the session holds and that nothing blocks, the last claimed first.
fn workable_held_tasks(draft: &WorkDraft<'_>) -> Result<Vec<Task>> {
    let mut workable = Vec::new();
    for (task, _) in held_tasks(draft)? {
        if !task.status.is_terminal() && blockers(draft, &task.id)?.is_empty() {
            workable.push(task);
        }
    }
    Ok(workable)
}

/// The order in which tasks are started: own ones, urgent ones, easy ones, old ones.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct StartOrder {
    is_of_others: bool,
    priority: Option<usize>,
    complexity: u32,
    created_at: String,
    id: WorkRecordId,
}

impl StartOrder {
    fn of(draft: &WorkDraft<'_>, task: &Task) -> Self {
        Self {
            is_of_others: task.assignee.as_ref() != Some(&draft.actor),
            priority: WorkPriority::ALL.iter().position(|one| *one == task.priority),
            complexity: task.complexity,
            created_at: task.created_at.clone(),
            id: task.id.clone(),
        }
    }
}

/// The tasks that become ready with unblocked work: the task itself, or the tasks of a feature.
fn freed_tasks(
    draft: &WorkDraft<'_>,
    among: ClaimScope<'_>,
    freed: &[UnblockedWork],
) -> Result<Vec<Task>> {
    let (project, feature) = scope(draft, among)?;
    let mut ready = Vec::new();
    for one in freed.iter().filter(|one| one.still_blocked_by == 0) {
        let tasks = match one.what.kind {
            WorkKind::Task => draft.get::<Task>(&one.what.id)?.into_iter().collect(),
            WorkKind::Feature => draft.list::<Task>("feature_id", &one.what.id)?,
            WorkKind::Project => Vec::new(),
        };
        for task in tasks {
            let fits = task.project_id == project.id
                && feature.as_ref().is_none_or(|one| task.feature_id.as_ref() == Some(&one.id))
                && among.priority.is_none_or(|priority| task.priority == priority)
                && task.assignee.as_ref().is_none_or(|assignee| *assignee == draft.actor);
            if fits && is_free(draft, &task)? {
                ready.push(task);
            }
        }
    }
    Ok(ready)
}

/// Whether a task is new, unclaimed, has no open subtasks, and neither it nor what it belongs to is blocked.
fn is_free(draft: &WorkDraft<'_>, task: &Task) -> Result<bool> {
    if task.status != WorkStatus::New || active_claim(draft, task)?.is_some() {
        return Ok(false);
    }
    let mut whole: Vec<WorkRecordId> = vec![task.id.clone()];
    whole.extend(task.feature_id.clone());
    let is_family = |tie: &Dependency| tie.relation == DependencyKind::ParentOf;
    let parents = draft.list::<Dependency>("to_id", &task.id)?;
    whole.extend(parents.into_iter().filter(is_family).filter_map(|tie| tie.from_id));
    for id in &whole {
        if !blockers(draft, id)?.is_empty() {
            return Ok(false);
        }
    }
    for part in draft.list::<Dependency>("from_id", &task.id)?.into_iter().filter(is_family) {
        if draft.get::<Task>(&part.to_id)?.is_some_and(|part| !part.status.is_terminal()) {
            return Ok(false);
        }
    }
    Ok(true)
}

fn nothing_to_start(draft: &WorkDraft<'_>, among: ClaimScope<'_>) -> Result<Problem> {
    let ready = next_tasks(draft, among, 1)?;
    let why = format!("{} blocked, {} claimed; see", ready.blocked, ready.claimed);
    let held = held_tasks(draft)?;
    let what = match held.first() {
        Some((task, _)) => {
            format!("no task is ready to start, and \"{}\", which you hold, is blocked", task.title)
        }
        None => "no task is ready to start".to_owned(),
    };
    let problem = Problem::not_found(what).hint_call(&why, NextCall::new("work.blocked"));
    Ok(match unclaimed_tasks(draft, among, 1)?.pop() {
        Some(task) => {
            let title = format!("\"{}\" was started and nobody claims it; to take it:", task.title);
            let task = WorkItem::Task(task).brief().handle();
            problem.hint_call(&title, NextCall::new("work.start").with("task", task))
        }
        None => problem,
    })
}

/// The task that a caller means: the named one, or the only one that the session holds. Blocked
/// tasks do not count if the session also holds one that is not blocked.
pub fn held_or_named(draft: &WorkDraft<'_>, asked: Option<&WorkRecordRef>) -> Result<Task> {
    if let Some(asked) = asked {
        return draft.find(asked);
    }
    let mut held = workable_held_tasks(draft)?;
    if held.is_empty() {
        held = held_tasks(draft)?.into_iter().map(|(task, _)| task).collect();
    }
    match held.len() {
        1 => Ok(held.remove(0)),
        0 => Err(Problem::not_found("this session holds no task")
            .hint_call("name the task, or start one with", NextCall::new("work.start"))),
        many => {
            let briefs: Vec<_> =
                held.into_iter().map(|task| WorkItem::Task(task).brief()).collect();
            let listed: Vec<Value> =
                briefs.iter().map(|one| json!({"node": one.handle(), "name": one.name})).collect();
            let first = briefs.first().map(WorkItemBrief::handle).unwrap_or_default();
            Err(Problem::invalid(format!("this session holds {many} tasks"))
                .detail("candidates", listed)
                .hint(format!("name one, for example {first}")))
        }
    }
}
