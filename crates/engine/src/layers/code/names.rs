//! The names of all symbols, kept for a state of the index.

use std::sync::Arc;

use base::Result;
use code::Names;

use crate::view::View;

/// The name that they are kept by.
const KEPT: &str = "code.names";

/// Every symbol's name, as of this view.
pub(crate) fn names(view: &View) -> Result<Arc<Names>> {
    let index = view.index()?;
    let mark = index.mark();
    if let Some(kept) = mark.as_ref().and_then(|mark| view.still_kept(KEPT, mark)) {
        return Ok(kept);
    }
    let names = Names::load(index.conn())?;
    Ok(match mark {
        Some(mark) => view.keep(KEPT, mark, names),
        None => Arc::new(names),
    })
}
