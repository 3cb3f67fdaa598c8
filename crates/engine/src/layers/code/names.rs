//! The names of all symbols, kept for a state of the index.

use std::sync::Arc;

use base::Result;
use code::Names;

use crate::view::View;

/// The name that they are kept by.
const KEPT: &str = "code.names";

/// Every symbol's name, as of this view.
pub(crate) fn names(view: &View) -> Result<Arc<Names>> {
    view.kept_with_index(KEPT, || Names::load(view.index()?.conn()))
}
