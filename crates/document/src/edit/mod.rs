//! Edits in place: every byte stays that need not change.
//!
//! Each edit finds the bytes it has to replace from the spans of the values; afterwards the new
//! text is read again, and an edit that changed anything but what it should is refused.

mod field;
mod list;
mod proof;

use std::ops::Range;

use crate::cut::Document;
use crate::data::Data;
use crate::fault::{Fault, Place};
use crate::node::Node;

/// One change to a document.
#[derive(Debug, Clone, PartialEq)]
pub enum Edit {
    /// Gives a field, or a value inside one, another value; a field that is not there is added
    /// at the end of the frontmatter
    Set {
        /// The field, and the way inside it
        path: Vec<Step>,
        /// What it becomes
        value: Data,
    },
    /// Takes a field out
    Remove {
        /// Its name
        field: String,
    },
    /// Puts an item into a list, which is made if it is not there
    Insert {
        /// The field that is the list
        list: String,
        /// Before which item; after the last if none
        at: Option<usize>,
        /// The item
        item: Data,
    },
    /// Takes an item out of a list
    Take {
        /// The field that is the list
        list: String,
        /// Which item, from 0
        at: usize,
    },
    /// Replaces all that follows the frontmatter
    Body(String),
}

/// A step towards a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// Into the field of this name
    Field(String),
    /// Into the item of this number, from 0
    Item(usize),
}

impl From<&str> for Step {
    fn from(name: &str) -> Self {
        Self::Field(name.into())
    }
}

impl From<usize> for Step {
    fn from(number: usize) -> Self {
        Self::Item(number)
    }
}

impl Edit {
    /// Gives a field another value.
    pub fn set(field: &str, value: impl Into<Data>) -> Self {
        Self::Set { path: vec![field.into()], value: value.into() }
    }

    /// Puts an item at the end of a list.
    pub fn push(list: &str, item: impl Into<Data>) -> Self {
        Self::Insert { list: list.into(), at: None, item: item.into() }
    }
}

/// The text after all edits, each made on what the one before it left.
pub fn edit(text: &str, edits: &[Edit]) -> Result<String, Fault> {
    edits.iter().try_fold(text.to_owned(), |text, edit| one(&text, edit))
}

/// The bytes to replace, and by what.
pub(crate) type Splice = (Range<usize>, String);

fn one(text: &str, edit: &Edit) -> Result<String, Fault> {
    let page = Page { text, document: &Document::parse(text)? };
    let splices = match edit {
        Edit::Set { path, value } => field::set(&page, path, value)?,
        Edit::Remove { field } => field::remove(&page, field)?,
        Edit::Insert { list, at, item } => vec![list::insert(&page, list, *at, item)?],
        Edit::Take { list, at } => vec![list::take(&page, list, *at)?],
        Edit::Body(body) => vec![page.body(body)],
    };
    let mut new = text.to_owned();
    for (range, with) in splices.into_iter().rev() {
        new.replace_range(range, &with);
    }
    proof::check(page.document, edit, &new)?;
    Ok(new)
}

/// A text and what it says.
pub(crate) struct Page<'p> {
    pub text: &'p str,
    pub document: &'p Document<'p>,
}

impl Page<'_> {
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
    pub(crate) fn field(&self, name: &str) -> Option<&(Node, Node)> {
        self.document.front.as_ref()?.fields.entry(name)
    }

    /// One past the colon after a field's name.
    pub(crate) fn colon(&self, key: &Node) -> usize {
        let rest = &self.text[key.span.end..];
        key.span.end + rest.find(':').map_or(0, |colon| colon + 1)
    }

    /// One past the last byte of a field.
    pub(crate) fn field_end(&self, (key, value): &(Node, Node)) -> usize {
        self.colon(key).max(value.end(self.text))
    }

    /// Adds lines at the end of the frontmatter.
    pub(crate) fn append(&self, lines: &str) -> Result<Splice, Fault> {
        let Some(front) = &self.document.front else {
            return Err(Fault::new("there is no frontmatter", Place::START));
        };
        if front.is_flow {
            return Err(in_braces());
        }
        let first = front.fields.0.first();
        let indent = first.map_or("", |(key, _)| self.indent(key.span.start));
        let newline = self.newline();
        let end = front.yaml.end;
        Ok((end..end, format!("{indent}{lines}{newline}")))
    }

    fn body(&self, body: &str) -> Splice {
        let body = body.replace("\r\n", "\n").replace('\n', self.newline());
        (self.document.body_start()..self.text.len(), body)
    }
}

/// Fields in braces share lines, so that none can be taken out alone.
pub(crate) fn in_braces() -> Fault {
    Fault::new("the frontmatter is in braces; write one field a line", Place { line: 2, column: 1 })
}
