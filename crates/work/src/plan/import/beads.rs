//! The issues of beads: one JSON object a line. An epic is a feature.
//!
//! Fields that an item does not have are kept in a section of it, so that an export writes them
//! again.

use base::{Problem, Result};
use serde_json::Value;

use super::{
    add_section, clean_name, clean_person, clean_tags, keep_fields, parse_json, set_description,
    status, text_of,
};
use crate::plan::beads::{BeadsIds, SECTIONS, comments_text, differing_fields};
use crate::plan::{PlanDocument, PlannedItem, PlannedRelation, PlannedRelationKind};
use crate::text::DueDate;
use crate::words::{WorkKind, WorkPriority};

/// Reads issues.
pub(super) fn parse(text: &str) -> Result<PlanDocument> {
    let lines: Vec<Value> = if text.trim_start().starts_with('[') {
        parse_json(text)?.as_array().cloned().unwrap_or_default()
    } else {
        let lines = text.lines().filter(|line| !line.trim().is_empty());
        lines.map(parse_json).collect::<Result<_>>()?
    };
    let is_issue = |one: &Value| one["id"].is_string() && one["title"].is_string();
    let left_out = lines.iter().enumerate().filter(|(_, one)| !is_issue(one));
    let left_out = left_out.map(|(at, _)| format!("line {}: no issue with id and title", at + 1));
    let left_out: Vec<String> = left_out.collect();
    let issues: Vec<&Value> = lines.iter().filter(|one| is_issue(one)).collect();
    if issues.is_empty() {
        return Err(Problem::invalid("no line is an issue of beads"));
    }
    // Features come first, so that their tasks can refer to them.
    let (epics, tasks): (Vec<&Value>, Vec<&Value>) =
        issues.into_iter().partition(|one| one["issue_type"] == "epic");
    let issues: Vec<&Value> = epics.iter().chain(&tasks).copied().collect();
    let mut items: Vec<PlannedItem> = issues.iter().map(|issue| item(issue)).collect();
    place_in_epics(&mut items, epics.len());
    let mut plan = PlanDocument { project: None, items, left_out };
    let ids = BeadsIds::of(&plan);
    let kept: Vec<_> = issues
        .iter()
        .zip(&plan.items)
        .map(|(issue, item)| differing_fields(issue, &ids.issue(&plan, item)))
        .collect();
    for (item, fields) in plan.items.iter_mut().zip(kept) {
        keep_fields(item, fields);
    }
    Ok(plan)
}

/// A task is in its first epic. Every other epic is related to it, and so are two epics.
fn place_in_epics(items: &mut [PlannedItem], epics: usize) {
    let sources: Vec<Option<String>> =
        items[..epics].iter().map(|one| one.source.clone()).collect();
    for one in items {
        let is_feature = one.kind == WorkKind::Feature;
        let (mut feature, mut relations) = (None, Vec::new());
        for mut relation in std::mem::take(&mut one.relations) {
            let is_part = relation.kind == PlannedRelationKind::PartOf;
            let of_epic = |source: &Option<String>| source.as_ref() == Some(&relation.other);
            let epic = sources.iter().position(of_epic).filter(|_| is_part && !is_feature);
            if feature.is_none() && epic.is_some() {
                feature = epic;
                continue;
            }
            if epic.is_some() || is_part && is_feature {
                relation.kind = PlannedRelationKind::RelatedTo;
            }
            relations.push(relation);
        }
        (one.feature, one.relations) = (feature, relations);
    }
}

/// An issue as an item, without the fields that an item does not have.
pub(in crate::plan) fn item(issue: &Value) -> PlannedItem {
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
    add_section(&mut item, "Comments", &comments_text(&issue["comments"]));
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
