//! An edit is believed when the new text, read again, says exactly what it should.

use serde_json::{Map, Value as Json};

use super::{Edit, Step};
use crate::cut::Document;
use crate::data::Data;
use crate::fault::{Fault, Place};

/// Refuses an edit that did something else, or more.
pub(super) fn check(before: &Document<'_>, edit: &Edit, text: &str) -> Result<(), Fault> {
    let after = Document::parse(text).map_err(|fault| refused(before, edit, &fault.message))?;
    let wanted = match edit {
        Edit::Body(body) => body.replace("\r\n", "\n"),
        _ => before.body().replace("\r\n", "\n"),
    };
    let mut expected = json(before);
    apply(&mut expected, edit);
    if expected != json(&after) || wanted != after.body().replace("\r\n", "\n") {
        return Err(refused(before, edit, "something else would change with it"));
    }
    Ok(())
}

fn refused(before: &Document<'_>, edit: &Edit, why: &str) -> Fault {
    let name = match edit {
        Edit::Set { path, .. } => match path.first() {
            Some(Step::Field(name)) => name,
            _ => "",
        },
        Edit::Remove { field: name }
        | Edit::Insert { list: name, .. }
        | Edit::Take { list: name, .. } => name,
        Edit::Body(_) => "body",
    };
    let place = before.place_of(name).unwrap_or(Place::START);
    Fault::new(format!("`{name}` cannot be edited in place ({why}); edit it by hand"), place)
}

/// The fields as JSON; an empty list and nothing are the same.
fn json(document: &Document<'_>) -> Map<String, Json> {
    document.fields().map(|(name, value)| (name.to_owned(), level(value.to_json()))).collect()
}

fn level(value: Json) -> Json {
    match value {
        Json::Array(items) if items.is_empty() => Json::Null,
        other => other,
    }
}

fn apply(fields: &mut Map<String, Json>, edit: &Edit) {
    match edit {
        Edit::Set { path, value } => set(fields, path, value),
        Edit::Remove { field } => drop(fields.remove(field)),
        Edit::Insert { list, at, item } => {
            let slot = fields.entry(list).or_insert(Json::Null);
            if slot.is_null() {
                *slot = Json::Array(Vec::new());
            }
            if let Json::Array(items) = slot {
                let at = at.unwrap_or(items.len()).min(items.len());
                items.insert(at, to_json(item));
            }
        }
        Edit::Take { list, at } => {
            if let Some(Json::Array(items)) = fields.get_mut(list)
                && *at < items.len()
            {
                items.remove(*at);
            }
            if let Some(slot) = fields.get_mut(list) {
                *slot = level(slot.take());
            }
        }
        Edit::Body(_) => {}
    }
}

fn set(fields: &mut Map<String, Json>, path: &[Step], value: &Data) {
    let Some((Step::Field(name), rest)) = path.split_first() else { return };
    let mut slot = fields.entry(name).or_insert(Json::Null);
    for step in rest {
        let inner = match step {
            Step::Field(name) => slot.get_mut(name),
            Step::Item(number) => slot.get_mut(number),
        };
        let Some(inner) = inner else { return };
        slot = inner;
    }
    *slot = if rest.is_empty() { level(to_json(value)) } else { to_json(value) };
}

fn to_json(value: &Data) -> Json {
    match value {
        Data::Null => Json::Null,
        Data::Bool(yes) => (*yes).into(),
        Data::Int(number) => (*number).into(),
        Data::Text(text) => text.as_str().into(),
        Data::List(items) => items.iter().map(to_json).collect(),
        Data::Map(fields) => {
            fields.iter().map(|(name, value)| (name.clone(), to_json(value))).collect()
        }
    }
}
