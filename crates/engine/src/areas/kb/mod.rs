//! The knowledge base as an area: what files say is in the index, what agents wrote is in the
//! branch's store; both together are one model, with its part of the graph and its rules.

pub mod answer_rows;
pub mod branch_stores;
mod change;
mod changeset_plan;
mod context;
mod document_filter;
mod files;
mod graph_area;
mod index;
mod rules;
pub mod shared;
mod state;
mod sync_difference;

use crate::durable::{self, DurableStore};
use crate::search;

pub use change::{KbChange, KbChangeKind, logged_entries};
pub use changeset_plan::{ChangeLabel, ParsedChangeset, plan_changeset};
pub use document_filter::DocumentFilter;
pub(crate) use graph_area::KbGraphArea;
pub(crate) use index::KbIndexer;
pub use rules::RULES;
pub(crate) use state::external_names;
pub use state::{
    KbState, current_stamp, is_document, kb_state, node_exists, resolve_path, test_code,
};
pub use sync_difference::SyncDifference;

/// The store's name.
pub const STORE: &str = "kb";

/// There is one store per branch.
pub const DURABLE: DurableStore = DurableStore {
    name: STORE,
    file: "branches/{branch}/kb.sqlite",
    steps: &[
        kb::MIGRATIONS[0],
        search::TEXT_MIGRATION,
        search::NAMES_MIGRATION,
        kb::MIGRATIONS[1],
        kb::MIGRATIONS[2],
        durable::UNDO_MIGRATION,
    ],
    inverse: change::read_inverse,
    shared: Some(shared::SOURCE),
    index_record: change::index_record,
    needs_server: |_| None,
    added_record: change::added_record,
    broken_rule: |_| Ok(None),
};
