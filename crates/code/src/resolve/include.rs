//! Languages that name files: `#include "a.h"`, `require_relative`, `source`, `include_once`. The
//! language's `FileImports` defines where a file is looked up.

use base::RepoPath;
use syntax::Language;

use super::{ResolutionContext, ancestor_folders, folder_prefix, path_prefix};
use crate::outline::ImportRequest;

pub(super) fn target(
    context: &ResolutionContext<'_>,
    from: &RepoPath,
    asked: &ImportRequest,
) -> Option<RepoPath> {
    let rules = Language::from_path(from)?.semantics().file_imports;
    let name = asked.specifier.trim_start_matches("./");
    if name.is_empty() || name.starts_with('/') {
        return None;
    }
    let name = match rules.separator {
        Some(separator) => name.replace(separator, "/"),
        None => name.to_owned(),
    };
    let beside = rules.suffixes.iter().map(|end| format!("{}{name}{end}", folder_prefix(from)));
    context.first_existing(beside).or_else(|| {
        let can_end = |end: &&&str| !end.is_empty() || name.contains('.');
        let above = ancestor_folders(from).flat_map(|folder| {
            let folder = path_prefix(&folder);
            let name = &name;
            rules.search_folders.iter().flat_map(move |inner| {
                let start = format!("{folder}{inner}{name}");
                let ends = rules.search_suffixes.iter().filter(can_end);
                ends.map(move |end| format!("{start}{end}")).collect::<Vec<_>>()
            })
        });
        context.first_existing(above)
    })
}
