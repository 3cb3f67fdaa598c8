//! Code that implements a requirement is covered by a test.

use std::collections::BTreeMap;

use super::{KbRuleViolation, RuleContext};
use crate::knowledge_model::{KnowledgeModel, KnownRelation};
use crate::model::{KbEntityKind, KbRelationKind};

/// Symbols that implement a requirement and that no test covers.
pub fn untested_symbols(model: &KnowledgeModel, _: &RuleContext<'_>) -> Vec<KbRuleViolation> {
    let claims =
        model.relations().iter().filter(|b| b.relation.relates == KbRelationKind::Implements);
    let mut by_symbol: BTreeMap<String, Vec<&KnownRelation>> = BTreeMap::new();
    for known_relation in claims {
        let node = model.node_of(&known_relation.relation.from).map(|node| node.to_string());
        by_symbol
            .entry(node.unwrap_or_else(|| known_relation.relation.from.clone()))
            .or_default()
            .push(known_relation);
    }
    let is_covered = |name: &str| {
        let names = model.node_of(name).map(|node| model.names_of(&node)).unwrap_or_default();
        names.iter().any(|name| {
            model.relations_from(name).any(|known_relation| {
                known_relation.relation.relates == KbRelationKind::CoveredBy
                    && model.kind_of(&known_relation.relation.to) == Some(KbEntityKind::Test)
            })
        })
    };
    let breach = |(name, relations): (String, Vec<&KnownRelation>)| {
        let first = relations.first()?;
        let wanted: Vec<&str> =
            relations.iter().map(|known_relation| known_relation.relation.to.as_str()).collect();
        let message = format!("{name} implements {} and no test covers it", wanted.join(", "));
        let fix = "add `covered_by`, or import test results with `kb.import`";
        Some(KbRuleViolation::for_relation(first, message, fix))
    };
    let untested = by_symbol.into_iter().filter(|(name, _)| !is_covered(name));
    untested.filter_map(breach).collect()
}
