//! History as a part of the cache and as a layer of the graph: commits, the files they touched,
//! and what usually changes together.

mod book;
mod changed;
pub(crate) mod check;
mod early;
mod follow;
mod layer;
mod route;
pub(crate) mod snapshot;
mod symbol;

pub(crate) use book::{Artifact, Book, MOST_PARTNERS, Together, ago, moment, short};
pub(crate) use changed::{dates_of, updated_at};
pub(crate) use follow::HistoryFollower;
pub(crate) use layer::{HistoryLayer, commit_node, files_of_commit};
pub(crate) use symbol::{SymbolHistory, SymbolTouch, follow as follow_symbol};
