//! Writes new cards, and edits cards without changing any other byte.
//!
//! The template writes one item and one relation per line, so that two branches that touch
//! different fields, or add different relations, merge by lines. A list without items is left out.

use base::entity::CardKey;
use document::{Document, DocumentEdit, DocumentError, FieldPathSegment, NewValue, YamlNode, edit};
use serde_json::{Map, Value as Json};

use crate::key::key_kind;
use crate::words::{CardRelationKind, CardStatus};

/// The fields of a new card.
#[derive(Debug, Clone)]
pub struct NewCard<'a> {
    /// Its key
    pub key: &'a CardKey,
    /// What it is about
    pub summary: &'a str,
    /// Its status
    pub status: CardStatus,
    /// Lists by field name
    pub lists: [(&'static str, &'a [String]); 3],
    /// Its relations to other cards
    pub relations: &'a [(CardRelationKind, CardKey)],
    /// The text after the frontmatter
    pub body: &'a str,
}

/// The text of a new card. Frequently edited fields are separated by a stable one, so that edits merge.
pub fn render_new_card(new: &NewCard<'_>) -> Result<String, DocumentError> {
    let blank = "---\nkey:\nsummary:\ntype:\nstatus:\n---\n";
    let mut edits = vec![
        DocumentEdit::set("key", new.key.as_str()),
        DocumentEdit::set("summary", new.summary),
        DocumentEdit::set("type", key_kind(new.key)),
        DocumentEdit::set("status", new.status.word()),
    ];
    for (list, items) in new.lists {
        edits.extend(items.iter().map(|item| DocumentEdit::push(list, item.as_str())));
    }
    let mut relations = new.relations.to_vec();
    relations.sort();
    relations.dedup();
    edits.extend(
        relations
            .iter()
            .map(|(kind, to)| DocumentEdit::push("relations", relation_data(*kind, to))),
    );
    let body = new.body.trim();
    if !body.is_empty() {
        edits.push(DocumentEdit::ReplaceBody(format!("\n{body}\n")));
    }
    edit(blank, &edits)
}

/// The text with new values in some fields: a text, a list, or `null` to remove the field.
pub fn update_fields(
    text: &str,
    fields: &Map<String, Json>,
    body: Option<&str>,
) -> Result<String, DocumentError> {
    let mut edits: Vec<DocumentEdit> =
        fields.iter().map(|(name, value)| field_edit(name, value)).collect();
    if let Some(body) = body {
        let old = Document::parse(text)?.body().to_owned();
        if old.trim() != body.trim() {
            let gap = if old.is_empty() || old.starts_with(['\n', '\r']) { "\n" } else { "" };
            edits.push(DocumentEdit::ReplaceBody(format!("{gap}{}\n", body.trim())));
        }
    }
    edit(text, &edits)
}

fn field_edit(name: &str, value: &Json) -> DocumentEdit {
    match value {
        Json::Null => DocumentEdit::RemoveField { field: name.into() },
        value => DocumentEdit::set(name, NewValue::from_json(value)),
    }
}

/// A change of one relation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RelationChange {
    /// Add the relation
    Add,
    /// Remove the relation
    Remove,
}

/// The text of a card with a relation added or removed; `None` if nothing changes.
pub fn change_relation(
    text: &str,
    what: RelationChange,
    kind: CardRelationKind,
    target: &CardKey,
) -> Result<Option<String>, DocumentError> {
    let document = Document::parse(text)?;
    let items = document.get("relations").and_then(YamlNode::as_list).unwrap_or_default();
    let said: Vec<(String, String)> = items.iter().map(relation_parts).collect();
    let wanted = (kind.word().to_owned(), target.to_string());
    let there = said.iter().position(|one| *one == wanted);
    let list = || "relations".to_owned();
    let change = match (what, there) {
        (RelationChange::Add, Some(_)) | (RelationChange::Remove, None) => return Ok(None),
        (RelationChange::Remove, Some(at)) => DocumentEdit::RemoveItem { list: list(), at },
        (RelationChange::Add, None) => {
            // A sorted list stays sorted, so that two branches seldom add at the same line.
            let after = said.iter().position(|one| *one > wanted);
            let at = after.filter(|_| said.is_sorted());
            DocumentEdit::InsertItem { list: list(), at, item: relation_data(kind, target) }
        }
    };
    edit(text, &[change]).map(Some)
}

fn relation_parts(item: &YamlNode) -> (String, String) {
    let value = |name: &str| {
        let node = item.as_map().and_then(|map| map.get(name));
        node.and_then(|node| node.as_str()).unwrap_or_default().to_owned()
    };
    (value("type"), value("target"))
}

fn relation_data(kind: CardRelationKind, target: &CardKey) -> NewValue {
    let target = NewValue::Text(target.to_string());
    NewValue::Map(vec![("type".into(), kind.word().into()), ("target".into(), target)])
}

/// The text of a card with another key.
pub fn with_new_key(text: &str, key: &CardKey) -> Result<String, DocumentError> {
    let mut edits = vec![DocumentEdit::set("key", key.as_str())];
    if Document::parse(text)?.get("type").is_some() {
        edits.push(DocumentEdit::set("type", key_kind(key)));
    }
    edit(text, &edits)
}

/// The text of a card in which relations to `old` are replaced by relations to `new`.
pub fn rename_relation_targets(
    text: &str,
    old: &CardKey,
    new: &CardKey,
) -> Result<String, DocumentError> {
    let document = Document::parse(text)?;
    let items = document.get("relations").and_then(YamlNode::as_list).unwrap_or_default();
    let named = items.iter().enumerate().filter(|(_, item)| relation_parts(item).1 == old.as_str());
    let change = |(at, _): (usize, &YamlNode)| {
        let path: Vec<FieldPathSegment> = vec!["relations".into(), at.into(), "target".into()];
        DocumentEdit::Set { path, value: new.as_str().into() }
    };
    edit(text, &named.map(change).collect::<Vec<_>>())
}
