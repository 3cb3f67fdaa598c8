//! The names of all symbols, kept for a state of the index.

use std::sync::Arc;

use base::Result;
use code::SymbolNameIndex;

use crate::view::View;

/// The name that they are kept by.
const CACHE_KEY: &str = "code.names";

/// Every symbol's name, as of this view.
pub fn symbol_names(view: &View) -> Result<Arc<SymbolNameIndex>> {
    view.cached_for_index(CACHE_KEY, || SymbolNameIndex::load(view.index()?.conn()))
}
