//! Projects, features and tasks as nodes; what holds, blocks and touches what as edges.

use base::entity::RecordKind;
use base::moment::elapsed;
use base::{EntityRef, Result};
use work::claim::active_claim;
use work::record::{Dependency, Feature, Task};
use work::words::WorkKind;
use work::{WorkDraft, WorkItem, WorkRecordId, WorkRecordRef};

use super::records::{DraftView, RecordArea, record_node};
use super::{context, context_files, expand_paths, work_patterns};
use crate::areas::files::file_node;
use crate::graph::{
    ChangePropagation, ContextItem, ContextSection, EdgeKind, NodeDescription, NodeMetadata,
};
use crate::view::View;

const CONTAINS: EdgeKind = EdgeKind {
    area: "work",
    name: "contains",
    propagation: ChangePropagation::OnRequest,
    means: "a project holds a feature or task, a feature a task",
};
const BLOCKS: EdgeKind = EdgeKind {
    area: "work",
    name: "blocks",
    propagation: ChangePropagation::OnRequest,
    means: "the first must be finished before the second can continue",
};
const RELATES_TO: EdgeKind = EdgeKind {
    area: "work",
    name: "relates_to",
    propagation: ChangePropagation::OnRequest,
    means: "two features or tasks are related",
};
const PARENT_OF: EdgeKind = EdgeKind {
    area: "work",
    name: "parent_of",
    propagation: ChangePropagation::OnRequest,
    means: "a task contains another task",
};
const DUPLICATES: EdgeKind = EdgeKind {
    area: "work",
    name: "duplicates",
    propagation: ChangePropagation::OnRequest,
    means: "a feature or task duplicates another",
};
const DISCOVERED_FROM: EdgeKind = EdgeKind {
    area: "work",
    name: "discovered_from",
    propagation: ChangePropagation::OnRequest,
    means: "a feature or task was found while working on another",
};
const CONTEXT: EdgeKind = EdgeKind {
    area: "work",
    name: "context",
    propagation: ChangePropagation::OnRequest,
    means: "a task names a file in its Context Files",
};

/// Projects, features and tasks.
pub(crate) struct WorkGraphArea;

impl RecordArea for WorkGraphArea {
    type Record = WorkItem;
    const EDGES: &'static [EdgeKind] =
        &[CONTAINS, BLOCKS, RELATES_TO, PARENT_OF, DUPLICATES, DISCOVERED_FROM, CONTEXT];
    const KINDS: &'static [RecordKind] =
        &[RecordKind::Project, RecordKind::Feature, RecordKind::Task];

    fn find(draft: &WorkDraft<'_>, asked: &WorkRecordRef) -> Result<WorkItem> {
        WorkItem::find(draft, WorkKind::ALL, asked)
    }

    fn get(draft: &WorkDraft<'_>, kind: RecordKind, id: &WorkRecordId) -> Result<Option<WorkItem>> {
        let kind = match kind {
            RecordKind::Project => WorkKind::Project,
            RecordKind::Feature => WorkKind::Feature,
            _ => WorkKind::Task,
        };
        WorkItem::get(draft, kind, id)
    }

    fn describe(one: &WorkItem) -> Result<NodeDescription> {
        let node = node(one.kind(), one.id())?;
        Ok(NodeDescription { node, name: one.name().to_owned(), about: description_text(one) })
    }

    fn edge_targets(
        look: DraftView<'_>,
        from: &EntityRef,
        edge: &EdgeKind,
    ) -> Result<Vec<EntityRef>> {
        targets_of(look, from, edge)
    }

    fn edge_sources(
        look: DraftView<'_>,
        to: &EntityRef,
        edge: &EdgeKind,
    ) -> Result<Vec<EntityRef>> {
        sources_of(look, to, edge)
    }

    fn path_context(
        DraftView { view, draft }: DraftView<'_>,
        path: &str,
    ) -> Result<Vec<ContextItem>> {
        open_task_items(view, draft, path)
    }

    fn record_context(look: DraftView<'_>, one: &WorkItem) -> Result<Vec<ContextItem>> {
        context::record_context(look, one)
    }

    fn add_metadata(one: &WorkItem, marks: &mut NodeMetadata) {
        marks.tags.extend(one.tags().iter().cloned());
        marks.changed = one.updated_at().parse().ok();
    }
}

/// The handle of a project, feature or task.
pub(crate) fn node(kind: WorkKind, id: &WorkRecordId) -> Result<EntityRef> {
    let kind = match kind {
        WorkKind::Project => RecordKind::Project,
        WorkKind::Feature => RecordKind::Feature,
        WorkKind::Task => RecordKind::Task,
    };
    record_node(kind, id)
}

fn description_text(one: &WorkItem) -> String {
    match one {
        WorkItem::Project(_) => "project".into(),
        WorkItem::Feature(feature) => {
            format!("feature, {}, {}", feature.status, feature.priority)
        }
        WorkItem::Task(task) => format!("task, {}, {}", task.status, task.priority),
    }
}

fn targets_of(look: DraftView<'_>, from: &EntityRef, edge: &EdgeKind) -> Result<Vec<EntityRef>> {
    let DraftView { view, draft } = look;
    let Some(one) = WorkGraphArea::find_by_node(draft, from)? else { return Ok(Vec::new()) };
    let mut ends = Vec::new();
    match edge.name {
        "contains" => {
            if let WorkItem::Project(project) = &one {
                for feature in draft.list::<Feature>("project_id", &project.id)? {
                    ends.push(node(WorkKind::Feature, &feature.id)?);
                }
                for task in draft.list::<Task>("project_id", &project.id)? {
                    if task.feature_id.is_none() {
                        ends.push(node(WorkKind::Task, &task.id)?);
                    }
                }
            } else if let WorkItem::Feature(feature) = &one {
                for task in draft.list::<Task>("feature_id", &feature.id)? {
                    ends.push(node(WorkKind::Task, &task.id)?);
                }
            }
        }
        "context" => {
            let derived = work_patterns(view)?;
            let lines = derived.task_files.get(one.id()).map_or(&[][..], Vec::as_slice);
            for path in expand_paths(view, &context_files(view, lines).names)? {
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

fn sources_of(look: DraftView<'_>, to: &EntityRef, edge: &EdgeKind) -> Result<Vec<EntityRef>> {
    let DraftView { view, draft } = look;
    let mut starts = Vec::new();
    if edge.name == "context" {
        let Some(path) = to.path() else { return Ok(Vec::new()) };
        for task in work_patterns(view)?.tasks_naming(&path.to_string()) {
            starts.push(node(WorkKind::Task, task)?);
        }
    } else if let Some(one) = WorkGraphArea::find_by_node(draft, to)? {
        match (&one, edge.name) {
            (WorkItem::Feature(feature), "contains") => {
                starts.push(node(WorkKind::Project, &feature.project_id)?);
            }
            (WorkItem::Task(task), "contains") => starts.push(match &task.feature_id {
                Some(feature) => node(WorkKind::Feature, feature)?,
                None => node(WorkKind::Project, &task.project_id)?,
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
    tie.relation.word().eq_ignore_ascii_case(edge.name)
}

fn end(draft: &WorkDraft<'_>, id: &WorkRecordId) -> Result<Option<EntityRef>> {
    let one = WorkItem::of_id(draft, id)?;
    one.map(|one| node(one.kind(), one.id())).transpose()
}

/// The open tasks that name a path, claimed ones first.
fn open_task_items(view: &View, draft: &WorkDraft<'_>, path: &str) -> Result<Vec<ContextItem>> {
    let mut items = Vec::new();
    for id in work_patterns(view)?.tasks_naming(path) {
        let Some(task) = draft.get::<Task>(id)? else { continue };
        let claim = active_claim(draft, &task)?;
        let claimed = claim.as_ref().map_or(String::new(), |claim| {
            let since = claim
                .since()
                .map_or(String::new(), |at| format!(" {}", elapsed(view.call().now, at)));
            format!("  claimed by {}{since}", claim.actor)
        });
        let text = format!("{} \"{}\"{claimed}", task.status, task.title);
        let handle = Some(WorkItem::Task(task).brief().handle());
        items.push((claim.is_none(), ContextItem { section: ContextSection::Work, text, handle }));
    }
    items.sort_by(|a, b| (a.0, &a.1.text).cmp(&(b.0, &b.1.text)));
    Ok(items.into_iter().map(|(_, item)| item).collect())
}
