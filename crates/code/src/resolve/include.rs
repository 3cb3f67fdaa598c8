//! Languages that name files: `#include "a.h"`, `require_relative`, `source`, `include_once`.

use base::RepoPath;

use super::{ResolutionContext, ancestor_folders, folder_prefix, path_prefix};
use crate::outline::ImportRequest;

/// Folders that headers are looked for in, below every folder above.
const HEADER_FOLDERS: [&str; 3] = ["", "include/", "src/"];

pub(super) fn target(
    world: &ResolutionContext<'_>,
    from: &RepoPath,
    asked: &ImportRequest,
) -> Option<RepoPath> {
    let name = asked.specifier.trim_start_matches("./");
    if name.is_empty() || name.starts_with('/') {
        return None;
    }
    let endings = ["", ".rb", ".php"].map(|end| format!("{}{name}{end}", folder_prefix(from)));
    world.first_existing(endings).or_else(|| {
        let folders = ancestor_folders(from).filter(|_| name.contains('.'));
        let all = folders.flat_map(|folder| {
            HEADER_FOLDERS.map(|inner| format!("{}{inner}{name}", path_prefix(&folder)))
        });
        world.first_existing(all)
    })
}
