//! Edits in place: every byte outside the edited value stays the same.
//!
//! Each edit finds the bytes to replace from the spans of the values. Afterwards the new text is
//! parsed again, and an edit that changed anything else is refused.

mod field;
mod list;
mod verify;

use std::ops::Range;

use base::TextPosition;

use crate::error::DocumentError;
use crate::frontmatter::Document;
use crate::new_value::NewValue;
use crate::node::{YamlField, YamlNode};

/// One change to a document.
#[derive(Debug, Clone, PartialEq)]
pub enum DocumentEdit {
    /// Sets a field, or a value inside of one; a missing field is added at the end of the
    /// frontmatter
    Set {
        /// The field, and the path inside of it
        path: Vec<FieldPathSegment>,
        /// The new value
        value: NewValue,
    },
    /// Removes a field
    RemoveField {
        /// Its name
        field: String,
    },
    /// Inserts an item into a list, which is created if it is missing
    InsertItem {
        /// The field that is the list
        list: String,
        /// The index of the item to insert before; `None` appends
        at: Option<usize>,
        /// The item
        item: NewValue,
    },
    /// Removes an item from a list
    RemoveItem {
        /// The field that is the list
        list: String,
        /// The index of the item, from 0
        at: usize,
    },
    /// Replaces everything after the frontmatter
    ReplaceBody(String),
}

/// One step on the path to a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FieldPathSegment {
    /// Into the field of this name
    Field(String),
    /// Into the item of this index, from 0
    Item(usize),
}

impl From<&str> for FieldPathSegment {
    fn from(name: &str) -> Self {
        Self::Field(name.into())
    }
}

impl From<usize> for FieldPathSegment {
    fn from(number: usize) -> Self {
        Self::Item(number)
    }
}

impl DocumentEdit {
    /// Sets a field.
    pub fn set(field: &str, value: impl Into<NewValue>) -> Self {
        Self::Set { path: vec![field.into()], value: value.into() }
    }

    /// Appends an item to a list.
    pub fn push(list: &str, item: impl Into<NewValue>) -> Self {
        Self::InsertItem { list: list.into(), at: None, item: item.into() }
    }
}

/// Applies edits to a text, each to the result of the one before.
pub fn edit(text: &str, edits: &[DocumentEdit]) -> Result<String, DocumentError> {
    edits.iter().try_fold(text.to_owned(), |text, edit| apply_edit(&text, edit))
}

/// A byte range of a text, and the text that replaces it.
pub(crate) struct DocumentSplice {
    range: Range<usize>,
    text: String,
}

impl DocumentSplice {
    fn replace(range: Range<usize>, text: impl Into<String>) -> Self {
        Self { range, text: text.into() }
    }

    fn insert(offset: usize, text: impl Into<String>) -> Self {
        Self::replace(offset..offset, text)
    }

    fn remove(range: Range<usize>) -> Self {
        Self::replace(range, "")
    }
}

fn apply_edit(text: &str, edit: &DocumentEdit) -> Result<String, DocumentError> {
    let page = EditTarget { text, document: &Document::parse(text)? };
    let splices = match edit {
        DocumentEdit::Set { path, value } => field::set(&page, path, value)?,
        DocumentEdit::RemoveField { field } => field::remove(&page, field)?,
        DocumentEdit::InsertItem { list, at, item } => vec![list::insert(&page, list, *at, item)?],
        DocumentEdit::RemoveItem { list, at } => vec![list::remove(&page, list, *at)?],
        DocumentEdit::ReplaceBody(body) => vec![page.replace_body(body)],
    };
    let mut new = text.to_owned();
    for splice in splices.into_iter().rev() {
        new.replace_range(splice.range, &splice.text);
    }
    verify::check(page.document, edit, &new)?;
    Ok(new)
}

/// The text being edited and its parsed form.
pub(crate) struct EditTarget<'p> {
    pub text: &'p str,
    pub document: &'p Document<'p>,
}

impl EditTarget<'_> {
    /// Its line ending.
    pub(crate) fn newline(&self) -> &'static str {
        let first = self.text.split_inclusive('\n').next().unwrap_or_default();
        if first.ends_with("\r\n") { "\r\n" } else { "\n" }
    }

    pub(crate) fn line_start(&self, at: usize) -> usize {
        self.text[..at].rfind('\n').map_or(0, |newline| newline + 1)
    }

    /// The offset after the line break that follows `at`.
    pub(crate) fn line_end(&self, at: usize) -> usize {
        self.text[at..].find('\n').map_or(self.text.len(), |newline| at + newline + 1)
    }

    /// The white space that the line at `at` starts with.
    pub(crate) fn indent(&self, at: usize) -> &str {
        let line = &self.text[self.line_start(at)..at];
        &line[..line.len() - line.trim_start().len()]
    }

    /// The field of a name.
    pub(crate) fn field_entry(&self, name: &str) -> Option<&YamlField> {
        self.document.frontmatter.as_ref()?.fields.entry(name)
    }

    /// The offset after the colon that follows a field's name.
    pub(crate) fn after_colon(&self, key: &YamlNode) -> usize {
        let rest = &self.text[key.span.end..];
        key.span.end + rest.find(':').map_or(0, |colon| colon + 1)
    }

    /// The offset after the last byte of a field.
    pub(crate) fn field_end(&self, field: &YamlField) -> usize {
        self.after_colon(&field.key).max(field.value.end(self.text))
    }

    /// Adds lines at the end of the frontmatter.
    pub(crate) fn append_field(&self, lines: &str) -> Result<DocumentSplice, DocumentError> {
        let Some(front) = &self.document.frontmatter else {
            return Err(DocumentError::new("there is no frontmatter", TextPosition::START));
        };
        if front.is_flow {
            return Err(flow_frontmatter_error());
        }
        let first = front.fields.0.first();
        let indent = first.map_or("", |field| self.indent(field.key.span.start));
        let newline = self.newline();
        let end = front.yaml.end;
        Ok(DocumentSplice::insert(end, format!("{indent}{lines}{newline}")))
    }

    fn replace_body(&self, body: &str) -> DocumentSplice {
        let body = body.replace("\r\n", "\n").replace('\n', self.newline());
        DocumentSplice::replace(self.document.body_start()..self.text.len(), body)
    }
}

/// Fields in braces share lines, so none can be added or removed alone.
pub(crate) fn flow_frontmatter_error() -> DocumentError {
    DocumentError::new(
        "the frontmatter is in braces; write one field per line",
        TextPosition { line: 2, column: 1 },
    )
}
