//! The words of the knowledge base in the schemas of its operations, so that `help` and every client show them.
//!
//! The list of tools has the enumerations only; `help` also says which statuses belong to which type, and what a
//! relation connects.

use std::collections::BTreeSet;

use kb::{KbEntityKind, KbRelationKind, RequirementPriority};
use schemars::{Schema, SchemaGenerator, json_schema};
use serde_json::{Value, json};

/// The statuses that entities of any type may have.
pub(super) fn all_statuses() -> BTreeSet<&'static str> {
    KbEntityKind::ALL.iter().flat_map(|kind| kind.statuses()).copied().collect()
}

/// A list of statuses.
pub(super) fn statuses(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "array", "items": status()})
}

/// A list of relation types.
pub(super) fn relation_types(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "array", "items": relation_type()})
}

/// Entities of a changeset.
pub(super) fn entities(_: &mut SchemaGenerator) -> Schema {
    let types: Vec<&str> = KbEntityKind::ALL.iter().map(|kind| kind.word()).collect();
    let priorities: Vec<&str> = RequirementPriority::ALL.iter().map(|one| one.word()).collect();
    let mut status = status();
    status["x-rare"] = true.into();
    let fields = json!({
        "id": {"type": "string", "description": "Its id, such as `REQ-001`"},
        "type": {"type": "string", "enum": types, "description": id_prefixes()},
        "title": {"type": "string", "description": "Its title, in one line"},
        "status": status,
        "priority": {"type": "string", "enum": priorities, "x-rare": true, "description": "Priority of a requirement"},
        "tags": {"type": "array", "items": {"type": "string"}, "description": "Tags to find it by"},
        "text": {"type": "string", "description": "Its full text, as Markdown"},
        "code": {"type": "string", "description": "The code of a symbol, as `path#name`"},
        "if_version": {"type": "integer", "description": "Version that was read; a later one is refused"},
    });
    json_schema!({"type": "array", "items": {"type": "object", "properties": fields}})
}

/// Relations of a changeset.
pub(super) fn relations(_: &mut SchemaGenerator) -> Schema {
    let fields = json!({
        "type": relation_type(),
        "from": {"type": "string", "description": "An id, or code as `symbol:path#name`"},
        "to": {"type": "string", "description": "An id, code, or a component as `file:path` or `dir:path`"},
        "kind": {"type": "string", "description": "What `relates_to` means; only there"},
        "confidence": {"type": "number", "description": "How certain it is, from 0 to 1"},
    });
    json_schema!({"type": "array", "items": {"type": "object", "properties": fields}})
}

/// A status, with the statuses of each type.
fn status() -> Value {
    let of_type = |kind: &KbEntityKind| format!("{}: {}", kind.word(), kind.statuses().join(", "));
    let by_type: Vec<String> = KbEntityKind::ALL.iter().map(of_type).collect();
    json!({"type": "string", "enum": all_statuses(), "description": by_type.join("; ")})
}

/// A relation type, with what each connects.
fn relation_type() -> Value {
    let words: Vec<&str> = KbRelationKind::ALL.iter().map(|relation| relation.word()).collect();
    let ends = |relation: &KbRelationKind| {
        let (from, to) = relation.signature();
        format!("{from} {} {to}", relation.word())
    };
    let ends: Vec<String> = KbRelationKind::ALL.iter().map(ends).collect();
    json!({"type": "string", "enum": words, "description": ends.join("; ")})
}

/// How ids of each type start.
fn id_prefixes() -> String {
    let of_type = |kind: &KbEntityKind| format!("{} {}…", kind.word(), kind.prefixes().join("…, "));
    let all: Vec<String> = KbEntityKind::ALL.iter().map(of_type).collect();
    format!("Its type; ids start with: {}", all.join("; "))
}
