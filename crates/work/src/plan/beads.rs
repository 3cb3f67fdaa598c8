//! Items of a plan as issues of beads.
//!
//! An imported item keeps the values of beads that a plan has no field for. They are written again
//! as long as reading them gives the item that is exported.

use std::collections::{BTreeMap, BTreeSet};

use base::{Problem, Result};
use serde_json::{Map, Value, json};

use super::import::{IMPORTED_FIELDS, beads, kept_fields};
use super::{PlanDocument, PlannedItem, PlannedRelationKind};
use crate::words::{WorkKind, WorkPriority, WorkStatus};

/// The texts of an issue that become sections.
pub(super) const SECTIONS: [(&str, &str); 4] = [
    ("design", "Design"),
    ("acceptance_criteria", "Acceptance Criteria"),
    ("notes", "Notes"),
    ("close_reason", "Close Reason"),
];

/// The section that has the comments of an issue.
const COMMENTS: &str = "Comments";

/// The ids that the items of a plan have in beads.
pub(super) struct BeadsIds {
    /// By key and by source
    names: BTreeMap<String, String>,
    /// Those of features
    epics: BTreeSet<String>,
}

impl BeadsIds {
    /// The ids of all items.
    pub(super) fn of(plan: &PlanDocument) -> Self {
        let mut names = BTreeMap::new();
        for item in &plan.items {
            for name in [&item.key, &item.source].into_iter().flatten() {
                names.insert(name.clone(), id_of(item));
            }
        }
        let features = plan.items.iter().filter(|item| item.is_feature());
        Self { names, epics: features.map(id_of).collect() }
    }

    /// An item as a line of beads.
    pub(super) fn line(&self, plan: &PlanDocument, item: &PlannedItem) -> Result<String> {
        let issue = self.restored(self.issue(plan, item), &kept_fields(item));
        serde_json::to_string(&issue)
            .map_err(|error| Problem::internal("an issue is not JSON").with_source(error))
    }

    /// An issue with the values that were kept when it was imported.
    fn restored(&self, issue: Value, kept: &Map<String, Value>) -> Value {
        let with = |mut issue: Value, key: &str, value: &Value| {
            match (value, issue.as_object_mut()) {
                (Value::Null, Some(fields)) => drop(fields.remove(key)),
                _ => issue[key] = value.clone(),
            }
            issue
        };
        let all = kept.iter().fold(issue.clone(), |issue, (key, value)| with(issue, key, value));
        if self.is_same_work(&all, &issue) {
            return all;
        }
        kept.iter().fold(issue, |issue, (key, value)| {
            let changed = with(issue.clone(), key, value);
            if self.is_same_work(&changed, &issue) { changed } else { issue }
        })
    }

    /// Whether reading two issues gives the same item.
    fn is_same_work(&self, one: &Value, other: &Value) -> bool {
        let alone = PlanDocument::default();
        let read = |issue: &Value| self.issue(&alone, &beads::item(issue));
        read(one) == read(other)
    }

    /// The fields of a planned item as an issue.
    pub(super) fn issue(&self, plan: &PlanDocument, item: &PlannedItem) -> Value {
        let status = match item.status.unwrap_or(WorkStatus::New) {
            WorkStatus::New => "open",
            WorkStatus::Closed | WorkStatus::WillNotImplement => "closed",
            _ => "in_progress",
        };
        let priority = match item.priority.unwrap_or(WorkPriority::Medium) {
            WorkPriority::High => 1,
            WorkPriority::Medium => 2,
            WorkPriority::Low => 3,
        };
        let text = [&item.summary, &item.description];
        let text: Vec<&str> = text.into_iter().flatten().map(String::as_str).collect();
        let id = id_of(item);
        let dependencies = self.dependencies(plan, item, &id);
        let mut issue = json!({
            "id": id,
            "title": item.name,
            "status": status,
            "priority": priority,
            "issue_type": if item.kind == WorkKind::Feature { "epic" } else { "task" },
        });
        let mut optional = texts(item);
        optional.extend((!text.is_empty()).then(|| ("description", json!(text.join("\n\n")))));
        optional.extend(item.assignee.as_ref().map(|one| ("assignee", json!(one))));
        optional.extend(item.estimate.map(|one| ("estimated_minutes", json!(one))));
        optional.extend(item.due.as_ref().map(|one| ("due_at", json!(format!("{one}T00:00:00Z")))));
        let tags: BTreeSet<&String> = item.tags.iter().flatten().collect();
        optional.extend((!tags.is_empty()).then(|| ("labels", json!(tags))));
        optional.extend(item.end_reason.as_ref().map(|one| ("close_reason", json!(one))));
        optional.extend((!dependencies.is_empty()).then(|| ("dependencies", json!(dependencies))));
        for (key, value) in optional {
            issue[key] = value;
        }
        issue
    }

    /// The dependencies of an issue, in one order.
    fn dependencies(&self, plan: &PlanDocument, item: &PlannedItem, id: &str) -> Vec<Value> {
        let mut dependencies: Vec<(String, &str)> = Vec::new();
        // Features are not nested, and a task is in one of them.
        let mut has_epic = item.is_feature() || item.feature.is_some();
        for relation in item.relations.iter().filter(|relation| !relation.other.is_empty()) {
            let other = self.named(&relation.other);
            let kind = match relation.kind {
                PlannedRelationKind::BlockedBy => "blocks",
                PlannedRelationKind::PartOf if self.epics.contains(&other) => {
                    if std::mem::replace(&mut has_epic, true) { "related" } else { "parent-child" }
                }
                PlannedRelationKind::PartOf if !item.is_feature() => "parent-child",
                PlannedRelationKind::DiscoveredFrom => "discovered-from",
                PlannedRelationKind::DuplicateOf => "duplicates",
                _ => "related",
            };
            dependencies.push((other, kind));
        }
        if let Some(feature) = item.feature.and_then(|at| plan.items.get(at)) {
            dependencies.push((id_of(feature), "parent-child"));
        }
        dependencies.sort();
        dependencies.dedup();
        let to_json = |(other, kind): (String, &str)| json!({"issue_id": id, "depends_on_id": other, "type": kind});
        dependencies.into_iter().map(to_json).collect()
    }

    fn named(&self, other: &str) -> String {
        let own = || other.strip_prefix("beads:").unwrap_or(other).to_owned();
        self.names.get(other).cloned().unwrap_or_else(own)
    }
}

fn id_of(item: &PlannedItem) -> String {
    match item.source.as_deref().map(|one| one.strip_prefix("beads:")) {
        Some(Some(id)) => id.to_owned(),
        _ => item.key.clone().unwrap_or_else(|| item.name.clone()),
    }
}

/// The sections of an item as fields. Those that beads does not know are notes.
fn texts(item: &PlannedItem) -> Vec<(&'static str, Value)> {
    let (mut notes, mut fields) = (Vec::new(), Vec::new());
    for section in item.sections.iter().filter(|section| section.title != IMPORTED_FIELDS) {
        match SECTIONS.iter().find(|(_, title)| *title == section.title) {
            Some(("notes", _)) => notes.insert(0, section.content.clone()),
            Some((key, _)) => fields.push((*key, json!(section.content))),
            None if section.title == COMMENTS => match comments(&section.content) {
                Some(comments) => fields.push(("comments", json!(comments))),
                None => notes.push(format!("## {COMMENTS}\n\n{}", section.content.trim())),
            },
            None => notes.push(format!("## {}\n\n{}", section.title, section.content.trim())),
        }
    }
    if !notes.is_empty() {
        fields.push(("notes", json!(notes.join("\n\n"))));
    }
    fields
}

/// The comments of an issue as a section: a heading with the author and the time above each text.
pub(super) fn comments_text(comments: &Value) -> String {
    let comments = comments.as_array().into_iter().flatten();
    let text = |one: &Value| {
        let (author, text) = (one["author"].as_str()?, one["text"].as_str()?);
        let at = one["created_at"].as_str().unwrap_or_default();
        Some(format!("#### {author} · {at}\n\n{}", text.trim()))
    };
    comments.filter_map(text).collect::<Vec<_>>().join("\n\n")
}

/// The comments in a section; `None` if it contains anything else.
fn comments(section: &str) -> Option<Vec<Value>> {
    let mut found: Vec<[String; 3]> = Vec::new();
    for line in section.lines() {
        let heading = line.strip_prefix("#### ").and_then(|line| line.rsplit_once(" · "));
        match (heading, found.last_mut()) {
            (Some((author, at)), _) => found.push([author.into(), at.into(), String::new()]),
            (None, Some([.., text])) => {
                text.push_str(line);
                text.push('\n');
            }
            (None, None) => return None,
        }
    }
    let comment = |[author, at, text]: [String; 3]| json!({"author": author, "created_at": at, "text": text.trim()});
    Some(found.into_iter().map(comment).collect())
}

/// The fields of an issue that are not written from its item, with their values. A field that only the item
/// has is null.
pub(super) fn differing_fields(issue: &Value, written: &Value) -> Map<String, Value> {
    let is_empty = |value: &Value| match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        _ => false,
    };
    let keys = [issue, written].into_iter().filter_map(Value::as_object).flat_map(Map::keys);
    let differs = |key: &&String| {
        let (own, ours) = (&issue[key.as_str()], &written[key.as_str()]);
        own != ours && !(is_empty(own) && is_empty(ours))
    };
    keys.filter(differs).map(|key| (key.clone(), issue[key.as_str()].clone())).collect()
}
