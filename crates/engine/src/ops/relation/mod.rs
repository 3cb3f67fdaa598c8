//! Relations between cards, put in and taken out.

pub(super) mod add;
pub(super) mod remove;

use base::Result;
use base::entity::CardKey;
use cards::{CardRow, Relate, RelationKind};

use super::card::{Done, edit};
use crate::plan::Plan;
use crate::view::View;

/// A plan that says a relation, or no longer says it.
fn relate(
    view: &View,
    card: &CardRow,
    what: Relate,
    (kind, target): (RelationKind, &CardKey),
) -> Result<Plan<Done>> {
    let word = if what == Relate::Add { "now" } else { "no longer" };
    let said = format!("{word} {kind} {target}");
    edit(
        view,
        card,
        None,
        (said, |text: &str| {
            Ok(cards::relate(text, what, (kind, target))?.unwrap_or_else(|| text.to_owned()))
        }),
    )
}
