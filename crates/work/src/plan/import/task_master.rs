//! The tasks of task-master: a tree of tasks, in one or several contexts.

use base::{Problem, Result};
use serde_json::Value;

use super::{
    add_section, clean_name, clean_tags, distinguish_sources, parse_json, priority,
    set_description, status, text_of,
};
use crate::plan::{PlanDocument, PlannedItem, PlannedRelation, PlannedRelationKind};
use crate::words::WorkKind;

/// The default context, which becomes no tag.
const DEFAULT_CONTEXT: &str = "master";

/// Reads tasks.
pub(super) fn parse(text: &str) -> Result<PlanDocument> {
    let json = parse_json(text)?;
    let mut reader = TaskReader { context: "", items: Vec::new() };
    if let Some(tasks) = json["tasks"].as_array() {
        reader.add_all(tasks, None);
    } else {
        for (context, one) in json.as_object().into_iter().flatten() {
            if let Some(tasks) = one["tasks"].as_array() {
                reader.context = if context == DEFAULT_CONTEXT { "" } else { context };
                reader.add_all(tasks, None);
            }
        }
    }
    if reader.items.is_empty() {
        return Err(Problem::invalid("the file has no `tasks` of task-master"));
    }
    distinguish_sources(&mut reader.items);
    Ok(PlanDocument { items: reader.items, ..PlanDocument::default() })
}

struct TaskReader<'j> {
    context: &'j str,
    items: Vec<PlannedItem>,
}

impl<'j> TaskReader<'j> {
    fn add_all(&mut self, tasks: &'j [Value], parent: Option<&str>) {
        for task in tasks {
            let id = number(&task["id"]);
            let id = parent.map_or_else(|| id.clone(), |parent| format!("{parent}.{id}"));
            self.items.push(self.item(task, &id, parent));
            if let Some(subtasks) = task["subtasks"].as_array() {
                self.add_all(subtasks, Some(&id));
            }
        }
    }

    fn source(&self, id: &str) -> String {
        match self.context {
            "" => format!("task-master:{id}"),
            context => format!("task-master:{context}/{id}"),
        }
    }

    fn item(&self, task: &Value, id: &str, parent: Option<&str>) -> PlannedItem {
        let relation = |kind, other: &str| PlannedRelation {
            kind,
            other: self.source(other),
            reason: String::new(),
        };
        // A number alone names a task beside this one.
        let full = |one: &Value| match (parent, number(one)) {
            (Some(parent), id) if !id.contains('.') => format!("{parent}.{id}"),
            (_, id) => id,
        };
        let others = task["dependencies"].as_array().into_iter().flatten();
        let mut relations: Vec<PlannedRelation> =
            others.map(|one| relation(PlannedRelationKind::BlockedBy, &full(one))).collect();
        relations.extend(parent.map(|parent| relation(PlannedRelationKind::PartOf, parent)));
        let title = text_of(task, "title").unwrap_or_default();
        let mut item = PlannedItem {
            status: Some(status(text_of(task, "status").unwrap_or_default())),
            priority: text_of(task, "priority").and_then(priority),
            tags: clean_tags([self.context].into_iter().filter(|one| !one.is_empty())),
            source: Some(self.source(id)),
            relations,
            ..PlannedItem::new(WorkKind::Task, clean_name(title))
        };
        set_description(&mut item, text_of(task, "description").unwrap_or_default());
        add_section(&mut item, "Implementation Plan", text_of(task, "details").unwrap_or_default());
        add_section(&mut item, "Verification", text_of(task, "testStrategy").unwrap_or_default());
        item
    }
}

/// An id, which is a number or a text.
fn number(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), ToOwned::to_owned)
}
