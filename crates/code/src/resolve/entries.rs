//! Package entry points and the names that they export.

use std::collections::{BTreeMap, BTreeSet};

use base::{RepoPath, Result};
use store::Connection;
use syntax::{ImportResolver, Manifest};

use super::rust::{self, is_publicly_reachable};
use super::{
    JAVASCRIPT, PYTHON, ResolutionContext, SymbolOrigin, folder_prefix, javascript, names, tables,
};

/// How a file is used from outside the repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum EntryPointKind {
    /// It is executed
    Program,
    /// It is part of the public API of its package
    Api,
}

/// The public API of the packages of the repository, and the files that are executed.
#[derive(Debug, Default)]
pub(crate) struct PublicSurface {
    /// Entry points
    pub entries: BTreeMap<RepoPath, EntryPointKind>,
    /// Public names of packages that may be published
    pub names: BTreeSet<SymbolOrigin>,
    /// Dependencies by the folder of the manifest, to detect frameworks
    pub dependencies: Vec<(RepoPath, BTreeSet<String>)>,
    /// Folders of npm packages, with whether others can install the package
    pub packages: Vec<(RepoPath, bool)>,
}

impl PublicSurface {
    /// Whether a file belongs to an npm package that others can install.
    pub fn is_published(&self, path: &RepoPath) -> bool {
        let around = self.packages.iter().filter(|(folder, _)| path.is_at_or_below(folder));
        around
            .max_by_key(|(folder, _)| folder.depth())
            .is_some_and(|(_, is_published)| *is_published)
    }
}

/// Collects the entry points that manifests declare.
pub(crate) fn public_surface(
    context: &ResolutionContext<'_>,
    conn: &Connection,
) -> Result<PublicSurface> {
    let mut found = PublicSurface::default();
    for (path, manifest) in tables::manifests(conn)? {
        match &manifest {
            Manifest::Npm(npm) => {
                let each = npm.dependencies.iter().map(|(name, _)| name.clone()).collect();
                let folder = path.parent().unwrap_or(RepoPath::ROOT);
                found.dependencies.push((folder.clone(), each));
                found.packages.push((folder, !npm.is_private && npm.name.is_some()));
                for (file, entry) in javascript::entries(context, &path, npm) {
                    if !npm.is_private && npm.name.is_some() {
                        let offered =
                            names::all_exports(context, &JAVASCRIPT, &file, &mut BTreeSet::new());
                        found.names.extend(offered);
                    }
                    found.entries.entry(file).or_insert(entry);
                }
            }
            Manifest::Python(python) => {
                for entry in &python.entries {
                    let origin = python_entry(context, &path, entry);
                    found.names.extend(origin);
                }
            }
            _ => {}
        }
    }
    Ok(found)
}

/// The symbol that an entry point `package.module:name` means.
fn python_entry(
    context: &ResolutionContext<'_>,
    manifest: &RepoPath,
    entry: &str,
) -> Option<SymbolOrigin> {
    let (module, name) = entry.split_once(':')?;
    let asked = crate::outline::ImportRequest {
        specifier: module.trim().to_owned(),
        kind: syntax::ImportKind::Import,
        level: 0,
        is_path: false,
        scope: String::new(),
        names: Vec::new(),
    };
    // Resolved from a file beside the manifest.
    let beside = format!("{}setup.py", folder_prefix(manifest)).parse().ok()?;
    let file = (PYTHON.target)(context, &beside, &asked)?;
    let name = name.split(['.', '[', ' ']).next().unwrap_or_default();
    Some(SymbolOrigin::new(file, name))
}

/// Who can use the public items of a Rust file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LibraryVisibility {
    /// Whether the crate is a library that may be published
    pub is_published: bool,
    /// Whether every module around the file is public
    pub is_reachable: bool,
}

/// Who can use the public items of a Rust file; `None` if it belongs to no library.
pub(crate) fn library_visibility(
    context: &ResolutionContext<'_>,
    conn: &Connection,
    path: &RepoPath,
) -> Option<LibraryVisibility> {
    if ImportResolver::of_file(path) != ImportResolver::Rust {
        return None;
    }
    let is_public = |by: &RepoPath, name: &str| {
        let symbol = crate::tables::symbol(conn, by, name).ok().flatten();
        symbol.is_some_and(|symbol| symbol.visibility == "public")
    };
    let is_published = rust::is_library_publishable(context, path)?;
    let is_reachable = is_publicly_reachable(context, path, &is_public);
    Some(LibraryVisibility { is_published, is_reachable })
}
