//! The next task to work on, and claims of tasks.

use base::{NextCall, Problem, ProblemCode, Result};
use jiff::{SignedDuration, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;

use crate::container::{WorkItemBrief, blockers, project};
use crate::draft::{WorkDraft, format_timestamp};
use crate::id::{WorkRecordId, WorkRecordRef};
use crate::record::{Feature, Project, Record, Task, TaskClaim};
use crate::tables::{self, ReadyWorkFilter};
use crate::words::WorkPriority;

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

/// Tasks that can be started now: neither blocked nor claimed. Urgent and easy tasks come first.
pub fn next_tasks(
    draft: &WorkDraft<'_>,
    among: ClaimScope<'_>,
    most: usize,
) -> Result<ReadyWorkList<Task>> {
    let (project, feature) = scope(draft, among)?;
    let now = draft.stamp();
    let wanted = ReadyWorkFilter {
        project: project.id.as_str(),
        feature: feature.as_ref().map(|feature| feature.id.as_str()),
        priority: among.priority.map(WorkPriority::word),
        now: &now,
    };
    let ids = tables::ready_tasks(draft.conn(), &wanted)?;
    let live = draft.all::<TaskClaim>()?.into_iter().filter(|claim| claim.until > now).count();
    let blocked = tables::blocked(draft.conn(), Task::TABLE, project.id.as_str())?.len();
    Ok(ReadyWorkList {
        items: records(draft, &ids, most)?,
        total: ids.len(),
        blocked,
        claimed: live,
    })
}

/// Features that can be started now.
pub fn next_features(
    draft: &WorkDraft<'_>,
    among: ClaimScope<'_>,
    most: usize,
) -> Result<ReadyWorkList<Feature>> {
    let project = project(draft, among.project)?;
    let priority = among.priority.map(WorkPriority::word);
    let wanted = ReadyWorkFilter {
        project: project.id.as_str(),
        feature: None,
        priority,
        now: &draft.stamp(),
    };
    let ids = tables::ready_features(draft.conn(), &wanted)?;
    let blocked = tables::blocked(draft.conn(), Feature::TABLE, project.id.as_str())?.len();
    Ok(ReadyWorkList { items: records(draft, &ids, most)?, total: ids.len(), blocked, claimed: 0 })
}

fn scope(draft: &WorkDraft<'_>, among: ClaimScope<'_>) -> Result<(Project, Option<Feature>)> {
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

/// Claims a task, or the next free one. The claim expires after some time.
pub fn claim(
    draft: &mut WorkDraft<'_>,
    task: Option<&WorkRecordRef>,
    among: ClaimScope<'_>,
    minutes: u32,
) -> Result<(Task, TaskClaim)> {
    let task = match task {
        Some(task) => claimable(draft, task),
        None => next_free(draft, among),
    }?;
    let now = draft.stamp();
    let kept: Option<TaskClaim> = draft.get(&task.id)?;
    let kept = kept.filter(|claim| claim.until > now && claim.actor == draft.actor);
    let until = draft.now + SignedDuration::from_mins(minutes.into());
    let claim = TaskClaim {
        id: task.id.clone(),
        actor: draft.actor.clone(),
        since: kept.map_or(now, |claim| claim.since),
        until: format_timestamp(until),
    };
    draft.put(&claim)?;
    Ok((task, claim))
}

fn next_free(draft: &WorkDraft<'_>, among: ClaimScope<'_>) -> Result<Task> {
    let ready = next_tasks(draft, among, 1)?;
    let why =
        format!("{} blocked and {} claimed; see the blockers with", ready.blocked, ready.claimed);
    let blocked = NextCall::new("work.blocked");
    let nothing = || Problem::not_found("no task is ready to be claimed").hint_call(&why, blocked);
    ready.items.into_iter().next().ok_or_else(nothing)
}

fn claimable(draft: &WorkDraft<'_>, asked: &WorkRecordRef) -> Result<Task> {
    let task: Task = draft.find(asked)?;
    if let Some(other) = active_claim(draft, &task)?.filter(|claim| claim.actor != draft.actor) {
        let what = format!("task \"{}\" is claimed by {}", task.title, other.actor);
        return Err(Problem::new(ProblemCode::Conflict, what)
            .detail("claimed_by", other.actor)
            .detail("until", other.until)
            .detail("current_version", task.version)
            .hint_call("claim the next free task with", NextCall::new("work.claim")));
    }
    if task.status.is_terminal() {
        let what = format!("task \"{}\" is {}", task.title, task.status);
        return Err(Problem::new(ProblemCode::InvalidOperation, what));
    }
    let blocks = blockers(draft, &task.id)?;
    if !blocks.is_empty() {
        let what = format!("task \"{}\" is blocked by {}", task.title, blocks.len());
        let names: Vec<String> = blocks
            .iter()
            .map(|(b, from)| from.as_ref().map_or(b.reason.clone(), WorkItemBrief::handle))
            .collect();
        return Err(Problem::new(ProblemCode::Blocked, what).detail("blockers", names));
    }
    Ok(task)
}

/// Releases a claim.
pub fn release(draft: &mut WorkDraft<'_>, asked: &WorkRecordRef) -> Result<(Task, TaskClaim)> {
    let task: Task = draft.find(asked)?;
    let Some(claim) = active_claim(draft, &task)? else {
        return Err(Problem::not_found(format!("nobody has claimed task \"{}\"", task.title)));
    };
    if claim.actor != draft.actor {
        let what = format!("task \"{}\" is claimed by {}", task.title, claim.actor);
        return Err(Problem::new(ProblemCode::Conflict, what).detail("claimed_by", claim.actor));
    }
    draft.delete::<TaskClaim>(&task.id)?;
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
