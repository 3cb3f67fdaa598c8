//! Verifies an edit: the new text is parsed and compared with the expected values.

use base::TextPosition;
use serde_json::{Map, Value as Json};

use super::{DocumentEdit, FieldPathSegment};
use crate::error::DocumentError;
use crate::frontmatter::Document;
use crate::new_value::NewValue;

/// Refuses an edit whose result differs from what it should be.
pub(super) fn check(
    before: &Document<'_>,
    edit: &DocumentEdit,
    text: &str,
) -> Result<(), DocumentError> {
    let after = Document::parse(text).map_err(|fault| edit_error(before, edit, &fault.message))?;
    let wanted = match edit {
        DocumentEdit::ReplaceBody(body) => body.replace("\r\n", "\n"),
        _ => before.body().replace("\r\n", "\n"),
    };
    let mut expected = fields_as_json(before);
    apply(&mut expected, edit);
    if expected != fields_as_json(&after) || wanted != after.body().replace("\r\n", "\n") {
        return Err(edit_error(before, edit, "another value would change with it"));
    }
    Ok(())
}

fn edit_error(before: &Document<'_>, edit: &DocumentEdit, why: &str) -> DocumentError {
    let name = match edit {
        DocumentEdit::Set { path, .. } => match path.first() {
            Some(FieldPathSegment::Field(name)) => name,
            _ => "",
        },
        DocumentEdit::RemoveField { field: name }
        | DocumentEdit::InsertItem { list: name, .. }
        | DocumentEdit::RemoveItem { list: name, .. } => name,
        DocumentEdit::ReplaceBody(_) => "body",
    };
    let place = before.position_of(name).unwrap_or(TextPosition::START);
    DocumentError::new(
        format!("`{name}` cannot be edited in place ({why}); edit it by hand"),
        place,
    )
}

/// The fields as JSON; an empty list and an absent value are the same.
fn fields_as_json(document: &Document<'_>) -> Map<String, Json> {
    document
        .fields()
        .map(|(name, value)| (name.to_owned(), normalize_empty_list(value.to_json())))
        .collect()
}

fn normalize_empty_list(value: Json) -> Json {
    match value {
        Json::Array(items) if items.is_empty() => Json::Null,
        other => other,
    }
}

fn apply(fields: &mut Map<String, Json>, edit: &DocumentEdit) {
    match edit {
        DocumentEdit::Set { path, value } => set(fields, path, value),
        DocumentEdit::RemoveField { field } => drop(fields.remove(field)),
        DocumentEdit::InsertItem { list, at, item } => {
            let slot = fields.entry(list).or_insert(Json::Null);
            if slot.is_null() {
                *slot = Json::Array(Vec::new());
            }
            if let Json::Array(items) = slot {
                let at = at.unwrap_or(items.len()).min(items.len());
                items.insert(at, to_json(item));
            }
        }
        DocumentEdit::RemoveItem { list, at } => {
            if let Some(Json::Array(items)) = fields.get_mut(list)
                && *at < items.len()
            {
                items.remove(*at);
            }
            if let Some(slot) = fields.get_mut(list) {
                *slot = normalize_empty_list(slot.take());
            }
        }
        DocumentEdit::ReplaceBody(_) => {}
    }
}

fn set(fields: &mut Map<String, Json>, path: &[FieldPathSegment], value: &NewValue) {
    let Some((FieldPathSegment::Field(name), rest)) = path.split_first() else { return };
    let mut slot = fields.entry(name).or_insert(Json::Null);
    for step in rest {
        let inner = match step {
            FieldPathSegment::Field(name) => slot.get_mut(name),
            FieldPathSegment::Item(number) => slot.get_mut(number),
        };
        let Some(inner) = inner else { return };
        slot = inner;
    }
    *slot = if rest.is_empty() { normalize_empty_list(to_json(value)) } else { to_json(value) };
}

fn to_json(value: &NewValue) -> Json {
    match value {
        NewValue::Null => Json::Null,
        NewValue::Bool(yes) => (*yes).into(),
        NewValue::Int(number) => (*number).into(),
        NewValue::Text(text) => text.as_str().into(),
        NewValue::List(items) => items.iter().map(to_json).collect(),
        NewValue::Map(fields) => {
            fields.iter().map(|(name, value)| (name.clone(), to_json(value))).collect()
        }
    }
}
