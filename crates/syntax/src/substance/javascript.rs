//! The substance of JavaScript and TypeScript: the syntax tree in its ESTree form, without places.
//!
//! The tree has neither layout nor comments, and literals have their values, so that quotes,
//! semicolons, trailing commas and redundant parentheses do not count.

use std::borrow::Cow;

use base::Span;

use super::{ReadAs, Selection, push_token};
use crate::descriptor::JavaScriptDialect;
use crate::javascript;

/// The substance; `None` if the text cannot be parsed.
pub(super) fn substance(
    dialect: JavaScriptDialect,
    text: &str,
    selection: &Selection<'_>,
) -> Option<String> {
    let mut json = None;
    javascript::with_program(dialect, text, |program| {
        json = Some(program.to_estree_json(true, false));
    });
    let json = json?;
    let tree = EstreeReader::read(&json)?;
    let mut out = String::new();
    tree.write(selection, &mut out);
    Some(out)
}

/// A value of the tree.
#[derive(Debug)]
struct EstreeValue<'j> {
    /// The name of the field that it is in; empty for an item of a list
    field: &'j str,
    /// A scalar as it is written; `None` for an object or a list
    scalar: Option<&'j str>,
    /// The type of a node
    kind: &'j str,
    /// Where a node is in the text
    span: Option<Span>,
    /// The values in it
    children: Vec<usize>,
}

/// The tree as a list of values; the first is the root.
struct Estree<'j> {
    values: Vec<EstreeValue<'j>>,
}

/// Reads the JSON of a tree without recursion.
struct EstreeReader<'j> {
    json: &'j str,
    at: usize,
}

impl<'j> EstreeReader<'j> {
    fn read(json: &'j str) -> Option<Estree<'j>> {
        let mut reader = Self { json, at: 0 };
        let mut values: Vec<EstreeValue<'j>> = Vec::new();
        let mut open: Vec<usize> = Vec::new();
        let mut field = "";
        loop {
            match reader.json.as_bytes().get(reader.at)? {
                b'{' | b'[' => {
                    let at = values.len();
                    values.push(EstreeValue::new(std::mem::take(&mut field), None));
                    if let Some(parent) = open.last() {
                        values[*parent].children.push(at);
                    }
                    open.push(at);
                    reader.at += 1;
                }
                b'}' | b']' => {
                    let done = open.pop()?;
                    reader.at += 1;
                    finish(&mut values, done);
                    if open.is_empty() {
                        return Some(Estree { values });
                    }
                }
                b',' | b':' | b' ' | b'\n' => reader.at += 1,
                _ => {
                    let scalar = reader.scalar()?;
                    if reader.json.as_bytes().get(reader.at) == Some(&b':') {
                        field = scalar.trim_matches('"');
                        continue;
                    }
                    let at = values.len();
                    values.push(EstreeValue::new(std::mem::take(&mut field), Some(scalar)));
                    let parent = *open.last()?;
                    values[parent].children.push(at);
                }
            }
        }
    }

    /// A string with its quotes, a number or a word.
    fn scalar(&mut self) -> Option<&'j str> {
        let rest = &self.json.as_bytes()[self.at..];
        let len = match rest.first()? {
            b'"' => {
                let mut end = 1;
                while *rest.get(end)? != b'"' {
                    end += if rest[end] == b'\\' { 2 } else { 1 };
                }
                end + 1
            }
            _ => rest.iter().take_while(|byte| !b",:}] \n".contains(byte)).count(),
        };
        let scalar = &self.json[self.at..self.at + len.max(1)];
        self.at += len.max(1);
        Some(scalar)
    }
}

/// Gives a node its type and place once all its fields are read.
fn finish(values: &mut [EstreeValue<'_>], done: usize) {
    let mut kind = "";
    let (mut start, mut end) = (None, None);
    for child in &values[done].children {
        let value = &values[*child];
        let number = || value.scalar.and_then(|text| text.parse::<u32>().ok());
        match value.field {
            "type" => kind = value.scalar.unwrap_or_default().trim_matches('"'),
            "start" => start = number(),
            "end" => end = number(),
            _ => {}
        }
    }
    values[done].kind = kind;
    values[done].span = start.zip(end).map(|(start, end)| Span::new(start, end));
}

impl<'j> EstreeValue<'j> {
    const fn new(field: &'j str, scalar: Option<&'j str>) -> Self {
        Self { field, scalar, kind: "", span: None, children: Vec::new() }
    }
}

/// Fields that say where or how something is written.
const LAYOUT_FIELDS: [&str; 6] = ["type", "start", "end", "raw", "hashbang", "sourceType"];

/// A step of the walk: a value to enter, or the end of one.
enum WalkStep {
    Enter(usize),
    /// The text of a JSX attribute
    EnterAttribute(usize),
    Close,
}

impl Estree<'_> {
    fn write(&self, selection: &Selection<'_>, out: &mut String) {
        let mut steps = vec![WalkStep::Enter(0)];
        while let Some(step) = steps.pop() {
            let at = match step {
                WalkStep::Enter(at) => at,
                WalkStep::EnterAttribute(at) => {
                    self.write_attribute(&self.values[at], out);
                    continue;
                }
                WalkStep::Close => {
                    push_token(out, ")");
                    continue;
                }
            };
            let value = &self.values[at];
            if let Some(span) = value.span {
                if !selection.overlaps(span) {
                    continue;
                }
                match selection.reading(span) {
                    ReadAs::Unchanged => {}
                    ReadAs::LeftOut => continue,
                    ReadAs::Replaced(text) => {
                        push_token(out, text);
                        continue;
                    }
                }
                // Whether the whole program is read depends on what is around a symbol.
                // A statement is as long as its expression only without a semicolon.
                let is_bare = value.kind == "ExpressionStatement" && selection.is_whole(span);
                if !selection.contains(span) || is_bare || value.kind == "Program" {
                    self.enter_nodes(value, &mut steps);
                    continue;
                }
            }
            self.write_value(value, selection, out, &mut steps);
        }
    }

    /// Goes into what is around the selection, without writing it down.
    fn enter_nodes(&self, value: &EstreeValue<'_>, steps: &mut Vec<WalkStep>) {
        let groups = value.children.iter().rev().filter(|at| self.values[**at].scalar.is_none());
        for group in groups {
            let inner = &self.values[*group];
            match inner.span {
                Some(_) => steps.push(WalkStep::Enter(*group)),
                None => self.enter_nodes(inner, steps),
            }
        }
    }

    fn write_value(
        &self,
        value: &EstreeValue<'_>,
        selection: &Selection<'_>,
        out: &mut String,
        steps: &mut Vec<WalkStep>,
    ) {
        if let Some(scalar) = value.scalar {
            let name = match value.field {
                "name" => selection.name(scalar.trim_matches('"')),
                _ => Cow::Borrowed(scalar),
            };
            return push_token(out, &format!("{} {name}", value.field));
        }
        match value.kind {
            "JSXText" => return self.write_jsx_text(value, out),
            "EmptyStatement" => return,
            "JSXExpressionContainer" if self.is_space(value) => return,
            // The name of a property, or of a member of an enum.
            "Literal" | "Identifier" if self.is_plain_name(value) => {
                let quoted = self.text_of(value, "value").and_then(identifier);
                let plain = self.text_of(value, "name").and_then(identifier);
                if let Some(name) = quoted.or(plain) {
                    push_token(out, &format!("(Identifier {}", value.field));
                    push_token(out, &format!("name {}", selection.name(name)));
                    return push_token(out, ")");
                }
            }
            _ => {}
        }
        let is_wrapper = matches!(value.kind, "TSParenthesizedType" | "ParenthesizedExpression");
        if !is_wrapper {
            push_token(out, &format!("({} {}", value.kind, value.field));
            steps.push(WalkStep::Close);
        }
        let own = value.children.iter().rev();
        let own = own.filter(|at| !LAYOUT_FIELDS.contains(&self.values[**at].field));
        let is_attribute = |at: usize| {
            let inner = &self.values[at];
            value.kind == "JSXAttribute" && inner.field == "value" && inner.kind == "Literal"
        };
        steps.extend(own.map(|at| match is_attribute(*at) {
            true => WalkStep::EnterAttribute(*at),
            false => WalkStep::Enter(*at),
        }));
    }

    /// Whether a node is only a name: that of a property, or of a member of an enum. Quotes around
    /// it make no difference.
    fn is_plain_name(&self, value: &EstreeValue<'_>) -> bool {
        let has_type = |at: &usize| {
            let inner = &self.values[*at];
            inner.field == "typeAnnotation" && inner.scalar.is_none()
        };
        value.field == "key" || (value.field == "id" && !value.children.iter().any(has_type))
    }

    /// The text of a JSX attribute, in which quotes may be written as entities.
    fn write_attribute(&self, value: &EstreeValue<'_>, out: &mut String) {
        let text = self.text_of(value, "value").unwrap_or_default();
        let text = text.replace("&quot;", "\\\"").replace("&apos;", "'");
        push_token(out, &format!("attribute {text}"));
    }

    /// The text of a JSX element, in which white space counts as one space at most.
    fn write_jsx_text(&self, value: &EstreeValue<'_>, out: &mut String) {
        let text = self.text_of(value, "value").unwrap_or_default();
        let text = text.trim_matches('"').replace("\\n", " ").replace("\\t", " ");
        let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
        if !words.is_empty() {
            push_token(out, &format!("text {words}"));
        }
    }

    /// Whether an expression is the space that formatters write as `{" "}`.
    fn is_space(&self, value: &EstreeValue<'_>) -> bool {
        value.children.iter().any(|at| {
            let inner = &self.values[*at];
            inner.field == "expression" && self.text_of(inner, "value") == Some("\" \"")
        })
    }

    /// A scalar field of a node.
    fn text_of(&self, value: &EstreeValue<'_>, field: &str) -> Option<&str> {
        let found = value.children.iter().find(|at| self.values[**at].field == field)?;
        self.values[*found].scalar
    }
}

/// The name in a quoted key that could be written without quotes.
fn identifier(quoted: &str) -> Option<&str> {
    let name = quoted.strip_prefix('"')?.strip_suffix('"')?;
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    let is_name = name.chars().all(is_part) && !name.starts_with(|c: char| c.is_numeric());
    (is_name && !name.is_empty()).then_some(name)
}
