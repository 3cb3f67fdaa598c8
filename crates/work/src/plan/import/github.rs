//! The issues of a GitHub repository, as `gh issue list --json` and the REST interface give them.

use base::{Problem, Result};
use serde_json::{Value, json};

use super::{
    add_section, clean_name, clean_person, clean_tags, parse_json, priority, set_description,
    text_of,
};
use crate::plan::beads::comments_text;
use crate::plan::{PlanDocument, PlannedItem, PlannedRelation, PlannedRelationKind};
use crate::text::DueDate;
use crate::words::{WorkKind, WorkStatus};

/// Reads issues. Pull requests are left out.
pub(super) fn parse(text: &str) -> Result<PlanDocument> {
    let json = parse_json(text)?;
    let Some(issues) = json.as_array() else {
        return Err(Problem::invalid("the issues are not a JSON array"));
    };
    let is_issue = |issue: &&Value| issue.get("pull_request").is_none_or(Value::is_null);
    let items = issues.iter().filter(is_issue).map(item).collect();
    Ok(PlanDocument { items, ..PlanDocument::default() })
}

fn item(issue: &Value) -> PlannedItem {
    let number = issue["number"].as_u64().unwrap_or_default();
    let name = |one: &Value| one["name"].as_str().or(one.as_str()).unwrap_or_default().to_owned();
    let labels: Vec<String> = issue["labels"].as_array().into_iter().flatten().map(name).collect();
    let state = issue["state"].as_str().unwrap_or_default();
    let reason = issue["state_reason"].as_str().or(issue["stateReason"].as_str());
    let is_closed = state.eq_ignore_ascii_case("closed");
    let is_dropped = reason.is_some_and(|why| why.eq_ignore_ascii_case("not_planned"));
    let assignee = issue["assignees"].as_array().and_then(|all| all.first());
    let assignee = assignee.and_then(|one| one["login"].as_str()).and_then(clean_person);
    let milestone = &issue["milestone"];
    let due = text_of(milestone, "due_on").or(text_of(milestone, "dueOn"));
    let due = due.and_then(|day| day.parse::<DueDate>().ok()).map(|day| day.to_string());
    let word = |label: &String| priority(label.rsplit([':', '/', ' ']).next().unwrap_or_default());
    let mut item = PlannedItem {
        status: Some(match (is_closed, is_dropped) {
            (true, true) => WorkStatus::WillNotImplement,
            (true, false) => WorkStatus::Closed,
            (false, _) => WorkStatus::New,
        }),
        end_reason: (is_closed && is_dropped).then(|| "not planned".to_owned()),
        priority: labels.iter().find_map(word),
        tags: clean_tags(labels.iter().map(String::as_str)),
        assignee,
        due,
        milestone: text_of(milestone, "title").map(clean_name),
        source: Some(source(number)),
        ..PlannedItem::new(WorkKind::Task, clean_name(issue["title"].as_str().unwrap_or_default()))
    };
    let body = issue["body"].as_str().unwrap_or_default();
    set_description(&mut item, body);
    add_section(&mut item, "Comments", &comments_text(&comments(issue)));
    item.relations = relations(body, number);
    item
}

/// The comments of an issue in the form of beads. The REST interface gives only their number.
fn comments(issue: &Value) -> Value {
    let comment = |one: &Value| {
        let author = one["author"]["login"].as_str().or(one["user"]["login"].as_str());
        let at = one["createdAt"].as_str().or(one["created_at"].as_str());
        json!({"author": author.unwrap_or("somebody"), "created_at": at, "text": one["body"]})
    };
    issue["comments"].as_array().into_iter().flatten().map(comment).collect()
}

fn source(number: u64) -> String {
    format!("github:#{number}")
}

/// Lines of a body that say how an issue is related to another one.
fn relations(body: &str, own: u64) -> Vec<PlannedRelation> {
    const PHRASES: [(&str, PlannedRelationKind); 5] = [
        ("blocked by #", PlannedRelationKind::BlockedBy),
        ("depends on #", PlannedRelationKind::BlockedBy),
        ("duplicate of #", PlannedRelationKind::DuplicateOf),
        ("part of #", PlannedRelationKind::PartOf),
        ("related to #", PlannedRelationKind::RelatedTo),
    ];
    let body = body.to_lowercase();
    let mut found: Vec<PlannedRelation> = Vec::new();
    for (phrase, kind) in PHRASES {
        for (at, _) in body.match_indices(phrase) {
            let rest = &body[at + phrase.len()..];
            let digits = rest.split(|c: char| !c.is_ascii_digit()).next().unwrap_or_default();
            let Ok(number) = digits.parse::<u64>() else { continue };
            let other = source(number);
            if number != own && !found.iter().any(|one| one.kind == kind && one.other == other) {
                found.push(PlannedRelation { kind, other, reason: String::new() });
            }
        }
    }
    found
}
