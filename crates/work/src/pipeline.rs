//! The statuses of features and tasks, and the transitions between them.
//!
//! @see spec::work/pipeline

use base::words::counted;
use base::{NextCall, Problem, ProblemCode, Result};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use crate::blocks::{self, UnblockedWork};
use crate::claim::{end_claim, refuse_foreign_claim};
use crate::container::{WorkItem, WorkItemBrief, blockers, check_version};
use crate::dependencies::open_parts;
use crate::draft::WorkDraft;
use crate::id::{WorkRecordId, WorkRecordRef};
use crate::record::{Dependency, EvidenceRecord, Feature, Task};
use crate::tables;
use crate::words::{WorkKind, WorkStatus};

/// The configured statuses of features and tasks, and the evidence that closing a task needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkPipelines {
    /// The statuses of a feature, in order
    pub feature: Vec<WorkStatus>,
    /// The statuses of a task, in order
    pub task: Vec<WorkStatus>,
    /// Kinds of evidence that closing a task needs
    pub evidence: Vec<String>,
}

/// A change of status and its effects.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct StatusTransition {
    /// The feature or task
    #[serde(flatten)]
    pub what: WorkItemBrief,
    /// Its version now
    pub version: u32,
    /// The old status
    pub from: WorkStatus,
    /// The new status
    pub to: WorkStatus,
    /// The position of the new status in the pipeline
    pub position: PipelinePosition,
    /// The work that it no longer blocks
    pub unblocked: Vec<UnblockedWork>,
    /// The work that still waits for it although it was terminated
    pub affected: Vec<WorkItemBrief>,
    /// The work that it blocks again because it was reopened
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub blocked_again: Vec<WorkItemBrief>,
    /// The work that it no longer blocks because the block would now be part of a cycle
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dropped_blocks: Vec<WorkItemBrief>,
    /// Why it was terminated
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The effect on its feature
    #[serde(skip_serializing_if = "Option::is_none")]
    pub feature: Option<FeatureTransition>,
}

/// A position in a pipeline.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PipelinePosition {
    /// The position, counted from 1; 0 if the status is not in the pipeline
    pub step: usize,
    /// How many statuses there are
    pub of: usize,
    /// The next status
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<WorkStatus>,
    /// All statuses
    pub pipeline: Vec<WorkStatus>,
}

/// A change of a feature's status that one of its tasks caused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FeatureTransition {
    /// The feature
    #[serde(flatten)]
    pub what: WorkItemBrief,
    /// The old status
    pub from: WorkStatus,
    /// The new status
    pub to: WorkStatus,
}

/// The feature or task whose status changes.
#[derive(Debug, Clone)]
pub struct TransitionTarget<'a> {
    /// Its kind, if it is known
    pub kind: Option<WorkKind>,
    /// The record
    pub id: &'a WorkRecordRef,
    /// The version that the caller last read
    pub version: Option<u32>,
}

/// How work is terminated.
#[derive(Debug, Clone, Copy, Default)]
pub struct TerminationOptions<'a> {
    /// Why
    pub reason: Option<&'a str>,
    /// Whether the open tasks of a feature are terminated too
    pub cascade: bool,
}

impl WorkPipelines {
    /// The statuses of a kind.
    pub fn of(&self, kind: WorkKind) -> &[WorkStatus] {
        if kind == WorkKind::Feature { &self.feature } else { &self.task }
    }

    /// The position of a status.
    pub fn position(&self, kind: WorkKind, status: WorkStatus) -> PipelinePosition {
        let pipeline = self.of(kind);
        let at = pipeline.iter().position(|one| *one == status);
        PipelinePosition {
            step: at.map_or(0, |at| at + 1),
            of: pipeline.len(),
            next: at.and_then(|at| pipeline.get(at + 1).copied()),
            pipeline: pipeline.to_vec(),
        }
    }

    /// The features and tasks whose status is no longer configured.
    pub fn items_outside_pipeline(&self, draft: &WorkDraft<'_>) -> Result<Vec<WorkItemBrief>> {
        let mut outside = Vec::new();
        for kind in [WorkKind::Feature, WorkKind::Task] {
            for (status, _) in tables::statuses(draft.conn(), kind.table())? {
                let known: Option<WorkStatus> = status.parse().ok();
                if known.is_some_and(|status| self.has(kind, status)) {
                    continue;
                }
                for row in tables::list(draft.conn(), kind.table(), "status", &status)? {
                    let id = row["id"].as_str().unwrap_or_default().to_owned();
                    let id = WorkRecordId::try_from(id).map_err(Problem::internal)?;
                    outside.extend(WorkItem::get(draft, kind, &id)?.map(|one| one.brief()));
                }
            }
        }
        Ok(outside)
    }

    fn has(&self, kind: WorkKind, status: WorkStatus) -> bool {
        status == WorkStatus::WillNotImplement || self.of(kind).contains(&status)
    }

    /// Refuses to advance a record whose status is no longer configured.
    fn check(&self, work: &WorkItem) -> Result<()> {
        let kind = work.kind();
        let Some(status) = work.status().filter(|status| !self.has(kind, *status)) else {
            return Ok(());
        };
        let brief = work.brief();
        let what = format!(
            "{} is in {status}, a state that `work.pipelines.{kind}` does not have",
            kind_and_name(work)
        );
        let handle = brief.handle();
        let back = self.status_before(kind, status);
        Err(Problem::new(ProblemCode::InvalidOperation, what)
            .detail("records", rows(&[brief]))
            .hint_call(
                &format!("move it back to {back} with"),
                NextCall::new("work.revert").with("id", handle),
            )
            .hint(format!("or put {status} back into cairn.jsonc")))
    }

    /// A status, or the one before it if the pipeline does not have it.
    pub(crate) fn nearest(&self, kind: WorkKind, status: WorkStatus) -> WorkStatus {
        if self.has(kind, status) { status } else { self.status_before(kind, status) }
    }

    /// The status before another one, which need not be in the pipeline itself.
    fn status_before(&self, kind: WorkKind, status: WorkStatus) -> WorkStatus {
        let earlier = self.of(kind).iter().rev().find(|one| **one < status);
        earlier.copied().unwrap_or(WorkStatus::New)
    }
}

/// Whether every record of a kind that was not terminated has one of these statuses.
pub fn are_all_in(draft: &WorkDraft<'_>, kind: WorkKind, states: &[WorkStatus]) -> Result<bool> {
    let is_known = |status: &str| {
        status == WorkStatus::WillNotImplement.word()
            || states.iter().any(|one| one.word() == status)
    };
    let statuses = tables::statuses(draft.conn(), kind.table())?;
    Ok(statuses.iter().all(|(status, _)| is_known(status)))
}

/// Advances a feature or task by one status.
pub fn advance(
    draft: &mut WorkDraft<'_>,
    pipelines: &WorkPipelines,
    step: &TransitionTarget<'_>,
    evidence: &[EvidenceRecord],
) -> Result<StatusTransition> {
    let mut work = find(draft, step)?;
    let from = open_status(&work)?;
    pipelines.check(&work)?;
    refuse_blocked(draft, &work)?;
    let pipeline = pipelines.of(work.kind());
    let at = pipeline.iter().position(|one| *one == from).unwrap_or_default();
    let to = pipeline.get(at + 1).copied().unwrap_or(WorkStatus::Closed);
    if let WorkItem::Task(task) = &mut work {
        task.evidence.extend_from_slice(evidence);
    }
    if to == WorkStatus::Closed {
        check_ending(draft, &work)?;
    }
    apply_transition(draft, pipelines, work, from, to)
}

/// Reverts a feature or task by one status.
pub fn revert(
    draft: &mut WorkDraft<'_>,
    pipelines: &WorkPipelines,
    step: &TransitionTarget<'_>,
) -> Result<StatusTransition> {
    let mut work = find(draft, step)?;
    let from = work.status().unwrap_or(WorkStatus::New);
    let refuse = |why: &str| {
        Err(Problem::new(ProblemCode::InvalidOperation, format!("{} {why}", kind_and_name(&work)))
            .detail("status", from.word()))
    };
    match from {
        WorkStatus::WillNotImplement => return refuse("was terminated and cannot be reopened"),
        WorkStatus::New => return refuse("is NEW; nothing comes before"),
        _ => {}
    }
    let to = pipelines.status_before(work.kind(), from);
    let mut reopened = None;
    if let WorkItem::Task(task) = &work
        && from == WorkStatus::Closed
    {
        reopened = reopen_feature(draft, task)?;
    }
    if let WorkItem::Feature(feature) = &mut work {
        feature.ended_from = None;
    }
    let mut moved = apply_transition(draft, pipelines, work, from, to)?;
    moved.feature = reopened.or(moved.feature);
    if from == WorkStatus::Closed {
        let feature = moved.feature.as_ref().map(|feature| feature.what.id.clone());
        for id in std::iter::once(moved.what.id.clone()).chain(feature) {
            let restored = blocks::restore(draft, &id)?;
            moved.blocked_again.extend(restored.blocked);
            moved.dropped_blocks.extend(restored.dropped);
        }
    }
    Ok(moved)
}

/// Terminates a feature or task.
pub fn terminate(
    draft: &mut WorkDraft<'_>,
    pipelines: &WorkPipelines,
    step: &TransitionTarget<'_>,
    exit: TerminationOptions<'_>,
) -> Result<StatusTransition> {
    let mut work = find(draft, step)?;
    let from = open_status(&work)?;
    if let WorkItem::Feature(feature) = &work {
        let open = open_tasks(draft, &feature.id)?;
        if !open.is_empty() && !exit.cascade {
            return Err(Problem::new(
                ProblemCode::HasChildren,
                format!("{} has {} open tasks", kind_and_name(&work), open.len()),
            )
            .detail("open_tasks", rows(&open))
            .hint("`cascade` terminates them too"));
        }
        for task in open {
            let Some(mut task) = WorkItem::get(draft, WorkKind::Task, &task.id)? else { continue };
            if let WorkItem::Task(task) = &task {
                refuse_foreign_claim(draft, task)?;
            }
            task.set_end_reason(exit.reason);
            write_status(draft, task, WorkStatus::WillNotImplement)?;
        }
    }
    work.set_end_reason(exit.reason);
    apply_transition(draft, pipelines, work, from, WorkStatus::WillNotImplement)
}

fn find(draft: &WorkDraft<'_>, step: &TransitionTarget<'_>) -> Result<WorkItem> {
    let both = [WorkKind::Feature, WorkKind::Task];
    let kinds = match step.kind {
        Some(WorkKind::Project) => {
            return Err(Problem::invalid("a project has no status").hint("name a feature or task"));
        }
        Some(WorkKind::Feature) => &both[..1],
        Some(WorkKind::Task) => &both[1..],
        None => &both[..],
    };
    let work = WorkItem::find(draft, kinds, step.id)?;
    check_version(&kind_and_name(&work), work.version(), step.version)?;
    if let WorkItem::Task(task) = &work {
        refuse_foreign_claim(draft, task)?;
    }
    Ok(work)
}

fn open_status(work: &WorkItem) -> Result<WorkStatus> {
    match work.status() {
        Some(status) if !status.is_terminal() => Ok(status),
        status => {
            let status = status.map_or("", WorkStatus::word);
            let what = format!("{} is {status}, which is the last status", kind_and_name(work));
            Err(Problem::new(ProblemCode::InvalidOperation, what).detail("status", status))
        }
    }
}

/// A name with its kind, for messages.
pub(crate) fn kind_and_name(work: &WorkItem) -> String {
    format!("{} \"{}\"", work.kind(), work.name())
}

/// Refuses to start or move work that is blocked, and names what blocks it.
pub(crate) fn refuse_blocked(draft: &WorkDraft<'_>, work: &WorkItem) -> Result<()> {
    let blocks = blockers(draft, work.id())?;
    if blocks.is_empty() {
        return Ok(());
    }
    let reasons: Vec<&str> =
        blocks.iter().map(|(block, _)| block.reason.as_str()).filter(|r| !r.is_empty()).collect();
    let row = |(block, from): &(Dependency, Option<WorkItemBrief>)| match from {
        Some(from) => json!({"node": from.handle(), "name": from.name,
            "status": from.status.map_or("", WorkStatus::word), "reason": block.reason}),
        None => json!({"node": "NO_OP", "name": "", "status": "", "reason": block.reason}),
    };
    let listed: Vec<Value> = blocks.iter().map(row).collect();
    let what = format!("{} is blocked by {}", kind_and_name(work), blocks.len());
    let mut problem = Problem::new(ProblemCode::Blocked, what).detail("blockers", listed);
    if !reasons.is_empty() {
        problem = problem.detail("reason", reasons.join("; "));
    }
    Err(problem.hint_call(
        "finish what blocks it, or unblock it with",
        NextCall::new("work.unblock").with("id", work.brief().handle()),
    ))
}

/// Refuses to close a feature that has open tasks, or a task that has open subtasks.
fn check_ending(draft: &WorkDraft<'_>, work: &WorkItem) -> Result<()> {
    let (open, noun, hint) = match work {
        WorkItem::Feature(feature) => (
            open_tasks(draft, &feature.id)?,
            "task",
            "close or terminate its tasks; closing the last task also closes the feature",
        ),
        WorkItem::Task(task) => {
            (open_parts(draft, &task.id)?, "subtask", "close or terminate its subtasks first")
        }
        WorkItem::Project(_) => return Ok(()),
    };
    if open.is_empty() {
        return Ok(());
    }
    let what =
        format!("{} has {}", kind_and_name(work), counted(open.len(), &format!("open {noun}")));
    Err(Problem::new(ProblemCode::Blocked, what)
        .detail("blockers", rows(&open))
        .detail(
            "reason",
            format!("a {} cannot be closed while it has unfinished {noun}s", work.kind()),
        )
        .hint(hint))
}

fn rows(briefs: &[WorkItemBrief]) -> Vec<Value> {
    let status = |one: &WorkItemBrief| one.status.map_or("", WorkStatus::word);
    let row = |one: &WorkItemBrief| json!({"node": one.handle(), "name": one.name, "status": status(one)});
    briefs.iter().map(row).collect()
}

pub(crate) fn open_tasks(
    draft: &WorkDraft<'_>,
    feature: &WorkRecordId,
) -> Result<Vec<WorkItemBrief>> {
    let tasks: Vec<Task> = draft.list("feature_id", feature)?;
    let open = tasks.into_iter().filter(|task| !task.status.is_terminal());
    Ok(open.map(|task| WorkItem::Task(task).brief()).collect())
}

/// Sets the new status, with its effects on blocks, claims and the feature.
fn apply_transition(
    draft: &mut WorkDraft<'_>,
    pipelines: &WorkPipelines,
    work: WorkItem,
    from: WorkStatus,
    to: WorkStatus,
) -> Result<StatusTransition> {
    let kind = work.kind();
    let feature_id = match &work {
        WorkItem::Task(task) => task.feature_id.clone(),
        _ => None,
    };
    let EndedWork { work, unblocked, affected } = write_status(draft, work, to)?;
    let feature = feature_id.map(|id| update_feature_status(draft, &id, to)).transpose()?;
    let (mut unblocked, mut feature_moved) = (unblocked, None);
    if let Some((followed, freed)) = feature.flatten() {
        unblocked.extend(freed);
        feature_moved = Some(followed);
    }
    Ok(StatusTransition {
        version: work.version(),
        what: work.brief(),
        from,
        to,
        position: pipelines.position(kind, to),
        unblocked,
        affected,
        blocked_again: Vec::new(),
        dropped_blocks: Vec::new(),
        reason: work.end_reason().map(ToOwned::to_owned),
        feature: feature_moved,
    })
}

struct EndedWork {
    work: WorkItem,
    unblocked: Vec<UnblockedWork>,
    affected: Vec<WorkItemBrief>,
}

/// Writes the new status. Finished work loses its claim and no longer blocks.
fn write_status(
    draft: &mut WorkDraft<'_>,
    mut work: WorkItem,
    to: WorkStatus,
) -> Result<EndedWork> {
    work.set_status(to, &draft.stamp());
    work.put(draft)?;
    let (mut unblocked, mut affected) = (Vec::new(), Vec::new());
    if to.is_terminal() {
        end_claim(draft, work.id())?;
    }
    match to {
        WorkStatus::Closed => unblocked = blocks::unblocked_by_closing(draft, work.id())?,
        WorkStatus::WillNotImplement => affected = blocks::waiting_work(draft, work.id())?,
        _ => {}
    }
    Ok(EndedWork { work, unblocked, affected })
}

/// Updates the status of a feature after one of its tasks changed.
fn update_feature_status(
    draft: &mut WorkDraft<'_>,
    id: &WorkRecordId,
    to: WorkStatus,
) -> Result<Option<(FeatureTransition, Vec<UnblockedWork>)>> {
    let Some(feature) = draft.get::<Feature>(id)? else { return Ok(None) };
    let from = feature.status;
    let next = match from {
        _ if from.is_terminal() => return Ok(None),
        WorkStatus::New if to == WorkStatus::Active => WorkStatus::Active,
        _ if to.is_terminal() => match feature_end_status(draft, id)? {
            Some(ending) => ending,
            None => return Ok(None),
        },
        _ => return Ok(None),
    };
    let ended_from = next.is_terminal().then_some(from);
    let feature = WorkItem::Feature(Feature { ended_from, ..feature });
    let ended = write_status(draft, feature, next)?;
    Ok(Some((FeatureTransition { what: ended.work.brief(), from, to: next }, ended.unblocked)))
}

/// The final status that follows from the tasks of a feature; `None` while one is open.
fn feature_end_status(draft: &WorkDraft<'_>, feature: &WorkRecordId) -> Result<Option<WorkStatus>> {
    let tasks: Vec<Task> = draft.list("feature_id", feature)?;
    if tasks.is_empty() || tasks.iter().any(|task| !task.status.is_terminal()) {
        return Ok(None);
    }
    let given_up = tasks.iter().all(|task| task.status == WorkStatus::WillNotImplement);
    Ok(Some(if given_up { WorkStatus::WillNotImplement } else { WorkStatus::Closed }))
}

/// Reopens the feature that was closed with its last task, when that task is reopened.
fn reopen_feature(draft: &mut WorkDraft<'_>, task: &Task) -> Result<Option<FeatureTransition>> {
    let feature = task.feature_id.as_ref().map(|id| draft.get::<Feature>(id)).transpose()?;
    let Some(feature) = feature.flatten().filter(|feature| feature.status.is_terminal()) else {
        return Ok(None);
    };
    let (from, Some(to)) = (feature.status, feature.ended_from) else {
        let what = format!(
            "feature \"{}\" is {} and would have an open task",
            feature.name, feature.status
        );
        let id = WorkItem::Feature(feature.clone()).brief().handle();
        let revert = NextCall::new("work.revert").with("id", id);
        return Err(Problem::new(ProblemCode::InvalidOperation, what)
            .hint_call("revert the feature first with", revert));
    };
    let mut feature = WorkItem::Feature(Feature { ended_from: None, ..feature });
    feature.set_status(to, &draft.stamp());
    feature.put(draft)?;
    Ok(Some(FeatureTransition { what: feature.brief(), from, to }))
}

/// The kinds of evidence that are missing for closing a task with these files.
pub fn missing_evidence(
    pipelines: &WorkPipelines,
    given: &[EvidenceRecord],
    digest: &str,
) -> Vec<String> {
    let shown = |kind: &&String| given.iter().any(|one| one.kind == **kind && one.digest == digest);
    pipelines.evidence.iter().filter(|kind| !shown(kind)).cloned().collect()
}
