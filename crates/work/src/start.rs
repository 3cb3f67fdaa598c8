//! Starts a task in one step: claims it and moves it out of its first status.

use base::{NextCall, Problem, Result};
use schemars::JsonSchema;
use serde::Serialize;

use crate::claim::{ClaimRequest, abandoned_tasks, claimable, held_tasks, next_tasks, put_claim};
use crate::draft::WorkDraft;
use crate::id::WorkRecordRef;
use crate::pipeline::{StatusTransition, TransitionTarget, WorkPipelines, advance};
use crate::record::{Task, TaskClaim};
use crate::words::{WorkKind, WorkStatus};

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
}

/// Starts the named task, else the one that the session holds, else an abandoned one, else the next.
pub fn start(
    draft: &mut WorkDraft<'_>,
    pipelines: &WorkPipelines,
    request: ClaimRequest<'_>,
) -> Result<StartedTask> {
    let (task, reason) = choose(draft, request)?;
    let claim = put_claim(draft, &task, request.minutes)?;
    let mut moved = None;
    if task.status == WorkStatus::New {
        let id = WorkRecordRef::from(&task.id);
        let step = TransitionTarget { kind: Some(WorkKind::Task), id: &id, version: None };
        moved = Some(advance(draft, pipelines, &step, &[])?);
    }
    Ok(StartedTask { task: draft.require(&task.id)?, claim, reason, moved })
}

fn choose(draft: &WorkDraft<'_>, request: ClaimRequest<'_>) -> Result<(Task, StartReason)> {
    if let Some(asked) = request.task {
        return Ok((claimable(draft, asked, request.steal)?, StartReason::Named));
    }
    if let Some((task, _)) = held_tasks(draft)?.into_iter().next() {
        return Ok((task, StartReason::Held));
    }
    if let Some(abandoned) = abandoned_tasks(draft, request.scope, 1)?.into_iter().next() {
        return Ok((abandoned.task, StartReason::Abandoned));
    }
    let ready = next_tasks(draft, request.scope, 1)?;
    let why = format!("{} blocked, {} claimed; see", ready.blocked, ready.claimed);
    let nothing = || {
        Problem::not_found("no task is ready to start")
            .hint_call(&why, NextCall::new("work.blocked"))
    };
    ready.items.into_iter().next().map(|task| (task, StartReason::Next)).ok_or_else(nothing)
}

/// The task that a caller means: the named one, or the only one that the session holds.
pub fn held_or_named(draft: &WorkDraft<'_>, asked: Option<&WorkRecordRef>) -> Result<Task> {
    if let Some(asked) = asked {
        return draft.find(asked);
    }
    let mut held = held_tasks(draft)?;
    match held.len() {
        1 => Ok(held.remove(0).0),
        0 => Err(Problem::not_found("this session holds no task")
            .hint_call("name the task, or start one with", NextCall::new("work.start"))),
        many => {
            let titles: Vec<String> =
                held.iter().map(|(task, _)| format!("\"{}\"", task.title)).collect();
            Err(Problem::invalid(format!("this session holds {many} tasks: {}", titles.join(", ")))
                .hint("name the task"))
        }
    }
}
