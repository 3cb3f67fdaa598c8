//! Code as an area of the graph: symbols as nodes; declarations, imports and calls as edges.

mod calls;
mod documentation;
mod embedded;
mod graph_area;
mod index;
mod symbol_names;
mod truncated_calls;

pub use calls::dispatched_calls;
pub use documentation::first_sentence;
pub use embedded::{EmbeddedCode, report_embedded_code};
pub(crate) use graph_area::CodeGraphArea;
pub use graph_area::{handle, named_node, symbol_node};
pub(crate) use index::CodeIndexer;
pub use symbol_names::symbol_names;
pub use truncated_calls::report_truncated_calls;
