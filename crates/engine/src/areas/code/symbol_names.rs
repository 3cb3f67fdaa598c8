//! The names of all symbols, cached for each state of the index.

use std::sync::Arc;

use base::Result;
use code::SymbolNameIndex;

use crate::view::View;

/// The key under which they are cached.
const CACHE_KEY: &str = "code.names";

/// The names of all symbols in this view.
pub fn symbol_names(view: &View) -> Result<Arc<SymbolNameIndex>> {
    view.cached_for_index(CACHE_KEY, || SymbolNameIndex::load(view.index()?.conn()))
}
