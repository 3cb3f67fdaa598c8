//! Code as a layer of the graph: symbols as nodes, what declares and imports them as edges.

mod calls;
mod cut;
pub(crate) mod edit;
mod embedded;
mod index;
mod layer;
pub(crate) mod missed;
mod names;
pub(crate) mod rename;
pub(crate) mod text_edit;

pub(crate) use calls::{dispatched_calls, edge_end};
pub(crate) use cut::doubt_cut_short;
pub(crate) use embedded::{EmbeddedCode, doubt_embedded};
pub(crate) use index::CodeIndexer;
pub(crate) use layer::{CodeLayer, handle, named_node};
pub(crate) use names::names;
