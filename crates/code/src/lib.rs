//! Code as an index: every symbol and import, and which file an import means.
//!
//! Facts come from `syntax`, one file at a time; what is here is what several files mean
//! together. Knows neither the graph nor any other capability.

mod calls;
mod find;
mod moves;
mod outline;
mod resolve;
mod symbols;
mod tables;
mod unused;

pub use calls::{
    Digest, EdgeRow, End, Relation, Sure, count_edges_to, cut_short, edges_from, edges_to,
    every_edge, settle, unsure_calls, unsure_counts, unsure_names,
};
pub use find::{Case, Find, Names, SymbolMatch, exported_as, find, symbols_named};
pub use moves::{Because, Known, moves};
pub use resolve::{Files, Taker, resolve, taken_by, taken_from, takers};
pub use symbols::{Imported, SymbolRow, Taken, forget, learn};
pub use tables::{
    DUMP, LATE_SCHEMA, SCHEMA, broken, definitions, importing, imports, in_file, in_folder,
    inner_names, kind_of, near_names, outer_name, symbol, symbols_called, top_names, unresolved,
};
pub use unused::{Sure as Unneeded, Unused, unused};
