//! Which file of the repository an import means, by the rules of its language.
//!
//! A pure function of the set of files: what is in the set decides, nothing is opened.

mod javascript;
mod python;
mod rust;

use std::collections::{BTreeMap, BTreeSet};

use base::{RepoPath, Result};
use store::Connection;
use syntax::Language;

use crate::symbols::Imported;
use crate::tables;

/// The files there are, and what their names tell about packages.
pub(crate) struct Files<'a> {
    all: &'a BTreeSet<RepoPath>,
    /// The manifest of each package, by the package's name
    packages: BTreeMap<String, RepoPath>,
}

impl Files<'_> {
    /// Whether a file is there.
    fn has(&self, path: &RepoPath) -> bool {
        self.all.contains(path)
    }

    /// The first of some paths that is there; a path that cannot be is not.
    fn first(&self, paths: impl IntoIterator<Item = String>) -> Option<RepoPath> {
        let parsed = paths.into_iter().filter_map(|text| RepoPath::normalised(&text)?.ok());
        parsed.into_iter().find(|path| self.has(path))
    }
}

/// Resolves imports anew: those of some files, or of all when files came or went.
pub fn resolve_all(
    conn: &Connection,
    all: &BTreeSet<RepoPath>,
    only: Option<&[RepoPath]>,
) -> Result<()> {
    let files = Files { all, packages: tables::packages(conn)?.into_iter().collect() };
    let imports = match only {
        None => tables::to_resolve(conn, None)?,
        Some(paths) => {
            let each = paths.iter().map(|path| tables::to_resolve(conn, Some(path)));
            each.collect::<Result<Vec<_>>>()?.into_iter().flatten().collect()
        }
    };
    for (id, import) in imports {
        let target = resolve(&files, &import);
        if target != import.target {
            tables::set_target(conn, (&import.path, id), target.as_ref())?;
        }
    }
    Ok(())
}

fn resolve(files: &Files<'_>, import: &Imported) -> Option<RepoPath> {
    match Language::of(&import.path)? {
        Language::JavaScript | Language::TypeScript | Language::Tsx => {
            javascript::resolve(files, import)
        }
        Language::Python => python::resolve(files, import),
        Language::Rust => rust::resolve(files, import),
        _ => None,
    }
}

/// The folder of a file, as text that a relative path can follow.
fn folder_of(path: &RepoPath) -> String {
    path.parent().filter(|folder| !folder.is_root()).map(|f| format!("{f}/")).unwrap_or_default()
}

/// The folders above a file, the nearest first, each as text that a relative path can follow.
fn folders_above(path: &RepoPath) -> Vec<String> {
    let above = std::iter::successors(path.parent(), RepoPath::parent);
    let text =
        |folder: RepoPath| if folder.is_root() { String::new() } else { format!("{folder}/") };
    above.map(text).collect()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::symbols::Taken;

    /// The file that an import means among some files.
    pub(crate) fn target(
        files: &[&str],
        from: &str,
        import: (&str, &str, u8, &[&str]),
    ) -> Option<String> {
        let all = files.iter().map(|file| file.parse().unwrap()).collect();
        let (kind, specifier, level, names) = import;
        let import = Imported {
            path: from.parse().unwrap(),
            specifier: specifier.into(),
            kind: kind.into(),
            level,
            names: names.iter().map(|name| Taken((*name).into(), None)).collect(),
            type_only: false,
            line: 1,
            target: None,
        };
        let named = [("grep_searcher", "crates/my-engine/Cargo.toml")];
        let packages = named.map(|(name, path)| (name.into(), path.parse().unwrap())).into();
        resolve(&Files { all: &all, packages }, &import).map(|path| path.to_string())
    }
}
