//! Rules: both ends of a relation exist, and have types that the relation accepts.

use base::EntityRef;

use super::{KbRuleViolation, RuleContext};
use crate::endpoint::KbEndpoint;
use crate::knowledge_model::{KnowledgeModel, KnownRelation};
use crate::model::{KbEntityKind, KbRelationKind};

/// Relations whose start or end does not exist, or has a type that the relation does not accept.
/// Code that implements a missing requirement is a rule of its own.
pub fn dangling_references(
    model: &KnowledgeModel,
    world: &RuleContext<'_>,
) -> Vec<KbRuleViolation> {
    let mut breaches = Vec::new();
    for bond in model.bonds() {
        let relation = &bond.relation;
        let ends = [("from", &relation.from), ("to", &relation.to)];
        let missing: Vec<_> = ends.iter().filter(|(_, end)| !is_there(model, world, end)).collect();
        for (_, end) in &missing {
            if relation.relates == KbRelationKind::Implements && **end == relation.to {
                continue;
            }
            let message = match **end == relation.to {
                true => format!("{}, which does not exist", relation.key()),
                false => format!("{}, but {end} does not exist", relation.key()),
            };
            breaches.push(KbRuleViolation::for_relation(bond, message, fix(model, bond, end)));
        }
        if missing.is_empty() {
            breaches.extend(type_mismatch(model, bond));
        }
    }
    breaches
}

/// Code that claims to implement a requirement that does not exist.
pub fn missing_requirements(
    model: &KnowledgeModel,
    world: &RuleContext<'_>,
) -> Vec<KbRuleViolation> {
    let claims = model.bonds().iter().filter(|b| b.relation.relates == KbRelationKind::Implements);
    let missing = claims.filter(|bond| !is_there(model, world, &bond.relation.to));
    let breach = |bond: &KnownRelation| {
        let (from, to) = (&bond.relation.from, &bond.relation.to);
        let message = format!("{from} implements {to}, which does not exist");
        KbRuleViolation::for_relation(bond, message, fix(model, bond, to))
    };
    missing.map(breach).collect()
}

fn is_there(model: &KnowledgeModel, world: &RuleContext<'_>, end: &str) -> bool {
    match KbEndpoint::parse(end) {
        Ok(KbEndpoint::Entity(id)) => model.get(&id).is_some(),
        Ok(KbEndpoint::Code(node)) => (world.has_code)(&node),
        Err(_) => false,
    }
}

fn type_mismatch(model: &KnowledgeModel, bond: &KnownRelation) -> Option<KbRuleViolation> {
    let relation = &bond.relation;
    let (from, to) = (model.kind_of(&relation.from), model.kind_of(&relation.to));
    if relation.relates.fits(from, to) {
        return None;
    }
    let (left, right) = relation.relates.signature();
    let word = |kind: Option<KbEntityKind>| kind.map_or("component", KbEntityKind::word);
    let message = format!(
        "{}: {} relates {left} to {right}, not {} to {}",
        relation.key(),
        relation.relates,
        word(from),
        word(to)
    );
    Some(KbRuleViolation::for_relation(
        bond,
        message,
        "name an entity of the right type, or use another relation",
    ))
}

fn fix(model: &KnowledgeModel, bond: &KnownRelation, end: &str) -> String {
    let ids = model.facts().map(|fact| fact.entity.id.as_str());
    let near = match end.parse::<EntityRef>() {
        Ok(EntityRef::Kb(_)) | Err(_) => base::similarity::most_similar(end, ids, 1),
        Ok(_) => Vec::new(),
    };
    let place = match bond.origin.file() {
        Some((path, _)) => format!("in {path}"),
        None => "with `kb.upsert`".into(),
    };
    match (near.first(), end.parse::<EntityRef>()) {
        (Some(near), _) => {
            format!(
                "name {near}, the most similar id, create {end}, or remove the relation {place}"
            )
        }
        (None, Ok(EntityRef::Kb(_)) | Err(_)) => {
            format!("create {end}, or remove the relation {place}")
        }
        (None, Ok(_)) => format!(
            "run `fix` if it was moved or renamed; otherwise name its new place or remove the relation {place}"
        ),
    }
}
