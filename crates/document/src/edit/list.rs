//! Inserting and removing items of lists, in brackets or one per line.

use base::TextPosition;

use super::{DocumentSplice, EditTarget};
use crate::error::DocumentError;
use crate::new_value::NewValue;
use crate::node::{YamlField, YamlNode, YamlStyle, YamlValue};
use crate::write::{self, YamlContext};

/// Inserts an item into a list.
pub(super) fn insert(
    page: &EditTarget<'_>,
    name: &str,
    at: Option<usize>,
    item: &NewValue,
) -> Result<DocumentSplice, DocumentError> {
    let Some(entry) = page.field_entry(name) else {
        let said = write::inline(item, YamlStyle::Plain, YamlContext::Block);
        return page.append_field(&format!("{name}:{}  - {said}", page.newline()));
    };
    let YamlField { key, value } = entry;
    match (&value.value, value.style) {
        (YamlValue::Null, YamlStyle::Absent) => {
            let line = page.line_end(page.after_colon(key));
            let indent = page.indent(key.span.start);
            let said = write::inline(item, YamlStyle::Plain, YamlContext::Block);
            Ok(DocumentSplice::insert(line, format!("{indent}  - {said}{}", page.newline())))
        }
        (YamlValue::Null, _) => {
            let said = write::inline(item, YamlStyle::Plain, YamlContext::Flow);
            Ok(DocumentSplice::replace(value.span.clone(), format!("[{said}]")))
        }
        (YamlValue::List(items), YamlStyle::Flow) => Ok(insert_flow_item(value, items, at, item)),
        (YamlValue::List(items), YamlStyle::Block) => Ok(insert_block_item(page, items, at, item)),
        _ => Err(DocumentError::new(
            format!("`{name}` is {}, not a list", value.kind_name()),
            value.position,
        )),
    }
}

/// Removes an item from a list.
pub(super) fn remove(
    page: &EditTarget<'_>,
    name: &str,
    at: usize,
) -> Result<DocumentSplice, DocumentError> {
    let nothing = || DocumentError::new(format!("`{name}` has no item {at}"), TextPosition::START);
    let value = &page.field_entry(name).ok_or_else(nothing)?.value;
    let YamlValue::List(items) = &value.value else { return Err(nothing()) };
    let item = items.get(at).ok_or_else(nothing)?;
    match value.style {
        YamlStyle::Flow => Ok(DocumentSplice::remove(flow_item_range(page, value, items, at))),
        YamlStyle::Block => {
            let dash = dash_offset(page, item);
            let end = page.line_end(item.end(page.text).max(dash));
            Ok(DocumentSplice::remove(page.line_start(dash)..end))
        }
        _ => Err(DocumentError::new("a value inside an alias cannot be edited", value.position)),
    }
}

/// The splices that turn one list into another; `None` unless it is a block list and the common
/// items are in the same order. Common items keep their lines and comments.
pub(super) fn rewrite_items(
    page: &EditTarget<'_>,
    list: &YamlNode,
    old: &[YamlNode],
    new: &[NewValue],
) -> Result<Option<Vec<DocumentSplice>>, DocumentError> {
    if list.style != YamlStyle::Block {
        return Ok(None);
    }
    let kept: Vec<usize> =
        (0..old.len()).filter(|at| new.iter().any(|item| item.equals_node(&old[*at]))).collect();
    if kept.is_empty() {
        return Ok(None);
    }
    let mut splices = Vec::new();
    let mut rest = kept.iter().peekable();
    let mut next = 0;
    for item in new {
        let here = rest.peek().map(|at| **at);
        if here.is_some_and(|at| item.equals_node(&old[at])) {
            rest.next();
            next = here.map_or(next, |at| at + 1);
        } else {
            splices.push(insert_block_item(page, old, Some(next), item));
        }
    }
    if rest.peek().is_some() {
        return Ok(None); // they are in another order
    }
    for at in (0..old.len()).filter(|at| !kept.contains(at)) {
        let dash = dash_offset(page, &old[at]);
        let end = page.line_end(old[at].end(page.text).max(dash));
        splices.push(DocumentSplice::remove(page.line_start(dash)..end));
    }
    splices.sort_by_key(|splice| (splice.range.start, splice.range.end));
    Ok(Some(splices))
}

fn insert_flow_item(
    value: &YamlNode,
    items: &[YamlNode],
    at: Option<usize>,
    item: &NewValue,
) -> DocumentSplice {
    let like = items.last().map_or(YamlStyle::Plain, |last| last.style);
    let said = write::inline(item, like, YamlContext::Flow);
    match (at.and_then(|at| items.get(at)), items.last()) {
        (Some(next), _) => DocumentSplice::insert(next.span.start, format!("{said}, ")),
        (None, Some(last)) => DocumentSplice::insert(last.span.end, format!(", {said}")),
        (None, None) => DocumentSplice::insert(value.span.start + 1, said),
    }
}

/// The bytes to remove with an item. It is the inverse of `insert_flow_item`.
fn flow_item_range(
    page: &EditTarget<'_>,
    value: &YamlNode,
    items: &[YamlNode],
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

fn insert_block_item(
    page: &EditTarget<'_>,
    items: &[YamlNode],
    at: Option<usize>,
    item: &NewValue,
) -> DocumentSplice {
    let like = items.iter().map(|item| item.style).find(|style| is_quoted(*style));
    let said = write::inline(item, like.unwrap_or(YamlStyle::Plain), YamlContext::Block);
    let newline = page.newline();
    let line = |near: &YamlNode| {
        let dash = dash_offset(page, near);
        let gap =
            if near.span.start > dash { page.text[dash + 1..near.span.start].len() } else { 1 };
        let is_same_line = !page.text[dash..near.span.start.max(dash)].contains('\n');
        let gap = if is_same_line && near.style != YamlStyle::Absent { gap.clamp(1, 8) } else { 1 };
        format!("{}-{}{said}{newline}", page.indent(dash), " ".repeat(gap))
    };
    match (at.and_then(|at| items.get(at)), items.last()) {
        (Some(next), _) => {
            let start = page.line_start(dash_offset(page, next));
            DocumentSplice::insert(start, line(next))
        }
        (None, Some(last)) => {
            let end = page.line_end(last.end(page.text).max(dash_offset(page, last)));
            DocumentSplice::insert(end, line(last))
        }
        (None, None) => DocumentSplice::remove(0..0), // a block list has an item
    }
}

const fn is_quoted(style: YamlStyle) -> bool {
    matches!(style, YamlStyle::SingleQuoted | YamlStyle::DoubleQuoted)
}

/// The offset of an item's dash: on its line or on one before.
fn dash_offset(page: &EditTarget<'_>, item: &YamlNode) -> usize {
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
