//! Questions to the model: entities by what they are, and by what they are tied to.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::model::{Kind, Relates};
use crate::read::{Bond, Fact, Model};

/// Which way a pattern looks along a relation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Way {
    /// From its start to its end
    #[default]
    Out,
    /// From its end to its start
    In,
    /// Either way
    Both,
}

/// Which entities are wanted. What is empty does not count.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    /// Of one of these types
    pub kinds: Vec<Kind>,
    /// With one of these ids
    pub ids: Vec<String>,
    /// With all of these tags
    pub tags: Vec<String>,
    /// In one of these states
    pub statuses: Vec<String>,
    /// Whose source holds this
    pub source: Option<String>,
    /// Whose title, text or id holds all these words
    pub text: Option<String>,
    /// Tied so
    pub pattern: Option<Pattern>,
}

/// A pattern of relations.
#[derive(Debug, Clone, Default)]
pub struct Pattern {
    /// The walk starts at these, as relations write them
    pub from: Vec<String>,
    /// Only what is reached on a way to one of these
    pub to: Vec<String>,
    /// Along these relations; all of them if empty
    pub relates: Vec<Relates>,
    /// Which way
    pub way: Way,
    /// How many steps at most
    pub depth: usize,
}

/// What was found.
#[derive(Debug, Default)]
pub struct Found<'m> {
    /// The entities, by type and id
    pub facts: Vec<&'m Fact>,
    /// The relations that the pattern went along
    pub bonds: Vec<&'m Bond>,
}

/// The entities that are wanted.
pub fn query<'m>(model: &'m Model, wanted: &Wanted) -> Found<'m> {
    let walked = wanted.pattern.as_ref().map(|pattern| walk(model, pattern));
    let reached = |fact: &&Fact| {
        walked.as_ref().is_none_or(|(reached, _)| {
            let code = fact.code.as_ref().map(ToString::to_string);
            reached.contains(&fact.entity.id) || code.is_some_and(|code| reached.contains(&code))
        })
    };
    let mut facts: Vec<&Fact> =
        model.facts().filter(|fact| fits(fact, wanted)).filter(reached).collect();
    facts.sort_by(|a, b| (a.entity.kind, &a.entity.id).cmp(&(b.entity.kind, &b.entity.id)));
    let bonds = walked.map(|(_, bonds)| bonds).unwrap_or_default();
    Found { facts, bonds }
}

fn fits(fact: &Fact, wanted: &Wanted) -> bool {
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
        && wanted.text.as_ref().is_none_or(|text| says(fact, text))
}

fn says(fact: &Fact, text: &str) -> bool {
    let entity = &fact.entity;
    let body = entity.more.text.as_deref().unwrap_or_default();
    let all = format!("{}\n{}\n{}\n{body}", entity.id, entity.title, entity.more.tags.join(" "));
    let all = all.to_lowercase();
    text.to_lowercase().split_whitespace().all(|word| all.contains(word))
}

/// What a pattern reaches, and along which relations. Without a start it starts everywhere.
fn walk<'m>(model: &'m Model, pattern: &Pattern) -> (BTreeSet<String>, Vec<&'m Bond>) {
    let steps = match (pattern.from.is_empty(), pattern.to.is_empty()) {
        (true, true) => all_ends(model, pattern),
        (false, _) => reach(model, pattern, &pattern.from, pattern.way),
        (true, false) => reach(model, pattern, &pattern.to, back(pattern.way)),
    };
    match (pattern.from.is_empty(), pattern.to.is_empty()) {
        (false, false) => between(model, pattern, steps),
        _ => finish(steps),
    }
}

/// Each end that was reached with its distance, and each relation on the way.
type Reached<'m> = (BTreeMap<String, usize>, Vec<&'m Bond>);

fn finish(steps: Reached<'_>) -> (BTreeSet<String>, Vec<&Bond>) {
    let (ends, bonds) = steps;
    (ends.into_iter().filter(|(_, far)| *far > 0).map(|(end, _)| end).collect(), bonds)
}

fn all_ends<'m>(model: &'m Model, pattern: &Pattern) -> Reached<'m> {
    let mut ends = BTreeMap::new();
    let taken = |bond: &&Bond| takes(pattern, bond);
    let bonds: Vec<&Bond> = model.bonds().iter().filter(taken).collect();
    for bond in &bonds {
        if pattern.way != Way::In {
            ends.insert(bond.relation.from.clone(), 1);
        }
        if pattern.way != Way::Out {
            ends.insert(bond.relation.to.clone(), 1);
        }
    }
    (ends, bonds)
}

fn takes(pattern: &Pattern, bond: &Bond) -> bool {
    pattern.relates.is_empty() || pattern.relates.contains(&bond.relation.relates)
}

const fn back(way: Way) -> Way {
    match way {
        Way::Out => Way::In,
        Way::In => Way::Out,
        Way::Both => Way::Both,
    }
}

fn reach<'m>(model: &'m Model, pattern: &Pattern, starts: &[String], way: Way) -> Reached<'m> {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let mut queue: VecDeque<(String, usize)> = VecDeque::new();
    for start in starts {
        for name in names(model, start) {
            seen.insert(name.clone(), 0);
            queue.push_back((name, 0));
        }
    }
    let mut bonds: Vec<&Bond> = Vec::new();
    while let Some((end, far)) = queue.pop_front() {
        if far >= pattern.depth.max(1) {
            continue;
        }
        for (bond, next) in steps(model, &end, way).filter(|(bond, _)| takes(pattern, bond)) {
            if !bonds.iter().any(|known| std::ptr::eq(*known, bond)) {
                bonds.push(bond);
            }
            for name in names(model, next) {
                if !seen.contains_key(&name) {
                    seen.insert(name.clone(), far + 1);
                    queue.push_back((name, far + 1));
                }
            }
        }
    }
    (seen, bonds)
}

/// Every way to write what an end stands for.
fn names(model: &Model, end: &str) -> Vec<String> {
    let names = model.node_of(end).map(|node| model.names_of(&node)).unwrap_or_default();
    let own = (!names.iter().any(|name| name == end)).then(|| end.to_owned());
    own.into_iter().chain(names).collect()
}

fn steps<'m>(
    model: &'m Model,
    end: &str,
    way: Way,
) -> impl Iterator<Item = (&'m Bond, &'m str)> + use<'m> {
    let out: Vec<&Bond> = if way == Way::In { Vec::new() } else { model.starting(end).collect() };
    let back: Vec<&Bond> = if way == Way::Out { Vec::new() } else { model.ending(end).collect() };
    let out = out.into_iter().map(|bond| (bond, bond.relation.to.as_str()));
    out.chain(back.into_iter().map(|bond| (bond, bond.relation.from.as_str())))
}

/// Only what lies on a way from one of the starts to one of the ends.
fn between<'m>(
    model: &'m Model,
    pattern: &Pattern,
    forth: Reached<'m>,
) -> (BTreeSet<String>, Vec<&'m Bond>) {
    let (there, bonds) = forth;
    let (home, _) = reach(model, pattern, &pattern.to, back(pattern.way));
    let deep = pattern.depth.max(1);
    let sum = |end: &str| Some(there.get(end)? + home.get(end)?);
    let on_the_way = |end: &&String| sum(end).is_some_and(|far| far <= deep);
    let ends: BTreeSet<String> = there.keys().filter(on_the_way).cloned().collect();
    let kept =
        |bond: &&Bond| ends.contains(&bond.relation.from) && ends.contains(&bond.relation.to);
    let bonds = bonds.into_iter().filter(kept).collect();
    (ends, bonds)
}
