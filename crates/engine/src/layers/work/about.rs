//! What is worth knowing about a project, feature or task.

use base::Result;
use work::claim::live_claim;
use work::depend::{Tie, ties};
use work::record::{Atom, Feature, Project, Task};
use work::words::{Relation, Status};
use work::{Container, Draft};

use super::records::Look;
use super::{derived, files_of};
use crate::graph::{Item, Section};
use crate::layers::graph::quoted;

/// How many atoms the context of a task quotes.
const QUOTED: usize = 8;

/// How many of the files that a task names are listed.
const FILES: usize = 20;

/// What is worth knowing about a record.
pub(super) fn of_work(look: Look<'_>, one: &Container) -> Result<Vec<Item>> {
    let Look { draft, .. } = look;
    let mut items = dependencies(draft, one)?;
    if let Container::Task(task) = one
        && let Some(claim) = live_claim(draft, task)?
    {
        let text = format!("claimed by {} until {}", claim.actor, claim.until);
        items.push(item(Section::Now, text, None));
    }
    if let Some(reason) = one.end_reason() {
        items.push(item(Section::Now, format!("given up because {reason}"), None));
    }
    for section in work::sections::of(draft, one)? {
        let first = section.content.lines().find(|line| !line.trim().is_empty());
        let text = format!("{}: {}", section.title, first.unwrap_or("(empty)").trim());
        let handle = format!("section:{}", section.id.short());
        items.push(item(Section::Outline, text, Some(handle)));
    }
    items.extend(held(draft, one)?);
    items.extend(holders(draft, one)?);
    items.extend(known(look, one)?);
    Ok(items)
}

fn item(section: Section, text: String, handle: Option<String>) -> Item {
    Item { section, text, handle }
}

/// What it waits for, what waits for it, and what relates to it.
fn dependencies(draft: &Draft<'_>, one: &Container) -> Result<Vec<Item>> {
    let mut items = Vec::new();
    for Tie { relation, from, to, reason, is_resolved, .. } in ties(draft, one.id())? {
        let is_blocked = to.id == *one.id();
        let other = if is_blocked { from } else { Some(to) };
        let (section, verb) = match (relation, is_blocked) {
            (Relation::RelatesTo, _) => (Section::Around, "relates to"),
            (Relation::Blocks, _) if is_resolved => continue,
            (Relation::Blocks, true) => (Section::Now, "blocked by"),
            (Relation::Blocks, false) => (Section::IfItChanges, "blocks"),
        };
        let name = other.as_ref().map_or("a reason".to_owned(), |other| {
            format!("\"{}\" {}", other.name, other.status.map_or("", Status::word))
        });
        let text = format!("{verb} {name}  {reason}").trim_end().to_owned();
        items.push(item(section, text, other.as_ref().map(work::container::Brief::handle)));
    }
    Ok(items)
}

/// What a project or feature holds.
fn held(draft: &Draft<'_>, one: &Container) -> Result<Vec<Item>> {
    let mut items = Vec::new();
    match one {
        Container::Feature(feature) => {
            for task in draft.list::<Task>("feature_id", &feature.id)? {
                let over =
                    if task.status.is_terminal() { Section::Around } else { Section::Outline };
                let text = format!("{} \"{}\"", task.status, task.title);
                items.push(item(over, text, Some(format!("task:{}", task.id.short()))));
            }
        }
        Container::Project(project) => {
            for feature in draft.list::<Feature>("project_id", &project.id)? {
                let text = format!("{} \"{}\"", feature.status, feature.name);
                let handle = format!("feature:{}", feature.id.short());
                items.push(item(Section::Outline, text, Some(handle)));
            }
        }
        Container::Task(_) => {}
    }
    Ok(items)
}

/// The feature and the project that hold it.
fn holders(draft: &Draft<'_>, one: &Container) -> Result<Vec<Item>> {
    let mut items = Vec::new();
    if let Container::Task(task) = one
        && let Some(id) = &task.feature_id
        && let Some(feature) = draft.get::<Feature>(id)?
    {
        let text = format!("feature \"{}\" {}", feature.name, feature.status);
        items.push(item(Section::Now, text, Some(format!("feature:{}", feature.id.short()))));
    }
    if !matches!(one, Container::Project(_))
        && let Some(project) = draft.get::<Project>(one.project_id())?
    {
        let text = format!("project \"{}\"", project.name);
        items.push(item(Section::Around, text, Some(format!("project:{}", project.id.short()))));
    }
    Ok(items)
}

/// The files that its Context Files name, and what is known about them.
fn known(Look { view, draft }: Look<'_>, one: &Container) -> Result<Vec<Item>> {
    let paths = files_of(view, draft, one)?;
    let derived = derived(view)?;
    let (mut items, mut told) = (Vec::new(), std::collections::BTreeSet::new());
    for path in &paths {
        let nodes = view.typed_paths(path);
        let is_there = nodes.iter().any(|path| view.tree().stat_if_there(path).is_some());
        let text = format!("names {path}{}", if is_there { "" } else { ", which is not there" });
        if items.len() < FILES {
            let handle = nodes.first().map(|path| view.node(path).to_string());
            items.push(item(Section::RestsOn, text, handle.filter(|_| is_there)));
        }
        told.extend(derived.matcher.matching(path, Some(one.project_id())).into_iter().cloned());
    }
    if let Some(more) = paths.len().checked_sub(FILES).filter(|more| *more > 0) {
        items.push(item(Section::RestsOn, format!("and {more} more"), None));
    }
    for id in told.iter().take(QUOTED) {
        if let Some(atom) = draft.get::<Atom>(id)? {
            items.extend(quoted(view, draft, &atom)?);
        }
    }
    Ok(items)
}
