//! Three-way merge of Markdown with frontmatter: the fields one by one, the text by lines.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::Value;

use super::value::ValueSides;
use super::{MergeTexts, MergedText, TEXT, marked, merge_lines, with_line_end};
use crate::edit::{DocumentEdit, edit};
use crate::error::DocumentError;
use crate::frontmatter::Document;
use crate::new_value::NewValue;

/// Merges documents. What is not a document with frontmatter is merged by lines.
pub fn merge_documents(texts: MergeTexts<'_>) -> MergedText {
    let (base, theirs) = (like(texts.base, texts.ours), like(texts.theirs, texts.ours));
    let texts = MergeTexts { base: &base, ours: texts.ours, theirs: &theirs };
    merge_parsed(texts).unwrap_or_else(|_| merge_lines(texts))
}

/// A text with the line breaks of another.
fn like<'t>(text: &'t str, other: &str) -> Cow<'t, str> {
    let has_returns = |text: &str| text.contains("\r\n");
    match (has_returns(text), has_returns(other)) {
        (false, true) => text.replace('\n', "\r\n").into(),
        (true, false) => text.replace("\r\n", "\n").into(),
        _ => text.into(),
    }
}

fn merge_parsed(texts: MergeTexts<'_>) -> Result<MergedText, DocumentError> {
    let base = Document::parse(texts.base)?;
    let (ours, theirs) = (Document::parse(texts.ours)?, Document::parse(texts.theirs)?);
    if !ours.has_frontmatter() || !theirs.has_frontmatter() {
        return Ok(merge_lines(texts));
    }
    let mut edits = Vec::new();
    let mut conflicts = Vec::new();
    let sides = [values(&base), values(&ours), values(&theirs)];
    for name in names(&ours, &theirs) {
        let [base, ours, theirs] = sides.each_ref().map(|side| side.get(name.as_str()));
        match (ValueSides { base, ours, theirs }).merge() {
            Err(_) => conflicts.push(name),
            Ok(merged) => edits.extend(field_edits(&name, ours, merged)),
        }
    }
    let body =
        merge_lines(MergeTexts { base: base.body(), ours: ours.body(), theirs: theirs.body() });
    if body.text != ours.body() {
        edits.push(DocumentEdit::ReplaceBody(body.text));
    }
    let mut text = edit(texts.ours, &edits)?;
    for name in conflicts.iter().rev() {
        text = mark_field(&text, texts.theirs, name)?;
    }
    if !body.conflicts.is_empty() {
        conflicts.push(TEXT.to_owned());
    }
    Ok(MergedText { text, conflicts })
}

fn values(document: &Document<'_>) -> BTreeMap<String, Value> {
    document.fields().map(|(name, node)| (name.to_owned(), node.to_json())).collect()
}

/// The fields of both sides, in the order of ours.
fn names(ours: &Document<'_>, theirs: &Document<'_>) -> Vec<String> {
    let mut names: Vec<String> = ours.fields().map(|(name, _)| name.to_owned()).collect();
    for (name, _) in theirs.fields() {
        if !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    names
}

/// The edits that give a field its merged value. Items of a list are edited one by one, so that
/// the others stay as they are written.
fn field_edits(name: &str, ours: Option<&Value>, merged: Option<Value>) -> Vec<DocumentEdit> {
    if ours == merged.as_ref() {
        return Vec::new();
    }
    match (ours, merged) {
        (_, None) => vec![DocumentEdit::RemoveField { field: name.to_owned() }],
        (Some(Value::Array(old)), Some(Value::Array(new)))
            if !old.is_empty() && !new.is_empty() =>
        {
            let gone = (0..old.len()).rev().filter(|at| !new.contains(&old[*at]));
            let list = name.to_owned();
            let remove = gone.map(|at| DocumentEdit::RemoveItem { list: list.clone(), at });
            let added = new.iter().filter(|item| !old.contains(item));
            let add = added.map(|item| DocumentEdit::push(name, NewValue::from_json(item)));
            // Items are added first: a list that would be empty in between could not be edited.
            add.chain(remove).collect()
        }
        (_, Some(value)) => vec![DocumentEdit::set(name, NewValue::from_json(&value))],
    }
}

/// Puts markers around the lines of one field, with those of the other side.
fn mark_field(text: &str, theirs: &str, name: &str) -> Result<String, DocumentError> {
    let (start, end) = field_lines(text, name)?;
    let (their_start, their_end) = field_lines(theirs, name)?;
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let their_lines: Vec<&str> = theirs.split_inclusive('\n').collect();
    let ours = with_line_end(&lines[start..end].concat());
    let theirs = with_line_end(&their_lines[their_start..their_end].concat());
    let marked = marked(&ours, &theirs);
    Ok(format!("{}{marked}{}", lines[..start].concat(), lines[end..].concat()))
}

/// The lines of a field, from 0; an empty range at the end of the frontmatter if it is not there.
fn field_lines(text: &str, name: &str) -> Result<(usize, usize), DocumentError> {
    // Markers that were added before are below this field, so the text above them can still be
    // parsed.
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let close = lines.iter().skip(1).position(|line| matches!(line.trim_end(), "---" | "..."));
    let close = close.map_or(lines.len(), |at| at + 1);
    let is_field = |line: &&str| -> bool {
        line.strip_prefix(name).is_some_and(|rest| rest.trim_start().starts_with(':'))
    };
    let Some(start) = lines[..close].iter().position(is_field) else {
        return Ok((close, close));
    };
    let is_next = |line: &&str| {
        let first = line.chars().next();
        first.is_some_and(|c| !c.is_whitespace() && !matches!(c, '-' | '#'))
    };
    let rest = lines[start + 1..close].iter().position(is_next);
    Ok((start, rest.map_or(close, |at| start + 1 + at)))
}
