//! Cards as an area of the graph: cards, the relations between them, and the code that implements
//! them.

mod context;
mod duplicates;
mod graph_area;
mod index;
mod rules;
mod unsound;

pub use duplicates::{files_with_key, refuse_duplicate_key};
pub use graph_area::{CardsGraphArea, code_node};
pub(crate) use index::CardsIndexer;
pub(crate) use rules::RULES;
pub use unsound::report_unsound_cards;
