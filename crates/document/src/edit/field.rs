//! Setting and removing fields.

use base::TextPosition;

use super::{DocumentSplice, EditTarget, FieldPathSegment, flow_frontmatter_error, list};
use crate::error::DocumentError;
use crate::new_value::NewValue;
use crate::node::{YamlField, YamlNode, YamlStyle, YamlValue};
use crate::write::{self, YamlContext};

/// Sets the value at a path.
pub(super) fn set(
    page: &EditTarget<'_>,
    path: &[FieldPathSegment],
    value: &NewValue,
) -> Result<Vec<DocumentSplice>, DocumentError> {
    let Some(FieldPathSegment::Field(name)) = path.first() else {
        return Err(DocumentError::new(
            "the path of an edit must start with a field",
            TextPosition::START,
        ));
    };
    let Some(entry) = page.field_entry(name) else {
        if path.len() > 1 {
            return Err(DocumentError::new(
                format!("there is no field `{name}`"),
                TextPosition::START,
            ));
        }
        let indent = top_indent(page);
        let said = write::after_colon(value, YamlStyle::Block, &indent, page.newline());
        return Ok(vec![page.append_field(&format!("{name}:{said}"))?]);
    };
    let found = locate_value(page, entry, &path[1..])?;
    if value.equals_node(found.node) {
        return Ok(Vec::new());
    }
    if let (YamlValue::List(old), NewValue::List(new), 1) = (&found.node.value, value, path.len())
        && let Some(splices) = list::rewrite_items(page, found.node, old, new)?
    {
        return Ok(splices);
    }
    Ok(vec![replace(page, &found, value)])
}

/// Removes a field with its lines.
pub(super) fn remove(
    page: &EditTarget<'_>,
    name: &str,
) -> Result<Vec<DocumentSplice>, DocumentError> {
    let Some(entry) = page.field_entry(name) else { return Ok(Vec::new()) };
    if page.document.frontmatter.as_ref().is_some_and(|front| front.is_flow) {
        return Err(flow_frontmatter_error());
    }
    let start = page.line_start(entry.key.span.start);
    Ok(vec![DocumentSplice::remove(start..page.line_end(page.field_end(entry)))])
}

/// A value of the text, and what is needed to replace it.
struct ValueLocation<'n> {
    node: &'n YamlNode,
    /// The offset after the colon or dash before it
    prefix_end: usize,
    context: YamlContext,
    indent: String,
}

fn locate_value<'n>(
    page: &EditTarget<'_>,
    field: &'n YamlField,
    path: &[FieldPathSegment],
) -> Result<ValueLocation<'n>, DocumentError> {
    let around = if page.document.frontmatter.as_ref().is_some_and(|front| front.is_flow) {
        YamlContext::Flow
    } else {
        YamlContext::Block
    };
    let mut found = ValueLocation {
        node: &field.value,
        prefix_end: page.after_colon(&field.key),
        context: around,
        indent: page.indent(field.key.span.start).to_owned(),
    };
    for step in path {
        if found.node.style == YamlStyle::Alias {
            return Err(DocumentError::new(
                "a value inside an alias cannot be edited",
                found.node.position,
            ));
        }
        if found.node.style == YamlStyle::Flow {
            found.context = YamlContext::Flow;
        }
        let nothing = || DocumentError::new("there is no such value", found.node.position);
        match (step, &found.node.value) {
            (FieldPathSegment::Field(name), YamlValue::Map(fields)) => {
                let inner = fields.entry(name).ok_or_else(nothing)?;
                found.prefix_end = page.after_colon(&inner.key);
                found.node = &inner.value;
            }
            (FieldPathSegment::Item(number), YamlValue::List(items)) => {
                found.node = items.get(*number).ok_or_else(nothing)?;
                found.prefix_end = found.node.span.start;
            }
            _ => return Err(nothing()),
        }
    }
    Ok(found)
}

fn replace(page: &EditTarget<'_>, found: &ValueLocation<'_>, value: &NewValue) -> DocumentSplice {
    let node = found.node;
    let is_single = !matches!(value, NewValue::List(_) | NewValue::Map(_) | NewValue::Null);
    let on_its_line = matches!(
        node.style,
        YamlStyle::Plain | YamlStyle::SingleQuoted | YamlStyle::DoubleQuoted | YamlStyle::Alias
    );
    if on_its_line && (is_single || found.context == YamlContext::Flow) {
        let text = write::inline(value, node.style, found.context);
        return DocumentSplice::replace(node.span.clone(), text);
    }
    let end = if node.style == YamlStyle::Absent {
        found.prefix_end
    } else {
        node.end(page.text).max(found.prefix_end)
    };
    let said = match found.context {
        YamlContext::Block => write::after_colon(value, node.style, &found.indent, page.newline()),
        YamlContext::Flow => {
            format!(" {}", write::inline(value, YamlStyle::Plain, YamlContext::Flow))
        }
    };
    DocumentSplice::replace(found.prefix_end..end, said)
}

fn top_indent(page: &EditTarget<'_>) -> String {
    let front = page.document.frontmatter.as_ref();
    let first = front.and_then(|front| front.fields.0.first());
    first.map(|field| page.indent(field.key.span.start).to_owned()).unwrap_or_default()
}
