//! Parses a changeset and reports every fault in its shape, with its place in the payload.
//!
//! Whether the store allows the changeset is decided in `plan`.

use base::similarity::near_name;
use base::{Problem, ProblemCode};
use serde_json::{Map, Value, json};

use crate::endpoint::KbEndpoint;
use crate::model::{KbEntityKind, KbRelationKind, RelationKey, RequirementPriority};

/// The largest text of one field, in bytes.
const MAX_FIELD_BYTES: usize = 4 * 1024 * 1024;

/// The longest id, in bytes.
const MAX_ID_BYTES: usize = 200;

/// A fault of a changeset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangesetFault {
    /// The place in the payload, such as `relations[2].to`
    pub path: String,
    /// What is wrong
    pub message: String,
    /// The code that a caller gets if this is the only kind of fault
    pub code: ProblemCode,
}

impl ChangesetFault {
    /// A fault with the code `VALIDATION_ERROR`.
    pub fn new(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self::with_code(ProblemCode::ValidationError, path, message)
    }

    /// A fault with another code.
    pub fn with_code(
        code: ProblemCode,
        path: impl Into<String>,
        message: impl Into<String>,
    ) -> Self {
        Self { path: path.into(), message: message.into(), code }
    }
}

/// All faults as one problem.
pub fn faults_problem(faults: &[ChangesetFault]) -> Problem {
    let first = faults.first().map_or(ProblemCode::ValidationError, |fault| fault.code);
    let same = faults.iter().all(|fault| fault.code == first);
    let message = match faults {
        [only] => format!("{}: {}", only.path, only.message),
        many => format!("{} problems in the changeset", many.len()),
    };
    let rows: Vec<Value> =
        faults.iter().map(|f| json!({"path": f.path, "problem": f.message})).collect();
    Problem::new(if same { first } else { ProblemCode::ValidationError }, message)
        .detail("problems", rows)
        .hint("nothing was written; fix all of them and send the whole changeset again")
}

/// A well-formed changeset. It has not been compared with the store yet.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Changeset {
    /// The id that the caller chose; a changeset with the same id and contents is applied once
    pub id: Option<String>,
    /// Where its facts come from; the actor if `None`
    pub source: Option<String>,
    /// Entities to create or change
    pub entities: Vec<EntityPatch>,
    /// Relations to create or change
    pub relations: Vec<RelationPatch>,
    /// Entities and relations to remove
    pub delete: Vec<Deletion>,
    /// Whether relations to a removed entity are removed too, instead of refusing the changeset
    pub cascade: bool,
}

/// An entity to create, or the fields of an entity to change.
#[derive(Debug, Clone, PartialEq)]
pub struct EntityPatch {
    /// Its place in the payload
    pub path: String,
    /// Its id
    pub id: String,
    /// Checked fields by name; null removes the field
    pub fields: Map<String, Value>,
    /// The version that the stored entity must have
    pub if_version: Option<u64>,
}

/// A relation to create or replace.
#[derive(Debug, Clone, PartialEq)]
pub struct RelationPatch {
    /// Its place in the payload
    pub path: String,
    /// Its type and ends
    pub key: RelationKey,
    /// Confidence from 0 to 1
    pub confidence: Option<f64>,
    /// Where it comes from
    pub source: Option<String>,
    /// Whether it may be part of a cycle
    pub allow_cycle: bool,
}

/// An entity or relation to remove.
#[derive(Debug, Clone, PartialEq)]
pub enum Deletion {
    /// An entity
    Entity {
        /// Its place in the payload
        path: String,
        /// Its id
        id: String,
        /// The version that the stored entity must have
        if_version: Option<u64>,
    },
    /// A relation
    Relation {
        /// Its place in the payload
        path: String,
        /// Its type and ends
        key: RelationKey,
    },
}

/// The type of a field's value.
enum FieldType {
    Text,
    Line,
    Texts,
    Kind,
    Priority,
    Flag,
}

const ENTITY_FIELDS: [(&str, FieldType); 17] = [
    ("type", FieldType::Kind),
    ("title", FieldType::Text),
    ("status", FieldType::Line),
    ("source", FieldType::Text),
    ("tags", FieldType::Texts),
    ("owner", FieldType::Text),
    ("priority", FieldType::Priority),
    ("severity", FieldType::Line),
    ("links", FieldType::Texts),
    ("text_ref", FieldType::Text),
    ("ran_at", FieldType::Text),
    ("commit", FieldType::Text),
    ("text", FieldType::Text),
    ("kind", FieldType::Line),
    ("code", FieldType::Line),
    ("allow_cycle", FieldType::Flag),
    ("author", FieldType::Line),
];

/// Fields that cannot be cleared.
const REQUIRED_FIELDS: [&str; 3] = ["type", "title", "status"];

/// Fields that the store sets itself. They are accepted and ignored, because callers send back
/// what they read.
const STORE_OWNED_FIELDS: [&str; 3] = ["created_at", "updated_at", "version"];

impl Changeset {
    /// Parses the parts of a payload and collects all faults.
    pub fn parse(
        entities: &[Value],
        relations: &[Value],
        delete: &[Value],
    ) -> (Self, Vec<ChangesetFault>) {
        let mut faults = Vec::new();
        let mut set = Self::default();
        for (at, value) in entities.iter().enumerate() {
            set.entities.extend(parse_patch(format!("entities[{at}]"), value, &mut faults));
        }
        for (at, value) in relations.iter().enumerate() {
            set.relations.extend(parse_relation(format!("relations[{at}]"), value, &mut faults));
        }
        for (at, value) in delete.iter().enumerate() {
            set.delete.extend(parse_deletion(format!("delete[{at}]"), value, &mut faults));
        }
        (set, faults)
    }

    /// Every entity and every piece of code that the changeset names.
    pub fn endpoints(&self) -> Vec<KbEndpoint> {
        let of_key = |key: &RelationKey| [key.from.clone(), key.to.clone()];
        let patched = self.entities.iter().map(|patch| patch.id.clone());
        let related = self.relations.iter().flat_map(|patch| of_key(&patch.key));
        let deleted = self.delete.iter().flat_map(|deletion| match deletion {
            Deletion::Entity { id, .. } => vec![id.clone()],
            Deletion::Relation { key, .. } => of_key(key).to_vec(),
        });
        let all = patched.chain(related).chain(deleted);
        all.filter_map(|text| KbEndpoint::parse(&text).ok()).collect()
    }
}

fn parse_patch(
    path: String,
    value: &Value,
    faults: &mut Vec<ChangesetFault>,
) -> Option<EntityPatch> {
    let object = expect_object(&path, value, faults)?;
    let mut fields = Map::new();
    let (mut id, mut if_version) = (None, None);
    for (key, value) in object {
        let key = snake_case(key);
        let place = format!("{path}.{key}");
        match key.as_str() {
            "id" => id = read_id(&place, value, faults),
            "if_version" => if_version = parse_version(&place, value, faults),
            key if STORE_OWNED_FIELDS.contains(&key) => {}
            key => {
                if let Some(value) = parse_field(&place, key, value, faults) {
                    fields.insert(key.to_owned(), value);
                }
            }
        }
    }
    if id.is_none() && !object.contains_key("id") {
        faults.push(ChangesetFault::new(format!("{path}.id"), "missing `id`"));
    }
    Some(EntityPatch { path, id: id?, fields, if_version })
}

fn parse_field(
    place: &str,
    key: &str,
    value: &Value,
    faults: &mut Vec<ChangesetFault>,
) -> Option<Value> {
    let Some((_, field_type)) = ENTITY_FIELDS.iter().find(|(name, _)| *name == key) else {
        let near = near_name(key, ENTITY_FIELDS.iter().map(|(name, _)| *name));
        let near = near.map(|question| format!("; {question}"));
        faults
            .push(ChangesetFault::new(place, format!("unknown field{}", near.unwrap_or_default())));
        return None;
    };
    let checked = match (value, field_type) {
        (Value::Null, _) if REQUIRED_FIELDS.contains(&key) => {
            Err(format!("`{key}` cannot be cleared"))
        }
        (Value::Null, _) => Ok(Value::Null),
        (Value::Bool(_), FieldType::Flag) => Ok(value.clone()),
        (Value::String(text), FieldType::Text) => check_length(text),
        (Value::String(text), FieldType::Line) => check_single_line(text),
        (Value::String(text), FieldType::Kind) => {
            text.parse::<KbEntityKind>().map(|_| value.clone())
        }
        (Value::String(text), FieldType::Priority) => {
            text.parse::<RequirementPriority>().map(|_| value.clone())
        }
        (Value::String(text), FieldType::Texts) => Ok(split(text)),
        (Value::Array(items), FieldType::Texts) if items.iter().all(Value::is_string) => {
            Ok(value.clone())
        }
        (_, FieldType::Texts) => Err("expected a list of texts".into()),
        (_, FieldType::Flag) => Err("expected true or false".into()),
        _ => Err(format!("expected text, not {}", describe_value(value))),
    };
    checked.map_err(|message| faults.push(ChangesetFault::new(place, message))).ok()
}

fn parse_relation(
    path: String,
    value: &Value,
    faults: &mut Vec<ChangesetFault>,
) -> Option<RelationPatch> {
    const KNOWN: [&str; 7] = ["type", "from", "to", "kind", "confidence", "source", "allow_cycle"];
    let object = expect_object(&path, value, faults)?;
    let before = faults.len();
    let known = |key: &str| KNOWN.contains(&key) || matches!(key, "created_at" | "created_by");
    for key in object.keys().map(|key| snake_case(key)).filter(|key| !known(key)) {
        faults.push(ChangesetFault::new(format!("{path}.{key}"), "unknown field"));
    }
    let get = |key: &str| object.iter().find(|(k, _)| snake_case(k) == key).map(|(_, v)| v);
    let confidence = match get("confidence").unwrap_or(&Value::Null) {
        Value::Null => None,
        Value::Number(number) if number.as_f64().is_some_and(|n| (0.0..=1.0).contains(&n)) => {
            number.as_f64()
        }
        _ => {
            let message = "expected a number from 0 to 1";
            faults.push(ChangesetFault::new(format!("{path}.confidence"), message));
            None
        }
    };
    let allow_cycle = get("allow_cycle").and_then(Value::as_bool).unwrap_or(false);
    let source = get("source").and_then(Value::as_str).map(ToOwned::to_owned);
    let key = parse_relation_key(&path, object, faults);
    let key = key.filter(|_| faults.len() == before)?;
    Some(RelationPatch { path, key, confidence, source, allow_cycle })
}

fn parse_relation_key(
    path: &str,
    object: &Map<String, Value>,
    faults: &mut Vec<ChangesetFault>,
) -> Option<RelationKey> {
    let mut text = |name: &str, needed: bool| match object.get(name) {
        Some(Value::String(text)) => Some(text.clone()),
        None | Some(Value::Null) if !needed => Some(String::new()),
        None => {
            faults.push(ChangesetFault::new(format!("{path}.{name}"), "missing field"));
            None
        }
        Some(other) => {
            let message = format!("expected text, not {}", describe_value(other));
            faults.push(ChangesetFault::new(format!("{path}.{name}"), message));
            None
        }
    };
    let (relates, from, to) = (text("type", true), text("from", true), text("to", true));
    let kind = text("kind", false)?;
    let mut checked = |name: &str, read: Result<String, String>| {
        read.map_err(|message| faults.push(ChangesetFault::new(format!("{path}.{name}"), message)))
            .ok()
    };
    let end = |text: String| KbEndpoint::parse(&text).map(|end| end.canonical_text());
    let from = from.and_then(|text| checked("from", end(text)));
    let to = to.and_then(|text| checked("to", end(text)));
    let parse = |text: String| text.trim_start_matches("kb.").parse::<KbRelationKind>();
    let relates = relates.and_then(|text| match parse(text) {
        Ok(relates) => Some(relates),
        Err(message) => {
            checked("type", Err(message));
            None
        }
    })?;
    if relates == KbRelationKind::RelatesTo && kind.is_empty() {
        checked("kind", Err("`relates_to` requires `kind`".into()));
        return None;
    }
    Some(RelationKey { relates, from: from?, to: to?, kind })
}

fn parse_deletion(
    path: String,
    value: &Value,
    faults: &mut Vec<ChangesetFault>,
) -> Option<Deletion> {
    match value {
        Value::String(_) => {
            let id = read_id(&path, value, faults)?;
            Some(Deletion::Entity { path, id, if_version: None })
        }
        Value::Object(object) if object.contains_key("from") => {
            let key = parse_relation_key(&path, object, faults)?;
            Some(Deletion::Relation { path, key })
        }
        Value::Object(object) => {
            let id = object.get("id").unwrap_or(&Value::Null);
            let id = read_id(&format!("{path}.id"), id, faults)?;
            let if_version = object.get("if_version").or(object.get("ifVersion"));
            let if_version =
                if_version.and_then(|v| parse_version(&format!("{path}.if_version"), v, faults));
            Some(Deletion::Entity { path, id, if_version })
        }
        other => {
            let message = format!(
                "expected an id, or a relation with `type`, `from` and `to`, not {}",
                describe_value(other)
            );
            faults.push(ChangesetFault::new(path, message));
            None
        }
    }
}

fn expect_object<'a>(
    path: &str,
    value: &'a Value,
    faults: &mut Vec<ChangesetFault>,
) -> Option<&'a Map<String, Value>> {
    let found = value.as_object();
    if found.is_none() {
        faults.push(ChangesetFault::new(
            path,
            format!("expected an object, not {}", describe_value(value)),
        ));
    }
    found
}

fn read_id(place: &str, value: &Value, faults: &mut Vec<ChangesetFault>) -> Option<String> {
    let read = match value.as_str().map(KbEndpoint::parse) {
        Some(Ok(KbEndpoint::Entity(id))) if id.len() <= MAX_ID_BYTES => Ok(id),
        Some(Ok(KbEndpoint::Entity(_))) => {
            Err(format!("an id must have at most {MAX_ID_BYTES} bytes"))
        }
        Some(Ok(KbEndpoint::Code(node))) => {
            Err(format!("`{node}` is a code reference, not an entity id"))
        }
        Some(Err(message)) => Err(message),
        None => Err(format!("expected an id, not {}", describe_value(value))),
    };
    read.map_err(|message| faults.push(ChangesetFault::new(place, message))).ok()
}

fn parse_version(place: &str, value: &Value, faults: &mut Vec<ChangesetFault>) -> Option<u64> {
    if value.as_u64().is_none() && !value.is_null() {
        faults.push(ChangesetFault::new(place, "expected a whole number"));
    }
    value.as_u64()
}

fn check_length(text: &str) -> Result<Value, String> {
    match text.len() {
        long if long > MAX_FIELD_BYTES => {
            Err(format!("the text has {long} bytes; the limit is {MAX_FIELD_BYTES}"))
        }
        _ => Ok(text.into()),
    }
}

fn check_single_line(text: &str) -> Result<Value, String> {
    let good = !text.trim().is_empty() && !text.contains(char::is_control);
    good.then(|| text.into()).ok_or_else(|| "expected one line of text".into())
}

/// A list that was sent as one text, such as `a, b`.
fn split(text: &str) -> Value {
    text.split(',').map(str::trim).filter(|item| !item.is_empty()).collect()
}

fn describe_value(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(40) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

fn snake_case(name: &str) -> String {
    let lower = |c: char| if c.is_ascii_uppercase() { format!("_{c}") } else { c.to_string() };
    name.chars().map(lower).collect::<String>().to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fault_is_reported_with_its_place() {
        let (_, faults) = Changeset::parse(
            &[
                json!({"type": "req", "titel": "x", "tags": 7}),
                json!({"id": "REQ-1", "type": "rek", "title": 3, "title2": null, "allowCycle": true}),
                json!("REQ-2"),
            ],
            &[
                json!({"type": "depends_on", "from": "REQ-1"}),
                json!({"type": "likes", "from": "a b", "to": "REQ-1", "confidence": 2}),
                json!({"type": "relates_to", "from": "A", "to": "B"}),
            ],
            &[json!(3), json!({"from": "A", "to": "B", "type": "depends_on"})],
        );
        let places: Vec<&str> = faults.iter().map(|fault| fault.path.as_str()).collect();
        let expected = [
            "entities[0].tags",
            "entities[0].titel",
            "entities[0].id",
            "entities[1].title",
            "entities[1].title2",
            "entities[1].type",
            "entities[2]",
            "relations[0].to",
            "relations[1].confidence",
            "relations[1].from",
            "relations[1].type",
            "relations[2].kind",
            "delete[0]",
        ];
        assert_eq!(places, expected);
        assert!(faults[1].message.contains("`title`"), "{:?}", faults[1]);
    }
}
