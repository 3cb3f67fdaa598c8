//! Who calls, mentions, extends and implements whom.
//!
//! Two steps. [`machine`] interprets one file and leaves a [`summary`]: a pure function of its
//! facts. [`link`] answers what a file wants of others from what those offer. [`keep`] stores
//! both, with what each answer rests on, so that another file's change reaches those alone who
//! asked for what changed.

mod ids;
mod interpreter;
mod link;
mod persist;
mod summary;
mod tables;
mod value;

pub use persist::{CallDigest, all_edges, link_pending};
pub(crate) use persist::{index_file, remove_file};
pub use summary::{EdgeConfidence, SymbolRelation};
pub use tables::{
    CallEdgeRow, SymbolEndpoint, count_edges_to, edges_from, edges_to, truncated_files,
    unresolved_call_counts, unresolved_callees, unresolved_calls,
};
