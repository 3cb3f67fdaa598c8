//! A requirement that must hold is told as a scenario and checked by a test.

use super::{Breach, World, is_current, mend, tied};
use crate::model::{Kind, Priority, Relates};
use crate::read::{Bond, Model};

/// Requirements with priority `must` that no scenario specifies or no test verifies.
pub fn must_coverage(model: &Model, _: &World<'_>) -> Vec<Breach> {
    let musts = model.facts().filter(|fact| {
        fact.entity.kind == Kind::Req
            && fact.entity.more.priority == Some(Priority::Must)
            && is_current(fact)
    });
    let lacking = |fact: &crate::Fact| {
        let there = |bond: &Bond, kind| model.kind_of(&bond.relation.to) == Some(kind);
        let told = tied(model, fact, Relates::SpecifiedBy).any(|b| there(b, Kind::Scenario));
        let checked = tied(model, fact, Relates::VerifiedBy).any(|b| there(b, Kind::Test));
        match (told, checked) {
            (true, true) => None,
            (false, true) => Some(("no scenario specifies it", "specified_by: [SCEN-…]")),
            (true, false) => Some(("no test verifies it", "verified_by: [TEST-…]")),
            (false, false) => Some((
                "no scenario specifies it and no test verifies it",
                "specified_by: [SCEN-…] and verified_by: [TEST-…]",
            )),
        }
    };
    let breach = |fact: &crate::Fact| {
        let (message, fix) = lacking(fact)?;
        let message = format!("{} is a must: {message}", fact.entity.id);
        Some(Breach::of_fact(fact, message, format!("add {fix} {}", mend(fact))))
    };
    musts.filter_map(breach).collect()
}
