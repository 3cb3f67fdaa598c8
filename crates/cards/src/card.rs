//! Parses a card and reports each error with its line.

use base::entity::CardKey;
use document::{Document, DocumentError, TextPosition, YamlNode};
use serde_json::{Map, Value as Json};

use crate::key::{key_kind, key_slug, slug_error};
use crate::words::{CardRelationKind, CardStatus};

/// The largest card file that is read, in bytes.
const MAX_CARD_BYTES: usize = 1024 * 1024;

/// The fields with a meaning; all others are kept and shown as they are.
const KNOWN_FIELDS: [&str; 8] =
    ["key", "type", "summary", "status", "tags", "subjects", "constraints", "relations"];

/// A parsed card.
#[derive(Debug, Clone, PartialEq)]
pub struct Card {
    /// Its key
    pub key: CardKey,
    /// Its type: the field `type`, or else the type in its key
    pub kind: String,
    /// What it is about
    pub summary: String,
    /// Its status
    pub status: CardStatus,
    /// Its tags
    pub tags: Vec<String>,
    /// Broad categories
    pub subjects: Vec<String>,
    /// Its constraints
    pub constraints: Vec<String>,
    /// Its relations to other cards
    pub relations: Vec<CardRelation>,
    /// All other fields
    pub extra: Map<String, Json>,
    /// The text after the frontmatter
    pub body: String,
    /// The line numbers of its key, type and status
    pub lines: [u32; 3],
    /// The line number of the first line of its text
    pub body_line: u32,
}

/// A relation to another card.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CardRelation {
    /// The kind of relation
    pub kind: CardRelationKind,
    /// The key of the other card, as it is written
    pub target: String,
    /// The line number
    pub line: u32,
}

/// An error in a card.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CardDiagnostic {
    /// The code of the error
    pub code: &'static str,
    /// The message
    pub message: String,
    /// The line number
    pub line: u32,
}

impl From<DocumentError> for CardDiagnostic {
    fn from(fault: DocumentError) -> Self {
        unreadable_diagnostic(fault.message, fault.position.line)
    }
}

fn unreadable_diagnostic(message: impl Into<String>, line: u32) -> CardDiagnostic {
    CardDiagnostic { code: "CARD_UNREADABLE", message: message.into(), line }
}

fn field_diagnostic(message: impl Into<String>, line: u32) -> CardDiagnostic {
    CardDiagnostic { code: "CARD_FIELD_INVALID", message: message.into(), line }
}

/// Parses a card. A file without a valid key is not a card; other errors leave a card that can be linked.
pub fn parse_card(bytes: &[u8]) -> (Option<Card>, Vec<CardDiagnostic>) {
    if bytes.len() > MAX_CARD_BYTES {
        let message = format!("the card has {} bytes; the limit is {MAX_CARD_BYTES}", bytes.len());
        return (None, vec![unreadable_diagnostic(message, 1)]);
    }
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let line = bytes[..error.valid_up_to()].split(|byte| *byte == b'\n').count();
            return (
                None,
                vec![unreadable_diagnostic("not UTF-8", u32::try_from(line).unwrap_or(1))],
            );
        }
    };
    match Document::parse(text) {
        Ok(document) if !document.has_frontmatter() => {
            (None, vec![unreadable_diagnostic("no frontmatter: the first line is not `---`", 1)])
        }
        Ok(document) => CardReader { document: &document, diagnostics: Vec::new() }.card(),
        Err(fault) => (None, vec![conflict(text).unwrap_or_else(|| fault.into())]),
    }
}

/// Finds the markers of an unresolved merge conflict, which make the frontmatter unreadable.
fn conflict(text: &str) -> Option<CardDiagnostic> {
    let (line, _) = (1..).zip(text.lines()).find(|(_, line)| line.starts_with("<<<<<<< "))?;
    Some(unreadable_diagnostic("a conflict of a merge is not settled here", line))
}

struct CardReader<'d> {
    document: &'d Document<'d>,
    diagnostics: Vec<CardDiagnostic>,
}

impl CardReader<'_> {
    fn card(mut self) -> (Option<Card>, Vec<CardDiagnostic>) {
        let Some(key) = self.key() else { return (None, self.diagnostics) };
        let said = self.text("type");
        let card = Card {
            kind: said.clone().unwrap_or_else(|| key_kind(&key).to_owned()),
            summary: self.required("summary").unwrap_or_default(),
            status: self.status(),
            tags: self.string_list("tags"),
            subjects: self.string_list("subjects"),
            constraints: self.string_list("constraints"),
            relations: self.relations(),
            extra: self.extra(),
            body: self.document.body().to_owned(),
            lines: ["key", "type", "status"].map(|name| self.line_of_field(name)),
            body_line: self.document.body_position().line,
            key,
        };
        if key_kind(&card.key) != card.kind {
            let message =
                format!("the key `{}` and the type `{}` do not agree", card.key, card.kind);
            let line = card.lines[1];
            self.diagnostics.push(CardDiagnostic { code: "CARD_KEY_INVALID", message, line });
        }
        (Some(card), self.diagnostics)
    }

    fn key(&mut self) -> Option<CardKey> {
        let text = self.required("key")?;
        let line = self.line_of_field("key");
        let key = text.parse::<CardKey>();
        let why = match &key {
            Err(why) => Some(why.clone()),
            Ok(key) => slug_error(key_slug(key)).map(|why| format!("the key `{key}` {why}")),
        };
        if let Some(message) = why {
            self.diagnostics.push(CardDiagnostic { code: "CARD_KEY_INVALID", message, line });
            return None;
        }
        key.ok()
    }

    fn status(&mut self) -> CardStatus {
        let Some(text) = self.required("status") else { return CardStatus::Draft };
        text.parse().unwrap_or_else(|why: String| {
            let line = self.line_of_field("status");
            self.diagnostics.push(field_diagnostic(why, line));
            CardStatus::Draft
        })
    }

    fn relations(&mut self) -> Vec<CardRelation> {
        let Some(node) = self.document.get("relations") else { return Vec::new() };
        let Some(items) = node.as_list() else {
            self.report_wrong_type(node, "relations", "a list");
            return Vec::new();
        };
        items.iter().filter_map(|item| self.relation(item)).collect()
    }

    fn relation(&mut self, item: &YamlNode) -> Option<CardRelation> {
        let line = item.position.line;
        let said =
            |name: &str| item.as_map()?.get(name)?.scalar().map(std::borrow::Cow::into_owned);
        let (Some(kind), Some(target)) = (said("type"), said("target")) else {
            self.diagnostics
                .push(field_diagnostic("a relation needs a `type` and a `target`", line));
            return None;
        };
        let at = |name: &str| {
            item.as_map().and_then(|map| map.get(name)).map_or(line, |n| n.position.line)
        };
        match kind.parse() {
            Ok(kind) => Some(CardRelation { kind, target, line: at("target") }),
            Err(why) => {
                self.diagnostics.push(field_diagnostic(why, at("type")));
                None
            }
        }
    }

    fn extra(&self) -> Map<String, Json> {
        let others = self.document.fields().filter(|(name, _)| !KNOWN_FIELDS.contains(name));
        others.map(|(name, node)| (name.to_owned(), node.to_json())).collect()
    }

    fn string_list(&mut self, name: &str) -> Vec<String> {
        let Some(node) = self.document.get(name) else { return Vec::new() };
        // A single value is accepted as a list of one.
        if let Some(one) = node.scalar() {
            return vec![one.into_owned()];
        }
        let Some(items) = node.as_list() else {
            self.report_wrong_type(node, name, "a list");
            return Vec::new();
        };
        let mut words = Vec::new();
        for item in items {
            match item.scalar() {
                Some(word) => words.push(word.into_owned()),
                None if item.is_null() => {}
                None => self.report_wrong_type(item, name, "a list of texts"),
            }
        }
        words
    }

    fn text(&mut self, name: &str) -> Option<String> {
        let node = self.document.get(name)?;
        let text = node.scalar().map(std::borrow::Cow::into_owned);
        if text.is_none() && !node.is_null() {
            self.report_wrong_type(node, name, "a string");
        }
        text
    }

    fn required(&mut self, name: &str) -> Option<String> {
        let before = self.diagnostics.len();
        let text = self.text(name).filter(|text| !text.trim().is_empty());
        if text.is_none() && self.diagnostics.len() == before {
            let line = self.line_of_field(name);
            self.diagnostics.push(field_diagnostic(format!("`{name}` is missing"), line));
        }
        text
    }

    fn report_wrong_type(&mut self, node: &YamlNode, name: &str, wanted: &str) {
        let message = format!("`{name}` is {}, not {wanted}", node.kind_name());
        self.diagnostics.push(field_diagnostic(message, node.position.line));
    }

    fn line_of_field(&self, name: &str) -> u32 {
        self.document.position_of(name).unwrap_or(TextPosition::START).line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_conflict_is_called_so() {
        let text = "---\nkey: spec::a\n<<<<<<< ours\nsummary: a\n=======\nsummary: b\n>>>>>>> theirs\n---\n";
        let (card, found) = parse_card(text.as_bytes());
        assert!(card.is_none());
        assert_eq!((found[0].line, found[0].code), (3, "CARD_UNREADABLE"));
        assert_eq!(found[0].message, "a conflict of a merge is not settled here");
    }
}
