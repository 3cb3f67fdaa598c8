//! Which file of the repository an import means, and which symbol a name, by the rules of each
//! language.
//!
//! A pure function of the files there are, what manifests say and what files offer; all of that
//! is asked of a [`ResolutionContext`], which notes it.
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
pub(crate) use entries::{EntryPointKind, PublicSurface, is_public_module, public_surface};
pub(crate) use invalidation::{index_file, remove_file};
pub use tables::{ImporterRow, imported_files, importer_names, importers};

/// How far names are followed through files that hand them on.
const MAX_REEXPORT_CHAIN: usize = 24;

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

/// Something that a file takes of another.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ImportUse {
    /// The import that takes it; none where it is reached by a path
    pub import: Option<u32>,
    pub origin: SymbolOrigin,
    /// The line, where it is not the import's
    pub line: Option<u32>,
}

/// Where the imports of a file lead.
#[derive(Debug, Default)]
pub(crate) struct ResolvedImports {
    /// By import: the file, or the folder of a Go package
    pub targets: Vec<Option<RepoPath>>,
    pub uses: Vec<ImportUse>,
}

/// A file with what is known of it.
pub(crate) struct OutlinedFile<'a> {
    pub path: &'a RepoPath,
    pub interface: &'a ModuleInterface,
    pub references: &'a ModuleReferences,
}

/// Resolves anew what changed: the files themselves, and those that had looked at what is other
/// now. Says which that were.
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
    let world = ResolutionContext::new(conn, files);
    let mut done = BTreeSet::new();
    for path in again {
        let Some((offers, asks)) = tables::outline(conn, &path)? else { continue };
        let here = OutlinedFile { path: &path, interface: &offers, references: &asks };
        let (resolved, asked) = world.record_dependencies(|| resolve_file(&world, &here))?;
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

fn resolve_file(world: &ResolutionContext<'_>, here: &OutlinedFile<'_>) -> ResolvedImports {
    match ImportResolver::of_file(here.path) {
        ImportResolver::JavaScript => names::resolve(world, here, &JAVASCRIPT),
        ImportResolver::Python => names::resolve(world, here, &PYTHON),
        ImportResolver::Rust => rust::resolve(world, here),
        ImportResolver::Go => go::resolve(world, here),
        ImportResolver::Packages => names::resolve(world, here, &PACKAGE),
        ImportResolver::Namespaces => names::resolve(world, here, &PHP),
        ImportResolver::Files => names::resolve(world, here, &INCLUDE),
        ImportResolver::None => {
            ResolvedImports { targets: vec![None; here.interface.imports.len()], uses: Vec::new() }
        }
    }
}

/// Where one import of a file leads.
type ImportTargetFn = fn(&ResolutionContext<'_>, &RepoPath, &ImportRequest) -> Option<RepoPath>;

/// The folder of a file, as text that a relative path can follow.
fn folder_prefix(path: &RepoPath) -> String {
    path.parent().map(|folder| path_prefix(&folder)).unwrap_or_default()
}

/// A folder as text that a relative path can follow.
fn path_prefix(folder: &RepoPath) -> String {
    if folder.is_root() { String::new() } else { format!("{folder}/") }
}

/// The folders above a file, the nearest first.
fn ancestor_folders(path: &RepoPath) -> impl Iterator<Item = RepoPath> {
    std::iter::successors(path.parent(), RepoPath::parent)
}

/// A path below a folder, with its dots taken out.
fn normalised_below(folder: &str, path: &str) -> Option<RepoPath> {
    RepoPath::normalised(&format!("{folder}{path}"))?.ok()
}

#[cfg(test)]
pub(crate) mod tests;
