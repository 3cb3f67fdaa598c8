//! A decision that no longer holds names what took its place.

use super::{Breach, World};
use crate::model::{Kind, Relates};
use crate::read::{Fact, Model};

/// Decisions that are deprecated or superseded, and that no current decision supersedes.
pub fn deprecated_decisions(model: &Model, _: &World<'_>) -> Vec<Breach> {
    let gone = model.facts().filter(|fact| {
        fact.entity.kind == Kind::Adr
            && matches!(fact.entity.status.as_str(), "deprecated" | "superseded")
    });
    let has_successor = |fact: &&Fact| {
        let mut followed = model.ending(&fact.entity.id);
        followed.any(|bond| {
            bond.relation.relates == Relates::Supersedes
                && model.kind_of(&bond.relation.from) == Some(Kind::Adr)
        })
    };
    let breach = |fact: &Fact| {
        let (id, status) = (&fact.entity.id, &fact.entity.status);
        let message = format!("{id} is {status} and nothing supersedes it");
        let fix = format!("write the decision that took its place, with supersedes: [{id}]");
        Breach::of_fact(fact, message, fix)
    };
    gone.filter(|fact| !has_successor(fact)).map(breach).collect()
}
