//! Items of a plan as files of Backlog.md: one Markdown file per task, with frontmatter.
//!
//! Backlog.md has no features: a feature is written as a task, and its tasks are parts of it. An
//! imported item keeps the values of Backlog.md that a plan has no field for. They are written
//! again as long as reading them gives the item that is exported.

use std::collections::BTreeMap;

use base::{Problem, Result};
use document::{DocumentEdit, NewValue};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::import::{IMPORTED_FIELDS, backlog, kept_fields};
use super::{PlanDocument, PlannedItem, PlannedRelationKind};
use crate::words::{WorkPriority, WorkStatus};

/// The field of an imported item that has the path of its file, below the folder of the backlog.
pub(super) const PATH_FIELD: &str = "path";

/// The first fields of a file, in the order of Backlog.md. The others follow by name.
const FIELD_ORDER: [&str; 9] = [
    "id",
    "title",
    "status",
    "assignee",
    "reporter",
    "created_date",
    "updated_date",
    "labels",
    "dependencies",
];

/// The sections that Backlog.md puts marks around.
const MARKS: [(&str, &str); 7] = [
    ("Description", "SECTION:DESCRIPTION"),
    ("Acceptance Criteria", "AC"),
    ("Definition of Done", "DOD"),
    ("Implementation Plan", "SECTION:PLAN"),
    ("Implementation Notes", "SECTION:NOTES"),
    ("Final Summary", "SECTION:FINAL_SUMMARY"),
    ("Comments", "COMMENTS"),
];

/// A file of an export.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ExportedFile {
    /// Its path, below the folder of the export
    pub path: String,
    /// Its text
    pub text: String,
}

/// All items of a plan as files.
pub fn backlog_files(plan: &PlanDocument) -> Result<Vec<ExportedFile>> {
    let ids = BacklogIds::of(plan);
    plan.items.iter().map(|item| ids.file(plan, item)).collect()
}

/// The ids that the items of a plan have in Backlog.md, by key and by source.
#[derive(Debug, Default)]
pub(super) struct BacklogIds(BTreeMap<String, String>);

impl BacklogIds {
    /// The ids that items were imported with; the other items get the next numbers.
    fn of(plan: &PlanDocument) -> Self {
        let known: Vec<Option<String>> = plan.items.iter().map(imported_id).collect();
        let numbers = known.iter().flatten().filter_map(|id| {
            let digits = id.rsplit_once('-').map_or(id.as_str(), |(_, digits)| digits);
            digits.split('.').next()?.parse::<u64>().ok()
        });
        let mut next = numbers.max().unwrap_or_default();
        let mut ids = Self::default();
        for (item, id) in plan.items.iter().zip(known) {
            let id = id.unwrap_or_else(|| {
                next += 1;
                format!("task-{next}")
            });
            ids.add(item, &id);
        }
        ids
    }

    /// Adds the id of an item.
    pub(super) fn add(&mut self, item: &PlannedItem, id: &str) {
        for name in [&item.key, &item.source].into_iter().flatten() {
            self.0.entry(name.clone()).or_insert_with(|| id.to_owned());
        }
    }

    fn named(&self, other: &str) -> String {
        let own = || other.strip_prefix("backlog:").unwrap_or(other).to_owned();
        self.0.get(other).cloned().unwrap_or_else(own)
    }

    fn id_of(&self, item: &PlannedItem) -> String {
        let names = [&item.key, &item.source].into_iter().flatten();
        let known = names.into_iter().find_map(|name| self.0.get(name));
        known.cloned().unwrap_or_else(|| item.name.clone())
    }

    /// An item as a file.
    fn file(&self, plan: &PlanDocument, item: &PlannedItem) -> Result<ExportedFile> {
        let mut kept = kept_fields(item);
        let path = kept.remove(PATH_FIELD).and_then(|path| path.as_str().map(ToOwned::to_owned));
        let fields = self.restored(self.fields(plan, item), &kept);
        let path = path.unwrap_or_else(|| file_path(&fields, &item.name));
        let edits: Vec<DocumentEdit> = in_order(&fields)
            .map(|(name, value)| DocumentEdit::set(name, NewValue::from_json(value)))
            .chain([DocumentEdit::ReplaceBody(body(item))])
            .collect();
        let text = document::edit("---\nid:\n---\n", &edits).map_err(|error| {
            Problem::internal("a task of Backlog.md is not written").with_source(error)
        })?;
        Ok(ExportedFile { path, text })
    }

    /// The frontmatter with the values that were kept when the item was imported.
    fn restored(&self, fields: Value, kept: &Map<String, Value>) -> Value {
        let with = |mut fields: Value, name: &str, value: &Value| {
            match (value, fields.as_object_mut()) {
                (Value::Null, Some(fields)) => drop(fields.remove(name)),
                _ => fields[name] = value.clone(),
            }
            fields
        };
        let all =
            kept.iter().fold(fields.clone(), |fields, (name, value)| with(fields, name, value));
        if self.is_same_work(&all, &fields) {
            return all;
        }
        kept.iter().fold(fields, |fields, (name, value)| {
            let changed = with(fields.clone(), name, value);
            if self.is_same_work(&changed, &fields) { changed } else { fields }
        })
    }

    /// Whether reading two frontmatters gives the same item.
    fn is_same_work(&self, one: &Value, other: &Value) -> bool {
        let alone = PlanDocument::default();
        let read = |fields: &Value| {
            let text = |name: &str| fields[name].as_str().unwrap_or_default().to_owned();
            let mut item = backlog::item(fields, &text("id"), &text("title"), "");
            // A relation to a missing task was never imported.
            item.relations.retain(|one| self.0.contains_key(&one.other));
            self.fields(&alone, &item)
        };
        read(one) == read(other)
    }

    /// The fields of a planned item as frontmatter.
    pub(super) fn fields(&self, plan: &PlanDocument, item: &PlannedItem) -> Value {
        let status = match item.status.unwrap_or(WorkStatus::New) {
            WorkStatus::New => "To Do",
            WorkStatus::Closed => "Done",
            WorkStatus::WillNotImplement => "Cancelled",
            _ => "In Progress",
        };
        let priority = match item.priority.unwrap_or(WorkPriority::Medium) {
            WorkPriority::High => "high",
            WorkPriority::Medium => "medium",
            WorkPriority::Low => "low",
        };
        let related = |kind: PlannedRelationKind| {
            let of_kind = item.relations.iter().filter(move |one| one.kind == kind);
            of_kind.filter(|one| !one.other.is_empty()).map(|one| self.named(&one.other))
        };
        let mut dependencies: Vec<String> = related(PlannedRelationKind::BlockedBy).collect();
        dependencies.sort();
        let feature = item.feature.and_then(|at| plan.items.get(at)).map(|one| self.id_of(one));
        let parent = related(PlannedRelationKind::PartOf).next().or(feature);
        let people: Vec<String> = item.assignee.iter().map(|one| format!("@{one}")).collect();
        let mut fields = json!({
            "id": self.id_of(item),
            "title": item.name,
            "status": status,
            "assignee": people,
            "labels": item.tags.clone().unwrap_or_default(),
            "dependencies": dependencies,
            "priority": priority,
        });
        let optional = [("parent_task_id", parent), ("milestone", item.milestone.clone())];
        for (name, value) in optional {
            if let Some(value) = value {
                fields[name] = json!(value);
            }
        }
        fields
    }
}

/// The id that an item was imported with.
fn imported_id(item: &PlannedItem) -> Option<String> {
    item.source.as_deref().filter(|source| source.starts_with("backlog:"))?;
    kept_fields(item).get("id")?.as_str().map(ToOwned::to_owned)
}

/// The path of a new file, as Backlog.md names it.
fn file_path(fields: &Value, name: &str) -> String {
    let id = fields["id"].as_str().unwrap_or_default().to_lowercase();
    let plain = |c: char| if c.is_alphanumeric() || c == '.' { c } else { '-' };
    let title: String = name.chars().map(plain).collect();
    let words: Vec<&str> = title.split('-').filter(|word| !word.is_empty()).collect();
    format!("tasks/{id} - {}.md", words.join("-"))
}

/// The fields of a frontmatter in the order of Backlog.md.
fn in_order(fields: &Value) -> impl Iterator<Item = (&str, &Value)> {
    let all =
        || fields.as_object().into_iter().flatten().map(|(name, value)| (name.as_str(), value));
    let first = FIELD_ORDER.iter().filter_map(move |name| all().find(|(own, _)| own == name));
    first.chain(all().filter(|(name, _)| !FIELD_ORDER.contains(name)))
}

/// The sections of an item, with the marks of Backlog.md.
fn body(item: &PlannedItem) -> String {
    let texts = [&item.summary, &item.description];
    let texts: Vec<&str> = texts.into_iter().flatten().map(String::as_str).collect();
    let description =
        Some(("Description", texts.join("\n\n"))).filter(|(_, text)| !text.is_empty());
    let sections = item.sections.iter().filter(|section| section.title != IMPORTED_FIELDS);
    let sections = sections.map(|section| (section.title.as_str(), section.content.clone()));
    let write = |(title, text): (&str, String)| {
        let text = text.trim();
        match MARKS.iter().find(|(known, _)| *known == title) {
            Some((_, mark)) => {
                format!("\n## {title}\n\n<!-- {mark}:BEGIN -->\n{text}\n<!-- {mark}:END -->\n")
            }
            None => format!("\n## {title}\n\n{text}\n"),
        }
    };
    description.into_iter().chain(sections).map(write).collect()
}
