//! New cards, and changes to old ones that leave every other byte.
//!
//! The template writes one item and one relation a line, so that two branches that touch different
//! fields, or add different relations, merge by lines. A list without items is left out.

use base::entity::CardKey;
use document::{Data, Document, Edit, Fault, Node, Step, edit};
use serde_json::{Map, Value as Json};

use crate::key::kind;
use crate::words::{RelationKind, Status};

/// The fields of a new card.
#[derive(Debug, Clone)]
pub struct New<'a> {
    /// Its name
    pub key: &'a CardKey,
    /// What it is about
    pub summary: &'a str,
    /// How far it has come
    pub status: Status,
    /// Lists by the name of their field
    pub lists: [(&'static str, &'a [String]); 3],
    /// What it says about other cards
    pub relations: &'a [(RelationKind, CardKey)],
    /// The text after the frontmatter
    pub body: &'a str,
}

/// The text of a new card. Fields that change often have one between them that does not.
pub fn template(new: &New<'_>) -> Result<String, Fault> {
    let blank = "---\nkey:\nsummary:\ntype:\nstatus:\n---\n";
    let mut edits = vec![
        Edit::set("key", new.key.as_str()),
        Edit::set("summary", new.summary),
        Edit::set("type", kind(new.key)),
        Edit::set("status", new.status.word()),
    ];
    for (list, items) in new.lists {
        edits.extend(items.iter().map(|item| Edit::push(list, item.as_str())));
    }
    let mut relations = new.relations.to_vec();
    relations.sort();
    relations.dedup();
    edits.extend(relations.iter().map(|(kind, to)| Edit::push("relations", relation(*kind, to))));
    let body = new.body.trim();
    if !body.is_empty() {
        edits.push(Edit::Body(format!("\n{body}\n")));
    }
    edit(blank, &edits)
}

/// The text with other values in its fields: a text, a list, or `null` to take a field out.
pub fn update(text: &str, fields: &Map<String, Json>, body: Option<&str>) -> Result<String, Fault> {
    let mut edits: Vec<Edit> = fields.iter().map(|(name, value)| field(name, value)).collect();
    if let Some(body) = body {
        let old = Document::parse(text)?.body().to_owned();
        if old.trim() != body.trim() {
            let gap = if old.is_empty() || old.starts_with(['\n', '\r']) { "\n" } else { "" };
            edits.push(Edit::Body(format!("{gap}{}\n", body.trim())));
        }
    }
    edit(text, &edits)
}

fn field(name: &str, value: &Json) -> Edit {
    match value {
        Json::Null => Edit::Remove { field: name.into() },
        value => Edit::set(name, data(value)),
    }
}

fn data(value: &Json) -> Data {
    match value {
        Json::Null => Data::Null,
        Json::Bool(yes) => Data::Bool(*yes),
        Json::Number(number) => {
            number.as_i64().map_or_else(|| Data::Text(number.to_string()), Data::Int)
        }
        Json::String(text) => Data::Text(text.clone()),
        Json::Array(items) => Data::List(items.iter().map(data).collect()),
        Json::Object(fields) => {
            Data::Map(fields.iter().map(|(name, value)| (name.clone(), data(value))).collect())
        }
    }
}

/// What to do with one relation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relate {
    /// Say it
    Add,
    /// Say it no longer
    Remove,
}

/// The text with a relation more or less; none if it already is so.
pub fn relate(
    text: &str,
    what: Relate,
    (kind, target): (RelationKind, &CardKey),
) -> Result<Option<String>, Fault> {
    let document = Document::parse(text)?;
    let items = document.get("relations").and_then(Node::as_list).unwrap_or_default();
    let said: Vec<(String, String)> = items.iter().map(said).collect();
    let wanted = (kind.word().to_owned(), target.to_string());
    let there = said.iter().position(|one| *one == wanted);
    let list = || "relations".to_owned();
    let change = match (what, there) {
        (Relate::Add, Some(_)) | (Relate::Remove, None) => return Ok(None),
        (Relate::Remove, Some(at)) => Edit::Take { list: list(), at },
        (Relate::Add, None) => {
            // Sorted lists stay sorted: then two branches seldom add at the same line.
            let after = said.iter().position(|one| *one > wanted);
            let at = after.filter(|_| said.is_sorted());
            Edit::Insert { list: list(), at, item: relation(kind, target) }
        }
    };
    edit(text, &[change]).map(Some)
}

fn said(item: &Node) -> (String, String) {
    let value = |name: &str| {
        let node = item.as_map().and_then(|map| map.get(name));
        node.and_then(|node| node.as_str()).unwrap_or_default().to_owned()
    };
    (value("type"), value("target"))
}

fn relation(kind: RelationKind, target: &CardKey) -> Data {
    let target = Data::Text(target.to_string());
    Data::Map(vec![("type".into(), kind.word().into()), ("target".into(), target)])
}

/// The text of a card under another key.
pub fn renamed(text: &str, key: &CardKey) -> Result<String, Fault> {
    let mut edits = vec![Edit::set("key", key.as_str())];
    if Document::parse(text)?.get("type").is_some() {
        edits.push(Edit::set("type", kind(key)));
    }
    edit(text, &edits)
}

/// The text of a card whose relations name another key instead.
pub fn rename_in(text: &str, old: &CardKey, new: &CardKey) -> Result<String, Fault> {
    let document = Document::parse(text)?;
    let items = document.get("relations").and_then(Node::as_list).unwrap_or_default();
    let named = items.iter().enumerate().filter(|(_, item)| said(item).1 == old.as_str());
    let change = |(at, _): (usize, &Node)| {
        let path: Vec<Step> = vec!["relations".into(), at.into(), "target".into()];
        Edit::Set { path, value: new.as_str().into() }
    };
    edit(text, &named.map(change).collect::<Vec<_>>())
}
