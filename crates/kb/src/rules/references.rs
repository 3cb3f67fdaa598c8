//! What a relation names is there.

use base::EntityRef;

use super::{Breach, World};
use crate::end::End;
use crate::model::{Kind, Relates};
use crate::read::{Bond, Model};

/// Relations whose start or end is nothing, or of a type that the relation does not take. Code
/// that implements a missing requirement is a rule of its own.
pub fn dangling_references(model: &Model, world: &World<'_>) -> Vec<Breach> {
    let mut breaches = Vec::new();
    for bond in model.bonds() {
        let relation = &bond.relation;
        let ends = [("from", &relation.from), ("to", &relation.to)];
        let missing: Vec<_> = ends.iter().filter(|(_, end)| !is_there(model, world, end)).collect();
        for (_, end) in &missing {
            if relation.relates == Relates::Implements && **end == relation.to {
                continue;
            }
            let message = format!("{} names {end}, which is not there", relation.key());
            breaches.push(Breach::of_bond(bond, message, fix(model, bond, end)));
        }
        if missing.is_empty() {
            breaches.extend(misfit(model, bond));
        }
    }
    breaches
}

/// Code that claims to implement what is no requirement.
pub fn missing_requirements(model: &Model, world: &World<'_>) -> Vec<Breach> {
    let claims = model.bonds().iter().filter(|b| b.relation.relates == Relates::Implements);
    let missing = claims.filter(|bond| !is_there(model, world, &bond.relation.to));
    let breach = |bond: &Bond| {
        let (from, to) = (&bond.relation.from, &bond.relation.to);
        let message = format!("{from} implements {to}, which does not exist");
        Breach::of_bond(bond, message, fix(model, bond, to))
    };
    missing.map(breach).collect()
}

fn is_there(model: &Model, world: &World<'_>, end: &str) -> bool {
    match End::read(end) {
        Ok(End::Entity(id)) => model.get(&id).is_some(),
        Ok(End::Code(node)) => (world.has)(&node),
        Err(_) => false,
    }
}

fn misfit(model: &Model, bond: &Bond) -> Option<Breach> {
    let relation = &bond.relation;
    let (from, to) = (model.kind_of(&relation.from), model.kind_of(&relation.to));
    if relation.relates.fits(from, to) {
        return None;
    }
    let (left, right) = relation.relates.signature();
    let word = |kind: Option<Kind>| kind.map_or("component", Kind::word);
    let message = format!(
        "{}: {}({left}, {right}) does not take ({}, {})",
        relation.key(),
        relation.relates,
        word(from),
        word(to)
    );
    Some(Breach::of_bond(bond, message, "name something of the right type"))
}

fn fix(model: &Model, bond: &Bond, end: &str) -> String {
    let ids = model.facts().map(|fact| fact.entity.id.as_str());
    let near = match end.parse::<EntityRef>() {
        Ok(EntityRef::Kb(_)) | Err(_) => base::near::nearest(end, ids, 1),
        Ok(_) => Vec::new(),
    };
    let place = match bond.origin.file() {
        Some((path, _)) => format!("in {path}"),
        None => "with `kb.upsert`".into(),
    };
    match near.first() {
        Some(near) => format!("{place}: the nearest is {near}; or write {end}"),
        None => format!("write {end}, or take the relation away {place}"),
    }
}
