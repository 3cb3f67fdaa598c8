//! Explicit names in a text: paths, modules, and symbols with their definitions.

use std::collections::{BTreeMap, BTreeSet};

use base::{RepoPath, Result};
use store::Connection;

use crate::answers::role::is_test_file;
use engine::file_text::tables;
use engine::view::View;

/// Number of definitions above which a name is ignored: it is too common.
const MAX_DEFINITIONS: usize = 5;

/// How many definitions of a name are considered, including those in tests.
const MAX_DEFINITIONS_READ: usize = 64;

/// How many names of a text are looked up.
const MAX_NAMES: usize = 200;

/// Score of an explicit name; the best text has 1.
const WHOLE_PATH_WEIGHT: f64 = 0.6;
const FILE_NAME_WEIGHT: f64 = 0.3;
const MODULE_WEIGHT: f64 = 0.35;
const SYMBOL_WEIGHT: f64 = 0.25;
const QUOTED_SYMBOL_WEIGHT: f64 = 0.375;

/// The explicit names of a text, by file.
#[derive(Debug, Default)]
pub(super) struct Mentions {
    by_path: BTreeMap<RepoPath, (f64, Vec<String>)>,
}

impl Mentions {
    pub(super) fn of(view: &View, text: &str) -> Result<Self> {
        let conn = view.index()?.conn();
        let mut mentions = Self::default();
        let (paths, dotted) = (path_words(text), dotted_names(text));
        if !paths.is_empty() || !dotted.is_empty() {
            let files = PathLookup::read(conn)?;
            for word in &paths {
                mentions.add_path(&files, word);
            }
            for name in &dotted {
                mentions.add_module(&files, name);
            }
        }
        let quoted = quoted_names(text);
        for name in identifiers(text) {
            let worth = if quoted.contains(&name) { QUOTED_SYMBOL_WEIGHT } else { SYMBOL_WEIGHT };
            if worth == QUOTED_SYMBOL_WEIGHT || looks_like_code(&name) {
                mentions.add_symbol(conn, &name, worth)?;
            }
        }
        Ok(mentions)
    }

    /// Every file with something that is named.
    pub(super) fn paths(&self) -> impl Iterator<Item = &RepoPath> {
        self.by_path.keys()
    }

    /// The names in a file, and their score.
    pub(super) fn at(&self, path: &RepoPath) -> (f64, Vec<String>) {
        self.by_path.get(path).cloned().unwrap_or_default()
    }

    fn add(&mut self, path: RepoPath, worth: f64, name: &str) {
        let known = self.by_path.entry(path).or_default();
        known.0 += worth;
        known.1.push(name.to_owned());
    }

    fn add_path(&mut self, files: &PathLookup, word: &str) {
        let worth = if word.contains('/') { WHOLE_PATH_WEIGHT } else { FILE_NAME_WEIGHT };
        // An absolute path on another machine may end in a path of this repository.
        let ends = std::iter::successors(Some(word), |rest| rest.split_once('/').map(|(_, r)| r));
        let ends = ends.filter(|end| end.contains('/') || !word.contains('/'));
        let found =
            ends.map(|end| (end, files.paths_ending_in(end))).find(|(_, found)| is_specific(found));
        if let Some((end, found)) = found {
            for path in found {
                self.add(path.clone(), worth, end);
            }
        }
    }

    /// `django.db.models` is `django/db/models.py` or a folder's `__init__.py`; of a longer
    /// name the part that is a module counts.
    fn add_module(&mut self, files: &PathLookup, name: &str) {
        let parts: Vec<&str> = name.split('.').collect();
        let modules =
            (2..=parts.len()).rev().map(|length| files.paths_of_module(&parts[..length].join("/")));
        if let Some(found) = modules.into_iter().find(|found| is_specific(found)) {
            for path in found {
                self.add(path.clone(), MODULE_WEIGHT, name);
            }
        }
    }

    fn add_symbol(&mut self, conn: &Connection, name: &str, worth: f64) -> Result<()> {
        let mut found = code::defining_files(conn, name, MAX_DEFINITIONS_READ)?;
        let meant = match found.is_empty() && looks_like_code(name) {
            true => nearest_name(conn, name)?,
            false => None,
        };
        if let Some(meant) = &meant {
            found = code::defining_files(conn, meant, MAX_DEFINITIONS_READ)?;
        }
        let name = meant.as_deref().unwrap_or(name);
        let is_whole = found.len() < MAX_DEFINITIONS_READ;
        found.retain(|path| !is_test_file(path)); // not symbols that tests define for themselves
        if is_whole && found.len() <= MAX_DEFINITIONS {
            #[expect(clippy::cast_precision_loss, reason = "at most five")]
            let each = worth / found.len().max(1) as f64;
            for path in found {
                self.add(path, each, name);
            }
        }
        Ok(())
    }
}

/// The name of a symbol that a misspelt one was meant to be.
fn nearest_name(conn: &Connection, name: &str) -> Result<Option<String>> {
    if name.len() <= 5 {
        return Ok(None);
    }
    let near = names_like(conn, name, base::similarity::MIN_REPAIRED_SYMBOL)?;
    Ok(near.into_iter().next())
}

/// Names of symbols that are spelt like a name, most similar first.
pub(crate) fn similar_names(conn: &Connection, name: &str) -> Result<Vec<String>> {
    let mut names = names_like(conn, name, base::similarity::MIN_SUGGESTED)?;
    names.truncate(MAX_SIMILAR_NAMES);
    Ok(names)
}

/// How many similar names are suggested.
const MAX_SIMILAR_NAMES: usize = 3;

/// The names of symbols that start with the same letter and are at least this similar.
fn names_like(conn: &Connection, name: &str, least: f64) -> Result<Vec<String>> {
    let Some(first) = name.chars().next() else { return Ok(Vec::new()) };
    let near = code::names_starting_with(conn, first)?.into_iter().filter_map(|other| {
        let like = base::similarity::similarity(name, &other).filter(|like| *like >= least)?;
        Some((like, other))
    });
    let mut near: Vec<(f64, String)> = near.collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    Ok(near.into_iter().map(|(_, name)| name).collect())
}

fn is_specific(found: &[&RepoPath]) -> bool {
    (1..=MAX_DEFINITIONS).contains(&found.len())
}

/// All files, by the last part of their paths.
struct PathLookup {
    by_name: BTreeMap<String, Vec<RepoPath>>,
    by_stem: BTreeMap<String, Vec<RepoPath>>,
}

impl PathLookup {
    fn read(conn: &Connection) -> Result<Self> {
        let (mut by_name, mut by_stem) = (BTreeMap::new(), BTreeMap::new());
        for path in tables::paths(conn)? {
            let name = path.name();
            let stem = name.split('.').next().unwrap_or_default().to_owned();
            // A file such as `mod.rs` or `__init__.py` is found by the name of its folder.
            let stem = match stem.as_str() {
                "__init__" | "mod" | "index" => path.parent().map_or(stem, |parent| parent.name()),
                _ => stem,
            };
            by_stem.entry(stem).or_insert_with(Vec::new).push(path.clone());
            by_name.entry(name).or_insert_with(Vec::new).push(path);
        }
        Ok(Self { by_name, by_stem })
    }

    fn paths_ending_in(&self, end: &str) -> Vec<&RepoPath> {
        let named = self.by_name.get(end.rsplit('/').next().unwrap_or(end));
        let fits = |path: &&RepoPath| ends_with_path(&path.to_string(), end);
        named.into_iter().flatten().filter(fits).collect()
    }

    fn paths_of_module(&self, end: &str) -> Vec<&RepoPath> {
        let named = self.by_stem.get(end.rsplit('/').next().unwrap_or(end));
        let fits = |path: &&RepoPath| {
            let path = path.to_string();
            let stem = path.rsplit_once('.').map_or(path.as_str(), |(stem, _)| stem);
            let folder = stem.rsplit_once('/').map_or("", |(folder, _)| folder);
            ends_with_path(stem, end) || ends_with_path(folder, end)
        };
        named.into_iter().flatten().filter(fits).collect()
    }
}

/// Whether a path ends in another, at a slash.
fn ends_with_path(path: &str, end: &str) -> bool {
    path.strip_suffix(end).is_some_and(|before| before.is_empty() || before.ends_with('/'))
}

/// Words that look like a path with an extension.
fn path_words(text: &str) -> BTreeSet<String> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '/' | '\\' | '.' | '_' | '-');
    let words = text.split(|c: char| !is_part(c)).map(|word| word.replace('\\', "/"));
    let plain = words.map(|word| word.trim_matches(['.', '/', '-']).to_owned());
    let has_extension = |word: &String| {
        let end = word.rsplit('/').next().unwrap_or_default().rsplit_once('.');
        end.is_some_and(|(stem, extension)| !stem.is_empty() && (1..=5).contains(&extension.len()))
    };
    plain.filter(has_extension).take(MAX_NAMES).collect()
}

/// Words such as `a.b.c`, each part a name.
fn dotted_names(text: &str) -> BTreeSet<String> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_');
    let words = text.split(|c: char| !is_part(c)).map(|word| word.trim_matches('.'));
    let is_dotted = |word: &&str| word.contains('.') && word.split('.').all(is_name);
    words.filter(is_dotted).map(ToOwned::to_owned).take(MAX_NAMES).collect()
}

fn identifiers(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.filter(|w| w.len() > 2 && is_name(w)).map(ToOwned::to_owned).take(MAX_NAMES * 4).collect()
}

/// Names between back-ticks, where people put what is code.
fn quoted_names(text: &str) -> BTreeSet<String> {
    let inside = text.split('`').skip(1).step_by(2);
    inside.flat_map(identifiers).collect()
}

fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// Whether a word is spelled like an identifier: with underscores or capitals inside.
fn looks_like_code(word: &str) -> bool {
    let inner = word.trim_matches('_');
    let mut chars = inner.chars();
    let first_is_capital = chars.next().is_some_and(char::is_uppercase);
    let rest: Vec<char> = chars.collect();
    let mixed = rest.iter().any(|c| c.is_lowercase());
    inner.contains('_')
        || (first_is_capital && mixed)
        || (mixed && rest.iter().any(|c| c.is_uppercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_in_prose() {
        let text = "Calling `run` in C:\\work\\src\\jobs\\retry.ts or django.db.models.fields: \
            handleWebhook fails, see HTTPServer and my_name. End.";
        let has =
            |set: BTreeSet<String>, word: &str| assert!(set.contains(word), "{word}: {set:?}");
        has(path_words(text), "work/src/jobs/retry.ts");
        has(dotted_names(text), "django.db.models.fields");
        has(quoted_names(text), "run");
        let code: Vec<_> = identifiers(text).into_iter().filter(|w| looks_like_code(w)).collect();
        assert_eq!(code, ["Calling", "End", "HTTPServer", "handleWebhook", "my_name"]);
    }
}
