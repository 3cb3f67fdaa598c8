//! Code as a layer of the graph: symbols as nodes, what declares and imports them as edges.

pub(crate) mod edit;
mod calls;
mod index;
mod layer;

pub(crate) use index::CodeIndexer;
pub(crate) use layer::{CodeLayer, handle};
