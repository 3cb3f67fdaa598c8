//! Adding and removing relations between cards.

pub(super) mod add;
pub(super) mod remove;

use base::Result;
use base::entity::CardKey;
use cards::{CardRelationKind, CardRow, RelationChange};

use super::card::{CardChangeAnswer, edit};
use engine::plan::Plan;
use engine::view::View;

/// Plans to add or remove a relation.
fn relate(
    view: &View,
    card: &CardRow,
    what: RelationChange,
    kind: CardRelationKind,
    target: &CardKey,
) -> Result<Plan<CardChangeAnswer>> {
    let word = if what == RelationChange::Add { "now" } else { "no longer" };
    let said = format!("{word} {kind} {target}");
    edit(view, card, None, said, |text| {
        Ok(cards::change_relation(text, what, kind, target)?.unwrap_or_else(|| text.to_owned()))
    })
}
