//! Reads a plan from Markdown.

use std::ops::Range;

use base::{Problem, Result};

use super::markdown::{FenceTracker, SectionNote, heading};
use super::{PlanDocument, PlannedItem, PlannedRelation, PlannedRelationKind, PlannedSection};
use crate::text::{DueDate, Estimate};
use crate::words::WorkKind;

/// Reads a plan.
pub fn parse(text: &str) -> Result<PlanDocument> {
    let text = text.replace("\r\n", "\n");
    let mut reader = PlanReader::default();
    let mut fences = FenceTracker::default();
    for (number, line) in (1..).zip(text.split('\n')) {
        if fences.is_literal(line) {
            reader.text.push(line.to_owned());
            continue;
        }
        match heading(line) {
            Some((level, title)) => reader.heading(level, title, number, line)?,
            None => reader.text.push(unescaped(line)),
        }
    }
    reader.finish_text(0)?;
    if reader.plan.items.is_empty() {
        return Err(Problem::invalid("the plan has no feature and no task")
            .hint("write a feature as `# Feature: name` and a task as `## Task: name`"));
    }
    Ok(reader.plan)
}

fn unescaped(line: &str) -> String {
    match line.strip_prefix('\\') {
        Some(rest) if heading(rest.trim_start_matches('\\')).is_some() => rest.to_owned(),
        _ => line.to_owned(),
    }
}

#[derive(Debug, Default)]
struct PlanReader {
    plan: PlanDocument,
    /// The feature that the next tasks belong to
    feature: Option<usize>,
    /// Whether the text belongs to a section of the last item
    in_section: bool,
    /// Whether the last item has the field `files`
    has_file_list: bool,
    text: Vec<String>,
}

impl PlanReader {
    fn heading(&mut self, level: usize, title: &str, number: usize, line: &str) -> Result<()> {
        let section = title.strip_prefix("Section:").map(str::trim);
        let of_feature = self.plan.items.last().is_some_and(|item| item.kind == WorkKind::Feature);
        if level == 3 && of_feature && self.in_section {
            self.text.push(line.to_owned()); // a part of the feature's section
            return Ok(());
        }
        self.finish_text(number)?;
        match (level, section) {
            (1, _) if title.starts_with("Project:") => {
                self.plan.project = title.strip_prefix("Project:").map(|name| name.trim().into());
            }
            (1, _) => {
                self.feature = Some(self.plan.items.len());
                let item = named_item(WorkKind::Feature, title, "Feature:", number)?;
                self.plan.items.push(item);
            }
            (2, None) => {
                let item = named_item(WorkKind::Task, title, "Task:", number)?;
                self.plan.items.push(PlannedItem { feature: self.feature, ..item });
            }
            (_, section) => {
                let Some(item) = self.plan.items.last_mut() else {
                    return Err(Problem::invalid(format!(
                        "line {number}: section `{title}` comes before any feature or task"
                    )));
                };
                item.sections.push(PlannedSection::new(section.unwrap_or(title), ""));
                self.in_section = true;
            }
        }
        Ok(())
    }

    /// Gives the text that was read to the item or section that it belongs to.
    fn finish_text(&mut self, number: usize) -> Result<()> {
        let lines = std::mem::take(&mut self.text);
        let in_section = std::mem::take(&mut self.in_section);
        let refused = |why: String| {
            let place = if number == 0 { String::new() } else { format!("before line {number}: ") };
            Problem::invalid(format!("{place}{why}"))
        };
        let Some(item) = self.plan.items.last_mut() else { return Ok(()) };
        if let Some(section) = item.sections.last_mut().filter(|_| in_section) {
            read_section(section, &lines.join("\n")).map_err(refused)?;
            if self.has_file_list {
                merge_file_list(&mut item.sections);
            }
        } else {
            read_item(item, &lines).map_err(refused)?;
            self.has_file_list = item.sections.iter().any(is_context_files);
        }
        Ok(())
    }
}

/// The section that names the files of a task.
const CONTEXT_FILES: &str = "Context Files";

fn is_context_files(section: &PlannedSection) -> bool {
    section.title == CONTEXT_FILES
}

/// Puts the files of the field `files`, which are the first section, into the section that was read last if that names
/// files too: a task has one list of them.
fn merge_file_list(sections: &mut Vec<PlannedSection>) {
    let is_second = sections.len() > 1 && sections.last().is_some_and(is_context_files);
    let Some(at) = sections.iter().position(is_context_files).filter(|_| is_second) else { return };
    let listed = sections.remove(at).content;
    let Some(section) = sections.last_mut() else { return };
    let new = listed.lines().filter(|line| !section.content.lines().any(|known| known == *line));
    let mut lines: Vec<&str> = new.collect();
    lines.push(&section.content);
    section.content = lines.join("\n");
}

/// An item from its heading: a name, and a key in braces.
fn named_item(kind: WorkKind, title: &str, word: &str, number: usize) -> Result<PlannedItem> {
    let title = title.strip_prefix(word).unwrap_or(title).trim();
    let is_key =
        |key: &str| !key.is_empty() && key.chars().all(|c| c == '-' || c.is_alphanumeric());
    let written = title.rsplit_once("{#").and_then(|(name, rest)| {
        let key = rest.strip_suffix('}').filter(|key| is_key(key))?;
        Some((name.trim(), key))
    });
    let (name, key) = written.map_or((title, None), |(name, key)| (name, Some(key.to_owned())));
    if name.is_empty() {
        return Err(Problem::invalid(format!("line {number}: the {kind} has no name")));
    }
    Ok(PlannedItem { key, ..PlannedItem::new(kind, name) })
}

fn read_section(section: &mut PlannedSection, text: &str) -> Result<(), String> {
    let text = text.trim_matches('\n');
    let mut body = text;
    if let Some(rest) = text.strip_prefix("<!-- {")
        && let Some((note, after)) = rest.split_once(" -->")
    {
        let note: SectionNote =
            serde_json::from_str(&format!("{{{note}")).map_err(|error| error.to_string())?;
        (section.usage, section.format, section.tags) = (note.usage, note.format, note.tags);
        if let Some(content) = note.content {
            section.content = content;
            return Ok(());
        }
        body = after.trim_matches('\n');
        section.content = format!("{body}{}", if note.newline { "\n" } else { "" });
        return Ok(());
    }
    body = body.trim_matches(['\n', ' ', '\t']);
    body.clone_into(&mut section.content);
    Ok(())
}

/// Reads the fields below a heading, and the texts after them.
fn read_item(item: &mut PlannedItem, lines: &[String]) -> Result<(), String> {
    let list = field_list(lines);
    let mut list_lines = lines[list.clone()].iter().peekable();
    while let Some(line) = list_lines.next() {
        let (name, value) = field(line).ok_or_else(|| not_a_field(line))?;
        let mut values: Vec<&str> = vec![value.trim()];
        while let Some(value) = list_lines.next_if(|line| is_list_value(line)) {
            values.push(value.trim_start_matches([' ', '\t', '-', '*']).trim_end());
        }
        values.retain(|value| !value.is_empty());
        set_field(item, &name, &values.join(", "))?;
    }
    let outside = lines.iter().enumerate().filter(|(at, _)| !list.contains(at));
    let lines: Vec<&str> = outside.map(|(_, line)| line.as_str()).collect();
    let body = lines.join("\n");
    let body = body.trim_matches(['\n', ' ', '\t']);
    if item.summary.is_some() {
        if !body.is_empty() {
            item.description = Some(body.to_owned());
        }
        if item.summary.as_deref() == Some(NO_SUMMARY) {
            item.summary = None;
        }
        return Ok(());
    }
    let lines: Vec<&str> = body.split('\n').collect();
    let end = lines.iter().position(|line| line.trim().is_empty()).unwrap_or(lines.len());
    let (summary, description) = lines.split_at(end);
    let text = |lines: &[&str]| {
        let text = lines.join("\n");
        Some(text.trim_matches(['\n', ' ', '\t']).to_owned()).filter(|text| !text.is_empty())
    };
    item.summary = text(summary);
    item.description = text(description).or(item.description.take());
    Ok(())
}

/// The lines of the list of fields: the list right below the heading if its first line is a field, else the first list
/// below the texts that has only fields.
fn field_list(lines: &[String]) -> Range<usize> {
    let mut is_below_text = false;
    let mut at = 0;
    while at < lines.len() {
        let block = lines[at..].iter().take_while(|line| !line.trim().is_empty()).count();
        if block == 0 {
            at += 1;
            continue;
        }
        let is_of_list = |line: &&String| is_list_item(line) || is_list_value(line);
        let items = lines[at..at + block].iter().take_while(is_of_list).count();
        let is_known = |line: &String| field(line).is_some() || is_list_value(line);
        let is_whole = items == block && lines[at..at + block].iter().all(is_known);
        if field(&lines[at]).is_some() && (is_whole || !is_below_text) {
            return at..at + items;
        }
        is_below_text = true;
        at += block;
    }
    0..0
}

/// Whether a line is of the form `- name: value`.
fn is_list_item(line: &str) -> bool {
    let item = line.strip_prefix("- ").or(line.strip_prefix("* "));
    item.and_then(|item| item.split_once(':')).is_some_and(|(name, value)| {
        let is_name = |c: char| c.is_alphabetic() || matches!(c, ' ' | '-' | '_');
        name.chars().all(is_name) && (value.is_empty() || value.starts_with(' '))
    })
}

/// Whether a line is an item of a list in a list: one more value of the field above it.
fn is_list_value(line: &str) -> bool {
    let item = line.trim_start();
    item.len() < line.len() && (item.starts_with("- ") || item.starts_with("* "))
}

fn not_a_field(line: &str) -> String {
    let name = line.trim_start_matches(['-', '*', ' ']).split(':').next().unwrap_or_default();
    let relations = PlannedRelationKind::ALL.map(PlannedRelationKind::words);
    format!(
        "`{name}` is not a field; fields are {}, files, {}. A blank line ends the list of fields",
        FIELDS.join(", "),
        relations.join(", ")
    )
}

/// Represents a summary that the plan does not have; no text of a record has control characters.
const NO_SUMMARY: &str = "\u{1}";

/// The fields of an item.
const FIELDS: [&str; 14] = [
    "status",
    "reason",
    "priority",
    "complexity",
    "tags",
    "labels",
    "assignee",
    "due",
    "milestone",
    "estimate",
    "source",
    "summary",
    "description",
    "feature",
];

/// A line of the list of fields.
fn field(line: &str) -> Option<(String, &str)> {
    let (name, value) = line.strip_prefix("- ").or(line.strip_prefix("* "))?.split_once(':')?;
    let mut name = name.trim().to_lowercase().replace(['_', '-'], " ");
    if name == "depends on" {
        PlannedRelationKind::BlockedBy.words().clone_into(&mut name);
    }
    let is_relation = PlannedRelationKind::ALL.iter().any(|kind| kind.words() == name);
    let is_field = FIELDS.contains(&name.as_str()) || is_relation || name == "files";
    is_field.then_some((name, value))
}

fn set_field(item: &mut PlannedItem, name: &str, value: &str) -> Result<(), String> {
    let text = || -> Result<Option<String>, String> {
        match value {
            "" | "none" => Ok(None),
            value if value.starts_with('"') => {
                serde_json::from_str(value).map(Some).map_err(|error| format!("`{name}`: {error}"))
            }
            value => Ok(Some(value.to_owned())),
        }
    };
    let word = |why: String| format!("`{name}`: {why}");
    match name {
        "status" => item.status = text()?.map(|one| one.parse().map_err(word)).transpose()?,
        "priority" => item.priority = text()?.map(|one| one.parse().map_err(word)).transpose()?,
        "complexity" => {
            let number =
                |one: String| one.parse().map_err(|_| word(format!("`{one}` is no number")));
            item.complexity = text()?.map(number).transpose()?;
        }
        "tags" | "labels" => {
            let tags = value.split(',').map(str::trim).filter(|tag| !tag.is_empty());
            item.tags = Some(tags.map(ToOwned::to_owned).collect());
        }
        "reason" => item.end_reason = text()?,
        "assignee" => item.assignee = text()?,
        "milestone" => item.milestone = text()?,
        "source" => item.source = text()?,
        "summary" => item.summary = Some(text()?.unwrap_or_else(|| NO_SUMMARY.into())),
        "description" => item.description = text()?,
        "due" => {
            let day = |one: String| one.parse::<DueDate>().map_err(word);
            item.due = text()?.map(day).transpose()?.map(|day| day.to_string());
        }
        "estimate" => {
            let time = |one: String| one.parse::<Estimate>().map_err(word);
            item.estimate = text()?.map(time).transpose()?.map(Estimate::minutes);
        }
        "feature" => item.feature = None,
        "files" => {
            let files = value.split(',').map(str::trim).filter(|file| !file.is_empty());
            let lines: Vec<String> = files.map(|file| format!("- {file}")).collect();
            item.sections.push(PlannedSection::new(CONTEXT_FILES, lines.join("\n")));
        }
        _ => item.relations.extend(read_relations(name, value)?),
    }
    Ok(())
}

fn read_relations(name: &str, value: &str) -> Result<Vec<PlannedRelation>, String> {
    let kind = PlannedRelationKind::ALL.into_iter().find(|kind| kind.words() == name);
    let kind = kind.ok_or_else(|| format!("`{name}` is not a field"))?;
    let mut relations = Vec::new();
    for part in split_list(value) {
        let (other, rest) = match part.starts_with('"') {
            true => first_json(part)?,
            false => match part.split_once(" \"") {
                Some((other, _)) => (other.trim().to_owned(), part[other.len()..].trim()),
                None => (part.to_owned(), ""),
            },
        };
        let reason = if rest.is_empty() { String::new() } else { first_json(rest)?.0 };
        let other = if other.eq_ignore_ascii_case("no_op") { String::new() } else { other };
        relations.push(PlannedRelation { kind, other, reason });
    }
    Ok(relations)
}

/// The JSON string that a text starts with, and the rest.
fn first_json(text: &str) -> Result<(String, &str), String> {
    let mut read = serde_json::Deserializer::from_str(text).into_iter::<String>();
    match read.next() {
        Some(Ok(value)) => Ok((value, text[read.byte_offset()..].trim())),
        _ => Err(format!("`{text}` is not a name in quotation marks")),
    }
}

/// The parts of a list between commas outside of quotation marks.
fn split_list(text: &str) -> Vec<&str> {
    let (mut parts, mut start, mut quoted, mut escaped) = (Vec::new(), 0, false, false);
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            ',' if !quoted => {
                parts.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(text[start..].trim());
    parts.retain(|part| !part.is_empty());
    parts
}
