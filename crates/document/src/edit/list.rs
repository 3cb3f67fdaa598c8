//! Putting items into lists and taking them out, in brackets or one a line.

use super::{Page, Splice};
use crate::data::Data;
use crate::fault::{Fault, Place};
use crate::node::{Node, Style, Value};
use crate::write::{self, Around};

/// Puts an item into a list.
pub(super) fn insert(
    page: &Page<'_>,
    name: &str,
    at: Option<usize>,
    item: &Data,
) -> Result<Splice, Fault> {
    let Some(entry) = page.field(name) else {
        let said = write::inline(item, Style::Plain, Around::Lines);
        return page.append(&format!("{name}:{}  - {said}", page.newline()));
    };
    let (key, value) = entry;
    match (&value.value, value.style) {
        (Value::Null, Style::Absent) => {
            let line = page.line_end(page.colon(key));
            let indent = page.indent(key.span.start);
            let said = write::inline(item, Style::Plain, Around::Lines);
            Ok((line..line, format!("{indent}  - {said}{}", page.newline())))
        }
        (Value::Null, _) => {
            let said = write::inline(item, Style::Plain, Around::Brackets);
            Ok((value.span.clone(), format!("[{said}]")))
        }
        (Value::List(items), Style::Flow) => Ok(into_brackets(value, items, at, item)),
        (Value::List(items), Style::Block) => Ok(into_lines(page, items, at, item)),
        _ => Err(Fault::new(format!("`{name}` is {}, not a list", value.kind()), value.place)),
    }
}

/// Takes an item out of a list.
pub(super) fn take(page: &Page<'_>, name: &str, at: usize) -> Result<Splice, Fault> {
    let nothing = || Fault::new(format!("`{name}` has no item {at}"), Place::START);
    let (_, value) = page.field(name).ok_or_else(nothing)?;
    let Value::List(items) = &value.value else { return Err(nothing()) };
    let item = items.get(at).ok_or_else(nothing)?;
    match value.style {
        Style::Flow => Ok((out_of_brackets(page, value, items, at), String::new())),
        Style::Block => {
            let dash = dash(page, item);
            let end = page.line_end(item.end(page.text).max(dash));
            Ok((page.line_start(dash)..end, String::new()))
        }
        _ => Err(Fault::new("an alias cannot be edited inside", value.place)),
    }
}

/// The splices that turn one list into another, if the items they share are in one order:
/// those keep their lines and comments.
pub(super) fn become_other(
    page: &Page<'_>,
    (_, value): &(Node, Node),
    old: &[Node],
    new: &[Data],
) -> Result<Option<Vec<Splice>>, Fault> {
    if value.style != Style::Block {
        return Ok(None);
    }
    let kept: Vec<usize> =
        (0..old.len()).filter(|at| new.iter().any(|item| item.is_said_by(&old[*at]))).collect();
    if kept.is_empty() {
        return Ok(None);
    }
    let mut splices = Vec::new();
    let mut rest = kept.iter().peekable();
    let mut next = 0;
    for item in new {
        let here = rest.peek().map(|at| **at);
        if here.is_some_and(|at| item.is_said_by(&old[at])) {
            rest.next();
            next = here.map_or(next, |at| at + 1);
        } else {
            splices.push(into_lines(page, old, Some(next), item));
        }
    }
    if rest.peek().is_some() {
        return Ok(None); // they are in another order
    }
    for at in (0..old.len()).filter(|at| !kept.contains(at)) {
        let dash = dash(page, &old[at]);
        let end = page.line_end(old[at].end(page.text).max(dash));
        splices.push((page.line_start(dash)..end, String::new()));
    }
    splices.sort_by_key(|(range, _)| (range.start, range.end));
    Ok(Some(splices))
}

fn into_brackets(value: &Node, items: &[Node], at: Option<usize>, item: &Data) -> Splice {
    let like = items.last().map_or(Style::Plain, |last| last.style);
    let said = write::inline(item, like, Around::Brackets);
    match (at.and_then(|at| items.get(at)), items.last()) {
        (Some(next), _) => (next.span.start..next.span.start, format!("{said}, ")),
        (None, Some(last)) => (last.span.end..last.span.end, format!(", {said}")),
        (None, None) => (value.span.start + 1..value.span.start + 1, said),
    }
}

/// The bytes that go with an item; with `into_brackets`, each undoes the other.
fn out_of_brackets(
    page: &Page<'_>,
    value: &Node,
    items: &[Node],
    at: usize,
) -> std::ops::Range<usize> {
    let own = items[at].span.clone();
    let gap_after = |next: usize| &page.text[own.end..next];
    if let Some(next) = items.get(at + 1).map(|next| next.span.start) {
        let comma = gap_after(next).find(',').map_or(own.end, |comma| own.end + comma + 1);
        return if gap_after(next).contains('#') { own.start..comma } else { own.start..next };
    }
    if at > 0 {
        let before = items[at - 1].span.end;
        return if page.text[before..own.start].contains('#') { own } else { before..own.end };
    }
    let close = value.span.end - 1;
    let comma = gap_after(close).split('#').next().and_then(|gap| gap.find(','));
    own.start..comma.map_or(own.end, |comma| own.end + comma + 1)
}

fn into_lines(page: &Page<'_>, items: &[Node], at: Option<usize>, item: &Data) -> Splice {
    let like = items.iter().map(|item| item.style).find(|style| is_quoted(*style));
    let said = write::inline(item, like.unwrap_or(Style::Plain), Around::Lines);
    let newline = page.newline();
    let line = |near: &Node| {
        let dash = dash(page, near);
        let gap =
            if near.span.start > dash { page.text[dash + 1..near.span.start].len() } else { 1 };
        let is_same_line = !page.text[dash..near.span.start.max(dash)].contains('\n');
        let gap = if is_same_line && near.style != Style::Absent { gap.clamp(1, 8) } else { 1 };
        format!("{}-{}{said}{newline}", page.indent(dash), " ".repeat(gap))
    };
    match (at.and_then(|at| items.get(at)), items.last()) {
        (Some(next), _) => {
            let start = page.line_start(dash(page, next));
            (start..start, line(next))
        }
        (None, Some(last)) => {
            let end = page.line_end(last.end(page.text).max(dash(page, last)));
            (end..end, line(last))
        }
        (None, None) => (0..0, String::new()), // a list in lines has an item
    }
}

const fn is_quoted(style: Style) -> bool {
    matches!(style, Style::Single | Style::Double)
}

/// Where the dash of an item is: on its line, or on one before it.
fn dash(page: &Page<'_>, item: &Node) -> usize {
    let mut at = page.line_start(item.span.start);
    loop {
        let line = &page.text[at..page.line_end(at)];
        let trimmed = line.trim_start();
        if trimmed.starts_with('-') || at == 0 {
            return at + line.len() - trimmed.len();
        }
        at = page.line_start(at - 1);
    }
}
