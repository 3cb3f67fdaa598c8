//! How features and tasks move through their states.
//!
//! @see spec::work/pipeline

use base::{Code, NextCall, Problem, Result};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use crate::blocks::{self, Freed};
use crate::claim::end_claim;
use crate::container::{Brief, Container, blockers, check_version};
use crate::draft::Draft;
use crate::id::{Id, Ref};
use crate::record::{Dependency, Evidence, Feature, Task};
use crate::tables;
use crate::words::{Kind, Status};

/// The states that work passes through, and what ending it takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pipelines {
    /// A feature's states, in order
    pub feature: Vec<Status>,
    /// A task's states, in order
    pub task: Vec<Status>,
    /// Kinds of evidence that closing a task takes
    pub evidence: Vec<String>,
}

/// Something that went from one state to another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Moved {
    /// What went
    #[serde(flatten)]
    pub what: Brief,
    /// Its version now
    pub version: u32,
    /// Where it stood
    pub from: Status,
    /// Where it stands
    pub to: Status,
    /// Where that is among all states
    pub position: Position,
    /// What it had blocked and blocks no more
    pub unblocked: Vec<Freed>,
    /// What waits for it still, though it will not come
    pub affected: Vec<Brief>,
    /// What it blocks again because it was reopened
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub blocked_again: Vec<Brief>,
    /// What it had blocked and blocks no more because of dependencies made since
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dropped_blocks: Vec<Brief>,
    /// Why it was given up
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What its feature did because of it
    #[serde(skip_serializing_if = "Option::is_none")]
    pub feature: Option<Followed>,
}

/// A place among the states.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Position {
    /// Which one it is, from 1; 0 outside of them
    pub step: usize,
    /// How many there are
    pub of: usize,
    /// The state that follows
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<Status>,
    /// All of them
    pub pipeline: Vec<Status>,
}

/// What a feature did because of a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Followed {
    /// The feature
    #[serde(flatten)]
    pub what: Brief,
    /// Where it stood
    pub from: Status,
    /// Where it stands
    pub to: Status,
}

/// What is to be moved.
#[derive(Debug, Clone)]
pub struct Step<'a> {
    /// Its kind, where the caller says so
    pub kind: Option<Kind>,
    /// Which one
    pub id: &'a Ref,
    /// The version it must have
    pub version: Option<u32>,
}

/// How something is given up.
#[derive(Debug, Clone, Copy, Default)]
pub struct Exit<'a> {
    /// Why
    pub reason: Option<&'a str>,
    /// Whether a feature's open tasks are given up too
    pub cascade: bool,
}

impl Pipelines {
    /// The states of a kind.
    pub fn of(&self, kind: Kind) -> &[Status] {
        if kind == Kind::Feature { &self.feature } else { &self.task }
    }

    /// Where a state is.
    pub fn position(&self, kind: Kind, status: Status) -> Position {
        let pipeline = self.of(kind);
        let at = pipeline.iter().position(|one| *one == status);
        Position {
            step: at.map_or(0, |at| at + 1),
            of: pipeline.len(),
            next: at.and_then(|at| pipeline.get(at + 1).copied()),
            pipeline: pipeline.to_vec(),
        }
    }

    /// The features and tasks that stand in a state which the configuration no longer has.
    pub fn outside(&self, draft: &Draft<'_>) -> Result<Vec<Brief>> {
        let mut outside = Vec::new();
        for kind in [Kind::Feature, Kind::Task] {
            for (status, _) in tables::statuses(draft.conn(), kind.table())? {
                let known: Option<Status> = status.parse().ok();
                if known.is_some_and(|status| self.has(kind, status)) {
                    continue;
                }
                for row in tables::list(draft.conn(), kind.table(), ("status", &status))? {
                    let id = row["id"].as_str().unwrap_or_default().to_owned();
                    let id = Id::try_from(id).map_err(Problem::internal)?;
                    outside.extend(Container::get(draft, kind, &id)?.map(|one| one.brief()));
                }
            }
        }
        Ok(outside)
    }

    fn has(&self, kind: Kind, status: Status) -> bool {
        status == Status::WillNotImplement || self.of(kind).contains(&status)
    }

    /// Refuses to move a record on that stands in a state which the configuration no longer has.
    /// Others are not concerned.
    fn check(&self, work: &Container) -> Result<()> {
        let kind = work.kind();
        let Some(status) = work.status().filter(|status| !self.has(kind, *status)) else {
            return Ok(());
        };
        let brief = work.brief();
        let what = format!(
            "{} stands in {status}, a state that `work.pipelines.{kind}` does not have",
            named(work)
        );
        let handle = brief.handle();
        let back = self.before(kind, status);
        Err(Problem::new(Code::InvalidOperation, what)
            .detail("records", rows(&[brief]))
            .hint_call(
                &format!("move it back to {back} with"),
                NextCall::to("work.revert").with("id", handle),
            )
            .hint(format!("or put {status} back into cairn.jsonc")))
    }

    /// The state that comes before another, which need not be one of the pipeline.
    fn before(&self, kind: Kind, status: Status) -> Status {
        let earlier = self.of(kind).iter().rev().find(|one| **one < status);
        earlier.copied().unwrap_or(Status::New)
    }
}

/// Whether everything of a kind that was not given up stands in one of some states.
pub fn are_all_in(draft: &Draft<'_>, kind: Kind, states: &[Status]) -> Result<bool> {
    let is_known = |status: &str| {
        status == Status::WillNotImplement.word() || states.iter().any(|one| one.word() == status)
    };
    let statuses = tables::statuses(draft.conn(), kind.table())?;
    Ok(statuses.iter().all(|(status, _)| is_known(status)))
}

/// One step on.
pub fn advance(
    draft: &mut Draft<'_>,
    pipelines: &Pipelines,
    step: &Step<'_>,
    evidence: &[Evidence],
) -> Result<Moved> {
    let mut work = find(draft, step)?;
    let from = open_status(&work)?;
    pipelines.check(&work)?;
    refuse_blocked(draft, &work)?;
    let pipeline = pipelines.of(work.kind());
    let at = pipeline.iter().position(|one| *one == from).unwrap_or_default();
    let to = pipeline.get(at + 1).copied().unwrap_or(Status::Closed);
    if let Container::Task(task) = &mut work {
        task.evidence.extend_from_slice(evidence);
    }
    if to == Status::Closed {
        check_ending(draft, &work)?;
    }
    moved(draft, pipelines, work, (from, to))
}

/// One step back.
pub fn revert(draft: &mut Draft<'_>, pipelines: &Pipelines, step: &Step<'_>) -> Result<Moved> {
    let mut work = find(draft, step)?;
    let from = work.status().unwrap_or(Status::New);
    let refuse = |why: &str| {
        Err(Problem::new(Code::InvalidOperation, format!("{} {why}", named(&work)))
            .detail("status", from.word()))
    };
    match from {
        Status::WillNotImplement => return refuse("was given up; there is no way back"),
        Status::New => return refuse("is NEW; nothing comes before"),
        _ => {}
    }
    let to = pipelines.before(work.kind(), from);
    let mut reopened = None;
    if let Container::Task(task) = &work
        && from == Status::Closed
    {
        reopened = reopen_feature(draft, task)?;
    }
    if let Container::Feature(feature) = &mut work {
        feature.ended_from = None;
    }
    let mut moved = moved(draft, pipelines, work, (from, to))?;
    moved.feature = reopened.or(moved.feature);
    if from == Status::Closed {
        let feature = moved.feature.as_ref().map(|feature| feature.what.id.clone());
        for id in std::iter::once(moved.what.id.clone()).chain(feature) {
            let restored = blocks::restore(draft, &id)?;
            moved.blocked_again.extend(restored.blocked);
            moved.dropped_blocks.extend(restored.dropped);
        }
    }
    Ok(moved)
}

/// Gives something up.
pub fn terminate(
    draft: &mut Draft<'_>,
    pipelines: &Pipelines,
    step: &Step<'_>,
    exit: Exit<'_>,
) -> Result<Moved> {
    let mut work = find(draft, step)?;
    let from = open_status(&work)?;
    if let Container::Feature(feature) = &work {
        let open = open_tasks(draft, &feature.id)?;
        if !open.is_empty() && !exit.cascade {
            return Err(Problem::new(
                Code::HasChildren,
                format!("{} has {} open tasks", named(&work), open.len()),
            )
            .detail("open_tasks", rows(&open))
            .hint("cascade gives them up too"));
        }
        for task in open {
            let Some(mut task) = Container::get(draft, Kind::Task, &task.id)? else { continue };
            task.set_end_reason(exit.reason);
            end(draft, task, Status::WillNotImplement)?;
        }
    }
    work.set_end_reason(exit.reason);
    moved(draft, pipelines, work, (from, Status::WillNotImplement))
}

fn find(draft: &Draft<'_>, step: &Step<'_>) -> Result<Container> {
    let both = [Kind::Feature, Kind::Task];
    let kinds = match step.kind {
        Some(Kind::Project) => {
            return Err(Problem::invalid("a project has no state").hint("name a feature or task"));
        }
        Some(Kind::Feature) => &both[..1],
        Some(Kind::Task) => &both[1..],
        None => &both[..],
    };
    let work = Container::find(draft, kinds, step.id)?;
    check_version(&named(&work), work.version(), step.version)?;
    Ok(work)
}

fn open_status(work: &Container) -> Result<Status> {
    match work.status() {
        Some(status) if !status.is_terminal() => Ok(status),
        status => {
            let status = status.map_or("", Status::word);
            let what = format!("{} is {status}; nothing follows", named(work));
            Err(Problem::new(Code::InvalidOperation, what).detail("status", status))
        }
    }
}

/// A name with its kind, for messages.
pub(crate) fn named(work: &Container) -> String {
    format!("{} \"{}\"", work.kind(), work.name())
}

fn refuse_blocked(draft: &Draft<'_>, work: &Container) -> Result<()> {
    let blocks = blockers(draft, work.id())?;
    if blocks.is_empty() {
        return Ok(());
    }
    let reasons: Vec<&str> =
        blocks.iter().map(|(block, _)| block.reason.as_str()).filter(|r| !r.is_empty()).collect();
    let row = |(block, from): &(Dependency, Option<Brief>)| match from {
        Some(from) => json!({"node": from.handle(), "name": from.name,
            "status": from.status.map_or("", Status::word), "reason": block.reason}),
        None => json!({"node": "NO_OP", "name": "", "status": "", "reason": block.reason}),
    };
    let listed: Vec<Value> = blocks.iter().map(row).collect();
    Err(Problem::new(Code::Blocked, format!("{} is blocked by {}", named(work), blocks.len()))
        .detail("blockers", listed)
        .detail("reason", reasons.join("; "))
        .hint_call(
            "finish what blocks it, or unblock it with",
            NextCall::to("work.unblock").with("id", work.brief().handle()),
        ))
}

/// A feature does not end over open tasks.
fn check_ending(draft: &Draft<'_>, work: &Container) -> Result<()> {
    let Container::Feature(feature) = work else { return Ok(()) };
    let open = open_tasks(draft, &feature.id)?;
    if open.is_empty() {
        return Ok(());
    }
    let what = format!("{} has {} open tasks", named(work), open.len());
    Err(Problem::new(Code::Blocked, what)
        .detail("blockers", rows(&open))
        .detail("reason", "a feature is closed when its tasks are over")
        .hint("close its tasks or give them up; the last one takes the feature along"))
}

fn rows(briefs: &[Brief]) -> Vec<Value> {
    let status = |one: &Brief| one.status.map_or("", Status::word);
    let row = |one: &Brief| json!({"node": one.handle(), "name": one.name, "status": status(one)});
    briefs.iter().map(row).collect()
}

pub(crate) fn open_tasks(draft: &Draft<'_>, feature: &Id) -> Result<Vec<Brief>> {
    let tasks: Vec<Task> = draft.list("feature_id", feature)?;
    let open = tasks.into_iter().filter(|task| !task.status.is_terminal());
    Ok(open.map(|task| Container::Task(task).brief()).collect())
}

/// Puts work into its new state, with all that follows from it.
fn moved(
    draft: &mut Draft<'_>,
    pipelines: &Pipelines,
    work: Container,
    (from, to): (Status, Status),
) -> Result<Moved> {
    let kind = work.kind();
    let feature_id = match &work {
        Container::Task(task) => task.feature_id.clone(),
        _ => None,
    };
    let Ended { work, unblocked, affected } = end(draft, work, to)?;
    let feature = feature_id.map(|id| follow(draft, &id, to)).transpose()?;
    let (mut unblocked, mut feature_moved) = (unblocked, None);
    if let Some((followed, freed)) = feature.flatten() {
        unblocked.extend(freed);
        feature_moved = Some(followed);
    }
    Ok(Moved {
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

struct Ended {
    work: Container,
    unblocked: Vec<Freed>,
    affected: Vec<Brief>,
}

/// Writes the new state; at an end, lets go of what hung on the work.
fn end(draft: &mut Draft<'_>, mut work: Container, to: Status) -> Result<Ended> {
    work.set_status(to, &draft.stamp());
    work.put(draft)?;
    let (mut unblocked, mut affected) = (Vec::new(), Vec::new());
    if to.is_terminal() {
        end_claim(draft, work.id())?;
    }
    match to {
        Status::Closed => unblocked = blocks::freed(draft, work.id())?,
        Status::WillNotImplement => affected = blocks::waiting(draft, work.id())?,
        _ => {}
    }
    Ok(Ended { work, unblocked, affected })
}

/// What a feature does when one of its tasks came to a state.
fn follow(draft: &mut Draft<'_>, id: &Id, to: Status) -> Result<Option<(Followed, Vec<Freed>)>> {
    let Some(feature) = draft.get::<Feature>(id)? else { return Ok(None) };
    let from = feature.status;
    let next = match from {
        _ if from.is_terminal() => return Ok(None),
        Status::New if to == Status::Active => Status::Active,
        _ if to.is_terminal() => match ending(draft, id)? {
            Some(ending) => ending,
            None => return Ok(None),
        },
        _ => return Ok(None),
    };
    let ended_from = next.is_terminal().then_some(from);
    let feature = Container::Feature(Feature { ended_from, ..feature });
    let ended = end(draft, feature, next)?;
    Ok(Some((Followed { what: ended.work.brief(), from, to: next }, ended.unblocked)))
}

/// The end that a feature's tasks have come to; none while one is open.
fn ending(draft: &Draft<'_>, feature: &Id) -> Result<Option<Status>> {
    let tasks: Vec<Task> = draft.list("feature_id", feature)?;
    if tasks.is_empty() || tasks.iter().any(|task| !task.status.is_terminal()) {
        return Ok(None);
    }
    let given_up = tasks.iter().all(|task| task.status == Status::WillNotImplement);
    Ok(Some(if given_up { Status::WillNotImplement } else { Status::Closed }))
}

/// A task that is open again opens the feature that its end had ended.
fn reopen_feature(draft: &mut Draft<'_>, task: &Task) -> Result<Option<Followed>> {
    let feature = task.feature_id.as_ref().map(|id| draft.get::<Feature>(id)).transpose()?;
    let Some(feature) = feature.flatten().filter(|feature| feature.status.is_terminal()) else {
        return Ok(None);
    };
    let (from, Some(to)) = (feature.status, feature.ended_from) else {
        let what = format!(
            "feature \"{}\" is {} and would have an open task",
            feature.name, feature.status
        );
        let id = format!("feature:{}", feature.id.short());
        let revert = NextCall::to("work.revert").with("id", id);
        return Err(Problem::new(Code::InvalidOperation, what)
            .hint_call("revert the feature first with", revert));
    };
    let mut feature = Container::Feature(Feature { ended_from: None, ..feature });
    feature.set_status(to, &draft.stamp());
    feature.put(draft)?;
    Ok(Some(Followed { what: feature.brief(), from, to }))
}

/// The kinds of evidence that are missing for closing a task with these files.
pub fn missing_evidence(pipelines: &Pipelines, given: &[Evidence], digest: &str) -> Vec<String> {
    let shown = |kind: &&String| given.iter().any(|one| one.kind == **kind && one.digest == digest);
    pipelines.evidence.iter().filter(|kind| !shown(kind)).cloned().collect()
}

impl Task {
    /// Whether its next step closes it.
    pub fn closes_next(&self, pipelines: &Pipelines) -> bool {
        pipelines.position(Kind::Task, self.status).next == Some(Status::Closed)
    }
}
