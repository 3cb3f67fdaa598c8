//! The next task to work on, and claims of tasks.

pub(crate) mod tables;

use std::collections::BTreeSet;

use base::{NextCall, Problem, ProblemCode, Result};
use jiff::{SignedDuration, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;

use crate::container::{WorkItem, project};
use crate::draft::{WorkDraft, format_timestamp};
use crate::id::{WorkRecordId, WorkRecordRef};
use crate::pipeline::refuse_blocked;
use crate::record::{Feature, Project, Record, Task, TaskClaim};
use crate::tables::{assigned_to, live_claims};
use crate::words::{WorkPriority, WorkStatus};

use self::tables::ReadyWorkFilter;

/// The work that can be started now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ReadyWorkList<T> {
    /// The best candidates, in order
    pub items: Vec<T>,
    /// How many candidates there are
    pub total: usize,
    /// How many unstarted items are blocked
    pub blocked: usize,
    /// How many others have claimed
    pub claimed: usize,
}

/// A filter for tasks.
#[derive(Debug, Clone, Copy, Default)]
pub struct ClaimScope<'a> {
    /// The project; may be left out if there is only one
    pub project: Option<&'a WorkRecordRef>,
    /// Only tasks of this feature
    pub feature: Option<&'a WorkRecordRef>,
    /// Only tasks with this priority
    pub priority: Option<WorkPriority>,
}

/// A task to claim, and for how long.
#[derive(Debug, Clone, Copy)]
pub struct ClaimRequest<'a> {
    /// The task; the best one of the scope if it is left out
    pub task: Option<&'a WorkRecordRef>,
    /// Where to look for a task
    pub scope: ClaimScope<'a>,
    /// How long the claim holds, in minutes
    pub minutes: u32,
    /// Whether a task is taken over from the session that holds it
    pub steal: bool,
}

/// A task that somebody claimed and did not finish.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AbandonedTask {
    /// The task
    pub task: Task,
    /// The claim that ran out
    pub claim: TaskClaim,
}

/// Tasks that can be started now: neither blocked nor claimed. Urgent and easy tasks come first.
pub fn next_tasks(
    draft: &WorkDraft<'_>,
    among: ClaimScope<'_>,
    most: usize,
) -> Result<ReadyWorkList<Task>> {
    let (project, feature) = scope(draft, among)?;
    let now = draft.stamp();
    let wanted = ready_work_filter(draft, among, &project, feature.as_ref(), &now);
    let ids = tables::ready_tasks(draft.conn(), &wanted, most)?;
    let claimed = live_claims(draft.conn(), &now)?.len();
    let counts = tables::ready_task_counts(draft.conn(), &wanted)?;
    let items = records(draft, &ids, most)?;
    Ok(ReadyWorkList { items, total: counts.ready, blocked: counts.blocked, claimed })
}

/// Features that can be started now.
pub fn next_features(
    draft: &WorkDraft<'_>,
    among: ClaimScope<'_>,
    most: usize,
) -> Result<ReadyWorkList<Feature>> {
    let project = project(draft, among.project)?;
    let now = draft.stamp();
    let wanted = ready_work_filter(draft, among, &project, None, &now);
    let ids = tables::ready_features(draft.conn(), &wanted)?;
    let blocked = tables::blocked(draft.conn(), Feature::TABLE, project.id.as_str())?.len();
    Ok(ReadyWorkList { items: records(draft, &ids, most)?, total: ids.len(), blocked, claimed: 0 })
}

/// What the rows of ready work are searched by.
fn ready_work_filter<'a>(
    draft: &'a WorkDraft<'_>,
    among: ClaimScope<'_>,
    project: &'a Project,
    feature: Option<&'a Feature>,
    now: &'a str,
) -> ReadyWorkFilter<'a> {
    ReadyWorkFilter {
        project: project.id.as_str(),
        feature: feature.map(|feature| feature.id.as_str()),
        priority: among.priority.map(WorkPriority::word),
        actor: &draft.actor,
        now,
    }
}

/// The project and the feature that a filter means.
pub(crate) fn scope(
    draft: &WorkDraft<'_>,
    among: ClaimScope<'_>,
) -> Result<(Project, Option<Feature>)> {
    let feature: Option<Feature> = among.feature.map(|id| draft.find(id)).transpose()?;
    let project = match (&feature, among.project) {
        (Some(feature), None) => draft.require(&feature.project_id)?,
        (_, asked) => project(draft, asked)?,
    };
    if feature.as_ref().is_some_and(|feature| feature.project_id != project.id) {
        return Err(Problem::new(
            ProblemCode::InvariantViolation,
            "the feature belongs to another project",
        ));
    }
    Ok((project, feature))
}

fn records<R: Record>(draft: &WorkDraft<'_>, ids: &[String], most: usize) -> Result<Vec<R>> {
    let id = |id: &String| crate::WorkRecordId::try_from(id.clone()).map_err(Problem::internal);
    ids.iter().take(most).map(|one| draft.require(&id(one)?)).collect()
}

/// The tasks that the session of a draft holds, the last claimed first.
pub fn held_tasks(draft: &WorkDraft<'_>) -> Result<Vec<(Task, TaskClaim)>> {
    let mut held = Vec::new();
    for claim in live_claims(draft.conn(), &draft.stamp())? {
        if claim.is_held_by(draft)
            && let Some(task) = draft.get::<Task>(&claim.id)?
        {
            held.push((task, claim));
        }
    }
    held.sort_by(|a, b| (&b.1.since, &b.0.id).cmp(&(&a.1.since, &a.0.id)));
    Ok(held)
}

/// The open work of a draft's author: what the session holds, and what is assigned to the author.
pub fn own_work(draft: &WorkDraft<'_>) -> Result<BTreeSet<WorkRecordId>> {
    let held = held_tasks(draft)?.into_iter().map(|(task, _)| task.id);
    let mut own: BTreeSet<WorkRecordId> = held.collect();
    for table in [Feature::TABLE, Task::TABLE] {
        own.extend(assigned_to(draft.conn(), table, &draft.actor)?);
    }
    Ok(own)
}

/// Started tasks whose claim ran out: they can be claimed again. Urgent tasks come first.
pub fn abandoned_tasks(
    draft: &WorkDraft<'_>,
    among: ClaimScope<'_>,
    most: usize,
) -> Result<Vec<AbandonedTask>> {
    let (project, feature) = scope(draft, among)?;
    let now = draft.stamp();
    let wanted = ready_work_filter(draft, among, &project, feature.as_ref(), &now);
    let ids = tables::abandoned_tasks(draft.conn(), &wanted)?;
    let tasks: Vec<Task> = records(draft, &ids, most)?;
    let with_claim = |task: Task| Ok(AbandonedTask { claim: draft.require(&task.id)?, task });
    tasks.into_iter().map(with_claim).collect()
}

/// Claims a task, or the next free one. The claim expires after some time.
pub fn claim(draft: &mut WorkDraft<'_>, request: ClaimRequest<'_>) -> Result<(Task, TaskClaim)> {
    let task = match request.task {
        Some(task) => claimable(draft, task, request.steal),
        None => next_free(draft, request.scope),
    }?;
    let claim = put_claim(draft, &task, request.minutes)?;
    Ok((task, claim))
}

/// Claims a task, whoever held it. A session that renews its claim keeps the time when it started.
pub(crate) fn put_claim(draft: &mut WorkDraft<'_>, task: &Task, minutes: u32) -> Result<TaskClaim> {
    let now = draft.stamp();
    let kept: Option<TaskClaim> = draft.get(&task.id)?;
    let kept = kept.filter(|claim| claim.until > now && claim.is_held_by(draft));
    let until = draft.now + SignedDuration::from_mins(minutes.into());
    let claim = TaskClaim {
        id: task.id.clone(),
        actor: draft.actor.clone(),
        since: kept.map_or(now, |claim| claim.since),
        until: format_timestamp(until),
        session: Some(draft.session.clone()),
    };
    draft.put(&claim)?;
    Ok(claim)
}

fn next_free(draft: &WorkDraft<'_>, among: ClaimScope<'_>) -> Result<Task> {
    let ready = next_tasks(draft, among, 1)?;
    let why =
        format!("{} blocked and {} claimed; see the blockers with", ready.blocked, ready.claimed);
    let blocked = NextCall::new("work.blocked");
    let nothing = || Problem::not_found("no task is ready to be claimed").hint_call(&why, blocked);
    ready.items.into_iter().next().ok_or_else(nothing)
}

/// The task that a reference means, if it can be claimed.
pub(crate) fn claimable(draft: &WorkDraft<'_>, asked: &WorkRecordRef, steal: bool) -> Result<Task> {
    let task: Task = draft.find(asked)?;
    if !steal {
        refuse_foreign_claim(draft, &task)?;
    }
    if task.status.is_terminal() {
        let what = format!("task \"{}\" is {}", task.title, task.status);
        return Err(Problem::new(ProblemCode::InvalidOperation, what));
    }
    refuse_blocked(draft, &WorkItem::Task(task.clone()))?;
    Ok(task)
}

/// Refuses to change a task that another session holds.
pub fn refuse_foreign_claim(draft: &WorkDraft<'_>, task: &Task) -> Result<()> {
    let Some(other) = active_claim(draft, task)?.filter(|claim| !claim.is_held_by(draft)) else {
        return Ok(());
    };
    let session = if other.actor == draft.actor { " in another session" } else { "" };
    let what = format!("task \"{}\" is claimed by {}{session}", task.title, other.actor);
    let steal = NextCall::new("work.claim")
        .with("task", WorkItem::Task(task.clone()).brief().handle())
        .with("steal", true);
    Err(Problem::new(ProblemCode::Conflict, what)
        .detail("claimed_by", other.actor)
        .detail("until", other.until)
        .detail("current_version", task.version)
        .hint_call("start another task with", NextCall::new("work.start"))
        .hint_call("or take it over, which is recorded, with", steal))
}

/// Releases a claim. A started task is offered to others again.
pub fn release(draft: &mut WorkDraft<'_>, asked: &WorkRecordRef) -> Result<(Task, TaskClaim)> {
    let task: Task = draft.find(asked)?;
    let Some(claim) = active_claim(draft, &task)? else {
        return Err(Problem::not_found(format!("nobody has claimed task \"{}\"", task.title)));
    };
    refuse_foreign_claim(draft, &task)?;
    if task.status == WorkStatus::New {
        draft.delete::<TaskClaim>(&task.id)?;
    } else {
        end_claim(draft, &task.id)?;
    }
    Ok((task, claim))
}

/// The active claim of a task.
pub fn active_claim(draft: &WorkDraft<'_>, task: &Task) -> Result<Option<TaskClaim>> {
    let claim: Option<TaskClaim> = draft.get(&task.id)?;
    Ok(claim.filter(|claim| claim.until > draft.stamp()))
}

/// Ends the claim of a finished task. The row stays, because it tells which commits were made during the
/// claim.
pub(crate) fn end_claim(draft: &mut WorkDraft<'_>, task: &WorkRecordId) -> Result<()> {
    let claim: Option<TaskClaim> = draft.get(task)?;
    let now = draft.stamp();
    match claim {
        Some(claim) if claim.until > now => draft.put(&TaskClaim { until: now, ..claim }),
        _ => Ok(()),
    }
}

impl TaskClaim {
    /// Whether the session of a draft holds it. A claim without a session belongs to its actor.
    pub fn is_held_by(&self, draft: &WorkDraft<'_>) -> bool {
        match &self.session {
            Some(session) => *session == draft.session,
            None => self.actor == draft.actor,
        }
    }

    /// The start of the claim.
    pub fn since(&self) -> Option<Timestamp> {
        self.since.parse().ok()
    }

    /// Whether the claim was active at a time, compared in whole seconds as git stores them.
    pub fn held_at(&self, at: Timestamp) -> bool {
        let second = |text: &str| text.parse::<Timestamp>().ok().map(Timestamp::as_second);
        second(&self.since).is_some_and(|since| since <= at.as_second())
            && second(&self.until).is_some_and(|until| at.as_second() <= until)
    }
}
