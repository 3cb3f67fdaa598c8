//! Every entity has a title and a status of its type.

use super::{KbRuleViolation, RuleContext, edit_location};
use crate::knowledge_model::{KnowledgeModel, KnownEntity};

/// Entities without a title or status, or with a status that their type does not have.
pub fn required_fields(model: &KnowledgeModel, _: &RuleContext<'_>) -> Vec<KbRuleViolation> {
    model.facts().flat_map(missing_fields).collect()
}

fn missing_fields(fact: &KnownEntity) -> Vec<KbRuleViolation> {
    let entity = &fact.entity;
    let (id, kind) = (&entity.id, entity.kind);
    let mut breaches = Vec::new();
    if entity.title.trim().is_empty() {
        let message = format!("{id} has no title");
        breaches.push(KbRuleViolation::for_entity(
            fact,
            message,
            format!("add `title` {}", edit_location(fact)),
        ));
    }
    let allowed = kind.statuses();
    let message = match entity.status.as_str() {
        "" => format!("{id} has no status"),
        status if !allowed.contains(&status) => format!("`{status}` is not a status of a {kind}"),
        _ => return breaches,
    };
    let fix = format!("set `status` to one of {} {}", allowed.join(", "), edit_location(fact));
    breaches.push(KbRuleViolation::for_entity(fact, message, fix));
    breaches
}
