//! Languages that name files: `#include "a.h"`, `require_relative`, `source`, `include_once`.

use base::RepoPath;

use super::{World, above, as_prefix, folder_of};
use crate::outline::Asked;

/// Folders that headers are looked for in, below every folder above.
const HEADERS: [&str; 3] = ["", "include/", "src/"];

pub(super) fn target(world: &World<'_>, from: &RepoPath, asked: &Asked) -> Option<RepoPath> {
    let name = asked.specifier.trim_start_matches("./");
    if name.is_empty() || name.starts_with('/') {
        return None;
    }
    let endings = ["", ".rb", ".php"].map(|end| format!("{}{name}{end}", folder_of(from)));
    world.first(endings).or_else(|| {
        let folders = above(from).filter(|_| name.contains('.'));
        let all = folders
            .flat_map(|folder| HEADERS.map(|inner| format!("{}{inner}{name}", as_prefix(&folder))));
        world.first(all)
    })
}
