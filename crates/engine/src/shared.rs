//! The files by which knowledge is shared.

use std::collections::BTreeMap;

use base::shared::FOLDER;
use base::{Problem, RepoPath, Result};

use crate::index::tables;
use crate::view::View;

/// A larger file is not a record, in bytes: no field of one is longer than half of it.
const LARGEST: u64 = 8 * 1024 * 1024;

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
