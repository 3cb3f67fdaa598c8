//! Unfinished entities are updated from time to time, and the code and text of an entity exist.

use base::EntityRef;

use super::{KbRuleViolation, RuleContext, edit_location, is_current};
use crate::knowledge_model::{KnowledgeModel, KnownEntity};
use crate::model::KbEntityKind;

/// Statuses of unfinished entities.
const UNFINISHED: [&str; 5] = ["open", "in_progress", "draft", "proposed", "pending"];

/// Unfinished entities without recent changes, and entities whose code or text does not exist.
pub fn stale_entities(model: &KnowledgeModel, world: &RuleContext<'_>) -> Vec<KbRuleViolation> {
    model.facts().filter(|fact| is_current(fact)).flat_map(|fact| stale(fact, world)).collect()
}

fn stale(fact: &KnownEntity, world: &RuleContext<'_>) -> Vec<KbRuleViolation> {
    let entity = &fact.entity;
    let mut breaches = Vec::new();
    let day = entity.updated_at.get(..10).unwrap_or_default();
    let unfinished = UNFINISHED.contains(&entity.status.as_str());
    if unfinished && !day.is_empty() && day < world.stale_before {
        let message = format!("{} is {} and was last changed on {day}", entity.id, entity.status);
        breaches.push(KbRuleViolation::for_entity(
            fact,
            message,
            format!("update it {}", edit_location(fact)),
        ));
    }
    if entity.kind == KbEntityKind::Symbol
        && let (Some(code), None) = (&entity.more.code, &fact.code)
    {
        let message = format!("{} refers to the code {code}, which does not exist", entity.id);
        let what = "set `code` to its new place";
        breaches.push(KbRuleViolation::for_entity(
            fact,
            message,
            format!("{what} {}", edit_location(fact)),
        ));
    }
    let file = entity.more.text_ref.as_deref().filter(|text| !text.contains("://"));
    let file = file.map(|text| text.split('#').next().unwrap_or(text));
    if let Some(Ok(path)) = file.map(str::parse)
        && fact.origin.file().is_none_or(|(own, _)| *own != path)
        && !(world.has_code)(&EntityRef::File(path.clone()))
    {
        let message = format!("`text_ref` of {} refers to {path}, which does not exist", entity.id);
        breaches.push(KbRuleViolation::for_entity(
            fact,
            message,
            format!("set `text_ref` {}", edit_location(fact)),
        ));
    }
    breaches
}
