//! From YAML to values. Everything that a hostile text could make large has a limit.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use granit_parser::{Event, Options, Parser, ScalarStyle, ScanError, Span, StructureStyle};
use serde_json::Number;

use crate::error::{DocumentError, TextPosition, saturating_u32};
use crate::node::{YamlMap, YamlNode, YamlStyle, YamlValue};

/// Frontmatter may have this many bytes.
pub const MAX_FRONTMATTER_BYTES: usize = 256 * 1024;

/// A text may hold this many values, those of aliases counted each time they are named.
pub const MAX_VALUES: usize = 200_000;

/// Lists and maps may be nested this deep.
const MAX_DEPTH: usize = 32;

/// What a text may cost.
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
    let start = text.len() - text.trim_start_matches('\u{feff}').len();
    parse_part(text, start..text.len(), YamlLimits::FILE)
}

/// Reads a part of a text; places and spans are those of the whole.
pub(crate) fn parse_part(
    text: &str,
    part: Range<usize>,
    limits: YamlLimits,
) -> Result<YamlNode, DocumentError> {
    let start = TextPosition::of_byte(text, part.start);
    if part.len() > limits.bytes {
        let what =
            format!("{} bytes of frontmatter; at most {} are read", part.len(), limits.bytes);
        return Err(DocumentError::new(what, start));
    }
    let mut options = Options::default();
    options.set_emit_comments(false);
    options.flow_nesting_limit = MAX_DEPTH * 2; // ours comes first and says it better
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
    /// Where the part starts in the whole
    base: usize,
    /// Lines before the part
    lines_before: u32,
    /// Values that may still come
    values_left: usize,
    limit: usize,
    /// Lists and maps that are not closed yet
    open_collections: Vec<OpenCollection>,
    anchors: BTreeMap<usize, YamlNode>,
    root: Option<YamlNode>,
}

struct OpenCollection {
    node: YamlNode,
    anchor: usize,
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
                    let node = scalar(&text, style, tag.is_some(), (place, self.span(&span)));
                    self.finish_node(node, anchor)?;
                }
                Event::SequenceStart(style, anchor, _) => {
                    self.open_collection(
                        YamlValue::List(Vec::new()),
                        style,
                        anchor,
                        (place, self.span(&span)),
                    )?;
                }
                Event::MappingStart(style, anchor, _) => {
                    let value = YamlValue::Map(YamlMap::default());
                    self.open_collection(value, style, anchor, (place, self.span(&span)))?;
                }
                Event::SequenceEnd | Event::MappingEnd => self.close_collection(&span)?,
                Event::Alias(id) => self.alias(id, (place, self.span(&span)))?,
                _ => {}
            }
            if documents > 1 {
                return Err(DocumentError::new("a second document starts here", place));
            }
        }
        let nothing =
            || scalar("", ScalarStyle::Plain, false, (TextPosition::START, self.base..self.base));
        Ok(self.root.unwrap_or_else(nothing))
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

    fn span(&self, span: &Span) -> Range<usize> {
        let range = span.byte_range().unwrap_or_default();
        self.base + range.start..self.base + range.end
    }

    fn open_collection(
        &mut self,
        value: YamlValue,
        style: StructureStyle,
        anchor: usize,
        (place, span): (TextPosition, Range<usize>),
    ) -> Result<(), DocumentError> {
        if self.open_collections.len() == MAX_DEPTH {
            return Err(DocumentError::new(format!("nested more than {MAX_DEPTH} deep"), place));
        }
        let style = match style {
            StructureStyle::Flow => YamlStyle::Flow,
            StructureStyle::Block => YamlStyle::Block,
        };
        let node = YamlNode { value, position: place, span, style, source_text: None };
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
        closed.node.span.end = self.span(span).end;
        self.finish_node(closed.node, closed.anchor)
    }

    fn alias(
        &mut self,
        id: usize,
        (place, span): (TextPosition, Range<usize>),
    ) -> Result<(), DocumentError> {
        let values = self.anchors.get(&id).map(|meant| count_values(meant, self.values_left + 1));
        self.consume_values(values.unwrap_or(0), place)?;
        let Some(meant) = self.anchors.get(&id).cloned() else {
            return Err(DocumentError::new("an alias of what it stands in", place));
        };
        self.attach(YamlNode { position: place, span, style: YamlStyle::Alias, ..meant })
    }

    fn finish_node(&mut self, node: YamlNode, anchor: usize) -> Result<(), DocumentError> {
        self.consume_values(1, node.position)?;
        if anchor > 0 {
            // What an anchor keeps is a copy, and copies of copies grow too.
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
                Some(key) => fields.0.push((key, node)),
                None => open.key = Some(field_name(node, &mut open.names)?),
            },
            _ => {}
        }
        Ok(())
    }
}

/// How many values a value holds, itself counted; stops at `enough`.
fn count_values(node: &YamlNode, enough: usize) -> usize {
    let mut total = 1;
    let mut add = |inner: &YamlNode| {
        if total < enough {
            total += count_values(inner, enough - total);
        }
    };
    match &node.value {
        YamlValue::List(items) => items.iter().for_each(&mut add),
        YamlValue::Map(fields) => fields.0.iter().for_each(|(_, value)| add(value)),
        _ => {}
    }
    total
}

/// A value as the name of a field, which no other field beside it has.
fn field_name(node: YamlNode, names: &mut BTreeSet<String>) -> Result<YamlNode, DocumentError> {
    let Some(name) = node.scalar().map(Cow::into_owned) else {
        return Err(DocumentError::new(
            format!("a field's name is a word, not {}", node.kind_name()),
            node.position,
        ));
    };
    if !names.insert(name.clone()) {
        return Err(DocumentError::new(format!("`{name}` is there twice"), node.position));
    }
    Ok(YamlNode { value: YamlValue::Text(name), ..node })
}

fn scalar(
    text: &str,
    style: ScalarStyle,
    is_tagged: bool,
    (place, span): (TextPosition, Range<usize>),
) -> YamlNode {
    let style = match style {
        ScalarStyle::Plain if span.is_empty() => YamlStyle::Absent,
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
    let written = (!matches!(value, YamlValue::Text(_))).then(|| text.into());
    YamlNode { value, position: place, span, style, source_text: written }
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
