//! The files under `.cairn/shared/`, through which knowledge is shared with git.

use std::collections::BTreeMap;

use base::shared::{FOLDER, SharedFiles};
use base::{Problem, RepoPath, Result};

use crate::index::tables;
use crate::view::View;

/// The maximum size of a record, in bytes: no field is longer than half of it.
const MAX_FILE_BYTES: u64 = 8 * 1024 * 1024;

fn folder() -> Result<RepoPath> {
    FOLDER.parse().map_err(Problem::internal)
}

/// Whether there may be shared files, without a look at the index.
pub(crate) fn has_folder(view: &View) -> Result<bool> {
    Ok(view.tree().stat_if_reachable(&folder()?).is_some())
}

/// Identifies the state of all shared files.
pub(crate) fn fingerprint(view: &View) -> Result<String> {
    let rows = tables::contents_below(view.index()?.conn(), &folder()?)?;
    let lines = rows.iter().map(|(path, hash, _)| format!("{path} {hash:?}\n"));
    Ok(base::Hash::of(lines.collect::<String>().as_bytes()).to_string())
}

/// The shared files. `is_agreed` says by path and hash whether a store agrees with a file; then its
/// text is not read.
pub fn files(view: &View, is_agreed: impl Fn(&str, &str) -> bool) -> Result<SharedFiles> {
    let mut files = SharedFiles::default();
    for (path, hash, _) in tables::contents_below(view.index()?.conn(), &folder()?)? {
        let name = path.to_string();
        if !hash.is_some_and(|hash| is_agreed(&name, &hash.short())) {
            match text(view, &path) {
                Ok(Some(text)) => drop(files.texts.insert(name.clone(), text)),
                Ok(None) => continue, // it was deleted since the index was built
                Err(why) => drop(files.unreadable.insert(name.clone(), why)),
            }
        }
        files.paths.insert(name);
    }
    Ok(files)
}

/// Every shared file that can be read, by path.
pub fn texts(view: &View) -> Result<BTreeMap<String, String>> {
    Ok(files(view, |_, _| false)?.texts)
}

/// The text of a file, or why it cannot be read.
fn text(view: &View, path: &RepoPath) -> Result<Option<String>, String> {
    match view.tree().read_at_most(path, MAX_FILE_BYTES) {
        Ok(None) => Ok(None),
        Ok(Some(Ok(blob))) => match String::from_utf8(blob.bytes) {
            Ok(text) => Ok(Some(text)),
            Err(_) => Err("it is not UTF-8".into()),
        },
        Ok(Some(Err(_))) => Err("it is too large for a record".into()),
        Err(problem) => Err(problem.to_string()),
    }
}
