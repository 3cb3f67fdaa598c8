//! Files whose analysis stopped at a limit, so that calls may be missing.

use base::{EntityRef, Result};

use crate::view::View;

/// How many such files are named.
const MAX_LISTED_FILES: usize = 3;

/// Reports that calls may be missing, if the answer is about code of such a file.
pub fn report_truncated_calls<'n>(
    view: &View,
    mut about: impl Iterator<Item = &'n EntityRef>,
) -> Result<()> {
    let is_code = |node: &EntityRef| matches!(node, EntityRef::Module(_) | EntityRef::Symbol(..));
    if !about.any(is_code) {
        return Ok(());
    }
    let cut = code::truncated_files(view.index()?.conn())?;
    let named: Vec<String> = cut.iter().take(MAX_LISTED_FILES).map(ToString::to_string).collect();
    let more = cut.len() - named.len();
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    if !cut.is_empty() {
        view.mark_partial(format!("calls are followed only in part in {}{more}", named.join(", ")));
    }
    Ok(())
}
