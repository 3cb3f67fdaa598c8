//! Dependencies between features and tasks: blocks and relations.

use std::collections::{BTreeMap, VecDeque};

use base::{NextCall, Problem, ProblemCode, Result};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use crate::claim::refuse_foreign_claim;
use crate::container::{WorkItem, WorkItemBrief, blockers, check_version};
use crate::draft::WorkDraft;
use crate::id::{VersionedRef, WorkRecordId, WorkRecordRef};
use crate::pipeline::kind_and_name;
use crate::record::{Dependency, Task};
use crate::words::{DependencyKind, WorkKind, WorkStatus};

/// The kinds of work that can depend on each other.
const DEPENDABLE_KINDS: [WorkKind; 2] = [WorkKind::Feature, WorkKind::Task];

/// A dependency with both of its ends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DependencyView {
    /// Its id
    pub id: WorkRecordId,
    /// Its kind
    pub relation: DependencyKind,
    /// The blocking or related item; absent if only a reason blocks
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<WorkItemBrief>,
    /// The blocked or related item
    pub to: WorkItemBrief,
    /// The reason
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// Whether it no longer blocks because one end is finished; reopening that end blocks again
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_resolved: bool,
}

/// A blocker: a feature or task, or a reason alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BlockerRef {
    /// A feature or task
    Work(WorkRecordRef),
    /// A reason outside the project's own work
    NoOp,
}

impl std::str::FromStr for BlockerRef {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.trim() {
            word if word.eq_ignore_ascii_case("no_op") => Ok(Self::NoOp),
            id => id.parse().map(Self::Work),
        }
    }
}

impl<'de> serde::Deserialize<'de> for BlockerRef {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

impl serde::Serialize for BlockerRef {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::NoOp => serializer.serialize_str("NO_OP"),
            Self::Work(id) => serializer.collect_str(id),
        }
    }
}

/// Adds a dependency, or returns the existing one.
pub fn add_dependency(
    draft: &mut WorkDraft<'_>,
    from: &WorkRecordRef,
    to: &WorkRecordRef,
    relation: DependencyKind,
    reason: &str,
) -> Result<DependencyView> {
    let from = WorkItem::find(draft, &DEPENDABLE_KINDS, from)?;
    let to = WorkItem::find(draft, &DEPENDABLE_KINDS, to)?;
    put_dependency(draft, Some(&from), &to, relation, reason)
}

/// Blocks a feature or task, by other work or by a reason alone.
pub fn block(
    draft: &mut WorkDraft<'_>,
    target: VersionedRef<'_>,
    by: &[BlockerRef],
    reason: &str,
) -> Result<Vec<DependencyView>> {
    let to = WorkItem::find(draft, &DEPENDABLE_KINDS, target.id)?;
    check_version(&kind_and_name(&to), to.version(), target.version)?;
    let mut ties = Vec::new();
    for blocker in by {
        let from = match blocker {
            BlockerRef::Work(from) => Some(WorkItem::find(draft, &DEPENDABLE_KINDS, from)?),
            BlockerRef::NoOp if reason.trim().is_empty() => {
                return Err(Problem::invalid("a NO_OP block needs a reason")
                    .hint("give the reason in `reason`"));
            }
            BlockerRef::NoOp => None,
        };
        ties.push(put_dependency(draft, from.as_ref(), &to, DependencyKind::Blocks, reason)?);
    }
    Ok(ties)
}

/// The blocks that were removed from a feature or task.
#[derive(Debug)]
pub struct RemovedBlocks {
    /// The feature or task
    pub item: WorkItemBrief,
    /// The blocks that were removed
    pub removed: Vec<DependencyView>,
    /// How many blocks remain
    pub remaining: usize,
}

/// Removes the given blocks from a feature or task, or all of them.
pub fn unblock(
    draft: &mut WorkDraft<'_>,
    target: VersionedRef<'_>,
    by: &[BlockerRef],
) -> Result<RemovedBlocks> {
    let to = WorkItem::find(draft, &DEPENDABLE_KINDS, target.id)?;
    check_version(&kind_and_name(&to), to.version(), target.version)?;
    let mut wanted: Vec<Option<WorkRecordId>> = Vec::new();
    for blocker in by {
        wanted.push(match blocker {
            BlockerRef::Work(from) => {
                Some(WorkItem::find(draft, &DEPENDABLE_KINDS, from)?.id().clone())
            }
            BlockerRef::NoOp => None,
        });
    }
    let mut gone = Vec::new();
    for block in draft.list::<Dependency>("to_id", to.id())? {
        let is_wanted = wanted.is_empty() || wanted.contains(&block.from_id);
        if block.relation == DependencyKind::Blocks && is_wanted {
            draft.delete::<Dependency>(&block.id)?;
            gone.extend(load_view(draft, block)?);
        }
    }
    let remaining = blockers(draft, to.id())?.len();
    Ok(RemovedBlocks { item: to.brief(), removed: gone, remaining })
}

/// Removes a dependency, given by its id or by its ends.
pub fn remove_dependency(
    draft: &mut WorkDraft<'_>,
    id: Option<&WorkRecordRef>,
    ends: Option<(&WorkRecordRef, &WorkRecordRef)>,
    relation: Option<DependencyKind>,
) -> Result<Vec<DependencyView>> {
    let found: Vec<Dependency> = match (id, ends) {
        (Some(id), _) => vec![draft.find(id)?],
        (None, Some((from, to))) => {
            let from = WorkItem::find(draft, &DEPENDABLE_KINDS, from)?.id().clone();
            let to = WorkItem::find(draft, &DEPENDABLE_KINDS, to)?.id().clone();
            let mut all = draft.list::<Dependency>("to_id", &to)?;
            all.extend(draft.list::<Dependency>("to_id", &from)?);
            all.retain(|one| {
                let ends = (one.from_id.as_ref(), &one.to_id);
                let fits = ends == (Some(&from), &to)
                    || (one.relation == DependencyKind::RelatesTo && ends == (Some(&to), &from));
                fits && relation.is_none_or(|relation| relation == one.relation)
            });
            all
        }
        (None, None) => {
            return Err(Problem::invalid("name the dependency by `id`, or its `from` and `to`"));
        }
    };
    if found.is_empty() {
        return Err(Problem::not_found("no such dependency").hint_call(
            "those of a feature or task are listed by",
            NextCall::new("work.dependencies"),
        ));
    }
    let mut gone = Vec::new();
    for one in found {
        draft.delete::<Dependency>(&one.id)?;
        gone.extend(load_view(draft, one)?);
    }
    Ok(gone)
}

/// All dependencies of a feature or task, in both directions.
pub fn dependencies_of(draft: &WorkDraft<'_>, id: &WorkRecordId) -> Result<Vec<DependencyView>> {
    let mut all = draft.list::<Dependency>("to_id", id)?;
    all.extend(draft.list::<Dependency>("from_id", id)?);
    let mut ties = Vec::new();
    for one in all {
        ties.extend(load_view(draft, one)?);
    }
    let name = |tie: &DependencyView| tie.from.as_ref().map(|from| from.name.clone());
    ties.sort_by_cached_key(|tie| (tie.relation, name(tie), tie.to.name.clone(), tie.id.clone()));
    ties.dedup_by(|a, b| a.id == b.id);
    Ok(ties)
}

fn load_view(draft: &WorkDraft<'_>, one: Dependency) -> Result<Option<DependencyView>> {
    let from = one.from_id.as_ref().map(|from| WorkItem::of_id(draft, from)).transpose()?;
    let from = from.flatten().map(|from| from.brief());
    let to = WorkItem::of_id(draft, &one.to_id)?.map(|to| to.brief());
    Ok(to.map(|to| dependency_view(one, from, to)))
}

fn dependency_view(
    one: Dependency,
    from: Option<WorkItemBrief>,
    to: WorkItemBrief,
) -> DependencyView {
    let is_closed = from.as_ref().is_some_and(|from| from.status == Some(WorkStatus::Closed));
    let is_over = to.status.is_some_and(WorkStatus::is_terminal);
    let is_resolved = one.relation == DependencyKind::Blocks && (is_closed || is_over);
    DependencyView { id: one.id, relation: one.relation, from, to, reason: one.reason, is_resolved }
}

pub(crate) fn put_dependency(
    draft: &mut WorkDraft<'_>,
    from: Option<&WorkItem>,
    to: &WorkItem,
    relation: DependencyKind,
    reason: &str,
) -> Result<DependencyView> {
    if let (WorkItem::Task(task), DependencyKind::Blocks) = (to, relation) {
        refuse_foreign_claim(draft, task)?;
    }
    if let Some(from) = from {
        check_ends(draft, from, to, relation)?;
    } else if to.status().is_some_and(WorkStatus::is_terminal) {
        return Err(ended_work_problem(to));
    }
    store_dependency(draft, from, to, relation, reason)
}

/// Adds a block that is over because one of its ends is. It can be part of a cycle until that end is reopened.
pub(crate) fn put_resolved_block(
    draft: &mut WorkDraft<'_>,
    from: Option<&WorkItem>,
    to: &WorkItem,
    reason: &str,
) -> Result<DependencyView> {
    if let Some(from) = from {
        check_distinct(from, to)?;
    }
    store_dependency(draft, from, to, DependencyKind::Blocks, reason)
}

fn store_dependency(
    draft: &mut WorkDraft<'_>,
    from: Option<&WorkItem>,
    to: &WorkItem,
    relation: DependencyKind,
    reason: &str,
) -> Result<DependencyView> {
    let from_id = from.map(|from| from.id().clone());
    let known = draft.list::<Dependency>("to_id", to.id())?.into_iter().find(|one| {
        one.relation == relation
            && one.from_id == from_id
            && (from_id.is_some() || one.reason == reason)
    });
    let dependency = match known {
        Some(known) if known.reason == reason || reason.is_empty() => known,
        Some(known) => Dependency { reason: reason.into(), ..known },
        None => Dependency {
            id: draft.new_id(),
            relation,
            from_id,
            to_id: to.id().clone(),
            reason: reason.into(),
            created_at: draft.stamp(),
        },
    };
    draft.put(&dependency)?;
    Ok(dependency_view(dependency, from.map(WorkItem::brief), to.brief()))
}

fn check_ends(
    draft: &WorkDraft<'_>,
    from: &WorkItem,
    to: &WorkItem,
    relation: DependencyKind,
) -> Result<()> {
    check_distinct(from, to)?;
    match relation {
        DependencyKind::Blocks => {}
        DependencyKind::ParentOf => return check_parent(draft, from, to),
        _ => return Ok(()),
    }
    match from.status() {
        _ if to.status().is_some_and(WorkStatus::is_terminal) => Err(ended_work_problem(to)),
        Some(WorkStatus::Closed) => Err(Problem::new(
            ProblemCode::InvalidOperation,
            format!("{} is CLOSED and cannot block anything", kind_and_name(from)),
        )),
        _ => refuse_cycle(draft, from, to),
    }
}

/// Refuses a dependency of an item on itself or on one of another project.
fn check_distinct(from: &WorkItem, to: &WorkItem) -> Result<()> {
    if from.id() == to.id() {
        return Err(Problem::new(
            ProblemCode::InvariantViolation,
            format!("{} cannot depend on itself", kind_and_name(to)),
        )
        .detail("cycle", vec![to.brief().handle(), to.brief().handle()]));
    }
    if from.project_id() != to.project_id() {
        return Err(Problem::new(
            ProblemCode::InvariantViolation,
            "the two items are in different projects",
        ));
    }
    Ok(())
}

/// Refuses a subtask that has another parent, or that would contain its parent or wait for it.
fn check_parent(draft: &WorkDraft<'_>, parent: &WorkItem, part: &WorkItem) -> Result<()> {
    let (WorkItem::Task(parent_task), WorkItem::Task(part_task)) = (parent, part) else {
        return Err(Problem::invalid("only a task can be a part of a task")
            .hint("a task belongs to a feature by its field `feature`"));
    };
    let invariant = |what: String| Err(Problem::new(ProblemCode::InvariantViolation, what));
    if let Some(other) = parent_of(draft, &part_task.id)?.filter(|other| *other != parent_task.id) {
        let name = draft.get::<Task>(&other)?.map(|task| task.title).unwrap_or_default();
        return invariant(format!("{} is already a part of \"{name}\"", kind_and_name(part)));
    }
    let mut above = Some(parent_task.id.clone());
    while let Some(id) = above {
        if id == part_task.id {
            let (part, parent) = (kind_and_name(part), kind_and_name(parent));
            return invariant(format!("{part} contains {parent} already"));
        }
        above = parent_of(draft, &id)?;
    }
    if parent_task.status.is_terminal() || part_task.status.is_terminal() {
        return Ok(()); // one of the two is finished, so nothing waits
    }
    refuse_cycle(draft, part, parent)
}

/// The task that a task is a part of.
pub fn parent_of(draft: &WorkDraft<'_>, task: &WorkRecordId) -> Result<Option<WorkRecordId>> {
    let ties = draft.list::<Dependency>("to_id", task)?;
    let parent = ties.into_iter().find(|tie| tie.relation == DependencyKind::ParentOf);
    Ok(parent.and_then(|tie| tie.from_id))
}

/// The open subtasks of an open task.
pub(crate) fn open_parts(draft: &WorkDraft<'_>, task: &WorkRecordId) -> Result<Vec<WorkItemBrief>> {
    let mut open = Vec::new();
    let own: Option<Task> = draft.get(task)?;
    if own.is_none_or(|own| own.status.is_terminal()) {
        return Ok(open);
    }
    for tie in draft.list::<Dependency>("from_id", task)? {
        if tie.relation == DependencyKind::ParentOf
            && let Some(part) = draft.get::<Task>(&tie.to_id)?
            && !part.status.is_terminal()
        {
            open.push(WorkItem::Task(part).brief());
        }
    }
    Ok(open)
}

/// Makes a task a part of another, or of none.
pub(crate) fn set_parent(
    draft: &mut WorkDraft<'_>,
    task: &Task,
    parent: Option<&WorkRecordRef>,
) -> Result<()> {
    for tie in draft.list::<Dependency>("to_id", &task.id)? {
        if tie.relation == DependencyKind::ParentOf {
            draft.delete::<Dependency>(&tie.id)?;
        }
    }
    let Some(parent) = parent else { return Ok(()) };
    let parent = WorkItem::find(draft, &[WorkKind::Task], parent)?;
    let part = WorkItem::Task(task.clone());
    put_dependency(draft, Some(&parent), &part, DependencyKind::ParentOf, "").map(drop)
}

fn ended_work_problem(work: &WorkItem) -> Problem {
    let status = work.status().map_or("", WorkStatus::word);
    Problem::new(
        ProblemCode::InvalidOperation,
        format!("{} is {status} and cannot be blocked", kind_and_name(work)),
    )
}

/// Refuses that `to` waits for `from` if `from` already waits for `to`. The problem lists the cycle.
pub(crate) fn refuse_cycle(draft: &WorkDraft<'_>, from: &WorkItem, to: &WorkItem) -> Result<()> {
    let Some(way) = waiting_path(draft, from.id(), to.id())? else { return Ok(()) };
    let mut names = Vec::new();
    let mut rows = Vec::new();
    for id in std::iter::once(to.id()).chain(&way) {
        if let Some(work) = WorkItem::of_id(draft, id)? {
            names.push(format!("\"{}\"", work.name()));
            rows.push(json!({"node": work.brief().handle(), "name": work.name()}));
        }
    }
    let what = format!("dependency cycle: {}", names.join(" waits for "));
    Err(Problem::new(ProblemCode::InvariantViolation, what)
        .detail("cycle", rows)
        .hint("remove one of these blocks first"))
}

/// Whether one waits for another, directly or through others.
pub(crate) fn waits_for(
    draft: &WorkDraft<'_>,
    one: &WorkRecordId,
    other: &WorkRecordId,
) -> Result<bool> {
    Ok(waiting_path(draft, one, other)?.is_some())
}

/// The shortest chain of items of which each waits for the next. A feature also waits for its tasks, and a
/// task for its subtasks.
fn waiting_path(
    draft: &WorkDraft<'_>,
    from: &WorkRecordId,
    to: &WorkRecordId,
) -> Result<Option<Vec<WorkRecordId>>> {
    let mut came: BTreeMap<WorkRecordId, Option<WorkRecordId>> =
        BTreeMap::from([(from.clone(), None)]);
    let mut queue = VecDeque::from([from.clone()]);
    while let Some(id) = queue.pop_front() {
        if id == *to {
            let mut way = vec![id.clone()];
            let mut at = &id;
            while let Some(Some(before)) = came.get(at) {
                way.push(before.clone());
                at = before;
            }
            way.reverse();
            return Ok(Some(way));
        }
        let blocks = blockers(draft, &id)?.into_iter();
        let tasks: Vec<Task> = draft.list("feature_id", &id)?;
        let open = tasks.into_iter().filter(|task| !task.status.is_terminal()).map(|task| task.id);
        let parts = open_parts(draft, &id)?.into_iter().map(|part| part.id);
        for next in blocks.filter_map(|(one, _)| one.from_id).chain(open).chain(parts) {
            if !came.contains_key(&next) {
                came.insert(next.clone(), Some(id.clone()));
                queue.push_back(next);
            }
        }
    }
    Ok(None)
}
