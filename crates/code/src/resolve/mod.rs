//! Which file of the repository an import means, and which symbol a name, by the rules of each
//! language.
//!
//! Resolution is a pure function of the existing files, the manifests and the outlines of files.
//! All of these are read through a [`ResolutionContext`], which records what was read.
//!
//! @see spec::code/imports

mod context;
mod entries;
mod go;
mod include;
mod invalidation;
mod javascript;
mod names;
mod package;
mod python;
mod rust;
pub(crate) mod tables;

use std::collections::BTreeSet;

use base::{RepoPath, Result};
use store::Connection;
use syntax::ImportResolver;

use crate::outline::{ImportRequest, ModuleInterface, ModuleReferences};

pub use context::FileCatalog;
pub(crate) use context::{ResolutionContext, ResolutionKey};
pub(crate) use entries::{
    EntryPointKind, LibraryVisibility, PublicSurface, library_visibility, public_surface,
};
pub(crate) use invalidation::{index_file, remove_file};
pub use tables::{ImporterRow, imported_files, importer_names, importers};

/// Length of a chain of re-exports.
pub(crate) const MAX_REEXPORT_CHAIN: usize = 24;

/// A symbol of a file, or `*` for the file itself.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct SymbolOrigin {
    pub file: RepoPath,
    pub name: String,
}

impl SymbolOrigin {
    fn new(file: RepoPath, name: impl Into<String>) -> Self {
        Self { file, name: name.into() }
    }

    fn whole_file(file: RepoPath) -> Self {
        Self::new(file, "*")
    }
}

/// A use of a symbol of another file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ImportUse {
    /// The import; `None` if the symbol is used through a path
    pub import: Option<u32>,
    pub origin: SymbolOrigin,
    /// The line, if it is not that of the import
    pub line: Option<u32>,
}

/// The resolved imports of a file.
#[derive(Debug, Default)]
pub(crate) struct ResolvedImports {
    /// By import: the file that it means, or the folder of a Go package
    pub targets: Vec<Option<RepoPath>>,
    pub uses: Vec<ImportUse>,
}

/// A file with its outline.
pub(crate) struct OutlinedFile<'a> {
    pub path: &'a RepoPath,
    pub interface: &'a ModuleInterface,
    pub references: &'a ModuleReferences,
}

/// Resolves the imports of changed files again, and of the files that depend on something that
/// changed. Returns the resolved files.
pub fn resolve(
    conn: &Connection,
    files: &dyn FileCatalog,
    changed: &[RepoPath],
) -> Result<BTreeSet<RepoPath>> {
    let stirred = tables::take_changed_keys(conn)?;
    let mut again: BTreeSet<RepoPath> = changed.iter().cloned().collect();
    if !stirred.is_empty() {
        again.extend(tables::dependents_of(conn, &stirred)?);
    }
    let context = ResolutionContext::new(conn, files);
    let mut done = BTreeSet::new();
    for path in again {
        let Some((offers, asks)) = tables::outline(conn, &path)? else { continue };
        let here = OutlinedFile { path: &path, interface: &offers, references: &asks };
        let (resolved, asked) = context.record_dependencies(|| resolve_file(&context, &here))?;
        tables::put_resolved(conn, &path, &resolved)?;
        tables::put_dependencies(conn, &path, &asked)?;
        done.insert(path);
    }
    Ok(done)
}

const JAVASCRIPT: names::ModuleRules =
    names::ModuleRules { target: javascript::target, submodules: None };
const PYTHON: names::ModuleRules = names::ModuleRules {
    target: python::target,
    submodules: Some((python::submodule, python::namespace_submodule)),
};
const INCLUDE: names::ModuleRules =
    names::ModuleRules { target: include::target, submodules: None };
const PACKAGE: names::ModuleRules =
    names::ModuleRules { target: package::target, submodules: None };
const PHP: names::ModuleRules =
    names::ModuleRules { target: package::php_target, submodules: None };

fn resolve_file(context: &ResolutionContext<'_>, here: &OutlinedFile<'_>) -> ResolvedImports {
    match ImportResolver::of_file(here.path) {
        ImportResolver::JavaScript => names::resolve(context, here, &JAVASCRIPT),
        ImportResolver::Python => names::resolve(context, here, &PYTHON),
        ImportResolver::Rust => rust::resolve(context, here),
        ImportResolver::Go => go::resolve(context, here),
        ImportResolver::Packages => names::resolve(context, here, &PACKAGE),
        ImportResolver::Namespaces => names::resolve(context, here, &PHP),
        ImportResolver::Files => names::resolve(context, here, &INCLUDE),
        ImportResolver::None => {
            ResolvedImports { targets: vec![None; here.interface.imports.len()], uses: Vec::new() }
        }
    }
}

/// Finds the file that an import means.
type ImportTargetFn = fn(&ResolutionContext<'_>, &RepoPath, &ImportRequest) -> Option<RepoPath>;

/// The folder of a file as a prefix for relative paths: empty or with `/` at the end.
fn folder_prefix(path: &RepoPath) -> String {
    path.parent().map(|folder| path_prefix(&folder)).unwrap_or_default()
}

/// A folder as a prefix for relative paths: empty or with `/` at the end.
fn path_prefix(folder: &RepoPath) -> String {
    if folder.is_root() { String::new() } else { format!("{folder}/") }
}

/// The folders that contain a file, the nearest first.
fn ancestor_folders(path: &RepoPath) -> impl Iterator<Item = RepoPath> {
    std::iter::successors(path.parent(), RepoPath::parent)
}

/// A path relative to a folder, with `.` and `..` resolved.
fn normalised_below(folder: &str, path: &str) -> Option<RepoPath> {
    RepoPath::normalised(&format!("{folder}{path}"))?.ok()
}

#[cfg(test)]
pub(crate) mod tests;
