//! Context of a project, feature or task.

use base::Result;
use base::moment::to_the_second;
use work::claim::active_claim;
use work::dependencies::{DependencyView, dependencies_of};
use work::events::{incoming_words, outgoing_words};
use work::record::{Feature, Project, Section, Task};
use work::words::{DependencyKind, WorkStatus};
use work::{WorkDraft, WorkItem};

use super::records::DraftView;
use super::{files_of, work_patterns};
use crate::areas::files::file_node;
use crate::areas::knowledge::atoms_context;
use crate::graph::{ContextItem, ContextSection};

/// How many lines of a section are quoted.
const MAX_SECTION_LINES: usize = 40;

/// How many of the files that a task names are listed.
const MAX_LISTED_FILES: usize = 20;

/// The context of a record.
pub(super) fn record_context(look: DraftView<'_>, one: &WorkItem) -> Result<Vec<ContextItem>> {
    let DraftView { draft, .. } = look;
    let mut items = dependencies(draft, one)?;
    if let WorkItem::Task(task) = one
        && let Some(claim) = active_claim(draft, task)?
    {
        let until = to_the_second(&claim.until);
        let text = format!("claimed by {} until {until}", claim.actor);
        items.push(item(ContextSection::Work, text, None));
    }
    if let Some(reason) = one.end_reason() {
        items.push(item(ContextSection::Work, format!("given up because {reason}"), None));
    }
    for section in work::sections::of(draft, one)? {
        items.extend(section_items(&section));
    }
    items.extend(children(draft, one)?);
    items.extend(parents(draft, one)?);
    items.extend(file_knowledge(look, one)?);
    Ok(items)
}

/// The text of a section, one item per line.
fn section_items(section: &Section) -> Vec<ContextItem> {
    let lines: Vec<&str> = section.content.lines().filter(|line| !line.trim().is_empty()).collect();
    let title = match lines.is_empty() {
        true => format!("{}: (empty)", section.title),
        false => section.title.clone(),
    };
    let handle = format!("section:{}", section.id.short());
    let mut items = vec![item(ContextSection::Outline, title, Some(handle))];
    let quote = |line: &&str| item(ContextSection::Outline, format!("> {}", line.trim_end()), None);
    items.extend(lines.iter().take(MAX_SECTION_LINES).map(quote));
    if let Some(more) = lines.len().checked_sub(MAX_SECTION_LINES).filter(|more| *more > 0) {
        items.push(item(ContextSection::Outline, format!("> … {more} more lines"), None));
    }
    items
}

fn item(section: ContextSection, text: String, handle: Option<String>) -> ContextItem {
    ContextItem { section, text, handle }
}

/// The records that it depends on, that depend on it, and that relate to it.
fn dependencies(draft: &WorkDraft<'_>, one: &WorkItem) -> Result<Vec<ContextItem>> {
    let mut items = Vec::new();
    for DependencyView { relation, from, to, reason, is_resolved, .. } in
        dependencies_of(draft, one.id())?
    {
        let is_blocked = to.id == *one.id();
        let other = if is_blocked { from } else { Some(to) };
        let words = if is_blocked { incoming_words(relation) } else { outgoing_words(relation) };
        let section = match (relation, is_blocked) {
            (DependencyKind::Blocks, _) if is_resolved => continue,
            (DependencyKind::Blocks | DependencyKind::ParentOf, true) => ContextSection::Work,
            (DependencyKind::Blocks, false) => ContextSection::UsedBy,
            (DependencyKind::ParentOf, false) => ContextSection::Outline,
            _ => ContextSection::Nearby,
        };
        let name = other.as_ref().map_or("a reason".to_owned(), |other| {
            format!("\"{}\" {}", other.name, other.status.map_or("", WorkStatus::word))
        });
        let text = format!("{words} {name}  {reason}").trim_end().to_owned();
        items.push(item(section, text, other.as_ref().map(work::container::WorkItemBrief::handle)));
    }
    Ok(items)
}

/// The features and tasks of a project or feature.
fn children(draft: &WorkDraft<'_>, one: &WorkItem) -> Result<Vec<ContextItem>> {
    let mut items = Vec::new();
    match one {
        WorkItem::Feature(feature) => {
            for task in draft.list::<Task>("feature_id", &feature.id)? {
                let over = if task.status.is_terminal() {
                    ContextSection::Nearby
                } else {
                    ContextSection::Outline
                };
                let text = format!("{} \"{}\"", task.status, task.title);
                let handle = WorkItem::Task(task).brief().handle();
                items.push(item(over, text, Some(handle)));
            }
        }
        WorkItem::Project(project) => {
            for feature in draft.list::<Feature>("project_id", &project.id)? {
                let text = format!("{} \"{}\"", feature.status, feature.name);
                let handle = WorkItem::Feature(feature).brief().handle();
                items.push(item(ContextSection::Outline, text, Some(handle)));
            }
        }
        WorkItem::Task(_) => {}
    }
    Ok(items)
}

/// The feature and the project that hold it.
fn parents(draft: &WorkDraft<'_>, one: &WorkItem) -> Result<Vec<ContextItem>> {
    let mut items = Vec::new();
    if let WorkItem::Task(task) = one
        && let Some(id) = &task.feature_id
        && let Some(feature) = draft.get::<Feature>(id)?
    {
        let text = format!("feature \"{}\" {}", feature.name, feature.status);
        items.push(item(
            ContextSection::Work,
            text,
            Some(WorkItem::Feature(feature).brief().handle()),
        ));
    }
    if !matches!(one, WorkItem::Project(_))
        && let Some(project) = draft.get::<Project>(one.project_id())?
    {
        let text = format!("project \"{}\"", project.name);
        items.push(item(
            ContextSection::Nearby,
            text,
            Some(WorkItem::Project(project).brief().handle()),
        ));
    }
    Ok(items)
}

/// The files named in its Context Files, with the knowledge about them.
fn file_knowledge(
    DraftView { view, draft }: DraftView<'_>,
    one: &WorkItem,
) -> Result<Vec<ContextItem>> {
    let paths = files_of(view, draft, one)?;
    let derived = work_patterns(view)?;
    let (mut items, mut told) = (Vec::new(), std::collections::BTreeSet::new());
    for path in &paths {
        let nodes = view.paths().candidates(path);
        let is_there = nodes.iter().any(|path| view.tree().stat_if_reachable(path).is_some());
        let text = format!("names {path}{}", if is_there { "" } else { ", which is not there" });
        if items.len() < MAX_LISTED_FILES {
            let handle = nodes.first().map(|path| file_node(path).to_string());
            items.push(item(ContextSection::Uses, text, handle.filter(|_| is_there)));
        }
        told.extend(derived.matcher.matching(path, Some(one.project_id())).into_iter().cloned());
    }
    if let Some(more) = paths.len().checked_sub(MAX_LISTED_FILES).filter(|more| *more > 0) {
        items.push(item(ContextSection::Uses, format!("and {more} more"), None));
    }
    items.extend(atoms_context(view, draft, told.iter())?);
    Ok(items)
}
