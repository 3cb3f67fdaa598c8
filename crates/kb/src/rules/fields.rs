//! Every entity has what its type asks for.

use super::{Breach, World, mend};
use crate::read::{Fact, Model};

/// Entities without a title or a state, or in a state that their type does not have.
pub fn required_fields(model: &Model, _: &World<'_>) -> Vec<Breach> {
    model.facts().flat_map(lacking).collect()
}

fn lacking(fact: &Fact) -> Vec<Breach> {
    let entity = &fact.entity;
    let (id, kind) = (&entity.id, entity.kind);
    let mut breaches = Vec::new();
    if entity.title.trim().is_empty() {
        let message = format!("{id} has no title");
        breaches.push(Breach::of_fact(fact, message, format!("add `title` {}", mend(fact))));
    }
    let allowed = kind.statuses();
    let message = match entity.status.as_str() {
        "" => format!("{id} has no status"),
        status if !allowed.contains(&status) => format!("`{status}` is no status of a {kind}"),
        _ => return breaches,
    };
    let fix = format!("set `status` to one of {} {}", allowed.join(", "), mend(fact));
    breaches.push(Breach::of_fact(fact, message, fix));
    breaches
}
