//! From YAML to values. Everything that a hostile text could make large has a limit.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use granit_parser::{Event, Options, Parser, ScalarStyle, ScanError, Span, StructureStyle};
use serde_json::Number;

use crate::fault::{Fault, Place, number};
use crate::node::{Fields, Node, Style, Value};

/// Frontmatter may have this many bytes.
pub const LARGEST_FRONTMATTER: usize = 256 * 1024;

/// A text may hold this many values, those of aliases counted each time they are named.
pub const MOST_VALUES: usize = 200_000;

/// Lists and maps may be nested this deep.
const DEEPEST: usize = 32;

/// What a text may cost.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    bytes: usize,
    values: usize,
}

impl Limits {
    pub(crate) const FRONTMATTER: Self = Self { bytes: LARGEST_FRONTMATTER, values: 20_000 };
    const FILE: Self = Self { bytes: usize::MAX, values: MOST_VALUES };
}

/// Reads a whole text of YAML (JSON is YAML too).
pub fn yaml(text: &str) -> Result<Node, Fault> {
    let start = text.len() - text.trim_start_matches('\u{feff}').len();
    span(text, start..text.len(), Limits::FILE)
}

/// Reads a part of a text; places and spans are those of the whole.
pub(crate) fn span(text: &str, part: Range<usize>, limits: Limits) -> Result<Node, Fault> {
    let start = Place::of(text, part.start);
    if part.len() > limits.bytes {
        let what =
            format!("{} bytes of frontmatter; at most {} are read", part.len(), limits.bytes);
        return Err(Fault::new(what, start));
    }
    let mut options = Options::default();
    options.set_emit_comments(false);
    options.flow_nesting_limit = DEEPEST * 2; // ours comes first and says it better
    options.block_nesting_limit = DEEPEST * 2;
    let reader = Reader {
        base: part.start,
        lines: start.line - 1,
        left: limits.values,
        limit: limits.values,
        open: Vec::new(),
        anchors: BTreeMap::new(),
        root: None,
    };
    reader.read(Parser::new_from_str_with_options(&text[part], options))
}

struct Reader {
    /// Where the part starts in the whole
    base: usize,
    /// Lines before the part
    lines: u32,
    /// Values that may still come
    left: usize,
    limit: usize,
    /// Lists and maps that are not closed yet
    open: Vec<Open>,
    anchors: BTreeMap<usize, Node>,
    root: Option<Node>,
}

struct Open {
    node: Node,
    anchor: usize,
    /// A key whose value is still to come
    key: Option<Node>,
    names: BTreeSet<String>,
}

impl Reader {
    fn read<'i>(
        mut self,
        events: impl Iterator<Item = Result<(Event<'i>, Span), ScanError>>,
    ) -> Result<Node, Fault> {
        let mut documents = 0;
        for event in events {
            let (event, span) = event.map_err(|error| self.scan(&error))?;
            let place = self.place(&span);
            match event {
                Event::DocumentStart(..) => documents += 1,
                Event::Scalar(text, style, anchor, tag) => {
                    let node = scalar(&text, style, tag.is_some(), (place, self.span(&span)));
                    self.keep(node, anchor)?;
                }
                Event::SequenceStart(style, anchor, _) => {
                    self.start(Value::List(Vec::new()), style, anchor, (place, self.span(&span)))?;
                }
                Event::MappingStart(style, anchor, _) => {
                    let value = Value::Map(Fields::default());
                    self.start(value, style, anchor, (place, self.span(&span)))?;
                }
                Event::SequenceEnd | Event::MappingEnd => self.close(&span)?,
                Event::Alias(id) => self.alias(id, (place, self.span(&span)))?,
                _ => {}
            }
            if documents > 1 {
                return Err(Fault::new("a second document starts here", place));
            }
        }
        let nothing =
            || scalar("", ScalarStyle::Plain, false, (Place::START, self.base..self.base));
        Ok(self.root.unwrap_or_else(nothing))
    }

    fn scan(&self, error: &ScanError) -> Fault {
        let mark = error.marker();
        let line = self.lines + number(mark.line());
        let place = Place { line, column: number(mark.col()) + 1 };
        Fault::new(format!("not YAML: {}", error.info()), place)
    }

    fn place(&self, span: &Span) -> Place {
        let (line, column) = (number(span.start.line()), number(span.start.col()));
        Place { line: self.lines + line, column: column + 1 }
    }

    fn span(&self, span: &Span) -> Range<usize> {
        let range = span.byte_range().unwrap_or_default();
        self.base + range.start..self.base + range.end
    }

    fn start(
        &mut self,
        value: Value,
        style: StructureStyle,
        anchor: usize,
        (place, span): (Place, Range<usize>),
    ) -> Result<(), Fault> {
        if self.open.len() == DEEPEST {
            return Err(Fault::new(format!("nested more than {DEEPEST} deep"), place));
        }
        let style = match style {
            StructureStyle::Flow => Style::Flow,
            StructureStyle::Block => Style::Block,
        };
        let node = Node { value, place, span, style, written: None };
        self.open.push(Open { node, anchor, key: None, names: BTreeSet::new() });
        Ok(())
    }

    fn close(&mut self, span: &Span) -> Result<(), Fault> {
        let Some(mut closed) = self.open.pop() else { return Ok(()) };
        closed.node.span.end = self.span(span).end;
        self.keep(closed.node, closed.anchor)
    }

    fn alias(&mut self, id: usize, (place, span): (Place, Range<usize>)) -> Result<(), Fault> {
        let values = self.anchors.get(&id).map(|meant| count(meant, self.left + 1));
        self.spend(values.unwrap_or(0), place)?;
        let Some(meant) = self.anchors.get(&id).cloned() else {
            return Err(Fault::new("an alias of what it stands in", place));
        };
        self.put(Node { place, span, style: Style::Alias, ..meant })
    }

    fn keep(&mut self, node: Node, anchor: usize) -> Result<(), Fault> {
        self.spend(1, node.place)?;
        if anchor > 0 {
            // What an anchor keeps is a copy, and copies of copies grow too.
            self.spend(count(&node, self.left + 1), node.place)?;
            self.anchors.insert(anchor, node.clone());
        }
        self.put(node)
    }

    fn spend(&mut self, values: usize, place: Place) -> Result<(), Fault> {
        let too_many = || Fault::new(format!("more than {} values", self.limit), place);
        self.left = self.left.checked_sub(values).ok_or_else(too_many)?;
        Ok(())
    }

    fn put(&mut self, node: Node) -> Result<(), Fault> {
        let Some(open) = self.open.last_mut() else {
            self.root = Some(node);
            return Ok(());
        };
        match &mut open.node.value {
            Value::List(items) => items.push(node),
            Value::Map(fields) => match open.key.take() {
                Some(key) => fields.0.push((key, node)),
                None => open.key = Some(name(node, &mut open.names)?),
            },
            _ => {}
        }
        Ok(())
    }
}

/// How many values a value holds, itself counted; stops at `enough`.
fn count(node: &Node, enough: usize) -> usize {
    let mut total = 1;
    let mut add = |inner: &Node| {
        if total < enough {
            total += count(inner, enough - total);
        }
    };
    match &node.value {
        Value::List(items) => items.iter().for_each(&mut add),
        Value::Map(fields) => fields.0.iter().for_each(|(_, value)| add(value)),
        _ => {}
    }
    total
}

/// A value as the name of a field, which no other field beside it has.
fn name(node: Node, names: &mut BTreeSet<String>) -> Result<Node, Fault> {
    let Some(name) = node.scalar().map(Cow::into_owned) else {
        return Err(Fault::new(
            format!("a field's name is a word, not {}", node.kind()),
            node.place,
        ));
    };
    if !names.insert(name.clone()) {
        return Err(Fault::new(format!("`{name}` is there twice"), node.place));
    }
    Ok(Node { value: Value::Text(name), ..node })
}

fn scalar(
    text: &str,
    style: ScalarStyle,
    is_tagged: bool,
    (place, span): (Place, Range<usize>),
) -> Node {
    let style = match style {
        ScalarStyle::Plain if span.is_empty() => Style::Absent,
        ScalarStyle::Plain => Style::Plain,
        ScalarStyle::SingleQuoted => Style::Single,
        ScalarStyle::DoubleQuoted => Style::Double,
        ScalarStyle::Literal | ScalarStyle::Folded => Style::Lines,
    };
    let value = match style {
        Style::Absent if !is_tagged => Value::Null,
        Style::Plain if !is_tagged => resolve(text),
        _ => Value::Text(text.into()),
    };
    let written = (!matches!(value, Value::Text(_))).then(|| text.into());
    Node { value, place, span, style, written }
}

/// What a plain scalar means, by the core schema of YAML 1.2.
pub(crate) fn resolve(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        _ => numeral(text).map_or_else(|| Value::Text(text.into()), Value::Number),
    }
}

fn numeral(text: &str) -> Option<Number> {
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
