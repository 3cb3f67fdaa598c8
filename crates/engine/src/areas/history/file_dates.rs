//! When a file was written: according to its commits, or its modification time if no commit has its
//! present content.

use base::{RepoPath, Result};
use jiff::Timestamp;

use super::reader::HistoryReader;
use crate::index::tables;
use crate::view::View;

/// When a file was first and last written, in RFC 3339.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileDates {
    pub created_at: String,
    pub updated_at: String,
}

/// The dates of a file; `None` if the file does not exist. `history` is `None` if there is no
/// history.
pub fn dates_of(
    view: &View<'_>,
    history: Option<&HistoryReader<'_>>,
    path: &RepoPath,
) -> Result<Option<FileDates>> {
    let committed = history.map(|history| history.dates(path)).transpose()?.flatten();
    let written = || {
        let stat = view.tree().stat_if_reachable(path)?;
        let at = Timestamp::from_nanosecond(stat.mtime.into()).ok()?;
        Some(Timestamp::from_second(at.as_second()).ok()?.to_string())
    };
    let is_edited = tables::is_edited(view.index()?.conn(), path)?;
    Ok(match (committed, is_edited) {
        (Some((created_at, updated_at)), false) => Some(FileDates { created_at, updated_at }),
        (Some((created_at, updated_at)), true) => {
            Some(FileDates { created_at, updated_at: written().unwrap_or(updated_at) })
        }
        (None, _) => written().map(|at| FileDates { created_at: at.clone(), updated_at: at }),
    })
}

/// When a file was last written.
pub fn updated_at(view: &View<'_>, path: &RepoPath) -> Result<Option<String>> {
    let history = HistoryReader::open_if_ready(view)?;
    Ok(dates_of(view, history.as_ref(), path)?.map(|dates| dates.updated_at))
}
