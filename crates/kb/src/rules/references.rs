//! Both ends of a relation exist and have the right types.

use base::EntityRef;

use super::{KbRuleViolation, RuleContext};
use crate::endpoint::KbEndpoint;
use crate::knowledge_model::{KnowledgeModel, KnownRelation};
use crate::model::{KbEntityKind, KbRelationKind};

/// Relations with an end that does not exist or has a wrong type. Code that implements a missing
/// requirement has its own rule, [`missing_requirements`].
pub fn dangling_references(
    model: &KnowledgeModel,
    world: &RuleContext<'_>,
) -> Vec<KbRuleViolation> {
    let mut breaches = Vec::new();
    for known_relation in model.relations() {
        let relation = &known_relation.relation;
        let ends = [("from", &relation.from), ("to", &relation.to)];
        let missing: Vec<_> = ends.iter().filter(|(_, end)| !exists(model, world, end)).collect();
        for (_, end) in &missing {
            if relation.relates == KbRelationKind::Implements && **end == relation.to {
                continue;
            }
            let message = format!("`{}` refers to {end}, which does not exist", relation.key());
            breaches.push(KbRuleViolation::for_relation(
                known_relation,
                message,
                fix(model, known_relation, end),
            ));
        }
        if missing.is_empty() {
            breaches.extend(type_mismatch(model, known_relation));
        }
    }
    breaches
}

/// Code that implements a requirement that does not exist.
pub fn missing_requirements(
    model: &KnowledgeModel,
    world: &RuleContext<'_>,
) -> Vec<KbRuleViolation> {
    let claims =
        model.relations().iter().filter(|b| b.relation.relates == KbRelationKind::Implements);
    let missing =
        claims.filter(|known_relation| !exists(model, world, &known_relation.relation.to));
    let breach = |known_relation: &KnownRelation| {
        let (from, to) = (&known_relation.relation.from, &known_relation.relation.to);
        let message = format!("{from} implements {to}, which does not exist");
        KbRuleViolation::for_relation(known_relation, message, fix(model, known_relation, to))
    };
    missing.map(breach).collect()
}

fn exists(model: &KnowledgeModel, world: &RuleContext<'_>, end: &str) -> bool {
    match KbEndpoint::parse(end) {
        Ok(KbEndpoint::Entity(id)) => model.get(&id).is_some(),
        Ok(KbEndpoint::Code(node)) => (world.has_code)(&node),
        Err(_) => false,
    }
}

fn type_mismatch(
    model: &KnowledgeModel,
    known_relation: &KnownRelation,
) -> Option<KbRuleViolation> {
    let relation = &known_relation.relation;
    let (from, to) = (model.kind_of(&relation.from), model.kind_of(&relation.to));
    if relation.relates.fits(from, to) {
        return None;
    }
    let (left, right) = relation.relates.signature();
    let word = |kind: Option<KbEntityKind>| kind.map_or("component", KbEntityKind::word);
    let message = format!(
        "`{}`: `{}` relates ({left}) to ({right}), not ({}) to ({})",
        relation.key(),
        relation.relates,
        word(from),
        word(to)
    );
    Some(KbRuleViolation::for_relation(
        known_relation,
        message,
        "refer to an entity of the right type",
    ))
}

fn fix(model: &KnowledgeModel, known_relation: &KnownRelation, end: &str) -> String {
    let ids = model.facts().map(|fact| fact.entity.id.as_str());
    let near = match end.parse::<EntityRef>() {
        Ok(EntityRef::Kb(_)) | Err(_) => base::similarity::most_similar(end, ids, 1),
        Ok(_) => Vec::new(),
    };
    let place = match known_relation.origin.file() {
        Some((path, _)) => format!("in {path}"),
        None => "with `kb.upsert`".into(),
    };
    let is_code = end.parse::<EntityRef>().is_ok_and(|end| end.path().is_some());
    match near.first() {
        Some(near) => format!("refer to {near} instead {place}, or create {end}"),
        None if is_code => {
            format!("create {end}, or change the relation {place}; `fix` does it if the code moved")
        }
        None => format!("create {end}, or remove the relation {place}"),
    }
}
