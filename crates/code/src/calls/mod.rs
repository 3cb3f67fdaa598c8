//! The call graph: which symbol calls, mentions, extends or implements which other one.
//!
//! `interpreter` analyses one file into a `summary`, which is a pure function of the file's facts.
//! `link` resolves the references of a summary to other files. `persist` stores both with their
//! dependencies, so that a change relinks only the files that depend on it.

mod export_digests;
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
