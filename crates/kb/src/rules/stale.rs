//! What was begun is either finished or touched now and then; what an entity points at is there.

use base::EntityRef;

use super::{KbRuleViolation, RuleContext, edit_location, is_current};
use crate::knowledge_model::{KnowledgeModel, KnownEntity};
use crate::model::KbEntityKind;

/// States of what is not finished.
const UNFINISHED: [&str; 5] = ["open", "in_progress", "draft", "proposed", "pending"];

/// Unfinished entities that nobody touched for long, and entities whose code or text is gone.
pub fn stale_entities(model: &KnowledgeModel, world: &RuleContext<'_>) -> Vec<KbRuleViolation> {
    model.facts().filter(|fact| is_current(fact)).flat_map(|fact| stale(fact, world)).collect()
}

fn stale(fact: &KnownEntity, world: &RuleContext<'_>) -> Vec<KbRuleViolation> {
    let entity = &fact.entity;
    let mut breaches = Vec::new();
    let day = entity.updated_at.get(..10).unwrap_or_default();
    let unfinished = UNFINISHED.contains(&entity.status.as_str());
    if unfinished && !day.is_empty() && day < world.stale_before {
        let message = format!("{} is {} and untouched since {day}", entity.id, entity.status);
        breaches.push(KbRuleViolation::for_entity(
            fact,
            message,
            format!("bring it up to date {}", edit_location(fact)),
        ));
    }
    if entity.kind == KbEntityKind::Symbol
        && let (Some(code), None) = (&entity.more.code, &fact.code)
    {
        let message = format!("{} names {code}, which does not exist", entity.id);
        let what = "run `fix` if the code was moved or renamed; otherwise name its new place";
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
        let message = format!("the text of {} is in {path}, which does not exist", entity.id);
        breaches.push(KbRuleViolation::for_entity(
            fact,
            message,
            format!("set `text_ref` {}", edit_location(fact)),
        ));
    }
    breaches
}
