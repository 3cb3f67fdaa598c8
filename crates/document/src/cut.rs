//! Where the frontmatter ends and the body begins.

use std::ops::Range;

use crate::fault::{Fault, Place};
use crate::node::{Fields, Node, Value};
use crate::read;

const BOM: char = '\u{feff}';

/// A Markdown text, with its frontmatter read.
#[derive(Debug, Clone, PartialEq)]
pub struct Document<'t> {
    text: &'t str,
    pub(crate) front: Option<Front>,
    body: usize,
}

/// The frontmatter of a text.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Front {
    /// The bytes between the fences
    pub yaml: Range<usize>,
    pub fields: Fields,
    /// Whether its fields stand in braces
    pub is_flow: bool,
}

impl<'t> Document<'t> {
    /// Reads a text. Without a first line `---` it is all body.
    pub fn parse(text: &'t str) -> Result<Self, Fault> {
        let Some((yaml, body)) = cut(text)? else {
            let body = text.len() - text.trim_start_matches(BOM).len();
            return Ok(Self { text, front: None, body });
        };
        let root = read::span(text, yaml.clone(), read::Limits::FRONTMATTER)?;
        let is_flow = root.style == crate::Style::Flow;
        let fields = match root {
            Node { value: Value::Map(fields), .. } => fields,
            Node { value: Value::Null, .. } => Fields::default(),
            other => {
                let what = format!("the frontmatter is {}, not fields", other.kind());
                return Err(Fault::new(what, other.place));
            }
        };
        Ok(Self { text, front: Some(Front { yaml, fields, is_flow }), body })
    }

    /// Whether it has frontmatter at all.
    pub const fn has_frontmatter(&self) -> bool {
        self.front.is_some()
    }

    /// The fields of the frontmatter, in order.
    pub fn fields(&self) -> impl Iterator<Item = (&str, &Node)> {
        self.front.iter().flat_map(|front| front.fields.iter())
    }

    /// One field of the frontmatter.
    pub fn get(&self, name: &str) -> Option<&Node> {
        self.front.as_ref()?.fields.get(name)
    }

    /// Where a field's name is written.
    pub fn place_of(&self, name: &str) -> Option<Place> {
        self.front.as_ref()?.fields.place_of(name)
    }

    /// Everything after the frontmatter, as it is written.
    pub fn body(&self) -> &'t str {
        &self.text[self.body..]
    }

    /// Where the body starts.
    pub fn body_place(&self) -> Place {
        Place::of(self.text, self.body)
    }

    /// The body's first byte.
    pub(crate) const fn body_start(&self) -> usize {
        self.body
    }
}

/// The bytes between the fences, and where the body starts.
fn cut(text: &str) -> Result<Option<(Range<usize>, usize)>, Fault> {
    let start = text.len() - text.strip_prefix(BOM).unwrap_or(text).len();
    let mut lines = text[start..].split_inclusive('\n');
    let Some(first) = lines.next().filter(|line| line.trim_end() == "---") else { return Ok(None) };
    let begin = start + first.len();
    let mut at = begin;
    for line in lines {
        if matches!(line.trim_end(), "---" | "...") {
            return Ok(Some((begin..at, at + line.len())));
        }
        at += line.len();
    }
    Err(Fault::new("the frontmatter is not closed by a line `---`", Place::START))
}
