//! The knowledge base as an area: what files say in the index, what agents wrote in the branch's
//! store, both as one model, a layer of the graph, and rules.

pub(crate) mod branch;
mod change;
mod context;
mod files;
mod gate;
mod index;
mod known;
mod layer;
mod rules;
pub(crate) mod shared;
pub(crate) mod show;
mod synced;

use crate::durable::{self, Durable};
use crate::search;

pub(crate) use change::{KbChange, What, made_entries};
pub(crate) use index::KbIndexer;
pub(crate) use known::{Knowledge, is_document, is_there, known, outside, place, stamp};
pub(crate) use layer::KbLayer;
pub(crate) use rules::RULES;
pub(crate) use synced::Extracted;

/// The store's name.
pub(crate) const STORE: &str = "kb";

/// One store a branch.
pub(crate) const DURABLE: Durable = Durable {
    name: STORE,
    file: "branches/{branch}/kb.sqlite",
    steps: &[kb::STEPS[0], search::STEP, search::NAMES, kb::STEPS[1], kb::STEPS[2], durable::UNDO],
    inverse: change::read_inverse,
    shared: Some(shared::SOURCE),
};
