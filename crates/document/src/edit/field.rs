//! Setting and removing fields.

use super::{Page, Splice, Step, in_braces, list};
use crate::data::Data;
use crate::fault::{Fault, Place};
use crate::node::{Node, Style, Value};
use crate::write::{self, Around};

/// Gives a value at a path another value.
pub(super) fn set(page: &Page<'_>, path: &[Step], value: &Data) -> Result<Vec<Splice>, Fault> {
    let Some(Step::Field(name)) = path.first() else {
        return Err(Fault::new("an edit names a field first", Place::START));
    };
    let Some(entry) = page.field(name) else {
        if path.len() > 1 {
            return Err(Fault::new(format!("there is no field `{name}`"), Place::START));
        }
        let indent = top_indent(page);
        let said = write::after_colon(value, Style::Block, &indent, page.newline());
        return Ok(vec![page.append(&format!("{name}:{said}"))?]);
    };
    let found = find(page, entry, &path[1..])?;
    if value.is_said_by(found.node) {
        return Ok(Vec::new());
    }
    if let (Value::List(old), Data::List(new), 1) = (&found.node.value, value, path.len())
        && let Some(splices) = list::become_other(page, entry, old, new)?
    {
        return Ok(splices);
    }
    Ok(vec![replace(page, &found, value)])
}

/// Takes a field out, with its lines.
pub(super) fn remove(page: &Page<'_>, name: &str) -> Result<Vec<Splice>, Fault> {
    let Some(entry) = page.field(name) else { return Ok(Vec::new()) };
    if page.document.front.as_ref().is_some_and(|front| front.is_flow) {
        return Err(in_braces());
    }
    let start = page.line_start(entry.0.span.start);
    Ok(vec![(start..page.line_end(page.field_end(entry)), String::new())])
}

/// A value that is there, and what it takes to replace it.
struct Found<'n> {
    node: &'n Node,
    /// One past the colon or dash before it
    head: usize,
    around: Around,
    indent: String,
}

fn find<'n>(
    page: &Page<'_>,
    (key, value): &'n (Node, Node),
    path: &[Step],
) -> Result<Found<'n>, Fault> {
    let around = if page.document.front.as_ref().is_some_and(|front| front.is_flow) {
        Around::Brackets
    } else {
        Around::Lines
    };
    let (head, indent) = (page.colon(key), page.indent(key.span.start).to_owned());
    let mut found = Found { node: value, head, around, indent };
    for step in path {
        if found.node.style == Style::Alias {
            return Err(Fault::new("an alias cannot be edited inside", found.node.place));
        }
        if found.node.style == Style::Flow {
            found.around = Around::Brackets;
        }
        let nothing = || Fault::new("there is no such value", found.node.place);
        match (step, &found.node.value) {
            (Step::Field(name), Value::Map(fields)) => {
                let (key, inner) = fields.entry(name).ok_or_else(nothing)?;
                found.head = page.colon(key);
                found.node = inner;
            }
            (Step::Item(number), Value::List(items)) => {
                found.node = items.get(*number).ok_or_else(nothing)?;
                found.head = found.node.span.start;
            }
            _ => return Err(nothing()),
        }
    }
    Ok(found)
}

fn replace(page: &Page<'_>, found: &Found<'_>, value: &Data) -> Splice {
    let node = found.node;
    let is_single = !matches!(value, Data::List(_) | Data::Map(_) | Data::Null);
    let on_its_line =
        matches!(node.style, Style::Plain | Style::Single | Style::Double | Style::Alias);
    if on_its_line && (is_single || found.around == Around::Brackets) {
        return (node.span.clone(), write::inline(value, node.style, found.around));
    }
    let end =
        if node.style == Style::Absent { found.head } else { node.end(page.text).max(found.head) };
    let said = match found.around {
        Around::Lines => write::after_colon(value, node.style, &found.indent, page.newline()),
        Around::Brackets => format!(" {}", write::inline(value, Style::Plain, Around::Brackets)),
    };
    (found.head..end, said)
}

fn top_indent(page: &Page<'_>) -> String {
    let front = page.document.front.as_ref();
    let first = front.and_then(|front| front.fields.0.first());
    first.map(|(key, _)| page.indent(key.span.start).to_owned()).unwrap_or_default()
}
