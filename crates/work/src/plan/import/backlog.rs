//! A folder of Backlog.md: one Markdown file per task, with frontmatter.

use base::{Problem, Result};
use document::Document;
use serde_json::{Map, Value, json};

use super::{
    ImportFile, add_section, clean_name, clean_person, clean_tags, distinguish_sources,
    keep_fields, priority, set_description, status, text_of,
};
use crate::plan::backlog::{BacklogIds, PATH_FIELD};
use crate::plan::beads::differing_fields;
use crate::plan::{PlanDocument, PlannedItem, PlannedRelation, PlannedRelationKind};
use crate::words::{WorkKind, WorkStatus};

/// The folders of a backlog whose files are tasks.
pub const FOLDERS: [&str; 3] = ["tasks", "completed", "drafts"];

/// Reads the files of a backlog. Files without an id and a title are listed as left out.
pub(super) fn parse(files: &[ImportFile]) -> Result<PlanDocument> {
    let (mut items, mut left_out): (Vec<PlannedItem>, Vec<String>) = (Vec::new(), Vec::new());
    let (mut originals, mut item_ids): (Vec<Value>, Vec<String>) = Default::default();
    // An archived task may have the number of one that is not.
    let (archived, current): (Vec<&ImportFile>, Vec<&ImportFile>) =
        files.iter().partition(|file| file.path.split('/').any(|part| part == "archive"));
    for file in current.into_iter().chain(archived) {
        let text = quote_people(&file.text.replace("\r\n", "\n"));
        let front = match Document::parse(&text) {
            Ok(front) => front,
            Err(fault) => {
                left_out.push(format!("{}: {fault}", file.path));
                continue;
            }
        };
        let fields: Map<String, Value> =
            front.fields().map(|(name, node)| (name.to_owned(), node.to_json())).collect();
        let fields = Value::Object(fields);
        if let (Some(id), Some(title)) = (scalar(&fields, "id"), scalar(&fields, "title")) {
            items.push(item(&fields, &id, &title, front.body()));
            item_ids.push(id);
            originals.push(with_path(fields, &file.path));
        } else if !file.path.to_lowercase().ends_with("readme.md") {
            left_out.push(format!("{}: no id and title", file.path));
        }
    }
    if items.is_empty() {
        return Err(Problem::invalid("no file is a task of Backlog.md")
            .hint("name the folder that has `tasks` in it, or one task"));
    }
    distinguish_sources(&mut items);
    let mut ids = BacklogIds::default();
    for (item, id) in items.iter().zip(&item_ids) {
        ids.add(item, id);
    }
    let mut plan = PlanDocument { project: None, items, left_out };
    let kept: Vec<_> = originals
        .iter()
        .zip(&plan.items)
        .map(|(fields, item)| kept_of(fields, &ids.fields(&plan, item)))
        .collect();
    for (item, fields) in plan.items.iter_mut().zip(kept) {
        keep_fields(item, fields);
    }
    Ok(plan)
}

/// The fields of a file together with its path below the folder of the backlog.
fn with_path(mut fields: Value, path: &str) -> Value {
    let parts: Vec<&str> = path.split('/').collect();
    let is_root = |part: &&str| FOLDERS.contains(part) || *part == "archive";
    let start = parts.iter().position(is_root).unwrap_or(parts.len().saturating_sub(1));
    fields[PATH_FIELD] = json!(parts[start..].join("/"));
    fields
}

/// The fields of a file that its item does not have. The id is always kept, because a source has
/// only its number.
fn kept_of(fields: &Value, written: &Value) -> Map<String, Value> {
    let mut kept = differing_fields(fields, written);
    kept.insert("id".into(), fields["id"].clone());
    kept
}

/// The same text with quotes around names such as `@someone` in the frontmatter, which Backlog.md reads and
/// YAML does not.
fn quote_people(text: &str) -> String {
    let mut marks = 0;
    let quoted = |line: &str| {
        marks += usize::from(line.trim_end() == "---");
        let at = line.find('@').filter(|_| marks == 1)?;
        let (before, name) = line.split_at(at);
        let is_value = before.ends_with(": ") || before.trim_start() == "- ";
        let is_plain = !name.contains(['\'', '"', ',', ']']);
        (is_value && is_plain).then(|| format!("{before}'{}'", name.trim_end()))
    };
    let mut quoted = quoted;
    let lines = text.split('\n').map(|line| quoted(line).unwrap_or_else(|| line.to_owned()));
    lines.collect::<Vec<_>>().join("\n")
}

/// A field that may be a text or a number.
fn scalar(fields: &Value, key: &str) -> Option<String> {
    match &fields[key] {
        Value::String(text) => Some(text.trim().to_owned()).filter(|text| !text.is_empty()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// A field that may be one text or a list of them.
fn list(fields: &Value, key: &str) -> Vec<String> {
    match &fields[key] {
        Value::Array(items) => {
            items.iter().filter_map(|one| one.as_str().map(ToOwned::to_owned)).collect()
        }
        Value::String(text) => text.split(',').map(|part| part.trim().to_owned()).collect(),
        _ => Vec::new(),
    }
}

/// The source of a task. A backlog may change its prefix while older references keep theirs, so the
/// number alone counts.
pub(super) fn source(id: &str) -> String {
    let id = id.trim().to_lowercase();
    let number = id.rsplit_once('-').filter(|(prefix, number)| {
        *prefix != "draft" && number.chars().all(|c| c.is_ascii_digit() || c == '.')
    });
    format!("backlog:{}", number.map_or(id.as_str(), |(_, number)| number))
}

/// A file as an item, without the fields that an item does not have.
pub(in crate::plan) fn item(fields: &Value, id: &str, title: &str, body: &str) -> PlannedItem {
    let relation = |kind: PlannedRelationKind, other: &str| PlannedRelation {
        kind,
        other: source(other),
        reason: String::new(),
    };
    let dependencies = list(fields, "dependencies").into_iter().filter(|one| !one.is_empty());
    let mut relations: Vec<PlannedRelation> =
        dependencies.map(|one| relation(PlannedRelationKind::BlockedBy, &one)).collect();
    let parent = scalar(fields, "parent_task_id").or(scalar(fields, "parent"));
    relations.extend(parent.map(|parent| relation(PlannedRelationKind::PartOf, &parent)));
    let labels = list(fields, "labels");
    let people = list(fields, "assignee");
    let assignee = people.first();
    let mut item = PlannedItem {
        status: Some(text_of(fields, "status").map_or(WorkStatus::New, status)),
        priority: text_of(fields, "priority").and_then(priority),
        tags: clean_tags(labels.iter().map(String::as_str)),
        assignee: assignee.and_then(|one| clean_person(one.trim_start_matches('@'))),
        milestone: scalar(fields, "milestone").map(|one| clean_name(&one)),
        source: Some(source(id)),
        relations,
        ..PlannedItem::new(WorkKind::Task, clean_name(title))
    };
    let mut description = Vec::new();
    for (title, text) in body_sections(body) {
        if title.eq_ignore_ascii_case("description") || title.is_empty() {
            description.push(text.trim().to_owned());
        } else {
            add_section(&mut item, &title, &text);
        }
    }
    set_description(&mut item, &description.join("\n\n"));
    item
}

/// The sections of a body, without the marks that Backlog.md puts around them. What is between two
/// marks of a section belongs to it, headings and other marks included.
fn body_sections(body: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = vec![(String::new(), String::new())];
    let lines: Vec<&str> = body.lines().collect();
    let mut end = None;
    for (at, line) in lines.iter().enumerate() {
        let is_inside = end.is_some_and(|end| at < end);
        if end == Some(at) {
            end = None;
            continue;
        }
        if !is_inside {
            if let Some(name) = mark_name(line, ":BEGIN -->") {
                let is_end = |line: &&str| mark_name(line, ":END -->") == Some(name);
                end = lines[at..].iter().position(is_end).map(|after| at + after);
                continue;
            }
            if mark_name(line, ":END -->").is_some() {
                continue;
            }
            if let Some(title) = line.strip_prefix("## ") {
                found.push((title.trim().to_owned(), String::new()));
                continue;
            }
        }
        if let Some((_, text)) = found.last_mut() {
            text.push_str(line);
            text.push('\n');
        }
    }
    found.retain(|(_, text)| !text.trim().is_empty());
    found
}

/// The name in a mark of Backlog.md, such as `SECTION:NOTES`.
fn mark_name<'t>(line: &'t str, end: &str) -> Option<&'t str> {
    line.trim().strip_prefix("<!-- ")?.strip_suffix(end)
}
