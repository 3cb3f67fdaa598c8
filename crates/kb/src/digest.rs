//! The digest of a changeset, by which a repeated changeset is recognized.
//!
//! The audit log stores the digest of each changeset that has an id, so its encoding is a stored
//! format. A digest starts with the version of its encoding. Version 2 is the hash of canonical
//! JSON: keys sorted, every field present. Digests without a version come from cairn 0.1, which
//! hashed the `Debug` text of its types; `version_1` reproduces that text, whatever the types are
//! called now.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::changeset::{Changeset, Deletion};
use crate::model::RelationKey;

/// How many hex digits of the hash are kept.
const HASH_DIGITS: usize = 32;

/// The digest of a changeset in the current encoding.
pub(crate) fn digest(set: &Changeset) -> String {
    format!("2:{}", hash(&canonical_text(&to_json(set))))
}

/// Whether a stored digest, of any version, is the digest of a changeset.
pub(crate) fn matches(stored: &str, set: &Changeset) -> bool {
    match stored.split_once(':') {
        Some(_) => stored == digest(set),
        None => stored == hash(&version_1::text(set)),
    }
}

fn hash(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex()[..HASH_DIGITS].to_owned()
}

/// JSON with the keys of every object sorted.
fn canonical_text(value: &Value) -> String {
    match value {
        Value::Object(fields) => {
            let sorted: BTreeMap<&String, &Value> = fields.iter().collect();
            let fields = sorted.into_iter().map(|(name, value)| {
                format!("{}:{}", Value::from(name.as_str()), canonical_text(value))
            });
            format!("{{{}}}", fields.collect::<Vec<_>>().join(","))
        }
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(canonical_text).collect();
            format!("[{}]", items.join(","))
        }
        plain => plain.to_string(),
    }
}

/// A changeset as JSON. Places in the payload are left out: they follow from the order of the
/// items.
fn to_json(set: &Changeset) -> Value {
    let key = |key: &RelationKey| json!({"type": key.relates.word(), "from": key.from, "to": key.to, "kind": key.kind});
    let entities = set.entities.iter().map(
        |patch| json!({"id": patch.id, "fields": patch.fields, "if_version": patch.if_version}),
    );
    let relations = set.relations.iter().map(|patch| {
        json!({
            "key": key(&patch.key),
            "confidence": patch.confidence,
            "source": patch.source,
            "allow_cycle": patch.allow_cycle,
        })
    });
    let delete = set.delete.iter().map(|deletion| match deletion {
        Deletion::Entity { id, if_version, .. } => json!({"id": id, "if_version": if_version}),
        Deletion::Relation { key: relation, .. } => json!({"relation": key(relation)}),
    });
    json!({
        "id": set.id,
        "source": set.source,
        "entities": entities.collect::<Vec<_>>(),
        "relations": relations.collect::<Vec<_>>(),
        "delete": delete.collect::<Vec<_>>(),
        "cascade": set.cascade,
    })
}

/// The encoding of cairn 0.1: the derived `Debug` text of its types. Names here are that text and
/// must never change.
mod version_1 {
    use serde_json::{Map, Value};

    use crate::changeset;
    use crate::model;

    pub(super) fn text(set: &changeset::Changeset) -> String {
        let entities = set.entities.iter().map(|patch| Patch {
            path: &patch.path,
            id: &patch.id,
            fields: &patch.fields,
            if_version: patch.if_version,
        });
        let relations = set.relations.iter().map(|patch| Tie {
            path: &patch.path,
            key: key(&patch.key),
            confidence: patch.confidence,
            source: &patch.source,
            allow_cycle: patch.allow_cycle,
        });
        let delete = set.delete.iter().map(|deletion| match deletion {
            changeset::Deletion::Entity { path, id, if_version } => {
                Doomed::Entity(path, id, *if_version)
            }
            changeset::Deletion::Relation { path, key: relation } => {
                Doomed::Relation(path, key(relation))
            }
        });
        let set = Changeset {
            id: &set.id,
            source: &set.source,
            entities: entities.collect(),
            relations: relations.collect(),
            delete: delete.collect(),
            cascade: set.cascade,
        };
        format!("{set:?}")
    }

    fn key(key: &model::RelationKey) -> RelationKey<'_> {
        RelationKey {
            relates: Relates(variant(key.relates)),
            from: &key.from,
            to: &key.to,
            kind: &key.kind,
        }
    }

    /// `depends_on` was printed as the name of its variant, `DependsOn`.
    fn variant(kind: model::KbRelationKind) -> String {
        let words = kind.word().split('_').map(|word| {
            let (first, rest) = word.split_at(1);
            first.to_ascii_uppercase() + rest
        });
        words.collect()
    }

    /// Text that is printed without quotes, as the name of a variant is.
    struct Relates(String);

    impl std::fmt::Debug for Relates {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str(&self.0)
        }
    }

    #[derive(Debug)]
    #[expect(dead_code, reason = "the fields are read by `Debug`")]
    struct Changeset<'a> {
        id: &'a Option<String>,
        source: &'a Option<String>,
        entities: Vec<Patch<'a>>,
        relations: Vec<Tie<'a>>,
        delete: Vec<Doomed<'a>>,
        cascade: bool,
    }

    #[derive(Debug)]
    #[expect(dead_code, reason = "the fields are read by `Debug`")]
    struct Patch<'a> {
        path: &'a str,
        id: &'a str,
        fields: &'a Map<String, Value>,
        if_version: Option<u64>,
    }

    #[derive(Debug)]
    #[expect(dead_code, reason = "the fields are read by `Debug`")]
    struct Tie<'a> {
        path: &'a str,
        key: RelationKey<'a>,
        confidence: Option<f64>,
        source: &'a Option<String>,
        allow_cycle: bool,
    }

    #[derive(Debug)]
    #[expect(dead_code, reason = "the fields are read by `Debug`")]
    enum Doomed<'a> {
        Entity(&'a str, &'a str, Option<u64>),
        Relation(&'a str, RelationKey<'a>),
    }

    #[derive(Debug)]
    #[expect(dead_code, reason = "the fields are read by `Debug`")]
    struct RelationKey<'a> {
        relates: Relates,
        from: &'a str,
        to: &'a str,
        kind: &'a str,
    }
}
