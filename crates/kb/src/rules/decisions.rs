//! A decision that no longer holds is superseded by another one.

use super::{KbRuleViolation, RuleContext};
use crate::knowledge_model::{KnowledgeModel, KnownEntity};
use crate::model::{KbEntityKind, KbRelationKind};

/// Decisions that are deprecated or superseded, and that no current decision supersedes.
pub fn deprecated_decisions(model: &KnowledgeModel, _: &RuleContext<'_>) -> Vec<KbRuleViolation> {
    let gone = model.facts().filter(|fact| {
        fact.entity.kind == KbEntityKind::Adr
            && matches!(fact.entity.status.as_str(), "deprecated" | "superseded")
    });
    let has_successor = |fact: &&KnownEntity| {
        let mut followed = model.relations_to(&fact.entity.id);
        followed.any(|known_relation| {
            known_relation.relation.relates == KbRelationKind::Supersedes
                && model.kind_of(&known_relation.relation.from) == Some(KbEntityKind::Adr)
        })
    };
    let breach = |fact: &KnownEntity| {
        let (id, status) = (&fact.entity.id, &fact.entity.status);
        let message = format!("{id} is {status} and nothing supersedes it");
        let fix = format!("write the decision that replaces it, with supersedes: [{id}]");
        KbRuleViolation::for_entity(fact, message, fix)
    };
    gone.filter(|fact| !has_successor(fact)).map(breach).collect()
}
