//! Queries over the model: entities by their fields and by their relations.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::knowledge_model::{KnowledgeModel, KnownEntity, KnownRelation};
use crate::model::{KbEntityKind, KbRelationKind};

/// The direction in which relations are followed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum TraversalDirection {
    /// From start to end
    #[default]
    Out,
    /// From end to start
    In,
    /// Both
    Both,
}

/// A filter for entities. An empty field matches everything.
#[derive(Debug, Clone, Default)]
pub struct EntityQuery {
    /// The entity has one of these types
    pub kinds: Vec<KbEntityKind>,
    /// The entity has one of these ids
    pub ids: Vec<String>,
    /// The entity has all of these tags
    pub tags: Vec<String>,
    /// The entity has one of these statuses
    pub statuses: Vec<String>,
    /// The source contains this text
    pub source: Option<String>,
    /// The title, text or id contains all of these words
    pub text: Option<String>,
    /// The entity is reached by this pattern of relations
    pub pattern: Option<RelationPattern>,
}

/// A pattern of relations.
#[derive(Debug, Clone, Default)]
pub struct RelationPattern {
    /// The walk starts at these ends, written as relations write them
    pub from: Vec<String>,
    /// Only entities on a path to one of these ends are kept
    pub to: Vec<String>,
    /// Relation types to follow; all if empty
    pub relates: Vec<KbRelationKind>,
    /// Direction
    pub direction: TraversalDirection,
    /// Maximum number of hops
    pub depth: usize,
}

/// The result of a query.
#[derive(Debug, Default)]
pub struct EntityQueryResult<'m> {
    /// The entities, sorted by type and id
    pub facts: Vec<&'m KnownEntity>,
    /// The relations that were followed
    pub bonds: Vec<&'m KnownRelation>,
}

/// Runs a query.
pub fn query<'m>(model: &'m KnowledgeModel, wanted: &EntityQuery) -> EntityQueryResult<'m> {
    let walked = wanted.pattern.as_ref().map(|pattern| walk(model, pattern));
    let reached = |fact: &&KnownEntity| {
        walked.as_ref().is_none_or(|(reached, _)| {
            let code = fact.code.as_ref().map(ToString::to_string);
            reached.contains(&fact.entity.id) || code.is_some_and(|code| reached.contains(&code))
        })
    };
    let mut facts: Vec<&KnownEntity> =
        model.facts().filter(|fact| matches_filters(fact, wanted)).filter(reached).collect();
    facts.sort_by(|a, b| (a.entity.kind, &a.entity.id).cmp(&(b.entity.kind, &b.entity.id)));
    let bonds = walked.map(|(_, bonds)| bonds).unwrap_or_default();
    EntityQueryResult { facts, bonds }
}

fn matches_filters(fact: &KnownEntity, wanted: &EntityQuery) -> bool {
    let entity = &fact.entity;
    let any = |list: &[String], value: &str| list.is_empty() || list.iter().any(|one| one == value);
    let tagged = wanted.tags.iter().all(|tag| entity.more.tags.contains(tag));
    let sourced =
        wanted.source.as_ref().is_none_or(|source| entity.source.contains(source.as_str()));
    (wanted.kinds.is_empty() || wanted.kinds.contains(&entity.kind))
        && any(&wanted.ids, &entity.id)
        && tagged
        && any(&wanted.statuses, &entity.status)
        && sourced
        && wanted.text.as_ref().is_none_or(|text| contains_words(fact, text))
}

fn contains_words(fact: &KnownEntity, text: &str) -> bool {
    let entity = &fact.entity;
    let body = entity.more.text.as_deref().unwrap_or_default();
    let all = format!("{}\n{}\n{}\n{body}", entity.id, entity.title, entity.more.tags.join(" "));
    let all = all.to_lowercase();
    text.to_lowercase().split_whitespace().all(|word| all.contains(word))
}

/// The ends that a pattern reaches, and the relations on the way. Without a start, the walk starts at
/// every entity.
fn walk<'m>(
    model: &'m KnowledgeModel,
    pattern: &RelationPattern,
) -> (BTreeSet<String>, Vec<&'m KnownRelation>) {
    let steps = match (pattern.from.is_empty(), pattern.to.is_empty()) {
        (true, true) => all_ends(model, pattern),
        (false, _) => reach(model, pattern, &pattern.from, pattern.direction),
        (true, false) => reach(model, pattern, &pattern.to, reversed(pattern.direction)),
    };
    match (pattern.from.is_empty(), pattern.to.is_empty()) {
        (false, false) => restrict_to_paths(model, pattern, steps),
        _ => into_endpoint_set(steps),
    }
}

/// Each reached end with its distance, and each relation on the way.
type ReachedEndpoints<'m> = (BTreeMap<String, usize>, Vec<&'m KnownRelation>);

fn into_endpoint_set(steps: ReachedEndpoints<'_>) -> (BTreeSet<String>, Vec<&KnownRelation>) {
    let (ends, bonds) = steps;
    (ends.into_iter().filter(|(_, far)| *far > 0).map(|(end, _)| end).collect(), bonds)
}

fn all_ends<'m>(model: &'m KnowledgeModel, pattern: &RelationPattern) -> ReachedEndpoints<'m> {
    let mut ends = BTreeMap::new();
    let taken = |bond: &&KnownRelation| follows(pattern, bond);
    let bonds: Vec<&KnownRelation> = model.bonds().iter().filter(taken).collect();
    for bond in &bonds {
        if pattern.direction != TraversalDirection::In {
            ends.insert(bond.relation.from.clone(), 1);
        }
        if pattern.direction != TraversalDirection::Out {
            ends.insert(bond.relation.to.clone(), 1);
        }
    }
    (ends, bonds)
}

fn follows(pattern: &RelationPattern, bond: &KnownRelation) -> bool {
    pattern.relates.is_empty() || pattern.relates.contains(&bond.relation.relates)
}

const fn reversed(way: TraversalDirection) -> TraversalDirection {
    match way {
        TraversalDirection::Out => TraversalDirection::In,
        TraversalDirection::In => TraversalDirection::Out,
        TraversalDirection::Both => TraversalDirection::Both,
    }
}

fn reach<'m>(
    model: &'m KnowledgeModel,
    pattern: &RelationPattern,
    starts: &[String],
    way: TraversalDirection,
) -> ReachedEndpoints<'m> {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let mut queue: VecDeque<(String, usize)> = VecDeque::new();
    for start in starts {
        for name in endpoint_names(model, start) {
            seen.insert(name.clone(), 0);
            queue.push_back((name, 0));
        }
    }
    let mut bonds: Vec<&KnownRelation> = Vec::new();
    while let Some((end, far)) = queue.pop_front() {
        if far >= pattern.depth.max(1) {
            continue;
        }
        for (bond, next) in steps(model, &end, way).filter(|(bond, _)| follows(pattern, bond)) {
            if !bonds.iter().any(|known| std::ptr::eq(*known, bond)) {
                bonds.push(bond);
            }
            for name in endpoint_names(model, next) {
                if !seen.contains_key(&name) {
                    seen.insert(name.clone(), far + 1);
                    queue.push_back((name, far + 1));
                }
            }
        }
    }
    (seen, bonds)
}

/// Every way in which relations may write an end.
fn endpoint_names(model: &KnowledgeModel, end: &str) -> Vec<String> {
    let names = model.node_of(end).map(|node| model.names_of(&node)).unwrap_or_default();
    let own = (!names.iter().any(|name| name == end)).then(|| end.to_owned());
    own.into_iter().chain(names).collect()
}

fn steps<'m>(
    model: &'m KnowledgeModel,
    end: &str,
    way: TraversalDirection,
) -> impl Iterator<Item = (&'m KnownRelation, &'m str)> + use<'m> {
    let out: Vec<&KnownRelation> = if way == TraversalDirection::In {
        Vec::new()
    } else {
        model.relations_from(end).collect()
    };
    let back: Vec<&KnownRelation> =
        if way == TraversalDirection::Out { Vec::new() } else { model.relations_to(end).collect() };
    let out = out.into_iter().map(|bond| (bond, bond.relation.to.as_str()));
    out.chain(back.into_iter().map(|bond| (bond, bond.relation.from.as_str())))
}

/// Keeps what is on a path from a start to one of the wanted ends.
fn restrict_to_paths<'m>(
    model: &'m KnowledgeModel,
    pattern: &RelationPattern,
    forth: ReachedEndpoints<'m>,
) -> (BTreeSet<String>, Vec<&'m KnownRelation>) {
    let (there, bonds) = forth;
    let (home, _) = reach(model, pattern, &pattern.to, reversed(pattern.direction));
    let deep = pattern.depth.max(1);
    let sum = |end: &str| Some(there.get(end)? + home.get(end)?);
    let on_the_way = |end: &&String| sum(end).is_some_and(|far| far <= deep);
    let ends: BTreeSet<String> = there.keys().filter(on_the_way).cloned().collect();
    let kept = |bond: &&KnownRelation| {
        ends.contains(&bond.relation.from) && ends.contains(&bond.relation.to)
    };
    let bonds = bonds.into_iter().filter(kept).collect();
    (ends, bonds)
}
