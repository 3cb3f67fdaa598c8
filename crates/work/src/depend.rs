//! How pieces of work depend on each other: what blocks what, and what relates to what.

use std::collections::{BTreeMap, VecDeque};

use base::{Code, NextCall, Problem, Result};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use crate::container::{Brief, Container, blockers, check_version};
use crate::draft::Draft;
use crate::flow::named;
use crate::id::{Id, Ref};
use crate::record::{Dependency, Task};
use crate::words::{Kind, Relation, Status};

/// Both kinds that can depend on each other.
const WORK: [Kind; 2] = [Kind::Feature, Kind::Task];

/// A relation with both of its ends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Tie {
    /// Its id
    pub id: Id,
    /// How they are related
    pub relation: Relation,
    /// What blocks, or is related; absent when only a reason blocks
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<Brief>,
    /// What is blocked, or is related
    pub to: Brief,
    /// Why
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// Whether it blocks no more because one of its ends is over; it would if that was reopened
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_resolved: bool,
}

/// What blocks: another piece of work, or a reason alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Blocker {
    /// A feature or task
    Work(Ref),
    /// Nothing that could be finished here
    NoOp,
}

impl std::str::FromStr for Blocker {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.trim() {
            word if word.eq_ignore_ascii_case("no_op") => Ok(Self::NoOp),
            id => id.parse().map(Self::Work),
        }
    }
}

impl<'de> serde::Deserialize<'de> for Blocker {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

impl serde::Serialize for Blocker {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::NoOp => serializer.serialize_str("NO_OP"),
            Self::Work(id) => serializer.collect_str(id),
        }
    }
}

/// Makes a relation, or finds the one that is there.
pub fn depend(
    draft: &mut Draft<'_>,
    (from, to): (&Ref, &Ref),
    relation: Relation,
    reason: &str,
) -> Result<Tie> {
    let from = Container::find(draft, &WORK, from)?;
    let to = Container::find(draft, &WORK, to)?;
    tie(draft, (Some(from), to), relation, reason)
}

/// Blocks something, by other work or by a reason alone.
pub fn block(
    draft: &mut Draft<'_>,
    (id, version): (&Ref, Option<u32>),
    by: &[Blocker],
    reason: &str,
) -> Result<Vec<Tie>> {
    let to = Container::find(draft, &WORK, id)?;
    check_version(&named(&to), to.version(), version)?;
    let mut ties = Vec::new();
    for blocker in by {
        let from = match blocker {
            Blocker::Work(from) => Some(Container::find(draft, &WORK, from)?),
            Blocker::NoOp if reason.trim().is_empty() => {
                return Err(Problem::invalid("NO_OP blocks with a reason, and none was given")
                    .hint("say what it waits for in `blocked_reason`"));
            }
            Blocker::NoOp => None,
        };
        ties.push(tie(draft, (from, to.clone()), Relation::Blocks, reason)?);
    }
    Ok(ties)
}

/// Takes blocks away: these, or all.
pub fn unblock(
    draft: &mut Draft<'_>,
    (id, version): (&Ref, Option<u32>),
    by: &[Blocker],
) -> Result<(Brief, Vec<Tie>, usize)> {
    let to = Container::find(draft, &WORK, id)?;
    check_version(&named(&to), to.version(), version)?;
    let mut wanted: Vec<Option<Id>> = Vec::new();
    for blocker in by {
        wanted.push(match blocker {
            Blocker::Work(from) => Some(Container::find(draft, &WORK, from)?.id().clone()),
            Blocker::NoOp => None,
        });
    }
    let mut gone = Vec::new();
    for block in draft.list::<Dependency>("to_id", to.id())? {
        let is_wanted = wanted.is_empty() || wanted.contains(&block.from_id);
        if block.relation == Relation::Blocks && is_wanted {
            draft.delete::<Dependency>(&block.id)?;
            gone.extend(whole(draft, block)?);
        }
    }
    let left = blockers(draft, to.id())?.len();
    Ok((to.brief(), gone, left))
}

/// Takes one relation away, by its id or by its ends.
pub fn undepend(
    draft: &mut Draft<'_>,
    id: Option<&Ref>,
    ends: Option<(&Ref, &Ref)>,
    relation: Option<Relation>,
) -> Result<Vec<Tie>> {
    let found: Vec<Dependency> = match (id, ends) {
        (Some(id), _) => vec![draft.find(id)?],
        (None, Some((from, to))) => {
            let from = Container::find(draft, &WORK, from)?.id().clone();
            let to = Container::find(draft, &WORK, to)?.id().clone();
            let mut all = draft.list::<Dependency>("to_id", &to)?;
            all.extend(draft.list::<Dependency>("to_id", &from)?);
            all.retain(|one| {
                let ends = (one.from_id.as_ref(), &one.to_id);
                let fits = ends == (Some(&from), &to)
                    || (one.relation == Relation::RelatesTo && ends == (Some(&to), &from));
                fits && relation.is_none_or(|relation| relation == one.relation)
            });
            all
        }
        (None, None) => {
            return Err(Problem::invalid("name the dependency by `id`, or its `from` and `to`"));
        }
    };
    if found.is_empty() {
        return Err(Problem::not_found("there is no such dependency").hint_call(
            "those of a feature or task are listed by",
            NextCall::to("work.dependencies"),
        ));
    }
    let mut gone = Vec::new();
    for one in found {
        draft.delete::<Dependency>(&one.id)?;
        gone.extend(whole(draft, one)?);
    }
    Ok(gone)
}

/// What something hangs together with: what it waits for, what waits for it, what relates to it.
pub fn ties(draft: &Draft<'_>, id: &Id) -> Result<Vec<Tie>> {
    let mut all = draft.list::<Dependency>("to_id", id)?;
    all.extend(draft.list::<Dependency>("from_id", id)?);
    let mut ties = Vec::new();
    for one in all {
        ties.extend(whole(draft, one)?);
    }
    let name = |tie: &Tie| tie.from.as_ref().map(|from| from.name.clone());
    ties.sort_by_cached_key(|tie| (tie.relation, name(tie), tie.to.name.clone(), tie.id.clone()));
    ties.dedup_by(|a, b| a.id == b.id);
    Ok(ties)
}

fn whole(draft: &Draft<'_>, one: Dependency) -> Result<Option<Tie>> {
    let from = one.from_id.as_ref().map(|from| Container::of_id(draft, from)).transpose()?;
    let from = from.flatten().map(|from| from.brief());
    let to = Container::of_id(draft, &one.to_id)?.map(|to| to.brief());
    Ok(to.map(|to| shown(one, from, to)))
}

fn shown(one: Dependency, from: Option<Brief>, to: Brief) -> Tie {
    let is_closed = from.as_ref().is_some_and(|from| from.status == Some(Status::Closed));
    let is_over = to.status.is_some_and(Status::is_terminal);
    let is_resolved = one.relation == Relation::Blocks && (is_closed || is_over);
    Tie { id: one.id, relation: one.relation, from, to, reason: one.reason, is_resolved }
}

pub(crate) fn tie(
    draft: &mut Draft<'_>,
    (from, to): (Option<Container>, Container),
    relation: Relation,
    reason: &str,
) -> Result<Tie> {
    if let Some(from) = &from {
        check_ends(draft, from, &to, relation)?;
    } else if to.status().is_some_and(Status::is_terminal) {
        return Err(over(&to));
    }
    let from_id = from.as_ref().map(|from| from.id().clone());
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
    Ok(shown(dependency, from.map(|from| from.brief()), to.brief()))
}

fn check_ends(
    draft: &Draft<'_>,
    from: &Container,
    to: &Container,
    relation: Relation,
) -> Result<()> {
    if from.id() == to.id() {
        return Err(Problem::new(
            Code::InvariantViolation,
            format!("{} cannot hang on itself", named(to)),
        )
        .detail("cycle", vec![to.brief().handle(), to.brief().handle()]));
    }
    if from.project_id() != to.project_id() {
        return Err(Problem::new(Code::InvariantViolation, "they are in different projects"));
    }
    if relation == Relation::RelatesTo {
        return Ok(());
    }
    match from.status() {
        _ if to.status().is_some_and(Status::is_terminal) => Err(over(to)),
        Some(Status::Closed) => Err(Problem::new(
            Code::InvalidOperation,
            format!("{} is CLOSED: it blocks nothing", named(from)),
        )),
        _ => refuse_cycle(draft, from, to),
    }
}

fn over(work: &Container) -> Problem {
    let status = work.status().map_or("", Status::word);
    Problem::new(
        Code::InvalidOperation,
        format!("{} is {status}: nothing can block it", named(work)),
    )
}

/// Refuses that `to` waits for `from` when `from` already waits for `to`, and shows the way.
pub(crate) fn refuse_cycle(draft: &Draft<'_>, from: &Container, to: &Container) -> Result<()> {
    let Some(way) = way_of_waiting(draft, from.id(), to.id())? else { return Ok(()) };
    let mut names = Vec::new();
    let mut rows = Vec::new();
    for id in std::iter::once(to.id()).chain(&way) {
        if let Some(work) = Container::of_id(draft, id)? {
            names.push(format!("\"{}\"", work.name()));
            rows.push(json!({"node": work.brief().handle(), "name": work.name()}));
        }
    }
    let what = format!("a circle: {}", names.join(" waits for "));
    Err(Problem::new(Code::InvariantViolation, what)
        .detail("cycle", rows)
        .hint("take one of these blocks away first"))
}

/// Whether one waits for another, directly or through others.
pub(crate) fn waits_for(draft: &Draft<'_>, one: &Id, other: &Id) -> Result<bool> {
    Ok(way_of_waiting(draft, one, other)?.is_some())
}

/// The shortest chain of waiting from one to another. A feature also waits for its tasks.
fn way_of_waiting(draft: &Draft<'_>, from: &Id, to: &Id) -> Result<Option<Vec<Id>>> {
    let mut came: BTreeMap<Id, Option<Id>> = BTreeMap::from([(from.clone(), None)]);
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
        for next in blocks.filter_map(|(one, _)| one.from_id).chain(open) {
            if !came.contains_key(&next) {
                came.insert(next.clone(), Some(id.clone()));
                queue.push_back(next);
            }
        }
    }
    Ok(None)
}
