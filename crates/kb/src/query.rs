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
    pub relations: Vec<&'m KnownRelation>,
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
    let relations = walked.map(|(_, relations)| relations).unwrap_or_default();
    EntityQueryResult { facts, relations }
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
    let reached = match (pattern.from.is_empty(), pattern.to.is_empty()) {
        (true, true) => all_ends(model, pattern),
        (false, _) => reach(model, pattern, &pattern.from, pattern.direction),
        (true, false) => reach(model, pattern, &pattern.to, reversed(pattern.direction)),
    };
    match (pattern.from.is_empty(), pattern.to.is_empty()) {
        (false, false) => restrict_to_paths(model, pattern, reached),
        _ => without_starts(reached),
    }
}

/// What a walk over relations reached.
struct ReachedEndpoints<'m> {
    /// Each end with its distance
    distances: BTreeMap<String, usize>,
    /// The relations on the way
    relations: Vec<&'m KnownRelation>,
}

fn without_starts(reached: ReachedEndpoints<'_>) -> (BTreeSet<String>, Vec<&KnownRelation>) {
    let ends = reached.distances.into_iter().filter(|(_, distance)| *distance > 0);
    (ends.map(|(end, _)| end).collect(), reached.relations)
}

fn all_ends<'m>(model: &'m KnowledgeModel, pattern: &RelationPattern) -> ReachedEndpoints<'m> {
    let mut distances = BTreeMap::new();
    let is_followed = |known: &&KnownRelation| follows(pattern, known);
    let relations: Vec<&KnownRelation> = model.relations().iter().filter(is_followed).collect();
    for known in &relations {
        if pattern.direction != TraversalDirection::In {
            distances.insert(known.relation.from.clone(), 1);
        }
        if pattern.direction != TraversalDirection::Out {
            distances.insert(known.relation.to.clone(), 1);
        }
    }
    ReachedEndpoints { distances, relations }
}

fn follows(pattern: &RelationPattern, known: &KnownRelation) -> bool {
    pattern.relates.is_empty() || pattern.relates.contains(&known.relation.relates)
}

const fn reversed(direction: TraversalDirection) -> TraversalDirection {
    match direction {
        TraversalDirection::Out => TraversalDirection::In,
        TraversalDirection::In => TraversalDirection::Out,
        TraversalDirection::Both => TraversalDirection::Both,
    }
}

fn reach<'m>(
    model: &'m KnowledgeModel,
    pattern: &RelationPattern,
    starts: &[String],
    direction: TraversalDirection,
) -> ReachedEndpoints<'m> {
    let mut distances: BTreeMap<String, usize> = BTreeMap::new();
    let mut queue: VecDeque<(String, usize)> = VecDeque::new();
    for start in starts {
        for name in endpoint_names(model, start) {
            distances.insert(name.clone(), 0);
            queue.push_back((name, 0));
        }
    }
    let mut relations: Vec<&KnownRelation> = Vec::new();
    while let Some((end, distance)) = queue.pop_front() {
        if distance >= pattern.depth.max(1) {
            continue;
        }
        let steps = steps(model, &end, direction);
        for (step, next) in steps.filter(|(step, _)| follows(pattern, step)) {
            if !relations.iter().any(|known| std::ptr::eq(*known, step)) {
                relations.push(step);
            }
            for name in endpoint_names(model, next) {
                if !distances.contains_key(&name) {
                    distances.insert(name.clone(), distance + 1);
                    queue.push_back((name, distance + 1));
                }
            }
        }
    }
    ReachedEndpoints { distances, relations }
}

/// Every way in which relations may write an end.
fn endpoint_names(model: &KnowledgeModel, end: &str) -> Vec<String> {
    let names = model.node_of(end).map(|node| model.names_of(&node)).unwrap_or_default();
    let own = (!names.iter().any(|name| name == end)).then(|| end.to_owned());
    own.into_iter().chain(names).collect()
}

/// The relations at an end in a direction, each with its other end.
fn steps<'m>(
    model: &'m KnowledgeModel,
    end: &str,
    direction: TraversalDirection,
) -> impl Iterator<Item = (&'m KnownRelation, &'m str)> + use<'m> {
    let (mut outgoing, mut incoming) = (Vec::new(), Vec::new());
    if direction != TraversalDirection::In {
        outgoing.extend(model.relations_from(end));
    }
    if direction != TraversalDirection::Out {
        incoming.extend(model.relations_to(end));
    }
    let outgoing = outgoing.into_iter().map(|known| (known, known.relation.to.as_str()));
    outgoing.chain(incoming.into_iter().map(|known| (known, known.relation.from.as_str())))
}

/// Keeps what is on a path from a start to one of the wanted ends.
fn restrict_to_paths<'m>(
    model: &'m KnowledgeModel,
    pattern: &RelationPattern,
    from_starts: ReachedEndpoints<'m>,
) -> (BTreeSet<String>, Vec<&'m KnownRelation>) {
    let ReachedEndpoints { distances, relations } = from_starts;
    let from_ends = reach(model, pattern, &pattern.to, reversed(pattern.direction)).distances;
    let length = |end: &str| Some(distances.get(end)? + from_ends.get(end)?);
    let is_on_path = |end: &&String| length(end).is_some_and(|hops| hops <= pattern.depth.max(1));
    let ends: BTreeSet<String> = distances.keys().filter(is_on_path).cloned().collect();
    let is_between = |known: &&KnownRelation| {
        ends.contains(&known.relation.from) && ends.contains(&known.relation.to)
    };
    let relations = relations.into_iter().filter(is_between).collect();
    (ends, relations)
}
