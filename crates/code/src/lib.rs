//! The code index: symbols, imports and exports of all files, the file that each import means, and
//! the call graph.
//!
//! `syntax` extracts the facts of one file at a time. This crate relates the facts of several
//! files. It knows neither the graph of all nodes nor any other area.

mod calls;
mod find;
mod interning;
mod moves;
mod outline;
mod resolve;
mod symbols;
mod syntax_errors;
mod tables;
mod unused;

pub use calls::{
    CallDigest, CallEdgeRow, EdgeConfidence, SymbolEndpoint, SymbolRelation, all_edges,
    count_edges_to, edges_from, edges_to, link_pending, truncated_files, unresolved_call_counts,
    unresolved_callees, unresolved_calls,
};
pub use find::{
    Case, ResultRange, SymbolMatch, SymbolNameIndex, SymbolNameQuery, exported_as, find_symbols,
    symbols_named,
};
pub use moves::{MoveCandidate, MoveEvidence, match_moves};
pub use resolve::{FileCatalog, ImporterRow, imported_files, importer_names, importers, resolve};
pub use symbols::{ImportBinding, ImportRow, SymbolIndex, SymbolRow, index_file, remove_file};
pub use syntax_errors::{FirstSyntaxError, files_not_read, files_with_syntax_errors};
pub use tables::{
    INDEX_SCHEMA, REBUILD_CHECK_QUERIES, SCHEMA, child_names, defining_files, imports,
    imports_of_name, names_starting_with, parent_name, symbol, symbol_kind, symbols_in_file,
    symbols_with_name, test_symbols, top_level_exports_between, top_level_names,
    unresolved_imports, usual_import,
};
pub use unused::{UnusedCertainty, UnusedSymbol, unused_exports};
