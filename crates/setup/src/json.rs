//! cairn's entry in the JSON files of agents, comments and trailing commas allowed.
//!
//! The text is edited at places that the parse gives, never printed anew. Two habits of layout
//! tell [`remove`] what was there before: in an object that was there and empty, our text follows
//! its `{` directly; after a `{` that we wrote there is always white space.

mod document;
mod print;

use jsonc_parser::ast::{Object, ObjectProp};
use serde_json::Value;

use crate::Malformed;
use crate::text::{decoded, newline};
use document::Json;
use print::{Layout, Tree};

/// What to put where: `container.name = value`.
#[derive(Debug)]
pub(crate) struct Entry {
    /// The key of the object that holds all entries
    pub(crate) container: &'static str,
    /// The key of our entry in it
    pub(crate) name: &'static str,
    /// Our entry
    pub(crate) value: EntryValue,
}

/// The value of an entry.
#[derive(Debug)]
pub(crate) enum EntryValue {
    /// An object, with its fields as JSON text
    Fields(&'static [(&'static str, &'static str)]),
    /// Any JSON text, on one line
    Text(&'static str),
}

impl Entry {
    fn tree(&self) -> Tree {
        match self.value {
            EntryValue::Text(text) => Tree::Leaf(text),
            EntryValue::Fields(fields) => {
                Tree::Node(fields.iter().map(|(name, text)| (*name, Tree::Leaf(text))).collect())
            }
        }
    }

    fn nested(&self) -> Tree {
        Tree::Node(vec![(self.name, self.tree())])
    }

    fn value(&self) -> Value {
        let text = self.tree().print(&Layout::Inline, "");
        serde_json::from_str(&text).expect("the fields are JSON")
    }

    /// The file that holds our entry alone, without a newline at its end.
    fn created(&self, nl: &'static str) -> String {
        let layout = Layout::Lines { nl, unit: "  ".into() };
        Tree::Node(vec![(self.container, self.nested())]).print(&layout, "")
    }
}

pub(crate) fn install(entry: &Entry, existing: Option<&[u8]>) -> Result<Vec<u8>, Malformed> {
    let Some(bytes) = existing else { return Ok((entry.created("\n") + "\n").into_bytes()) };
    let (bom, text) = decoded(bytes)?;
    let added = installed(entry, text).map_err(|error| error.hint(by_hand(entry)))?;
    Ok(format!("{bom}{added}").into_bytes())
}

fn installed(entry: &Entry, text: &str) -> Result<String, Malformed> {
    let json = Json::parse(text)?;
    let Some(root) = &json.root else {
        // Two newlines after it tell this from a file that we created.
        let nl = newline(text);
        return Ok(format!("{}{nl}{nl}{text}", entry.created(nl)));
    };
    let Some(holder) = last(root, entry.container) else {
        return Ok(json.add(root, entry.container, &entry.nested()));
    };
    match holder.value.as_object() {
        None => {
            let message = format!("`{}` is not an object", entry.container);
            Err(Malformed::at(text.as_bytes(), holder.range.start, message))
        }
        Some(container) if last(container, entry.name).is_some() => Ok(text.to_owned()),
        Some(container) => Ok(json.add(container, entry.name, &entry.tree())),
    }
}

fn by_hand(entry: &Entry) -> String {
    let servers = Tree::Node(vec![(entry.container, entry.nested())]);
    format!("add by hand: {}", servers.print(&Layout::Inline, ""))
}

pub(crate) fn remove(entry: &Entry, existing: &[u8]) -> Result<Option<Vec<u8>>, Malformed> {
    let (bom, text) = decoded(existing)?;
    let json = Json::parse(text)?;
    let Some(Found { holder, container, property, ours: true }) = find(entry, &json) else {
        return Ok(Some(existing.to_vec()));
    };
    let left = if json.is_made_for(container, property) {
        taken_with_holder(&json, holder)
    } else {
        Some(json.cut(property))
    };
    Ok(left.map(|text| format!("{bom}{text}").into_bytes()))
}

/// The text without a container that we made; `None` when the whole file was ours.
fn taken_with_holder(json: &Json, holder: &ObjectProp) -> Option<String> {
    let Some(root) = &json.root else { return Some(json.text.to_owned()) };
    let (text, nl) = (json.text, newline(json.text));
    let after = &text[root.range.end..];
    let made = root.range.start == 0 && json.is_made_for(root, holder);
    match after.strip_prefix(nl) {
        _ if !made || !text[1..].starts_with(nl) => Some(json.cut(holder)),
        None | Some("") if after.trim().is_empty() => None,
        Some(rest) if rest.starts_with(nl) => Some(rest[nl.len()..].to_owned()),
        _ => Some(json.cut(holder)),
    }
}

/// Whether the file has an entry that is not as cairn writes it.
pub(crate) fn is_customised(entry: &Entry, existing: &[u8]) -> bool {
    let Ok((_, text)) = decoded(existing) else { return false };
    let Ok(json) = Json::parse(text) else { return false };
    find(entry, &json).is_some_and(|found| !found.ours)
}

struct Found<'j, 'a> {
    holder: &'j ObjectProp<'a>,
    container: &'j Object<'a>,
    property: &'j ObjectProp<'a>,
    /// It says what cairn writes, and no comment stands in it
    ours: bool,
}

fn find<'j, 'a>(entry: &Entry, json: &'j Json<'a>) -> Option<Found<'j, 'a>> {
    let holder = last(json.root.as_ref()?, entry.container)?;
    let container = holder.value.as_object()?;
    let property = last(container, entry.name)?;
    let same = Value::from(property.value.clone()) == entry.value();
    let ours = same && !json.has_comment(property.range);
    Some(Found { holder, container, property, ours })
}

/// The property of this name that counts: as in JavaScript the last.
fn last<'j, 'a>(object: &'j Object<'a>, name: &str) -> Option<&'j ObjectProp<'a>> {
    object.properties.iter().rev().find(|property| property.name.as_str() == name)
}
