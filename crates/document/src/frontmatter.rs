//! A Markdown document: its frontmatter and its body.

use std::ops::Range;

use base::TextPosition;
use base::text::MarkedText;

use crate::error::DocumentError;
use crate::node::{YamlMap, YamlNode, YamlValue};
use crate::read;

/// A Markdown text with its parsed frontmatter.
#[derive(Debug, Clone, PartialEq)]
pub struct Document<'t> {
    text: &'t str,
    pub(crate) frontmatter: Option<Frontmatter>,
    body_start: usize,
}

/// The frontmatter of a text.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Frontmatter {
    /// The bytes between the fences
    pub yaml: Range<usize>,
    pub fields: YamlMap,
    /// Whether its fields are in braces
    pub is_flow: bool,
}

impl<'t> Document<'t> {
    /// Parses a text. Without a first line `---` all of it is the body.
    pub fn parse(text: &'t str) -> Result<Self, DocumentError> {
        let Some((yaml, body)) = split_frontmatter(text)? else {
            let body = MarkedText::new(text).mark.len();
            return Ok(Self { text, frontmatter: None, body_start: body });
        };
        let root = read::parse_part(text, yaml.clone(), read::YamlLimits::FRONTMATTER)?;
        let is_flow = root.style == crate::YamlStyle::Flow;
        let fields = match root {
            YamlNode { value: YamlValue::Map(fields), .. } => fields,
            YamlNode { value: YamlValue::Null, .. } => YamlMap::default(),
            other => {
                let what = format!(
                    "the frontmatter must be a mapping of fields, not {}",
                    other.kind_name()
                );
                return Err(DocumentError::new(what, other.position));
            }
        };
        Ok(Self {
            text,
            frontmatter: Some(Frontmatter { yaml, fields, is_flow }),
            body_start: body,
        })
    }

    /// Whether it has frontmatter, even if that is empty.
    pub const fn has_frontmatter(&self) -> bool {
        self.frontmatter.is_some()
    }

    /// The fields of the frontmatter, in order.
    pub fn fields(&self) -> impl Iterator<Item = (&str, &YamlNode)> {
        self.frontmatter.iter().flat_map(|front| front.fields.iter())
    }

    /// One field of the frontmatter.
    pub fn get(&self, name: &str) -> Option<&YamlNode> {
        self.frontmatter.as_ref()?.fields.get(name)
    }

    /// The position of a field's name.
    pub fn position_of(&self, name: &str) -> Option<TextPosition> {
        self.frontmatter.as_ref()?.fields.position_of(name)
    }

    /// Everything after the frontmatter, as it is written.
    pub fn body(&self) -> &'t str {
        &self.text[self.body_start..]
    }

    /// The position of the body's first character.
    pub fn body_position(&self) -> TextPosition {
        TextPosition::of_byte(self.text, self.body_start)
    }

    /// The offset of the body's first byte.
    pub(crate) const fn body_start(&self) -> usize {
        self.body_start
    }
}

/// The byte range between the fences, and the offset of the body; `None` without frontmatter.
fn split_frontmatter(text: &str) -> Result<Option<(Range<usize>, usize)>, DocumentError> {
    let start = MarkedText::new(text).mark.len();
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
    Err(DocumentError::new("the frontmatter is not closed by a line `---`", TextPosition::START))
}
