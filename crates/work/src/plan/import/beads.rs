//! The issues of beads: one JSON object a line. An epic is a feature.

use base::{Problem, Result};
use serde_json::{Value, json};

use super::{
    add_section, clean_name, clean_person, clean_tags, parse_json, set_description, status, text_of,
};
use crate::plan::{PlanDocument, PlannedItem, PlannedRelation, PlannedRelationKind};
use crate::text::DueDate;
use crate::words::{WorkKind, WorkPriority, WorkStatus};

/// The texts of an issue that become sections.
const SECTIONS: [(&str, &str); 4] = [
    ("design", "Design"),
    ("acceptance_criteria", "Acceptance Criteria"),
    ("notes", "Notes"),
    ("close_reason", "Close Reason"),
];

/// Reads issues.
pub(super) fn parse(text: &str) -> Result<PlanDocument> {
    let issues: Vec<Value> = if text.trim_start().starts_with('[') {
        parse_json(text)?.as_array().cloned().unwrap_or_default()
    } else {
        let lines = text.lines().filter(|line| !line.trim().is_empty());
        lines.map(parse_json).collect::<Result<_>>()?
    };
    let is_issue = |one: &&Value| one["id"].is_string() && one["title"].is_string();
    let issues: Vec<&Value> = issues.iter().filter(is_issue).collect();
    if issues.is_empty() {
        return Err(Problem::invalid("no line is an issue of beads"));
    }
    // Features come first, so that their tasks can refer to them.
    let (epics, tasks): (Vec<&Value>, Vec<&Value>) =
        issues.into_iter().partition(|one| one["issue_type"] == "epic");
    let mut items: Vec<PlannedItem> = Vec::new();
    for issue in epics.iter().chain(&tasks) {
        items.push(item(issue));
    }
    let sources: Vec<Option<String>> = items.iter().map(|one| one.source.clone()).collect();
    for one in items.iter_mut().filter(|one| one.kind == WorkKind::Task) {
        let is_epic = |relation: &PlannedRelation| {
            let at = sources.iter().position(|source| source.as_ref() == Some(&relation.other));
            at.filter(|at| *at < epics.len() && relation.kind == PlannedRelationKind::PartOf)
        };
        one.feature = one.relations.iter().find_map(is_epic);
        one.relations.retain(|relation| is_epic(relation).is_none());
    }
    for one in items.iter_mut().filter(|one| one.kind == WorkKind::Feature) {
        for relation in &mut one.relations {
            if relation.kind == PlannedRelationKind::PartOf {
                relation.kind = PlannedRelationKind::RelatedTo; // features are not nested
            }
        }
    }
    Ok(PlanDocument { project: None, items })
}

fn item(issue: &Value) -> PlannedItem {
    let kind = issue["issue_type"].as_str().unwrap_or("task");
    let id = issue["id"].as_str().unwrap_or_default();
    let labels = issue["labels"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let is_plain = matches!(kind, "task" | "epic" | "");
    let tags = clean_tags(labels.chain((!is_plain).then_some(kind)));
    let due = text_of(issue, "due_at").or(text_of(issue, "due"));
    let minutes = issue["estimated_minutes"].as_u64().and_then(|one| u32::try_from(one).ok());
    let name = clean_name(issue["title"].as_str().unwrap_or_default());
    let kind = if kind == "epic" { WorkKind::Feature } else { WorkKind::Task };
    let mut item = PlannedItem {
        status: Some(status(issue["status"].as_str().unwrap_or_default())),
        priority: issue["priority"].as_u64().map(|number| match number {
            0 | 1 => WorkPriority::High,
            2 => WorkPriority::Medium,
            _ => WorkPriority::Low,
        }),
        tags,
        assignee: text_of(issue, "assignee").or(text_of(issue, "owner")).and_then(clean_person),
        due: due.and_then(|day| day.parse::<DueDate>().ok()).map(|day| day.to_string()),
        estimate: minutes.filter(|minutes| *minutes > 0),
        source: Some(source(id)),
        relations: relations(issue),
        ..PlannedItem::new(kind, name)
    };
    set_description(&mut item, issue["description"].as_str().unwrap_or_default());
    for (key, title) in SECTIONS {
        add_section(&mut item, title, issue[key].as_str().unwrap_or_default());
    }
    let comments = issue["comments"].as_array().into_iter().flatten();
    let comments: Vec<String> = comments
        .filter_map(|one| Some(format!("{}: {}", one["author"].as_str()?, one["text"].as_str()?)))
        .collect();
    add_section(&mut item, "Comments", &comments.join("\n\n"));
    item
}

fn source(id: &str) -> String {
    format!("beads:{id}")
}

fn relations(issue: &Value) -> Vec<PlannedRelation> {
    let ties = issue["dependencies"].as_array().into_iter().flatten();
    let relation = |tie: &Value| {
        let kind = match tie["type"].as_str().unwrap_or("blocks") {
            "blocks" | "conditional-blocks" | "waits-for" => PlannedRelationKind::BlockedBy,
            "parent-child" => PlannedRelationKind::PartOf,
            "discovered-from" => PlannedRelationKind::DiscoveredFrom,
            "duplicates" | "supersedes" => PlannedRelationKind::DuplicateOf,
            _ => PlannedRelationKind::RelatedTo,
        };
        let other = tie["depends_on_id"].as_str().or(tie["id"].as_str())?;
        Some(PlannedRelation { kind, other: source(other), reason: String::new() })
    };
    ties.filter_map(relation).collect()
}

/// An item as a line of beads.
pub(in crate::plan) fn line(plan: &PlanDocument, item: &PlannedItem) -> Result<String> {
    let id_of =
        |item: &PlannedItem| match item.source.as_deref().map(|one| one.strip_prefix("beads:")) {
            Some(Some(id)) => id.to_owned(),
            _ => item.key.clone().unwrap_or_else(|| item.name.clone()),
        };
    let named = |other: &str| {
        let is_it = |one: &&PlannedItem| {
            one.key.as_deref() == Some(other) || one.source.as_deref() == Some(other)
        };
        plan.items.iter().find(is_it).map_or_else(|| other.to_owned(), id_of)
    };
    let id = id_of(item);
    let tie =
        |other: String, kind: &str| json!({"issue_id": id, "depends_on_id": other, "type": kind});
    let mut ties = Vec::new();
    for relation in item.relations.iter().filter(|relation| !relation.other.is_empty()) {
        let kind = match relation.kind {
            PlannedRelationKind::BlockedBy => "blocks",
            PlannedRelationKind::PartOf => "parent-child",
            PlannedRelationKind::DiscoveredFrom => "discovered-from",
            PlannedRelationKind::DuplicateOf => "duplicates",
            PlannedRelationKind::RelatedTo | PlannedRelationKind::Blocks => "related",
        };
        ties.push(tie(named(&relation.other), kind));
    }
    if let Some(feature) = item.feature.and_then(|at| plan.items.get(at)) {
        ties.push(tie(id_of(feature), "parent-child"));
    }
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
    let mut issue = json!({
        "id": id,
        "title": item.name,
        "description": text.join("\n\n"),
        "status": status,
        "priority": priority,
        "issue_type": if item.kind == WorkKind::Feature { "epic" } else { "task" },
    });
    let (mut notes, mut optional) = (Vec::new(), Vec::new());
    for section in &item.sections {
        match SECTIONS.iter().find(|(_, title)| *title == section.title) {
            Some((key, _)) => optional.push((*key, json!(section.content))),
            None => notes.push(format!("## {}\n\n{}", section.title, section.content.trim())),
        }
    }
    let known_notes = optional.iter().position(|(key, _)| *key == "notes");
    if !notes.is_empty() && known_notes.is_none() {
        optional.push(("notes", json!(notes.join("\n\n"))));
    }
    optional.extend(item.assignee.as_ref().map(|one| ("assignee", json!(one))));
    optional.extend(item.estimate.map(|one| ("estimated_minutes", json!(one))));
    optional.extend(item.due.as_ref().map(|one| ("due_at", json!(format!("{one}T00:00:00Z")))));
    optional.extend(item.tags.as_ref().map(|one| ("labels", json!(one))));
    optional.extend(item.end_reason.as_ref().map(|one| ("close_reason", json!(one))));
    if !ties.is_empty() {
        optional.push(("dependencies", json!(ties)));
    }
    for (key, value) in optional {
        issue[key] = value;
    }
    serde_json::to_string(&issue)
        .map_err(|error| Problem::internal("an issue is not JSON").with_source(error))
}
