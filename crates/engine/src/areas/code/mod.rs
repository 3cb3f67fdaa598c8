//! Code as a layer of the graph: symbols as nodes, what declares and imports them as edges.

mod calls;
mod documentation;
pub(crate) mod edit;
mod embedded;
mod graph_area;
mod index;
pub(crate) mod missed_uses;
pub(crate) mod rename;
mod symbol_names;
pub(crate) mod text_edit;
mod truncated_calls;

pub(crate) use calls::{dispatched_calls, edge_end};
pub(crate) use documentation::first_sentence;
pub(crate) use embedded::{EmbeddedCode, report_embedded_code};
pub(crate) use graph_area::{CodeGraphArea, handle, named_node};
pub(crate) use index::CodeIndexer;
pub(crate) use symbol_names::symbol_names;
pub(crate) use truncated_calls::report_truncated_calls;
