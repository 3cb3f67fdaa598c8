//! Projects, features and tasks as nodes; what holds, blocks and touches what as edges.

use base::entity::RecordKind;
use base::{EntityRef, Problem, Result};
use work::claim::live_claim;
use work::container::blockers;
use work::record::{Dependency, Feature, Project, Task};
use work::words::{Kind, Relation};
use work::{Container, Draft, Id, Ref};

use super::{derived, is_empty, look, named_paths};
use crate::graph::{
    Candidate, Confidence, Description, Direction, Edge, EdgeKind, Item, Layer, Marks, Section,
    Travel,
};
use crate::layers::files::node as file_node;
use crate::view::View;

const CONTAINS: EdgeKind = EdgeKind {
    area: "work",
    name: "contains",
    travel: Travel::OnRequest,
    means: "a project holds a feature or task, a feature a task",
};
const BLOCKS: EdgeKind = EdgeKind {
    area: "work",
    name: "blocks",
    travel: Travel::OnRequest,
    means: "one has to be finished before the other goes on",
};
const RELATES_TO: EdgeKind = EdgeKind {
    area: "work",
    name: "relates_to",
    travel: Travel::OnRequest,
    means: "two pieces of work have to do with each other",
};
const CONTEXT: EdgeKind = EdgeKind {
    area: "work",
    name: "context",
    travel: Travel::OnRequest,
    means: "a task names a file in its Context Files",
};

static EDGES: [EdgeKind; 4] = [CONTAINS, BLOCKS, RELATES_TO, CONTEXT];

/// Projects, features and tasks.
pub(crate) struct WorkLayer;

const fn record_kind(kind: Kind) -> RecordKind {
    match kind {
        Kind::Project => RecordKind::Project,
        Kind::Feature => RecordKind::Feature,
        Kind::Task => RecordKind::Task,
    }
}

fn kind_of(node: &EntityRef) -> Option<(Kind, &str)> {
    let EntityRef::Record(kind, id) = node else { return None };
    let kind = match kind {
        RecordKind::Project => Kind::Project,
        RecordKind::Feature => Kind::Feature,
        RecordKind::Task => Kind::Task,
        _ => return None,
    };
    Some((kind, id.as_str()))
}

/// The handle of a project, feature or task.
pub(crate) fn node(kind: Kind, id: &Id) -> Result<EntityRef> {
    let id = id.as_str().parse().map_err(Problem::internal)?;
    Ok(EntityRef::Record(record_kind(kind), id))
}

/// The record that a handle names whole.
fn found(draft: &Draft<'_>, node: &EntityRef) -> Result<Option<Container>> {
    let Some((kind, id)) = kind_of(node) else { return Ok(None) };
    let Ok(id) = Id::try_from(id.to_owned()) else { return Ok(None) };
    if id.as_str() != kind_of(node).map_or("", |(_, id)| id) {
        return Ok(None); // another spelling of it is not the node's name
    }
    Container::get(draft, kind, &id)
}

impl Layer for WorkLayer {
    fn edges(&self) -> &'static [EdgeKind] {
        &EDGES
    }

    fn resolve(&self, view: &View, name: &str) -> Result<Vec<Candidate>> {
        let Ok(asked) = name.parse::<Ref>() else { return Ok(Vec::new()) };
        if asked.kind.as_deref().is_some_and(|kind| kind.parse::<Kind>().is_err()) {
            return Ok(Vec::new());
        }
        look(view, |draft| match Container::find(draft, Kind::ALL, &asked) {
            Ok(one) => {
                let about = about(&one);
                Ok(vec![Candidate {
                    node: node(one.kind(), one.id())?,
                    about,
                    sure: asked.kind.is_some(),
                }])
            }
            Err(_) => Ok(Vec::new()),
        })
    }

    fn near(&self, _: &View, _: &str) -> Result<Vec<(f64, String)>> {
        Ok(Vec::new()) // ids are not guessed
    }

    fn holds(&self, view: &View, node: &EntityRef) -> Result<bool> {
        if kind_of(node).is_none() {
            return Ok(false);
        }
        look(view, |draft| Ok(found(draft, node)?.is_some()))
    }

    fn neighbours(
        &self,
        view: &View,
        frontier: &[EntityRef],
        kind: &'static EdgeKind,
        direction: Direction,
    ) -> Result<Vec<Edge>> {
        if is_empty(view)? {
            return Ok(Vec::new());
        }
        look(view, |draft| {
            let mut pairs = Vec::new();
            for node in frontier {
                if direction != Direction::Against {
                    pairs.extend(outgoing(view, draft, node, kind)?);
                }
                if direction != Direction::Along {
                    pairs.extend(incoming(view, draft, node, kind)?);
                }
            }
            let edge = |(from, to)| Edge { from, to, kind, confidence: Confidence::Exact };
            Ok(pairs.into_iter().map(edge).collect())
        })
    }

    fn describe(&self, view: &View, node: &EntityRef) -> Result<Option<Description>> {
        if kind_of(node).is_none() {
            return Ok(None);
        }
        look(view, |draft| {
            let one = found(draft, node)?;
            Ok(one.map(|one| Description {
                node: node.clone(),
                name: one.name().to_owned(),
                about: about(&one),
            }))
        })
    }

    fn parts(&self, _: &View, _: &EntityRef) -> Result<Vec<EntityRef>> {
        Ok(Vec::new())
    }

    fn mark(&self, view: &View, node: &EntityRef, marks: &mut Marks) -> Result<()> {
        if kind_of(node).is_none() {
            return Ok(());
        }
        look(view, |draft| {
            if let Some(one) = found(draft, node)? {
                marks.tags.extend(one.tags().iter().cloned());
                marks.changed = one.updated_at().parse().ok();
            }
            Ok(())
        })
    }

    fn context(&self, view: &View, node: &EntityRef) -> Result<Vec<Item>> {
        if is_empty(view)? {
            return Ok(Vec::new());
        }
        if let Some(path) = node.path() {
            return look(view, |draft| tasks_on(view, draft, &path.to_string()));
        }
        look(view, |draft| match found(draft, node)? {
            Some(one) => of_work(draft, &one),
            None => Ok(Vec::new()),
        })
    }
}

fn about(one: &Container) -> String {
    match one {
        Container::Project(_) => "project".into(),
        Container::Feature(feature) => {
            format!("feature, {}, {}", feature.status, feature.priority)
        }
        Container::Task(task) => format!("task, {}, {}", task.status, task.priority),
    }
}

type Pairs = Vec<(EntityRef, EntityRef)>;

fn outgoing(view: &View, draft: &Draft<'_>, from: &EntityRef, edge: &EdgeKind) -> Result<Pairs> {
    let Some(one) = found(draft, from)? else { return Ok(Vec::new()) };
    let mut ends = Vec::new();
    match edge.name {
        "contains" => {
            if let Container::Project(project) = &one {
                for feature in draft.list::<Feature>("project_id", &project.id)? {
                    ends.push(node(Kind::Feature, &feature.id)?);
                }
                for task in draft.list::<Task>("project_id", &project.id)? {
                    if task.feature_id.is_none() {
                        ends.push(node(Kind::Task, &task.id)?);
                    }
                }
            } else if let Container::Feature(feature) = &one {
                for task in draft.list::<Task>("feature_id", &feature.id)? {
                    ends.push(node(Kind::Task, &task.id)?);
                }
            }
        }
        "context" => {
            let derived = derived(view)?;
            let files = derived.task_files.get(one.id()).cloned().unwrap_or_default();
            for path in named_paths(view, &files)? {
                ends.extend(path.parse().ok().map(|path| file_node(&path)));
            }
        }
        _ => {
            for tie in draft.list::<Dependency>("from_id", one.id())? {
                if is_of(&tie, edge) {
                    ends.extend(end(draft, &tie.to_id)?);
                }
            }
        }
    }
    Ok(ends.into_iter().map(|to| (from.clone(), to)).collect())
}

fn incoming(view: &View, draft: &Draft<'_>, to: &EntityRef, edge: &EdgeKind) -> Result<Pairs> {
    let mut starts = Vec::new();
    if edge.name == "context" {
        let Some(path) = to.path() else { return Ok(Vec::new()) };
        for task in derived(view)?.tasks_naming(&path.to_string()) {
            starts.push(node(Kind::Task, task)?);
        }
    } else if let Some(one) = found(draft, to)? {
        match (&one, edge.name) {
            (Container::Feature(feature), "contains") => {
                starts.push(node(Kind::Project, &feature.project_id)?);
            }
            (Container::Task(task), "contains") => starts.push(match &task.feature_id {
                Some(feature) => node(Kind::Feature, feature)?,
                None => node(Kind::Project, &task.project_id)?,
            }),
            _ => {
                for tie in draft.list::<Dependency>("to_id", one.id())? {
                    if let Some(from) = tie.from_id.as_ref().filter(|_| is_of(&tie, edge)) {
                        starts.extend(end(draft, from)?);
                    }
                }
            }
        }
    }
    Ok(starts.into_iter().map(|from| (from, to.clone())).collect())
}

fn is_of(tie: &Dependency, edge: &EdgeKind) -> bool {
    let wanted = if edge.name == "blocks" { Relation::Blocks } else { Relation::RelatesTo };
    edge.name != "contains" && tie.relation == wanted
}

fn end(draft: &Draft<'_>, id: &Id) -> Result<Option<EntityRef>> {
    let one = Container::of_id(draft, id)?;
    one.map(|one| node(one.kind(), one.id())).transpose()
}

/// The open tasks that name a path, claimed ones first.
fn tasks_on(view: &View, draft: &Draft<'_>, path: &str) -> Result<Vec<Item>> {
    let mut items = Vec::new();
    for id in derived(view)?.tasks_naming(path) {
        let Some(task) = draft.get::<Task>(id)? else { continue };
        let claim = live_claim(draft, &task)?;
        let claimed = claim.as_ref().map_or(String::new(), |claim| {
            let since = claim.since().map_or(String::new(), |at| format!(" {}", ago(view, at)));
            format!("  claimed by {}{since}", claim.actor)
        });
        let text = format!("{} \"{}\"{claimed}", task.status, task.title);
        let handle = Some(format!("task:{}", task.id.short()));
        items.push((claim.is_none(), Item { section: Section::Now, text, handle }));
    }
    items.sort_by(|a, b| (a.0, &a.1.text).cmp(&(b.0, &b.1.text)));
    Ok(items.into_iter().map(|(_, item)| item).collect())
}

/// How long ago something was, as a person says it.
pub(crate) fn ago(view: &View, at: jiff::Timestamp) -> String {
    let minutes = (view.call().now.as_second() - at.as_second()) / 60;
    match minutes {
        ..1 => "just now".into(),
        1..120 => format!("{minutes} min ago"),
        120..2_880 => format!("{} hours ago", minutes / 60),
        2_880..20_160 => format!("{} days ago", minutes / 1_440),
        _ => format!("{} weeks ago", minutes / 10_080),
    }
}

fn of_work(draft: &Draft<'_>, one: &Container) -> Result<Vec<Item>> {
    let mut items = Vec::new();
    let mut item = |section, text: String, handle: Option<String>| {
        items.push(Item { section, text, handle });
    };
    for (block, from) in blockers(draft, one.id())? {
        let name = from.as_ref().map_or("a reason", |from| from.name.as_str());
        let text = format!("blocked by {name}  {}", block.reason).trim_end().to_owned();
        item(Section::Now, text, from.as_ref().map(work::container::Brief::handle));
    }
    if let Container::Task(task) = one
        && let Some(claim) = live_claim(draft, task)?
    {
        item(Section::Now, format!("claimed by {} until {}", claim.actor, claim.until), None);
    }
    for section in work::sections::of(draft, one)? {
        let first = section.content.lines().find(|line| !line.trim().is_empty());
        let text = format!("{}: {}", section.title, first.unwrap_or("(empty)").trim());
        item(Section::Outline, text, Some(format!("section:{}", section.id.short())));
    }
    if let Container::Feature(feature) = one {
        for task in draft.list::<Task>("feature_id", &feature.id)? {
            let over = if task.status.is_terminal() { Section::Around } else { Section::Outline };
            let text = format!("{} \"{}\"", task.status, task.title);
            item(over, text, Some(format!("task:{}", task.id.short())));
        }
    }
    if let Container::Project(project) = one {
        for feature in draft.list::<Feature>("project_id", &project.id)? {
            let text = format!("{} \"{}\"", feature.status, feature.name);
            item(Section::Outline, text, Some(format!("feature:{}", feature.id.short())));
        }
    } else {
        let project: Option<Project> = draft.get(one.project_id())?;
        if let Some(project) = project {
            let text = format!("project \"{}\"", project.name);
            item(Section::Around, text, Some(format!("project:{}", project.id.short())));
        }
    }
    Ok(items)
}
