//! Shared knowledge: files in the repository that the store is merged with.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use base::{Problem, RepoPath, Result};
use store::Connection;
use work::graph::globs::Matcher;
use work::share::{FOLDER, merge};

use super::{Derived, draft, empty};
use crate::index::tables;
use crate::view::View;

/// A larger file is not a record, in bytes.
const LARGEST: u64 = 256 * 1024;

/// The name that what is shared is kept by.
const KEPT: &str = "work.shared";

/// What a store that nobody has written to would hold: what is shared.
pub(crate) struct Unwritten {
    /// It, in memory
    pub conn: Mutex<Connection>,
    /// What is derived from it
    pub derived: Arc<Derived>,
}

fn folder() -> Result<RepoPath> {
    FOLDER.parse().map_err(Problem::internal)
}

/// Whether anything is shared.
pub(crate) fn has_files(view: &View) -> Result<bool> {
    Ok(!tables::contents_below(view.index()?.conn(), &folder()?)?.is_empty())
}

/// The shared files, by path.
pub(crate) fn files(view: &View) -> Result<BTreeMap<String, String>> {
    let mut files = BTreeMap::new();
    for (path, ..) in tables::contents_below(view.index()?.conn(), &folder()?)? {
        if let Some(Ok(blob)) = view.tree().read_at_most(&path, LARGEST)? {
            files.insert(path.to_string(), String::from_utf8_lossy(&blob.bytes).into_owned());
        }
    }
    Ok(files)
}

/// What is shared, as a store in memory; made once for each state of the index.
pub(crate) fn unwritten(view: &View) -> Result<Arc<Unwritten>> {
    let mark = view.index()?.mark();
    if let Some(known) = mark.as_ref().and_then(|mark| view.still_kept(KEPT, mark)) {
        return Ok(known);
    }
    let conn = empty()?;
    let mut draft = draft(view, &conn)?;
    merge(&mut draft, &files(view)?)?;
    let images = draft.images();
    work::draft::apply(&conn, &images)?;
    let derived = Arc::new(Derived::of(&conn, Arc::new(Matcher::load(&conn)?))?);
    let made = Unwritten { conn: Mutex::new(conn), derived };
    Ok(match mark {
        Some(mark) => view.keep(KEPT, mark, made),
        None => Arc::new(made),
    })
}
