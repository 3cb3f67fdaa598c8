//! Code that implements a requirement is covered by a test.

use std::collections::BTreeMap;

use super::{KbRuleViolation, RuleContext};
use crate::knowledge_model::{KnowledgeModel, KnownRelation};
use crate::model::{KbEntityKind, KbRelationKind};

/// Symbols that implement a requirement and that no test covers.
pub fn untested_symbols(model: &KnowledgeModel, _: &RuleContext<'_>) -> Vec<KbRuleViolation> {
    let claims = model.bonds().iter().filter(|b| b.relation.relates == KbRelationKind::Implements);
    let mut by_symbol: BTreeMap<String, Vec<&KnownRelation>> = BTreeMap::new();
    for bond in claims {
        let node = model.node_of(&bond.relation.from).map(|node| node.to_string());
        by_symbol.entry(node.unwrap_or_else(|| bond.relation.from.clone())).or_default().push(bond);
    }
    let is_covered = |name: &str| {
        let names = model.node_of(name).map(|node| model.names_of(&node)).unwrap_or_default();
        names.iter().any(|name| {
            model.relations_from(name).any(|bond| {
                bond.relation.relates == KbRelationKind::CoveredBy
                    && model.kind_of(&bond.relation.to) == Some(KbEntityKind::Test)
            })
        })
    };
    let breach = |(name, bonds): (String, Vec<&KnownRelation>)| {
        let first = bonds.first()?;
        let wanted: Vec<&str> = bonds.iter().map(|bond| bond.relation.to.as_str()).collect();
        let message = format!("{name} implements {} and no test covers it", wanted.join(", "));
        let fix = "add `covered_by`, or import test results with `kb.import`";
        Some(KbRuleViolation::for_relation(first, message, fix))
    };
    let untested = by_symbol.into_iter().filter(|(name, _)| !is_covered(name));
    untested.filter_map(breach).collect()
}
