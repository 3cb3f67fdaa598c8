//! Writes an entity as a document.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::model::{Entity, KbRelation};

/// The document of an entity and the relations that start at it. The extractor reads the same entity
/// from it.
pub fn to_document(entity: &Entity, relations: &[KbRelation]) -> String {
    let more = &entity.more;
    let list = |items: &[String]| Value::from(items.to_vec());
    let text = |text: &Option<String>| text.clone().map(Value::from);
    let mut fields: Vec<(&str, Option<Value>)> = vec![
        ("id", Some(entity.id.as_str().into())),
        ("type", Some(entity.kind.word().into())),
        ("title", Some(entity.title.as_str().into())),
        ("status", Some(entity.status.as_str().into())),
        ("priority", more.priority.map(|priority| priority.word().into())),
        ("severity", text(&more.severity)),
        ("owner", text(&more.owner)),
        ("kind", text(&more.kind)),
        ("code", text(&more.code)),
        ("text_ref", text(&more.text_ref)),
        ("ran_at", text(&more.ran_at)),
        ("commit", text(&more.commit)),
        ("allow_cycle", more.allow_cycle.then_some(Value::Bool(true))),
        ("tags", (!more.tags.is_empty()).then(|| list(&more.tags))),
        ("author", Some(entity.author.as_str().into()).filter(|_| !entity.author.is_empty())),
        ("created_at", Some(entity.created_at.as_str().into())),
        ("updated_at", Some(entity.updated_at.as_str().into())),
    ];
    let mut typed: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let mut links: Vec<Value> = more.links.iter().map(|link| link.as_str().into()).collect();
    for relation in relations {
        match relation.kind.as_str() {
            "" => typed.entry(relation.relates.word()).or_default().push(relation.to.clone()),
            kind => links.push(serde_json::json!({
                "type": relation.relates.word(), "target": relation.to, "kind": kind
            })),
        }
    }
    let typed: Vec<(&str, Value)> =
        typed.into_iter().map(|(word, ends)| (word, Value::from(ends))).collect();
    fields.extend(typed.into_iter().map(|(word, ends)| (word, Some(ends))));
    fields.push(("links", (!links.is_empty()).then(|| Value::from(links))));
    // JSON is valid YAML, and quoted text cannot be mistaken for another type.
    let lines =
        fields.into_iter().filter_map(|(name, value)| Some(format!("{name}: {}\n", value?)));
    let front: String = lines.collect();
    // The extractor removes the two line breaks that are added here.
    let body = more.text.as_deref().unwrap_or_default();
    let body = if body.is_empty() { String::new() } else { format!("\n{body}\n") };
    format!("---\n{front}---\n{body}")
}

/// The conventional path of the document of an entity.
pub fn document_path(entity: &Entity) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let name: String = entity.id.chars().map(|c| if plain(c) { c } else { '-' }).collect();
    format!("docs/{}/{}.md", entity.kind.folders()[0], name.trim_start_matches('.'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{EntityDetails, KbEntityKind, KbRelationKind};

    #[test]
    fn a_document_reads_back_as_the_entity() {
        let entity = Entity {
            id: "FACT-1".into(),
            kind: KbEntityKind::Fact,
            title: "quotes \" and: # \\ \n newline 🦀 \u{202e}".into(),
            status: "active".into(),
            created_at: "2026-01-02T03:04:05Z".into(),
            updated_at: "2026-01-02T03:04:05Z".into(),
            source: "ada".into(),
            author: "ada".into(),
            version: 3,
            more: EntityDetails {
                tags: vec!["yes".into(), "1.0".into()],
                text: Some("  Body  \n\n--- not a fence  \n\n".into()),
                links: vec!["https://x.y".into()],
                ..EntityDetails::default()
            },
        };
        let tie = KbRelation {
            relates: KbRelationKind::RelatesTo,
            from: "FACT-1".into(),
            to: "REQ-1".into(),
            kind: "explains".into(),
            created_at: String::new(),
            created_by: String::new(),
            source: String::new(),
            confidence: None,
            allow_cycle: false,
        };
        let path: base::RepoPath = document_path(&entity).parse().unwrap();
        let text = to_document(&entity, &[tie]);
        let found = crate::extractor(&path).unwrap().extract(&path, &text);
        let (read, _) = &found.entities[0];
        assert_eq!((read.title.trim(), &read.more.tags), (entity.title.trim(), &entity.more.tags));
        assert_eq!((&read.more.text, &read.more.links), (&entity.more.text, &entity.more.links));
        assert_eq!(
            (found.relations[0].to.as_str(), found.relations[0].kind.as_str()),
            ("REQ-1", "explains")
        );
        assert!(found.faults.is_empty(), "{:?}", found.faults);
    }
}
