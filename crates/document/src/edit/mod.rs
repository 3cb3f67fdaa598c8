//! Edits in place: every byte stays that need not change.
//!
//! Each edit finds the bytes it has to replace from the spans of the values; afterwards the new
//! text is read again, and an edit that changed anything but what it should is refused.

mod field;
mod list;
mod verify;

use std::ops::Range;

use crate::error::{DocumentError, TextPosition};
use crate::frontmatter::Document;
use crate::new_value::NewValue;
use crate::node::YamlNode;

/// One change to a document.
#[derive(Debug, Clone, PartialEq)]
pub enum DocumentEdit {
    /// Gives a field, or a value inside one, another value; a field that is not there is added
    /// at the end of the frontmatter
    Set {
        /// The field, and the way inside it
        path: Vec<FieldPathSegment>,
        /// What it becomes
        value: NewValue,
    },
    /// Takes a field out
    RemoveField {
        /// Its name
        field: String,
    },
    /// Puts an item into a list, which is made if it is not there
    InsertItem {
        /// The field that is the list
        list: String,
        /// Before which item; after the last if none
        at: Option<usize>,
        /// The item
        item: NewValue,
    },
    /// Takes an item out of a list
    RemoveItem {
        /// The field that is the list
        list: String,
        /// Which item, from 0
        at: usize,
    },
    /// Replaces all that follows the frontmatter
    ReplaceBody(String),
}

/// A step towards a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FieldPathSegment {
    /// Into the field of this name
    Field(String),
    /// Into the item of this number, from 0
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
    /// Gives a field another value.
    pub fn set(field: &str, value: impl Into<NewValue>) -> Self {
        Self::Set { path: vec![field.into()], value: value.into() }
    }

    /// Puts an item at the end of a list.
    pub fn push(list: &str, item: impl Into<NewValue>) -> Self {
        Self::InsertItem { list: list.into(), at: None, item: item.into() }
    }
}

/// The text after all edits, each made on what the one before it left.
pub fn edit(text: &str, edits: &[DocumentEdit]) -> Result<String, DocumentError> {
    edits.iter().try_fold(text.to_owned(), |text, edit| apply_edit(&text, edit))
}

/// The bytes to replace, and by what.
pub(crate) type DocumentSplice = (Range<usize>, String);

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
    for (range, with) in splices.into_iter().rev() {
        new.replace_range(range, &with);
    }
    verify::check(page.document, edit, &new)?;
    Ok(new)
}

/// A text and what it says.
pub(crate) struct EditTarget<'p> {
    pub text: &'p str,
    pub document: &'p Document<'p>,
}

impl EditTarget<'_> {
    /// How its lines end.
    pub(crate) fn newline(&self) -> &'static str {
        let first = self.text.split_inclusive('\n').next().unwrap_or_default();
        if first.ends_with("\r\n") { "\r\n" } else { "\n" }
    }

    pub(crate) fn line_start(&self, at: usize) -> usize {
        self.text[..at].rfind('\n').map_or(0, |newline| newline + 1)
    }

    /// Past the line break after `at`.
    pub(crate) fn line_end(&self, at: usize) -> usize {
        self.text[at..].find('\n').map_or(self.text.len(), |newline| at + newline + 1)
    }

    /// The blank that the line at `at` starts with.
    pub(crate) fn indent(&self, at: usize) -> &str {
        let line = &self.text[self.line_start(at)..at];
        &line[..line.len() - line.trim_start().len()]
    }

    /// A field and its name, if it is there.
    pub(crate) fn field_entry(&self, name: &str) -> Option<&(YamlNode, YamlNode)> {
        self.document.frontmatter.as_ref()?.fields.entry(name)
    }

    /// One past the colon after a field's name.
    pub(crate) fn after_colon(&self, key: &YamlNode) -> usize {
        let rest = &self.text[key.span.end..];
        key.span.end + rest.find(':').map_or(0, |colon| colon + 1)
    }

    /// One past the last byte of a field.
    pub(crate) fn field_end(&self, (key, value): &(YamlNode, YamlNode)) -> usize {
        self.after_colon(key).max(value.end(self.text))
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
        let indent = first.map_or("", |(key, _)| self.indent(key.span.start));
        let newline = self.newline();
        let end = front.yaml.end;
        Ok((end..end, format!("{indent}{lines}{newline}")))
    }

    fn replace_body(&self, body: &str) -> DocumentSplice {
        let body = body.replace("\r\n", "\n").replace('\n', self.newline());
        (self.document.body_start()..self.text.len(), body)
    }
}

/// Fields in braces share lines, so that none can be taken out alone.
pub(crate) fn flow_frontmatter_error() -> DocumentError {
    DocumentError::new(
        "the frontmatter is in braces; write one field a line",
        TextPosition { line: 2, column: 1 },
    )
}
