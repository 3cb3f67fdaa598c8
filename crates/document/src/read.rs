//! From YAML to values. Everything that a hostile text could make large has a limit.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use granit_parser::{Event, Options, Parser, ScalarStyle, ScanError, Span, StructureStyle};
use serde_json::Number;

use base::TextPosition;
use base::text::{MarkedText, saturating_u32};

use crate::error::DocumentError;
use crate::node::{YamlField, YamlMap, YamlNode, YamlStyle, YamlValue};

/// Maximum size of frontmatter, in bytes.
pub const MAX_FRONTMATTER_BYTES: usize = 256 * 1024;

/// Maximum number of values of a text. Values of an alias count at every use.
pub const MAX_VALUES: usize = 200_000;

/// Lists and maps may be nested this deep.
const MAX_DEPTH: usize = 32;

/// Limits for parsing a text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct YamlLimits {
    bytes: usize,
    values: usize,
}

impl YamlLimits {
    pub(crate) const FRONTMATTER: Self = Self { bytes: MAX_FRONTMATTER_BYTES, values: 20_000 };
    const FILE: Self = Self { bytes: usize::MAX, values: MAX_VALUES };
}

/// Reads a whole text of YAML (JSON is YAML too).
pub fn parse_yaml(text: &str) -> Result<YamlNode, DocumentError> {
    let start = MarkedText::new(text).mark.len();
    parse_part(text, start..text.len(), YamlLimits::FILE)
}

/// Reads a part of a text; positions and spans are those of the whole text.
pub(crate) fn parse_part(
    text: &str,
    part: Range<usize>,
    limits: YamlLimits,
) -> Result<YamlNode, DocumentError> {
    let start = TextPosition::of_byte(text, part.start);
    if part.len() > limits.bytes {
        let what =
            format!("the frontmatter has {} bytes; the limit is {}", part.len(), limits.bytes);
        return Err(DocumentError::new(what, start));
    }
    let mut options = Options::default();
    options.set_emit_comments(false);
    options.flow_nesting_limit = MAX_DEPTH * 2; // our own limit comes first, with a better message
    options.block_nesting_limit = MAX_DEPTH * 2;
    let reader = YamlReader {
        base: part.start,
        lines_before: start.line - 1,
        values_left: limits.values,
        limit: limits.values,
        open_collections: Vec::new(),
        anchors: BTreeMap::new(),
        root: None,
    };
    reader.read(Parser::new_from_str_with_options(&text[part], options))
}

struct YamlReader {
    /// The offset of the part in the whole text
    base: usize,
    /// How many lines are before the part
    lines_before: u32,
    /// How many more values are allowed
    values_left: usize,
    limit: usize,
    /// Lists and maps that are not closed yet
    open_collections: Vec<OpenCollection>,
    anchors: BTreeMap<AnchorId, YamlNode>,
    root: Option<YamlNode>,
}

/// The number of an anchor, which the parser counts from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct AnchorId(usize);

impl AnchorId {
    /// The parser writes 0 for a value without an anchor.
    fn new(number: usize) -> Option<Self> {
        (number > 0).then_some(Self(number))
    }
}

/// Where a value is written.
struct SourceRange {
    position: TextPosition,
    bytes: Range<usize>,
}

struct OpenCollection {
    node: YamlNode,
    anchor: Option<AnchorId>,
    /// A key whose value is still to come
    key: Option<YamlNode>,
    names: BTreeSet<String>,
}

impl YamlReader {
    fn read<'i>(
        mut self,
        events: impl Iterator<Item = Result<(Event<'i>, Span), ScanError>>,
    ) -> Result<YamlNode, DocumentError> {
        let mut documents = 0;
        for event in events {
            let (event, span) = event.map_err(|error| self.scan_error(&error))?;
            let place = self.position(&span);
            match event {
                Event::DocumentStart(..) => documents += 1,
                Event::Scalar(text, style, anchor, tag) => {
                    let node = scalar(&text, style, tag.is_some(), self.source_range(&span));
                    self.finish_node(node, AnchorId::new(anchor))?;
                }
                Event::SequenceStart(style, anchor, _) => {
                    let (value, anchor) = (YamlValue::List(Vec::new()), AnchorId::new(anchor));
                    self.open_collection(value, style, anchor, self.source_range(&span))?;
                }
                Event::MappingStart(style, anchor, _) => {
                    let (value, anchor) =
                        (YamlValue::Map(YamlMap::default()), AnchorId::new(anchor));
                    self.open_collection(value, style, anchor, self.source_range(&span))?;
                }
                Event::SequenceEnd | Event::MappingEnd => self.close_collection(&span)?,
                Event::Alias(id) => self.alias(AnchorId(id), self.source_range(&span))?,
                _ => {}
            }
            if documents > 1 {
                return Err(DocumentError::new(
                    "frontmatter must contain only one YAML document",
                    place,
                ));
            }
        }
        let empty = SourceRange { position: TextPosition::START, bytes: self.base..self.base };
        Ok(self.root.unwrap_or_else(|| scalar("", ScalarStyle::Plain, false, empty)))
    }

    fn scan_error(&self, error: &ScanError) -> DocumentError {
        let mark = error.marker();
        let line = self.lines_before + saturating_u32(mark.line());
        let place = TextPosition { line, column: saturating_u32(mark.col()) + 1 };
        DocumentError::new(format!("not YAML: {}", error.info()), place)
    }

    fn position(&self, span: &Span) -> TextPosition {
        let (line, column) = (saturating_u32(span.start.line()), saturating_u32(span.start.col()));
        TextPosition { line: self.lines_before + line, column: column + 1 }
    }

    fn source_range(&self, span: &Span) -> SourceRange {
        SourceRange { position: self.position(span), bytes: self.byte_range(span) }
    }

    fn byte_range(&self, span: &Span) -> Range<usize> {
        let range = span.byte_range().unwrap_or_default();
        self.base + range.start..self.base + range.end
    }

    fn open_collection(
        &mut self,
        value: YamlValue,
        style: StructureStyle,
        anchor: Option<AnchorId>,
        source: SourceRange,
    ) -> Result<(), DocumentError> {
        if self.open_collections.len() == MAX_DEPTH {
            let message = format!("nested more than {MAX_DEPTH} deep");
            return Err(DocumentError::new(message, source.position));
        }
        let style = match style {
            StructureStyle::Flow => YamlStyle::Flow,
            StructureStyle::Block => YamlStyle::Block,
        };
        let SourceRange { position, bytes } = source;
        let node = YamlNode { value, position, span: bytes, style, source_text: None };
        self.open_collections.push(OpenCollection {
            node,
            anchor,
            key: None,
            names: BTreeSet::new(),
        });
        Ok(())
    }

    fn close_collection(&mut self, span: &Span) -> Result<(), DocumentError> {
        let Some(mut closed) = self.open_collections.pop() else { return Ok(()) };
        closed.node.span.end = self.byte_range(span).end;
        self.finish_node(closed.node, closed.anchor)
    }

    fn alias(&mut self, id: AnchorId, source: SourceRange) -> Result<(), DocumentError> {
        let values = self.anchors.get(&id).map(|meant| count_values(meant, self.values_left + 1));
        let SourceRange { position, bytes } = source;
        self.consume_values(values.unwrap_or(0), position)?;
        let Some(meant) = self.anchors.get(&id).cloned() else {
            let message = "an alias refers to a value that contains it";
            return Err(DocumentError::new(message, position));
        };
        self.attach(YamlNode { position, span: bytes, style: YamlStyle::Alias, ..meant })
    }

    fn finish_node(
        &mut self,
        node: YamlNode,
        anchor: Option<AnchorId>,
    ) -> Result<(), DocumentError> {
        self.consume_values(1, node.position)?;
        if let Some(anchor) = anchor {
            // An anchor keeps a copy, and copies of copies grow too.
            self.consume_values(count_values(&node, self.values_left + 1), node.position)?;
            self.anchors.insert(anchor, node.clone());
        }
        self.attach(node)
    }

    fn consume_values(&mut self, values: usize, place: TextPosition) -> Result<(), DocumentError> {
        let too_many = || DocumentError::new(format!("more than {} values", self.limit), place);
        self.values_left = self.values_left.checked_sub(values).ok_or_else(too_many)?;
        Ok(())
    }

    fn attach(&mut self, node: YamlNode) -> Result<(), DocumentError> {
        let Some(open) = self.open_collections.last_mut() else {
            self.root = Some(node);
            return Ok(());
        };
        match &mut open.node.value {
            YamlValue::List(items) => items.push(node),
            YamlValue::Map(fields) => match open.key.take() {
                Some(key) => fields.0.push(YamlField { key, value: node }),
                None => open.key = Some(field_name(node, &mut open.names)?),
            },
            _ => {}
        }
        Ok(())
    }
}

/// How many values a value contains, itself included; stops counting at `enough`.
fn count_values(node: &YamlNode, enough: usize) -> usize {
    let mut total = 1;
    let mut add = |inner: &YamlNode| {
        if total < enough {
            total += count_values(inner, enough - total);
        }
    };
    match &node.value {
        YamlValue::List(items) => items.iter().for_each(&mut add),
        YamlValue::Map(fields) => fields.0.iter().for_each(|field| add(&field.value)),
        _ => {}
    }
    total
}

/// A value as the name of a field; an error if the map has the name already.
fn field_name(node: YamlNode, names: &mut BTreeSet<String>) -> Result<YamlNode, DocumentError> {
    let Some(name) = node.scalar().map(Cow::into_owned) else {
        return Err(DocumentError::new(
            format!("the name of a field must be a word, not {}", node.kind_name()),
            node.position,
        ));
    };
    if !names.insert(name.clone()) {
        return Err(DocumentError::new(format!("the field `{name}` occurs twice"), node.position));
    }
    Ok(YamlNode { value: YamlValue::Text(name), ..node })
}

fn scalar(text: &str, style: ScalarStyle, is_tagged: bool, source: SourceRange) -> YamlNode {
    let style = match style {
        ScalarStyle::Plain if source.bytes.is_empty() => YamlStyle::Absent,
        ScalarStyle::Plain => YamlStyle::Plain,
        ScalarStyle::SingleQuoted => YamlStyle::SingleQuoted,
        ScalarStyle::DoubleQuoted => YamlStyle::DoubleQuoted,
        ScalarStyle::Literal | ScalarStyle::Folded => YamlStyle::BlockScalar,
    };
    let value = match style {
        YamlStyle::Absent if !is_tagged => YamlValue::Null,
        YamlStyle::Plain if !is_tagged => resolve_plain_scalar(text),
        _ => YamlValue::Text(text.into()),
    };
    let source_text = (!matches!(value, YamlValue::Text(_))).then(|| text.into());
    let SourceRange { position, bytes } = source;
    YamlNode { value, position, span: bytes, style, source_text }
}

/// What a plain scalar means, by the core schema of YAML 1.2.
pub(crate) fn resolve_plain_scalar(text: &str) -> YamlValue {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => YamlValue::Null,
        "true" | "True" | "TRUE" => YamlValue::Bool(true),
        "false" | "False" | "FALSE" => YamlValue::Bool(false),
        _ => parse_number(text).map_or_else(|| YamlValue::Text(text.into()), YamlValue::Number),
    }
}

fn parse_number(text: &str) -> Option<Number> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let radix = |mark: &str, radix| {
        let digits = text.strip_prefix(mark).filter(|digits| !digits.starts_with(['-', '+']))?;
        i64::from_str_radix(digits, radix).ok().map(Number::from)
    };
    if let Some(number) = radix("0x", 16).or_else(|| radix("0o", 8)) {
        return Some(number);
    }
    let starts = |digits: &str| digits.starts_with(|c: char| c.is_ascii_digit());
    if !starts(digits) && !digits.strip_prefix('.').is_some_and(starts) {
        return None;
    }
    if let Ok(whole) = text.parse::<i64>() {
        return Some(whole.into());
    }
    let is_numeral =
        digits.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'e' | b'E' | b'+' | b'-'));
    is_numeral.then(|| text.parse::<f64>().ok()).flatten().and_then(Number::from_f64)
}
