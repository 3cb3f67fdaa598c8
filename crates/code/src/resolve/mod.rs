//! Which file of the repository an import means, and which symbol a name, by the rules of each
//! language.
//!
//! A pure function of the files there are, what manifests say and what files offer; all of that
//! is asked of a [`World`], which notes it.
//!
//! @see spec::code/imports

mod entries;
mod go;
mod include;
mod javascript;
mod names;
mod package;
mod python;
mod rust;
mod stir;
pub(crate) mod tables;
mod world;

use std::collections::BTreeSet;

use base::{RepoPath, Result};
use store::Connection;
use syntax::Language;

use crate::outline::{Asked, Asks, Offers};

pub(crate) use entries::{Entry, Public, is_public_module, public};
pub(crate) use stir::{forget, learn};
pub use tables::{Taker, taken_by, taken_from, takers};
pub use world::Files;
pub(crate) use world::{Key, World};

/// How far names are followed through files that hand them on.
const LONGEST_CHAIN: usize = 24;

/// A symbol of a file, or `*` for the file itself.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Origin {
    pub file: RepoPath,
    pub name: String,
}

impl Origin {
    fn new(file: RepoPath, name: impl Into<String>) -> Self {
        Self { file, name: name.into() }
    }

    fn whole(file: RepoPath) -> Self {
        Self::new(file, "*")
    }
}

/// Something that a file takes of another.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Taking {
    /// The import that takes it; none where it is reached by a path
    pub import: Option<u32>,
    pub origin: Origin,
    /// The line, where it is not the import's
    pub line: Option<u32>,
}

/// Where the imports of a file lead.
#[derive(Debug, Default)]
pub(crate) struct Resolved {
    /// By import: the file, or the folder of a Go package
    pub targets: Vec<Option<RepoPath>>,
    pub takings: Vec<Taking>,
}

/// A file with what is known of it.
pub(crate) struct Here<'a> {
    pub path: &'a RepoPath,
    pub offers: &'a Offers,
    pub asks: &'a Asks,
}

/// Resolves anew what changed: the files themselves, and those that had looked at what is other
/// now. Says which that were.
pub fn resolve(
    conn: &Connection,
    files: &dyn Files,
    changed: &[RepoPath],
) -> Result<BTreeSet<RepoPath>> {
    let stirred = tables::take_stirred(conn)?;
    let mut again: BTreeSet<RepoPath> = changed.iter().cloned().collect();
    if !stirred.is_empty() {
        again.extend(tables::who_looked(conn, &stirred)?);
    }
    let world = World::new(conn, files);
    let mut done = BTreeSet::new();
    for path in again {
        let Some((offers, asks)) = tables::outline(conn, &path)? else { continue };
        let here = Here { path: &path, offers: &offers, asks: &asks };
        let (resolved, asked) = world.watch(|| one(&world, &here))?;
        tables::put_resolved(conn, &path, &resolved)?;
        tables::put_looked(conn, &path, &asked)?;
        done.insert(path);
    }
    Ok(done)
}

const JAVASCRIPT: names::Rules = names::Rules { target: javascript::target, inner: None };
const PYTHON: names::Rules =
    names::Rules { target: python::target, inner: Some((python::submodule, python::in_namespace)) };
const INCLUDE: names::Rules = names::Rules { target: include::target, inner: None };
const PACKAGE: names::Rules = names::Rules { target: package::target, inner: None };
const PHP: names::Rules = names::Rules { target: package::php, inner: None };

fn one(world: &World<'_>, here: &Here<'_>) -> Resolved {
    match Language::of(here.path) {
        Some(Language::JavaScript | Language::TypeScript | Language::Tsx) => {
            names::resolve(world, here, &JAVASCRIPT)
        }
        Some(Language::Python) => names::resolve(world, here, &PYTHON),
        Some(Language::Rust) => rust::resolve(world, here),
        Some(Language::Go) => go::resolve(world, here),
        Some(Language::Java | Language::Kotlin) => names::resolve(world, here, &PACKAGE),
        Some(Language::Php) => names::resolve(world, here, &PHP),
        Some(Language::C | Language::Cpp | Language::Ruby | Language::Bash) => {
            names::resolve(world, here, &INCLUDE)
        }
        _ => Resolved { targets: vec![None; here.offers.imports.len()], takings: Vec::new() },
    }
}

/// Where one import of a file leads.
type Target = fn(&World<'_>, &RepoPath, &Asked) -> Option<RepoPath>;

/// The folder of a file, as text that a relative path can follow.
fn folder_of(path: &RepoPath) -> String {
    path.parent().map(|folder| as_prefix(&folder)).unwrap_or_default()
}

/// A folder as text that a relative path can follow.
fn as_prefix(folder: &RepoPath) -> String {
    if folder.is_root() { String::new() } else { format!("{folder}/") }
}

/// The folders above a file, the nearest first.
fn above(path: &RepoPath) -> impl Iterator<Item = RepoPath> {
    std::iter::successors(path.parent(), RepoPath::parent)
}

/// A path below a folder, with its dots taken out.
fn below(folder: &str, path: &str) -> Option<RepoPath> {
    RepoPath::normalised(&format!("{folder}{path}"))?.ok()
}

#[cfg(test)]
pub(crate) mod tests;
