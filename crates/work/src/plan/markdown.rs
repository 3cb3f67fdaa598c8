//! Plans as Markdown, written so that reading gives the same plan.
//!
//! A first-level heading is a feature, a second-level one a task, a third-level one a section of the
//! task. `## Section: …` is a section of the feature. Fields are a list right below the heading. Text
//! that Markdown headings, fences or blank lines would change is written as JSON.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

pub use super::reader::parse;
use super::{PlanDocument, PlannedItem, PlannedRelation, PlannedRelationKind, PlannedSection};
use crate::text::Estimate;
use crate::words::{ContentFormat, WorkKind};

/// The other fields of a section, in a comment below its heading.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct SectionNote {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<ContentFormat>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tags: Option<Vec<String>>,
    /// The content, if it cannot be written as Markdown
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// Whether the content ends with the end of a line
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub newline: bool,
}

/// Writes a plan.
pub fn render(plan: &PlanDocument) -> String {
    let mut out = String::new();
    if let Some(project) = &plan.project {
        let _ = writeln!(out, "# Project: {project}\n");
    }
    for item in &plan.items {
        let (marks, word) = match item.kind {
            WorkKind::Feature => ("#", "Feature"),
            _ => ("##", "Task"),
        };
        let key = item.key.as_ref().map_or(String::new(), |key| format!(" {{#{key}}}"));
        let _ = writeln!(out, "{marks} {word}: {}{key}\n", item.name);
        render_fields(&mut out, plan, item);
        for section in &item.sections {
            render_section(&mut out, item.kind, section);
        }
    }
    out.truncate(out.trim_end().len());
    out.push('\n');
    out
}

fn render_fields(out: &mut String, plan: &PlanDocument, item: &PlannedItem) {
    let mut field = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            let _ = writeln!(out, "- {name}: {value}");
        }
    };
    field("status", Some(item.status.map_or("NEW", |status| status.word()).to_owned()));
    let has_feature = item.feature.is_some_and(|at| plan.items.get(at).is_some());
    let follows_feature = plan.items.iter().any(|one| one.kind == WorkKind::Feature);
    if item.kind == WorkKind::Task && !has_feature && follows_feature {
        field("feature", Some("none".into()));
    }
    field("reason", item.end_reason.as_deref().map(quote));
    field("priority", item.priority.map(|one| one.word().to_owned()));
    field("complexity", item.complexity.map(|one| one.to_string()));
    field("tags", item.tags.as_ref().map(|tags| tags.join(", ")));
    field("assignee", item.assignee.as_deref().map(quote));
    field("due", item.due.clone());
    field("milestone", item.milestone.as_deref().map(quote));
    field("estimate", item.estimate.map(|one| Estimate::of_minutes(one).to_string()));
    field("source", item.source.as_deref().map(quote));
    for kind in PlannedRelationKind::ALL {
        let mut of_kind = item.relations.iter().filter(|one| one.kind == kind).peekable();
        if of_kind.peek().is_some() {
            let texts: Vec<String> = of_kind.map(render_relation).collect();
            field(kind.words(), Some(texts.join(", ")));
        }
    }
    let text = BodyText::of(item);
    field("summary", text.summary_field);
    field("description", text.description_field);
    out.push('\n');
    if !text.body.is_empty() {
        let _ = writeln!(out, "{}\n", escape(&text.body));
    }
}

/// Where the texts of an item are written.
struct BodyText {
    summary_field: Option<String>,
    description_field: Option<String>,
    body: String,
}

impl BodyText {
    fn of(item: &PlannedItem) -> Self {
        let summary = item.summary.as_deref();
        let description = item.description.as_deref();
        let plain_summary = summary.filter(|text| is_paragraph(text));
        let plain_description = description.filter(|text| !text.is_empty() && is_plain(text));
        let description_field = match plain_description {
            Some(_) => None,
            None => description.map(json),
        };
        let (summary_field, body) = match (plain_summary, plain_description) {
            (Some(summary), Some(text)) => (None, format!("{summary}\n\n{text}")),
            (Some(summary), None) => (None, summary.to_owned()),
            (None, text) => {
                let has_body = text.is_some();
                let field = summary.map(json).or(has_body.then(|| "none".to_owned()));
                (field, text.unwrap_or_default().to_owned())
            }
        };
        Self { summary_field, description_field, body }
    }
}

fn render_relation(relation: &PlannedRelation) -> String {
    let other = match relation.other.as_str() {
        "" => "NO_OP".to_owned(),
        other if is_word(other) => other.to_owned(),
        other => json(other),
    };
    match relation.reason.as_str() {
        "" => other,
        reason => format!("{other} {}", json(reason)),
    }
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || "-_:#./".contains(c))
}

fn render_section(out: &mut String, owner: WorkKind, section: &PlannedSection) {
    let heading = if owner == WorkKind::Feature { "## Section:" } else { "###" };
    let _ = writeln!(out, "{heading} {}\n", section.title);
    let without_end = section.content.strip_suffix('\n');
    let is_whole = section.content.is_empty() || is_plain(&section.content);
    let ends = without_end.filter(|text| !is_whole && is_plain(text));
    let content = (!is_whole && ends.is_none()).then(|| section.content.clone());
    let note = SectionNote {
        usage: section.usage.clone(),
        format: section.format,
        tags: section.tags.clone(),
        newline: ends.is_some(),
        content,
    };
    if note != SectionNote::default() {
        let _ = writeln!(out, "<!-- {} -->\n", json(&note));
    }
    if note.content.is_none() && !section.content.is_empty() {
        let _ = writeln!(out, "{}\n", escape(ends.unwrap_or(&section.content)));
    }
}

/// A value as JSON that neither ends a comment nor spans lines.
fn json(value: impl Serialize) -> String {
    serde_json::to_string(&value).unwrap_or_default().replace('>', "\\u003e")
}

/// A value of a field, unquoted if it can be read back.
fn quote(text: &str) -> String {
    let is_simple = !text.is_empty()
        && text == text.trim()
        && !text.starts_with('"')
        && text != "none"
        && !text.contains(char::is_control);
    if is_simple { text.to_owned() } else { json(text) }
}

/// Whether a text can be written as Markdown without a change.
fn is_plain(text: &str) -> bool {
    let mut fences = FenceTracker::default();
    for line in text.split('\n') {
        fences.is_literal(line);
    }
    let ends_clean = text.trim_matches(['\n', ' ', '\t']) == text;
    !text.is_empty()
        && ends_clean
        && !fences.is_open()
        && !text.contains('\r')
        && !text.starts_with("<!-- {")
        && !text.contains(|c: char| c.is_control() && c != '\n' && c != '\t')
}

/// Whether a text is one paragraph that can stand before others.
fn is_paragraph(text: &str) -> bool {
    is_plain(text) && !text.contains("```") && !text.contains("~~~") && !has_blank_line(text)
}

fn has_blank_line(text: &str) -> bool {
    text.split('\n').any(|line| line.trim().is_empty())
}

/// Marks lines outside of fences that would be read as headings.
fn escape(text: &str) -> String {
    let mut fences = FenceTracker::default();
    let line = |line: &str| {
        let is_literal = fences.is_literal(line);
        match !is_literal && heading(line.trim_start_matches('\\')).is_some() {
            true => format!("\\{line}"),
            false => line.to_owned(),
        }
    };
    text.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

/// Tells which lines are inside of fenced code.
#[derive(Debug, Default)]
pub(super) struct FenceTracker(Option<String>);

impl FenceTracker {
    /// Whether the next line is literal: in a fence, or a fence itself.
    pub(super) fn is_literal(&mut self, line: &str) -> bool {
        let trimmed = line.trim_start_matches(' ');
        let mark = trimmed.chars().next().filter(|c| matches!(c, '`' | '~')).unwrap_or(' ');
        let run = &trimmed[..trimmed.len() - trimmed.trim_start_matches(mark).len()];
        let is_fence = run.len() >= 3 && mark != ' ' && line.len() - trimmed.len() <= 3;
        let rest = trimmed[run.len()..].trim();
        match &self.0 {
            None if is_fence && (mark == '~' || !rest.contains('`')) => {
                self.0 = Some(run.to_owned());
                true
            }
            None => false,
            Some(open) => {
                if is_fence && rest.is_empty() && run.starts_with(open.as_str()) {
                    self.0 = None;
                }
                true
            }
        }
    }

    pub(super) const fn is_open(&self) -> bool {
        self.0.is_some()
    }
}

/// A heading of one of the first three levels.
pub(super) fn heading(line: &str) -> Option<(usize, &str)> {
    let rest = line.trim_start_matches('#');
    let level = line.len() - rest.len();
    let text = rest.strip_prefix(' ')?;
    (1..=3).contains(&level).then(|| (level, text.trim()))
}
