//! What strangers can reach: the entries of packages, and the names that they offer.

use std::collections::{BTreeMap, BTreeSet};

use base::{RepoPath, Result};
use store::Connection;
use syntax::{ImportResolver, Manifest};

use super::rust::{self, is_publicly_reachable};
use super::{
    JAVASCRIPT, PYTHON, ResolutionContext, SymbolOrigin, folder_prefix, javascript, names, tables,
};

/// How a file is reached from outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum EntryPointKind {
    /// It is run
    Program,
    /// Its package offers it
    Api,
}

/// What is offered beyond the repository, and the files that something outside starts.
#[derive(Debug, Default)]
pub(crate) struct PublicSurface {
    /// Files that are reached from outside
    pub entries: BTreeMap<RepoPath, EntryPointKind>,
    /// Names of packages that can be published
    pub names: BTreeSet<SymbolOrigin>,
    /// Dependencies by the folder of the manifest, to tell frameworks
    pub dependencies: Vec<(RepoPath, BTreeSet<String>)>,
}

/// Gathers what manifests say about entries.
pub(crate) fn public_surface(
    world: &ResolutionContext<'_>,
    conn: &Connection,
) -> Result<PublicSurface> {
    let mut found = PublicSurface::default();
    for (path, manifest) in tables::manifests(conn)? {
        match &manifest {
            Manifest::Npm(npm) => {
                let each = npm.dependencies.iter().map(|(name, _)| name.clone()).collect();
                found.dependencies.push((path.parent().unwrap_or(RepoPath::ROOT), each));
                for (file, entry) in javascript::entries(world, &path, npm) {
                    if !npm.is_private && npm.name.is_some() {
                        let offered =
                            names::all_exports(world, &JAVASCRIPT, &file, &mut BTreeSet::new());
                        found.names.extend(offered);
                    }
                    found.entries.entry(file).or_insert(entry);
                }
            }
            Manifest::Python(python) => {
                for entry in &python.entries {
                    let origin = python_entry(world, &path, entry);
                    found.names.extend(origin);
                }
            }
            _ => {}
        }
    }
    Ok(found)
}

/// What `package.module:name` starts.
fn python_entry(
    world: &ResolutionContext<'_>,
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
    // Seen from a file beside the manifest.
    let beside = format!("{}setup.py", folder_prefix(manifest)).parse().ok()?;
    let file = (PYTHON.target)(world, &beside, &asked)?;
    let name = name.split(['.', '[', ' ']).next().unwrap_or_default();
    Some(SymbolOrigin::new(file, name))
}

/// Whether strangers could reach a Rust file's public items: its crate is a library that may be
/// published, and every module around it is public. `None` where it is no part of a library.
pub(crate) fn is_public_module(
    world: &ResolutionContext<'_>,
    conn: &Connection,
    path: &RepoPath,
) -> Option<(bool, bool)> {
    if ImportResolver::of_file(path) != ImportResolver::Rust {
        return None;
    }
    let is_public = |by: &RepoPath, name: &str| {
        let symbol = crate::tables::symbol(conn, by, name).ok().flatten();
        symbol.is_some_and(|symbol| symbol.visibility == "public")
    };
    let published = rust::is_library_publishable(world, path)?;
    Some((published, is_publicly_reachable(world, path, &is_public)))
}
