//! Requirements that cannot hold together.

use std::collections::{BTreeMap, BTreeSet};

use super::{KbRuleViolation, RuleContext, is_current};
use crate::knowledge_model::{KnowledgeModel, KnownEntity, KnownRelation};
use crate::model::{KbEntityKind, KbRelationKind};

/// The kinds of `relates_to` that state a contradiction.
const CONTRADICTION_KINDS: [&str; 3] = ["contradicts", "conflicts", "conflicts_with"];

/// Pairs of current requirements that contradict each other: a relation states it, or both constrain
/// the same fact and have no required property in common.
pub fn contradicting_requirements(
    model: &KnowledgeModel,
    _: &RuleContext<'_>,
) -> Vec<KbRuleViolation> {
    let mut pairs: BTreeMap<(String, String), String> = BTreeMap::new();
    for known_relation in
        model.relations().iter().filter(|known_relation| is_explicit_contradiction(known_relation))
    {
        let why = format!("a relation states `{}`", known_relation.relation.kind);
        pairs.insert(ordered(&known_relation.relation.from, &known_relation.relation.to), why);
    }
    for known_relation in
        model.relations().iter().filter(|b| b.relation.relates == KbRelationKind::Constrains)
    {
        let about = &known_relation.relation.to;
        for other in
            model.relations_to(about).filter(|b| b.relation.relates == KbRelationKind::Constrains)
        {
            let (left, right) = (&known_relation.relation.from, &other.relation.from);
            let (mine, theirs) = (properties(model, left), properties(model, right));
            let apart = !mine.is_empty() && !theirs.is_empty() && mine.is_disjoint(&theirs);
            if left < right && apart {
                let why = format!(
                    "both constrain {about}: one requires {}, the other {}",
                    listed(&mine),
                    listed(&theirs)
                );
                pairs.entry(ordered(left, right)).or_insert(why);
            }
        }
    }
    let breach = |((left, right), why): ((String, String), String)| {
        let (one, other) = (current(model, &left)?, current(model, &right)?);
        let message = format!("{} and {} contradict: {why}", one.entity.id, other.entity.id);
        let fix = "deprecate one of them, or change what they require";
        Some(KbRuleViolation::for_entity(one, message, fix))
    };
    pairs.into_iter().filter_map(breach).collect()
}

fn is_explicit_contradiction(known_relation: &KnownRelation) -> bool {
    known_relation.relation.relates == KbRelationKind::RelatesTo
        && CONTRADICTION_KINDS.contains(&known_relation.relation.kind.as_str())
}

fn current<'m>(model: &'m KnowledgeModel, id: &str) -> Option<&'m KnownEntity> {
    model.get(id).filter(|fact| fact.entity.kind == KbEntityKind::Req && is_current(fact))
}

fn properties<'m>(model: &'m KnowledgeModel, id: &str) -> BTreeSet<&'m str> {
    let asked =
        model.relations_from(id).filter(|b| b.relation.relates == KbRelationKind::RequiresProperty);
    asked.map(|known_relation| known_relation.relation.to.as_str()).collect()
}

fn listed(names: &BTreeSet<&str>) -> String {
    names.iter().copied().collect::<Vec<_>>().join(", ")
}

fn ordered(a: &str, b: &str) -> (String, String) {
    if a <= b { (a.into(), b.into()) } else { (b.into(), a.into()) }
}
