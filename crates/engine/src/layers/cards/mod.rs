//! Cards as a layer of the graph: specs, what they say about each other, and the code that says
//! it implements them.

mod context;
mod doubt;
mod index;
mod layer;
mod rules;

pub(crate) use doubt::doubt_unsound;
pub(crate) use index::CardsIndexer;
pub(crate) use layer::{CardsLayer, code_node};
pub(crate) use rules::RULES;
