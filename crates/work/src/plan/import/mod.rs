//! Work of other trackers as plans.

pub mod backlog;
pub mod beads;
mod checklist;
mod github;
mod task_master;

use std::collections::BTreeMap;

use base::{Problem, Result};
use serde_json::{Map, Value};

use super::{PlanDocument, PlannedItem, PlannedSection, markdown};
use crate::words::{ContentFormat, WorkPriority, WorkStatus};

/// The section that keeps the fields of another tracker that an item does not have.
pub const IMPORTED_FIELDS: &str = "Imported Fields";

/// The longest name, in characters.
const MAX_NAME_CHARS: usize = 255;

/// The longest tag, in characters.
const MAX_TAG_CHARS: usize = 64;

/// The largest description, in bytes. What is longer becomes a section.
const MAX_DESCRIPTION_BYTES: usize = 32 * 1024;

/// The largest section, in bytes.
const MAX_SECTION_BYTES: usize = 128 * 1024;

crate::words::words!(
    /// The format of a file with work.
    ImportFormat {
        /// A plan of cairn in Markdown
        Plan = "plan",
        /// A Markdown checklist
        Checklist = "checklist",
        /// The issues of a GitHub repository, as JSON
        Github = "github",
        /// The issues of beads, as lines of JSON
        Beads = "beads",
        /// A folder of Backlog.md
        Backlog = "backlog",
        /// The tasks of task-master, as JSON
        TaskMaster = "task-master",
        /// Every row of a store of cairn, as JSON
        Rows = "json",
    }
);

/// A file with work.
#[derive(Debug, Clone)]
pub struct ImportFile {
    /// Its path
    pub path: String,
    /// Its text
    pub text: String,
}

/// The format of some files, by their names and contents.
pub fn detect(files: &[ImportFile]) -> Result<ImportFormat> {
    let unknown = || {
        let known: Vec<&str> = ImportFormat::ALL.iter().map(|one| one.word()).collect();
        Problem::invalid("unknown format of the work to import")
            .hint(format!("give one of {}", known.join(", ")))
    };
    let [file] = files else {
        return Ok(ImportFormat::Backlog);
    };
    let text = file.text.trim_start();
    if file.path.to_lowercase().ends_with(".jsonl") {
        return Ok(ImportFormat::Beads);
    }
    if text.starts_with("---") {
        return Ok(ImportFormat::Backlog);
    }
    if text.starts_with(['{', '[']) {
        return serde_json::from_str(text).map_or_else(
            |_| Ok(ImportFormat::Beads),
            |json: Value| detect_json(&json).ok_or_else(unknown),
        );
    }
    let has_heading = |mark: &str| text.lines().any(|line| line.starts_with(mark));
    let has_box = text.lines().any(|line| checklist::item(line).is_some());
    match () {
        () if has_heading("## Task:") || has_heading("# Feature:") => Ok(ImportFormat::Plan),
        () if has_box => Ok(ImportFormat::Checklist),
        () if has_heading("## ") => Ok(ImportFormat::Plan),
        () => Err(unknown()),
    }
}

fn detect_json(json: &Value) -> Option<ImportFormat> {
    if json["tables"].is_object() || json["data"]["tables"].is_object() {
        return Some(ImportFormat::Rows);
    }
    let first = json.as_array().and_then(|items| items.first());
    if first.is_some_and(|one| one["number"].is_number()) {
        return Some(ImportFormat::Github);
    }
    if first.is_some_and(|one| one["issue_type"].is_string()) || json["issue_type"].is_string() {
        return Some(ImportFormat::Beads);
    }
    let has_tasks = |json: &Value| json["tasks"].is_array();
    let contexts = json.as_object().into_iter().flatten();
    (has_tasks(json) || contexts.into_iter().any(|(_, one)| has_tasks(one)))
        .then_some(ImportFormat::TaskMaster)
}

/// Reads files of a format as a plan.
pub fn read(format: ImportFormat, files: &[ImportFile]) -> Result<PlanDocument> {
    let text: String = files.iter().map(|file| file.text.as_str()).collect();
    match format {
        ImportFormat::Plan => markdown::parse(&text),
        ImportFormat::Checklist => checklist::parse(&text),
        ImportFormat::Github => github::parse(&text),
        ImportFormat::Beads => beads::parse(&text),
        ImportFormat::Backlog => backlog::parse(files),
        ImportFormat::TaskMaster => task_master::parse(&text),
        ImportFormat::Rows => Err(Problem::invalid("rows of a store are not a plan")),
    }
}

fn parse_json(text: &str) -> Result<Value> {
    serde_json::from_str(text)
        .map_err(|error| Problem::invalid("the file is not JSON").with_source(error))
}

/// A text of a JSON object, without empty ones.
fn text_of<'v>(json: &'v Value, key: &str) -> Option<&'v str> {
    json[key].as_str().map(str::trim).filter(|text| !text.is_empty())
}

/// A name on one line, cut if it is too long.
fn clean_name(text: &str) -> String {
    let line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(MAX_NAME_CHARS) {
        Some(_) => line.chars().take(MAX_NAME_CHARS - 1).chain(['…']).collect(),
        None if line.is_empty() => "(no title)".into(),
        None => line,
    }
}

fn clean_tag(text: &str) -> Option<String> {
    let tag: String =
        text.chars().map(|c| if c == ',' || c.is_control() { ' ' } else { c }).collect();
    let tag: String = tag.trim().chars().take(MAX_TAG_CHARS).collect();
    Some(tag.trim().to_owned()).filter(|tag| !tag.is_empty())
}

fn clean_tags<'t>(texts: impl Iterator<Item = &'t str>) -> Option<Vec<String>> {
    let mut tags: Vec<String> = texts.filter_map(clean_tag).collect();
    tags.sort();
    tags.dedup();
    Some(tags).filter(|tags| !tags.is_empty())
}

/// A person's name without commas.
fn clean_person(text: &str) -> Option<String> {
    let name: String =
        text.chars().filter(|c| *c != ',' && !c.is_control()).take(MAX_NAME_CHARS).collect();
    Some(name.trim().to_owned()).filter(|name| !name.is_empty())
}

/// A text without control characters that no record may have.
fn clean_text(text: &str) -> String {
    text.replace("\r\n", "\n").trim().to_owned()
}

/// Sets the description, or adds a section if it is too long.
fn set_description(item: &mut PlannedItem, text: &str) {
    let text = clean_text(text);
    if text.len() > MAX_DESCRIPTION_BYTES {
        add_section(item, "Description", &text);
    } else if !text.is_empty() {
        item.description = Some(text);
    }
}

/// Adds a section, cut if it is too long.
fn add_section(item: &mut PlannedItem, title: &str, text: &str) {
    let text = clean_text(text);
    if text.is_empty() {
        return;
    }
    let end = (0..=text.len().min(MAX_SECTION_BYTES)).rev().find(|at| text.is_char_boundary(*at));
    let text = &text[..end.unwrap_or_default()];
    item.sections.push(PlannedSection::new(clean_name(title), text));
}

/// The sources that a text may mean: itself, or the id of another tracker, such as `bd-90v`, `#7` or
/// `BACK-12`.
pub(crate) fn possible_sources(text: &str) -> Vec<String> {
    let mut sources = vec![text.to_owned()];
    if !text.is_empty() && !text.contains([' ', ':']) {
        let trackers = ["beads", "github", "task-master"];
        sources.extend(trackers.iter().map(|tracker| format!("{tracker}:{text}")));
        sources.push(backlog::source(text));
    }
    sources
}

/// Numbers the later ones of items with one source, so that each stays an item of its own: trackers
/// have files in which an id is used twice.
fn distinguish_sources(items: &mut [PlannedItem]) {
    let mut uses: BTreeMap<String, usize> = BTreeMap::new();
    for source in items.iter_mut().filter_map(|item| item.source.as_mut()) {
        let count = uses.entry(source.clone()).or_default();
        *count += 1;
        if *count > 1 {
            *source = format!("{source}~{count}");
        }
    }
}

/// Keeps fields that an item does not have, in a section.
fn keep_fields(item: &mut PlannedItem, fields: Map<String, Value>) {
    let content = Value::Object(fields).to_string();
    if content == "{}" || content.len() > MAX_SECTION_BYTES {
        return;
    }
    item.sections.push(PlannedSection {
        usage: Some("fields of the tracker it comes from; an export writes them again".into()),
        format: Some(ContentFormat::Json),
        ..PlannedSection::new(IMPORTED_FIELDS, content)
    });
}

/// The fields that were kept when an item was imported.
pub(super) fn kept_fields(item: &PlannedItem) -> Map<String, Value> {
    let section = item.sections.iter().find(|section| section.title == IMPORTED_FIELDS);
    section.and_then(|section| serde_json::from_str(&section.content).ok()).unwrap_or_default()
}

/// A priority by its usual words and numbers.
fn priority(word: &str) -> Option<WorkPriority> {
    match word.trim().to_lowercase().as_str() {
        "high" | "critical" | "urgent" | "highest" | "p0" | "p1" => Some(WorkPriority::High),
        "medium" | "normal" | "p2" => Some(WorkPriority::Medium),
        "low" | "lowest" | "minor" | "p3" | "p4" => Some(WorkPriority::Low),
        _ => None,
    }
}

/// A status by the words that trackers use.
fn status(word: &str) -> WorkStatus {
    let word = word.trim().to_lowercase().replace(['-', '_'], " ");
    match word.as_str() {
        "closed" | "done" | "complete" | "completed" | "finished" | "merged" => WorkStatus::Closed,
        "in progress" | "active" | "doing" | "started" | "hooked" => WorkStatus::Active,
        "review" | "in review" | "testing" | "to be tested" => WorkStatus::ToBeTested,
        "cancelled" | "canceled" | "wontfix" | "not planned" | "won't do" | "tombstone" => {
            WorkStatus::WillNotImplement
        }
        _ => WorkStatus::New,
    }
}
