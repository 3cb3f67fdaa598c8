//! cairn's entry in the JSON files of agents, comments and trailing commas allowed.
//!
//! The text is edited at places that the parse gives, never printed anew. Two conventions of layout
//! show [`remove`] what was there before: in an empty object of the user, our text directly follows
//! the `{`; after a `{` that we wrote, there is always white space.

mod document;
mod print;

use base::text::MarkedText;
use jsonc_parser::ast::{Object, ObjectProp};
use serde_json::Value;

use crate::MalformedFile;
use crate::text::{decode, newline};
use document::JsonDocument;
use print::{JsonLayout, JsonTree};

/// What to put where: `container.name = value`.
#[derive(Debug)]
pub(crate) struct JsonEntry {
    /// The key of the object that holds all entries
    pub(crate) container: &'static str,
    /// The key of our entry in it
    pub(crate) name: &'static str,
    /// Our entry
    pub(crate) value: JsonEntryValue,
}

/// The value of an entry.
#[derive(Debug)]
pub(crate) enum JsonEntryValue {
    /// An object, with its fields as JSON text
    Fields(&'static [(&'static str, &'static str)]),
    /// Any JSON text, on one line
    Text(&'static str),
}

impl JsonEntry {
    fn to_tree(&self) -> JsonTree {
        match self.value {
            JsonEntryValue::Text(text) => JsonTree::Leaf(text),
            JsonEntryValue::Fields(fields) => JsonTree::Node(
                fields.iter().map(|(name, text)| (*name, JsonTree::Leaf(text))).collect(),
            ),
        }
    }

    fn to_nested_tree(&self) -> JsonTree {
        JsonTree::Node(vec![(self.name, self.to_tree())])
    }

    fn value(&self) -> Value {
        let text = self.to_tree().print(&JsonLayout::Inline, "");
        serde_json::from_str(&text).expect("the fields are JSON")
    }

    /// The file that holds our entry alone, without a newline at its end.
    fn new_file(&self, nl: &'static str) -> String {
        let layout = JsonLayout::Lines { nl, unit: "  ".into() };
        JsonTree::Node(vec![(self.container, self.to_nested_tree())]).print(&layout, "")
    }
}

pub(crate) fn install(
    entry: &JsonEntry,
    existing: Option<&[u8]>,
) -> Result<Vec<u8>, MalformedFile> {
    let Some(bytes) = existing else { return Ok((entry.new_file("\n") + "\n").into_bytes()) };
    let marked = decode(bytes)?;
    let text = marked.text;
    let added = add_entry(entry, text).map_err(|error| error.hint(manual_hint(entry)))?;
    Ok(marked.with_text(&added).into_bytes())
}

fn add_entry(entry: &JsonEntry, text: &str) -> Result<String, MalformedFile> {
    let json = JsonDocument::parse(text)?;
    let Some(root) = &json.root else {
        // Two newlines after it distinguish this from a file that cairn created.
        let nl = newline(text);
        return Ok(format!("{}{nl}{nl}{text}", entry.new_file(nl)));
    };
    let Some(holder) = last_property(root, entry.container) else {
        return Ok(json.add_property(root, entry.container, &entry.to_nested_tree()));
    };
    match holder.value.as_object() {
        None => {
            let message = format!("`{}` is not an object", entry.container);
            Err(MalformedFile::at(text.as_bytes(), holder.range.start, message))
        }
        Some(container) if last_property(container, entry.name).is_some() => Ok(text.to_owned()),
        Some(container) => Ok(json.add_property(container, entry.name, &entry.to_tree())),
    }
}

fn manual_hint(entry: &JsonEntry) -> String {
    let servers = JsonTree::Node(vec![(entry.container, entry.to_nested_tree())]);
    format!("add by hand: {}", servers.print(&JsonLayout::Inline, ""))
}

pub(crate) fn remove(entry: &JsonEntry, existing: &[u8]) -> Result<Option<Vec<u8>>, MalformedFile> {
    let marked = decode(existing)?;
    let text = marked.text;
    let json = JsonDocument::parse(text)?;
    let Some(JsonEntryLocation { container_property: holder, container, property, is_ours: true }) =
        find_entry(entry, &json)
    else {
        return Ok(Some(existing.to_vec()));
    };
    let left = if json.was_created_for(container, property) {
        remove_with_container(&json, holder)
    } else {
        Some(json.remove_property(property))
    };
    Ok(left.map(|text| marked.with_text(&text).into_bytes()))
}

/// The text without a container that we made; `None` when the whole file was ours.
fn remove_with_container(json: &JsonDocument, holder: &ObjectProp) -> Option<String> {
    let Some(root) = &json.root else { return Some(json.text.to_owned()) };
    let (text, nl) = (json.text, newline(json.text));
    let after = &text[root.range.end..];
    let made = root.range.start == 0 && json.was_created_for(root, holder);
    match after.strip_prefix(nl) {
        _ if !made || !text[1..].starts_with(nl) => Some(json.remove_property(holder)),
        None | Some("") if after.trim().is_empty() => None,
        Some(rest) if rest.starts_with(nl) => Some(rest[nl.len()..].to_owned()),
        _ => Some(json.remove_property(holder)),
    }
}

/// Whether the file has an entry that is not as cairn writes it.
pub(crate) fn is_customised(entry: &JsonEntry, existing: &[u8]) -> bool {
    let Ok(MarkedText { text, .. }) = decode(existing) else { return false };
    let Ok(json) = JsonDocument::parse(text) else { return false };
    find_entry(entry, &json).is_some_and(|found| !found.is_ours)
}

struct JsonEntryLocation<'j, 'a> {
    container_property: &'j ObjectProp<'a>,
    container: &'j Object<'a>,
    property: &'j ObjectProp<'a>,
    /// It is what cairn writes, and contains no comment
    is_ours: bool,
}

fn find_entry<'j, 'a>(
    entry: &JsonEntry,
    json: &'j JsonDocument<'a>,
) -> Option<JsonEntryLocation<'j, 'a>> {
    let holder = last_property(json.root.as_ref()?, entry.container)?;
    let container = holder.value.as_object()?;
    let property = last_property(container, entry.name)?;
    let same = Value::from(property.value.clone()) == entry.value();
    let ours = same && !json.has_comment(property.range);
    Some(JsonEntryLocation { container_property: holder, container, property, is_ours: ours })
}

/// The property of this name that counts: as in JavaScript the last.
fn last_property<'j, 'a>(object: &'j Object<'a>, name: &str) -> Option<&'j ObjectProp<'a>> {
    object.properties.iter().rev().find(|property| property.name.as_str() == name)
}
