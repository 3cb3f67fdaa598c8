//! References from the store to code, and how to update them after the code moved.

use base::EntityRef;
use serde_json::{Map, Value};

use crate::changeset::{Changeset, Deletion, EntityPatch, RelationPatch};
use crate::endpoint::KbEndpoint;
use crate::model::{Entity, KbRelation, RelationKey};

/// The symbols, files and folders that entities and relations refer to, sorted and without duplicates.
pub(crate) fn referenced_code(entities: &[Entity], relations: &[KbRelation]) -> Vec<EntityRef> {
    let of_entities = entities.iter().flat_map(|entity| {
        let code = entity.more.code.as_deref().and_then(code_node);
        let text = entity.more.text_ref.as_deref().and_then(text_node);
        code.into_iter().chain(text)
    });
    let ends = relations.iter().flat_map(|relation| [&relation.from, &relation.to]);
    let of_relations = ends.filter_map(|end| match KbEndpoint::parse(end) {
        Ok(KbEndpoint::Code(node)) => Some(node),
        _ => None,
    });
    let mut nodes: Vec<EntityRef> = of_entities.chain(of_relations).collect();
    nodes.sort();
    nodes.dedup();
    nodes
}

/// The changeset that updates references to moved code. `moved` gives the new place of a node, or
/// `None` if it did not move. The changeset is empty if nothing needs an update.
pub fn changeset_for_moved_code(
    entities: &[Entity],
    relations: &[KbRelation],
    moved: &dyn Fn(&EntityRef) -> Option<EntityRef>,
) -> Changeset {
    let mut set = Changeset::default();
    for entity in entities {
        let mut fields = Map::new();
        let code = entity.more.code.as_deref();
        if let Some(EntityRef::Symbol(path, name)) =
            code.and_then(code_node).and_then(|n| moved(&n))
        {
            fields.insert("code".into(), format!("{path}#{name}").into());
        }
        let text = entity.more.text_ref.as_deref().and_then(text_node).and_then(|n| moved(&n));
        if let Some(path) = text.as_ref().and_then(EntityRef::path) {
            fields.insert("text_ref".into(), path.to_string().into());
        }
        if !fields.is_empty() {
            set.entities.push(entity_patch(set.entities.len(), entity, fields));
        }
    }
    for relation in relations {
        let end = |text: &String| match KbEndpoint::parse(text) {
            Ok(KbEndpoint::Code(node)) => moved(&node).map(|node| node.to_string()),
            _ => None,
        };
        let (from, to) = (end(&relation.from), end(&relation.to));
        if from.is_some() || to.is_some() {
            let old = relation.key();
            let key = RelationKey {
                from: from.unwrap_or_else(|| old.from.clone()),
                to: to.unwrap_or_else(|| old.to.clone()),
                ..old.clone()
            };
            set.relations.push(relation_patch(set.relations.len(), relation, key));
            let path = format!("delete[{}]", set.delete.len());
            set.delete.push(Deletion::Relation { path, key: old });
        }
    }
    set
}

/// The patch keeps the author and the source of the entity.
fn entity_patch(at: usize, entity: &Entity, mut fields: Map<String, Value>) -> EntityPatch {
    fields.insert("source".into(), entity.source.as_str().into());
    fields.insert("author".into(), entity.author.as_str().into());
    let if_version = Some(u64::from(entity.version));
    EntityPatch { path: format!("entities[{at}]"), id: entity.id.clone(), fields, if_version }
}

fn relation_patch(at: usize, relation: &KbRelation, key: RelationKey) -> RelationPatch {
    RelationPatch {
        path: format!("relations[{at}]"),
        key,
        confidence: relation.confidence,
        source: Some(relation.source.clone()),
        allow_cycle: relation.allow_cycle,
    }
}

/// The symbol of a `path#name`.
pub fn code_node(text: &str) -> Option<EntityRef> {
    let text = text.strip_prefix("symbol:").unwrap_or(text);
    format!("symbol:{text}").parse().ok()
}

/// The file that a `text_ref` refers to; `None` for a web address.
pub fn text_node(text: &str) -> Option<EntityRef> {
    let path = text.strip_prefix("file:").unwrap_or(text);
    let is_path = !path.contains(':');
    is_path.then(|| format!("file:{path}").parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{EntityDetails, KbEntityKind, KbRelationKind};

    #[test]
    fn what_moved_is_named_by_its_new_place() {
        let entity = Entity {
            id: "SYM-1".into(),
            kind: KbEntityKind::Symbol,
            title: "charge".into(),
            status: "active".into(),
            created_at: String::new(),
            updated_at: String::new(),
            source: "review".into(),
            author: "ada".into(),
            version: 2,
            more: EntityDetails {
                code: Some("src/pay.ts#charge".into()),
                text_ref: Some("docs/pay.md".into()),
                ..EntityDetails::default()
            },
        };
        let relation = KbRelation {
            relates: KbRelationKind::Implements,
            from: "symbol:src/pay.ts#refund".into(),
            to: "REQ-1".into(),
            kind: String::new(),
            created_at: String::new(),
            created_by: String::new(),
            source: "review".into(),
            confidence: Some(0.5),
            allow_cycle: false,
        };
        let (entities, relations) = ([entity], [relation]);
        let named: Vec<String> =
            referenced_code(&entities, &relations).iter().map(ToString::to_string).collect();
        let all = ["file:docs/pay.md", "symbol:src/pay.ts#charge", "symbol:src/pay.ts#refund"];
        assert_eq!(named, all);
        let moved = |node: &EntityRef| match node {
            EntityRef::Symbol(..) => node.to_string().replace("pay.ts", "money.ts").parse().ok(),
            _ => None,
        };
        let set = changeset_for_moved_code(&entities, &relations, &moved);
        assert_eq!(set.entities[0].fields["code"], "src/money.ts#charge");
        assert!(!set.entities[0].fields.contains_key("text_ref"));
        assert_eq!(set.relations[0].key.from, "symbol:src/money.ts#refund");
        assert_eq!(set.relations[0].confidence, Some(0.5));
        assert_eq!(set.delete.len(), 1);
        let none = changeset_for_moved_code(&entities, &relations, &|_| None);
        assert_eq!(none, Changeset::default());
    }
}
