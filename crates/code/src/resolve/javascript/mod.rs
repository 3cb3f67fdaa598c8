//! JavaScript and TypeScript: relative paths, `paths` of the compiler options, and packages of the
//! workspace, with the extensions and index files that the compiler and bundlers try.

mod files;
mod package;
mod tsconfig;
mod workspace;

use base::RepoPath;
use syntax::Language;

use super::{ResolutionContext, folder_prefix};
use crate::outline::ImportRequest;

pub(super) use package::entries;

pub(super) fn target(
    context: &ResolutionContext<'_>,
    from: &RepoPath,
    asked: &ImportRequest,
) -> Option<RepoPath> {
    let written = asked.specifier.as_str();
    // The query or loader of a bundler is not part of the path. `#` starts a name of the package's
    // own `imports`.
    let plain = written.rsplit('!').next().unwrap_or(written);
    let plain = plain.split('?').next().unwrap_or(plain);
    let folder = from.parent().unwrap_or(RepoPath::ROOT);
    let found =
        (*context.memoise("javascript", &folder, plain, || find(context, from, plain))).clone();
    found.map(|found| if is_script(from) { files::script_of(context, found) } else { found })
}

/// Whether a file runs as it is, so that what it imports is a file that runs too.
fn is_script(file: &RepoPath) -> bool {
    Language::from_path(file).is_some_and(Language::runs_as_written)
}

fn find(context: &ResolutionContext<'_>, from: &RepoPath, specifier: &str) -> Option<RepoPath> {
    if specifier.is_empty() || specifier.contains(':') || specifier.starts_with('/') {
        return None; // `node:fs`, `https://…`, `virtual:…`, a path of the server
    }
    if is_relative(specifier) {
        let found = files::file_or_folder(context, &format!("{}{specifier}", folder_prefix(from)));
        return found.or_else(|| tsconfig::in_root_dirs(context, from, specifier));
    }
    if specifier.starts_with('#') {
        let own = package::own_import(context, from, specifier);
        return own.or_else(|| tsconfig::resolve_paths(context, from, specifier));
    }
    tsconfig::resolve_paths(context, from, specifier)
        .or_else(|| package::in_workspace(context, from, specifier))
        .or_else(|| tsconfig::resolve_base_url(context, from, specifier))
        .or_else(|| package::by_framework_convention(context, from, specifier))
}

fn is_relative(specifier: &str) -> bool {
    specifier.starts_with("./") || specifier.starts_with("../") || matches!(specifier, "." | "..")
}

#[cfg(test)]
mod tests;
