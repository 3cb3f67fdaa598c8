//! A requirement of priority `must` has a scenario and a test.

use super::{KbRuleViolation, RuleContext, edit_location, is_current, relations_of_kind};
use crate::knowledge_model::{KnowledgeModel, KnownRelation};
use crate::model::{KbEntityKind, KbRelationKind, RequirementPriority};

/// Requirements with priority `must` that no scenario specifies or no test verifies.
pub fn must_coverage(model: &KnowledgeModel, _: &RuleContext<'_>) -> Vec<KbRuleViolation> {
    let musts = model.facts().filter(|fact| {
        fact.entity.kind == KbEntityKind::Req
            && fact.entity.more.priority == Some(RequirementPriority::Must)
            && is_current(fact)
    });
    let lacking = |fact: &crate::KnownEntity| {
        let there = |known_relation: &KnownRelation, kind| {
            model.kind_of(&known_relation.relation.to) == Some(kind)
        };
        let told = relations_of_kind(model, fact, KbRelationKind::SpecifiedBy)
            .any(|b| there(b, KbEntityKind::Scenario));
        let checked = relations_of_kind(model, fact, KbRelationKind::VerifiedBy)
            .any(|b| there(b, KbEntityKind::Test));
        match (told, checked) {
            (true, true) => None,
            (false, true) => Some(("no scenario specifies it", "specified_by: [SCEN-…]")),
            (true, false) => Some(("no test verifies it", "verified_by: [TEST-…]")),
            (false, false) => Some((
                "no scenario specifies it and no test verifies it",
                "specified_by: [SCEN-…] and verified_by: [TEST-…]",
            )),
        }
    };
    let breach = |fact: &crate::KnownEntity| {
        let (message, fix) = lacking(fact)?;
        let message = format!("{} has priority must: {message}", fact.entity.id);
        Some(KbRuleViolation::for_entity(
            fact,
            message,
            format!("add {fix} {}", edit_location(fact)),
        ))
    };
    musts.filter_map(breach).collect()
}
