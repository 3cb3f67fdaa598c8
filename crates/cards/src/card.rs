//! What the text of a card says, with the place of all that is wrong with it.

use base::entity::CardKey;
use document::{Document, Fault, Node, Place};
use serde_json::{Map, Value as Json};

use crate::key::{kind, slug, why_not};
use crate::words::{RelationKind, Status};

/// Card files larger than this are not read, in bytes: a spec is text that people read.
const LARGEST: usize = 1024 * 1024;

/// The fields that mean something to us; all others are kept and shown.
const KNOWN: [&str; 8] =
    ["key", "type", "summary", "status", "tags", "subjects", "constraints", "relations"];

/// A card as its file says it.
#[derive(Debug, Clone, PartialEq)]
pub struct Card {
    /// Its name
    pub key: CardKey,
    /// What its `type` says; the type in its key if it does not say
    pub kind: String,
    /// What it is about
    pub summary: String,
    /// How far it has come
    pub status: Status,
    /// Words to find it by
    pub tags: Vec<String>,
    /// Broad categories
    pub subjects: Vec<String>,
    /// What must hold
    pub constraints: Vec<String>,
    /// What it says about other cards
    pub relations: Vec<Relation>,
    /// Fields that are not ours, with their types
    pub extra: Map<String, Json>,
    /// The text after the frontmatter
    pub body: String,
    /// The lines of its key, type and status
    pub lines: [u32; 3],
}

/// What a card says about another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Relation {
    /// How it is related to it
    pub kind: RelationKind,
    /// The other card's key, as it is written
    pub target: String,
    /// The line it is on
    pub line: u32,
}

/// Something that is wrong with a card.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trouble {
    /// What kind of mistake it is
    pub code: &'static str,
    /// What is wrong, as a lowercase fragment
    pub message: String,
    /// The line
    pub line: u32,
}

impl From<Fault> for Trouble {
    fn from(fault: Fault) -> Self {
        unreadable(fault.message, fault.place.line)
    }
}

fn unreadable(message: impl Into<String>, line: u32) -> Trouble {
    Trouble { code: "CARD_UNREADABLE", message: message.into(), line }
}

fn field(message: impl Into<String>, line: u32) -> Trouble {
    Trouble { code: "CARD_FIELD_INVALID", message: message.into(), line }
}

/// Reads a card. Without a key there is none; other mistakes leave a card that can be linked.
pub fn read(bytes: &[u8]) -> (Option<Card>, Vec<Trouble>) {
    if bytes.len() > LARGEST {
        let message = format!("{} bytes are more than a card may have ({LARGEST})", bytes.len());
        return (None, vec![unreadable(message, 1)]);
    }
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let line = bytes[..error.valid_up_to()].split(|byte| *byte == b'\n').count();
            return (None, vec![unreadable("not UTF-8", u32::try_from(line).unwrap_or(1))]);
        }
    };
    match Document::parse(text) {
        Ok(document) if !document.has_frontmatter() => {
            (None, vec![unreadable("no frontmatter: the first line is not `---`", 1)])
        }
        Ok(document) => Reader { document: &document, troubles: Vec::new() }.card(),
        Err(fault) => (None, vec![fault.into()]),
    }
}

struct Reader<'d> {
    document: &'d Document<'d>,
    troubles: Vec<Trouble>,
}

impl Reader<'_> {
    fn card(mut self) -> (Option<Card>, Vec<Trouble>) {
        let Some(key) = self.key() else { return (None, self.troubles) };
        let said = self.text("type");
        let card = Card {
            kind: said.clone().unwrap_or_else(|| kind(&key).to_owned()),
            summary: self.required("summary").unwrap_or_default(),
            status: self.status(),
            tags: self.words("tags"),
            subjects: self.words("subjects"),
            constraints: self.words("constraints"),
            relations: self.relations(),
            extra: self.extra(),
            body: self.document.body().to_owned(),
            lines: ["key", "type", "status"].map(|name| self.line(name)),
            key,
        };
        if kind(&card.key) != card.kind {
            let message =
                format!("the key `{}` and the type `{}` do not agree", card.key, card.kind);
            let line = card.lines[1];
            self.troubles.push(Trouble { code: "CARD_KEY_INVALID", message, line });
        }
        (Some(card), self.troubles)
    }

    fn key(&mut self) -> Option<CardKey> {
        let text = self.required("key")?;
        let line = self.line("key");
        let key = text.parse::<CardKey>();
        let why = match &key {
            Err(why) => Some(why.clone()),
            Ok(key) => why_not(slug(key)).map(|why| format!("the key `{key}` {why}")),
        };
        if let Some(message) = why {
            self.troubles.push(Trouble { code: "CARD_KEY_INVALID", message, line });
            return None;
        }
        key.ok()
    }

    fn status(&mut self) -> Status {
        let Some(text) = self.required("status") else { return Status::Draft };
        text.parse().unwrap_or_else(|why: String| {
            let line = self.line("status");
            self.troubles.push(field(why, line));
            Status::Draft
        })
    }

    fn relations(&mut self) -> Vec<Relation> {
        let Some(node) = self.document.get("relations") else { return Vec::new() };
        let Some(items) = node.as_list() else {
            self.not(node, "relations", "a list");
            return Vec::new();
        };
        items.iter().filter_map(|item| self.relation(item)).collect()
    }

    fn relation(&mut self, item: &Node) -> Option<Relation> {
        let line = item.place.line;
        let said =
            |name: &str| item.as_map()?.get(name)?.scalar().map(std::borrow::Cow::into_owned);
        let (Some(kind), Some(target)) = (said("type"), said("target")) else {
            self.troubles.push(field("a relation has a `type` and a `target`", line));
            return None;
        };
        let at =
            |name: &str| item.as_map().and_then(|map| map.get(name)).map_or(line, |n| n.place.line);
        match kind.parse() {
            Ok(kind) => Some(Relation { kind, target, line: at("target") }),
            Err(why) => {
                self.troubles.push(field(why, at("type")));
                None
            }
        }
    }

    fn extra(&self) -> Map<String, Json> {
        let others = self.document.fields().filter(|(name, _)| !KNOWN.contains(name));
        others.map(|(name, node)| (name.to_owned(), node.to_json())).collect()
    }

    fn words(&mut self, name: &str) -> Vec<String> {
        let Some(node) = self.document.get(name) else { return Vec::new() };
        // One word alone is what people write before they need the second.
        if let Some(one) = node.scalar() {
            return vec![one.into_owned()];
        }
        let Some(items) = node.as_list() else {
            self.not(node, name, "a list");
            return Vec::new();
        };
        let mut words = Vec::new();
        for item in items {
            match item.scalar() {
                Some(word) => words.push(word.into_owned()),
                None if item.is_null() => {}
                None => self.not(item, name, "a list of texts"),
            }
        }
        words
    }

    fn text(&mut self, name: &str) -> Option<String> {
        let node = self.document.get(name)?;
        let text = node.scalar().map(std::borrow::Cow::into_owned);
        if text.is_none() && !node.is_null() {
            self.not(node, name, "a text");
        }
        text
    }

    fn required(&mut self, name: &str) -> Option<String> {
        let before = self.troubles.len();
        let text = self.text(name).filter(|text| !text.trim().is_empty());
        if text.is_none() && self.troubles.len() == before {
            let line = self.line(name);
            self.troubles.push(field(format!("`{name}` is missing"), line));
        }
        text
    }

    fn not(&mut self, node: &Node, name: &str, wanted: &str) {
        let message = format!("`{name}` is {}, not {wanted}", node.kind());
        self.troubles.push(field(message, node.place.line));
    }

    fn line(&self, name: &str) -> u32 {
        self.document.place_of(name).unwrap_or(Place::START).line
    }
}
