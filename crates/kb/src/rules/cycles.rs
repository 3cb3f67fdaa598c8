//! Requirements do not depend on themselves, unless `allow_cycle` says so.

use std::collections::{BTreeMap, BTreeSet};

use super::{KbRuleViolation, RuleContext};
use crate::knowledge_model::{KnowledgeModel, KnownRelation};
use crate::model::KbRelationKind;

/// Cycles of `depends_on` in which nothing is marked `allow_cycle`.
pub fn no_cycles(model: &KnowledgeModel, _: &RuleContext<'_>) -> Vec<KbRuleViolation> {
    let counts = |known_relation: &&KnownRelation| {
        let marked = |end: &str| model.get(end).is_some_and(|fact| fact.entity.more.allow_cycle);
        let relation = &known_relation.relation;
        relation.relates == KbRelationKind::DependsOn
            && !relation.allow_cycle
            && !marked(&relation.from)
            && !marked(&relation.to)
    };
    let relations: Vec<&KnownRelation> = model.relations().iter().filter(counts).collect();
    let mut next: BTreeMap<&str, Vec<&KnownRelation>> = BTreeMap::new();
    for known_relation in &relations {
        next.entry(&known_relation.relation.from).or_default().push(known_relation);
    }
    let mut told: BTreeSet<BTreeSet<&str>> = BTreeSet::new();
    let mut breaches = Vec::new();
    for known_relation in &relations {
        let Some(way) = shortest_cycle(known_relation, &next) else { continue };
        if told.insert(way.iter().copied().collect()) {
            let ring: Vec<&str> = way.iter().copied().chain(way.first().copied()).collect();
            let message = format!("dependency cycle: {}", ring.join(" → "));
            let fix = "remove one dependency, or mark it with `allow_cycle: true`";
            breaches.push(KbRuleViolation::for_relation(known_relation, message, fix));
        }
    }
    breaches
}

/// The shortest path from the end of a relation back to its start.
fn shortest_cycle<'m>(
    known_relation: &'m KnownRelation,
    next: &BTreeMap<&'m str, Vec<&'m KnownRelation>>,
) -> Option<Vec<&'m str>> {
    let (start, goal) =
        (known_relation.relation.to.as_str(), known_relation.relation.from.as_str());
    let mut came: BTreeMap<&str, &str> = BTreeMap::from([(start, goal)]);
    let mut queue = std::collections::VecDeque::from([start]);
    while let Some(here) = queue.pop_front() {
        if here == goal {
            let mut ring = vec![goal];
            let mut at = came[goal];
            while at != goal {
                ring.push(at);
                at = came[at];
            }
            ring.reverse();
            let first = ring.iter().position(|end| Some(end) == ring.iter().min())?;
            ring.rotate_left(first);
            return Some(ring);
        }
        for known_relation in next.get(here).into_iter().flatten() {
            let there = known_relation.relation.to.as_str();
            if !came.contains_key(there) {
                came.insert(there, here);
                queue.push_back(there);
            }
        }
    }
    None
}
