//! Looking through projects, features and tasks.

use std::collections::BTreeMap;

use base::{NextCall, Problem, Result};
use schemars::JsonSchema;
use serde::Serialize;

use crate::container::{Brief, Container, blockers};
use crate::draft::Draft;
use crate::id::Id;
use crate::record::{Feature, Project, Record, Task};
use crate::tables;
use crate::tags::containers;
use crate::text::Many;
use crate::words::{Kind, Priority, Status};

/// What to look for. In lists, `!` before a value excludes it.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    /// Only this kind
    pub kind: Option<Kind>,
    /// Only in this project
    pub project: Option<Id>,
    /// Only in this feature
    pub feature: Option<Id>,
    /// Words that must all be in the name or texts; `-word` must not
    pub words: String,
    /// States
    pub status: Many<String>,
    /// Priorities
    pub priority: Many<String>,
    /// Labels
    pub tags: Many<String>,
}

/// Values that must be, and values that must not.
struct Choice<T> {
    wanted: Vec<T>,
    unwanted: Vec<T>,
}

impl<T: std::str::FromStr<Err = String> + PartialEq> Choice<T> {
    fn parse(many: &Many<String>) -> Result<Self> {
        let (mut wanted, mut unwanted) = (Vec::new(), Vec::new());
        for text in &many.0 {
            match text.strip_prefix('!') {
                Some(text) => unwanted.push(text.trim().parse().map_err(Problem::invalid)?),
                None => wanted.push(text.parse().map_err(Problem::invalid)?),
            }
        }
        Ok(Self { wanted, unwanted })
    }

    fn allows(&self, value: &T) -> bool {
        (self.wanted.is_empty() || self.wanted.contains(value)) && !self.unwanted.contains(value)
    }

    const fn is_empty(&self) -> bool {
        self.wanted.is_empty() && self.unwanted.is_empty()
    }
}

/// What fits, urgent first, then by name.
pub fn search(draft: &Draft<'_>, wanted: &Wanted) -> Result<Vec<Container>> {
    let status = Choice::<Status>::parse(&wanted.status)?;
    let priority = Choice::<Priority>::parse(&wanted.priority)?;
    let (no_tags, tags): (Vec<&String>, Vec<&String>) =
        wanted.tags.0.iter().partition(|tag| tag.starts_with('!'));
    let words = wanted.words.to_lowercase();
    let (no_words, words): (Vec<&str>, Vec<&str>) =
        words.split_whitespace().partition(|word| word.len() > 1 && word.starts_with('-'));
    let mut found = containers(draft, wanted.project.as_ref())?;
    found.retain(|one| {
        let text = text(one).to_lowercase();
        let has = |tag: &str| one.tags().iter().any(|known| known.eq_ignore_ascii_case(tag));
        wanted.kind.is_none_or(|kind| kind == one.kind())
            && wanted.feature.as_ref().is_none_or(|id| feature_of(one) == Some(id))
            && one.status().map_or(status.is_empty(), |one| status.allows(&one))
            && priority_of(one).map_or(priority.is_empty(), |one| priority.allows(&one))
            && tags.iter().all(|tag| has(tag))
            && !no_tags.iter().any(|tag| has(tag[1..].trim()))
            && words.iter().all(|word| text.contains(word))
            && !no_words.iter().any(|word| text.contains(&word[1..]))
    });
    found.sort_by(|a, b| {
        let key = |one: &Container| (priority_of(one), one.name().to_owned(), one.id().clone());
        key(a).cmp(&key(b))
    });
    Ok(found)
}

/// How urgent it is; a project is neither.
pub fn priority_of(one: &Container) -> Option<Priority> {
    match one {
        Container::Project(_) => None,
        Container::Feature(feature) => Some(feature.priority),
        Container::Task(task) => Some(task.priority),
    }
}

fn feature_of(one: &Container) -> Option<&Id> {
    match one {
        Container::Task(task) => task.feature_id.as_ref(),
        _ => None,
    }
}

/// Everything that is written on it.
pub fn text(one: &Container) -> String {
    let (summary, description) = match one {
        Container::Project(x) => (&x.summary, &x.description),
        Container::Feature(x) => (&x.summary, &x.description),
        Container::Task(x) => (&x.summary, &x.description),
    };
    format!("{}\n{summary}\n{description}", one.name())
}

/// A project or feature with what it holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Overview {
    /// What it is
    #[serde(flatten)]
    pub what: Brief,
    /// What it is about, in short
    pub summary: String,
    /// How many tasks are in each state
    pub tasks: BTreeMap<&'static str, usize>,
    /// What it holds
    pub children: Vec<Child>,
}

/// A feature or task in an overview.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Child {
    /// What it is
    #[serde(flatten)]
    pub what: Brief,
    /// How urgent it is
    pub priority: Priority,
    /// How many tasks are in each state, of a feature
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub tasks: BTreeMap<&'static str, usize>,
    /// How many blocks it has
    pub blocked_by: usize,
}

/// The projects, or one project's features and loose tasks, or one feature's tasks.
pub fn overview(draft: &Draft<'_>, of: Option<&Container>) -> Result<Vec<Overview>> {
    match of {
        None => draft.all::<Project>()?.into_iter().map(|one| of_project(draft, one)).collect(),
        Some(Container::Project(project)) => Ok(vec![of_project(draft, project.clone())?]),
        Some(Container::Feature(feature)) => Ok(vec![of_feature(draft, feature.clone())?]),
        Some(Container::Task(_)) => Err(Problem::invalid("a task holds nothing")
            .hint_call("all about a task is shown by", NextCall::to("work.show"))),
    }
}

fn of_project(draft: &Draft<'_>, project: Project) -> Result<Overview> {
    let features: Vec<Feature> = draft.list("project_id", &project.id)?;
    let tasks: Vec<Task> = draft.list("project_id", &project.id)?;
    let mut children = Vec::new();
    for feature in features {
        let own = tasks.iter().filter(|task| task.feature_id.as_ref() == Some(&feature.id));
        children.push(child(draft, &Container::Feature(feature.clone()), counts(own))?);
    }
    for task in tasks.iter().filter(|task| task.feature_id.is_none()) {
        children.push(child(draft, &Container::Task(task.clone()), BTreeMap::new())?);
    }
    let (summary, tasks) = (project.summary.clone(), counts(tasks.iter()));
    Ok(Overview {
        what: Container::Project(project).brief(),
        summary,
        tasks,
        children: sorted(children),
    })
}

fn of_feature(draft: &Draft<'_>, feature: Feature) -> Result<Overview> {
    let tasks: Vec<Task> = draft.list("feature_id", &feature.id)?;
    let counted = counts(tasks.iter());
    let children =
        tasks.into_iter().map(|task| child(draft, &Container::Task(task), BTreeMap::new()));
    let children = children.collect::<Result<Vec<_>>>()?;
    let summary = feature.summary.clone();
    let what = Container::Feature(feature).brief();
    Ok(Overview { what, summary, tasks: counted, children: sorted(children) })
}

fn child(
    draft: &Draft<'_>,
    one: &Container,
    tasks: BTreeMap<&'static str, usize>,
) -> Result<Child> {
    let blocked_by = blockers(draft, one.id())?.len();
    let priority = priority_of(one).unwrap_or(Priority::Medium);
    Ok(Child { what: one.brief(), priority, tasks, blocked_by })
}

/// Features before tasks, open before over, urgent first, then by name.
fn sorted(mut children: Vec<Child>) -> Vec<Child> {
    children.sort_by_key(|child| {
        let is_over = child.what.status.is_some_and(Status::is_terminal);
        (child.what.kind, is_over, child.priority, child.what.name.clone(), child.what.id.clone())
    });
    children
}

fn counts<'a>(tasks: impl Iterator<Item = &'a Task>) -> BTreeMap<&'static str, usize> {
    let mut counts = BTreeMap::new();
    tasks.for_each(|task| *counts.entry(task.status.word()).or_default() += 1);
    counts
}

/// Open features or tasks that cannot go on.
pub fn blocked(draft: &Draft<'_>, kind: Kind, project: &Id) -> Result<Vec<Container>> {
    let table = if kind == Kind::Feature { Feature::TABLE } else { Task::TABLE };
    let ids = tables::blocked(draft.conn(), table, project.as_str())?;
    let mut found = Vec::new();
    for id in ids {
        let id = Id::try_from(id).map_err(Problem::internal)?;
        found.extend(Container::get(draft, kind, &id)?);
    }
    Ok(found)
}
