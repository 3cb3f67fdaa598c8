//! Projects, features and tasks as nodes; what holds, blocks and touches what as edges.

use base::entity::RecordKind;
use base::{EntityRef, Result};
use work::claim::live_claim;
use work::record::{Dependency, Feature, Task};
use work::words::{Kind, Relation};
use work::{Container, Draft, Id, Ref};

use super::records::{Look, Records, record_node};
use super::{about, context_files, derived, named_paths};
use crate::graph::{Description, EdgeKind, Item, Marks, Section, Travel};
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

/// Projects, features and tasks.
pub(crate) struct WorkLayer;

impl Records for WorkLayer {
    type Record = Container;
    const EDGES: &'static [EdgeKind] = &[CONTAINS, BLOCKS, RELATES_TO, CONTEXT];
    const KINDS: &'static [RecordKind] =
        &[RecordKind::Project, RecordKind::Feature, RecordKind::Task];

    fn find(draft: &Draft<'_>, asked: &Ref) -> Result<Container> {
        Container::find(draft, Kind::ALL, asked)
    }

    fn get(draft: &Draft<'_>, kind: RecordKind, id: &Id) -> Result<Option<Container>> {
        let kind = match kind {
            RecordKind::Project => Kind::Project,
            RecordKind::Feature => Kind::Feature,
            _ => Kind::Task,
        };
        Container::get(draft, kind, id)
    }

    fn describe(one: &Container) -> Result<Description> {
        let node = node(one.kind(), one.id())?;
        Ok(Description { node, name: one.name().to_owned(), about: described(one) })
    }

    fn ends(look: Look<'_>, from: &EntityRef, edge: &EdgeKind) -> Result<Vec<EntityRef>> {
        outgoing(look, from, edge)
    }

    fn starts(look: Look<'_>, to: &EntityRef, edge: &EdgeKind) -> Result<Vec<EntityRef>> {
        incoming(look, to, edge)
    }

    fn about_path(Look { view, draft }: Look<'_>, path: &str) -> Result<Vec<Item>> {
        tasks_on(view, draft, path)
    }

    fn about(look: Look<'_>, one: &Container) -> Result<Vec<Item>> {
        about::of_work(look, one)
    }

    fn mark(one: &Container, marks: &mut Marks) {
        marks.tags.extend(one.tags().iter().cloned());
        marks.changed = one.updated_at().parse().ok();
    }
}

/// The handle of a project, feature or task.
pub(crate) fn node(kind: Kind, id: &Id) -> Result<EntityRef> {
    let kind = match kind {
        Kind::Project => RecordKind::Project,
        Kind::Feature => RecordKind::Feature,
        Kind::Task => RecordKind::Task,
    };
    record_node(kind, id)
}

fn described(one: &Container) -> String {
    match one {
        Container::Project(_) => "project".into(),
        Container::Feature(feature) => {
            format!("feature, {}, {}", feature.status, feature.priority)
        }
        Container::Task(task) => format!("task, {}, {}", task.status, task.priority),
    }
}

fn outgoing(look: Look<'_>, from: &EntityRef, edge: &EdgeKind) -> Result<Vec<EntityRef>> {
    let Look { view, draft } = look;
    let Some(one) = WorkLayer::found(draft, from)? else { return Ok(Vec::new()) };
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
            let lines = derived.task_files.get(one.id()).map_or(&[][..], Vec::as_slice);
            for path in named_paths(view, &context_files(view, lines).names)? {
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
    Ok(ends)
}

fn incoming(look: Look<'_>, to: &EntityRef, edge: &EdgeKind) -> Result<Vec<EntityRef>> {
    let Look { view, draft } = look;
    let mut starts = Vec::new();
    if edge.name == "context" {
        let Some(path) = to.path() else { return Ok(Vec::new()) };
        for task in derived(view)?.tasks_naming(&path.to_string()) {
            starts.push(node(Kind::Task, task)?);
        }
    } else if let Some(one) = WorkLayer::found(draft, to)? {
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
    Ok(starts)
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
