//! Files without parsed code that may use a symbol by name: pages, templates, settings.

use std::collections::{BTreeMap, HashSet};

use base::{RepoPath, Result};
use rayon::prelude::*;
use syntax::{ImportResolver, Language};
use tree::WorkingTree;

use engine::index::tables;
use engine::view::View;

/// Extensions of such files.
const FILE_SUFFIXES: [&str; 18] = [
    "cfg", "ejs", "hbs", "htm", "html", "ini", "ipynb", "j2", "jinja", "json", "jsonc", "liquid",
    "mdx", "njk", "pug", "toml", "yaml", "yml",
];

/// Maximum size of such a file, in bytes; larger ones are generated.
const MAX_FILE_BYTES: u64 = 1024 * 1024;

/// For each name, the first such file that contains it as a word.
pub(super) fn find_mentions(
    view: &View,
    names: &HashSet<&str>,
) -> Result<BTreeMap<String, RepoPath>> {
    if names.is_empty() {
        return Ok(BTreeMap::new());
    }
    let files = tables::all_files(view.index()?.conn())?;
    let is_such = |path: &&RepoPath| {
        path.extension().is_some_and(|ending| FILE_SUFFIXES.contains(&ending.as_str()))
            && !path.name().contains("lock")
    };
    let files: Vec<&RepoPath> = files.iter().filter(is_such).collect();
    let tree = view.tree();
    let held: Vec<Vec<String>> =
        files.par_iter().map(|path| names_in_file(tree, path, names)).collect();
    let mut found = BTreeMap::new();
    for (path, words) in files.into_iter().zip(held) {
        for word in words {
            found.entry(word).or_insert_with(|| path.clone());
        }
    }
    Ok(found)
}

/// How often each name is written as a word in code.
pub(super) fn count_in_code(view: &View, names: &HashSet<&str>) -> Result<BTreeMap<String, usize>> {
    if names.is_empty() {
        return Ok(BTreeMap::new());
    }
    let files = tables::all_files(view.index()?.conn())?;
    let is_code = |path: &&RepoPath| Language::from_path(path).is_some_and(Language::is_code);
    let files: Vec<&RepoPath> = files.iter().filter(is_code).collect();
    let tree = view.tree();
    let held = files.par_iter().map(|path| {
        let text = read(tree, path);
        let words = words(&text).filter(|word| names.contains(word));
        words.map(str::to_owned).collect::<Vec<_>>()
    });
    let held: Vec<Vec<String>> = held.collect();
    let mut counts = BTreeMap::new();
    for word in held.into_iter().flatten() {
        *counts.entry(word).or_insert(0) += 1;
    }
    Ok(counts)
}

/// HTML pages that name a script by its path, as built or as written.
pub(super) fn pages_with_script(view: &View, script: &RepoPath) -> Result<Vec<RepoPath>> {
    let is_script = Language::from_path(script)
        .is_some_and(|language| language.semantics().imports == ImportResolver::JavaScript);
    if !is_script {
        return Ok(Vec::new());
    }
    let written = script.name();
    let built = written.rsplit_once('.').map(|(stem, _)| format!("{stem}.js"));
    let names: Vec<String> = std::iter::once(written).chain(built).collect();
    let is_page = |path: &RepoPath| {
        path.extension().is_some_and(|ending| matches!(ending.as_str(), "html" | "htm"))
    };
    let pages: Vec<RepoPath> =
        tables::all_files(view.index()?.conn())?.into_iter().filter(is_page).collect();
    let tree = view.tree();
    let loads = |page: &RepoPath| {
        let text = read(tree, page);
        let starts_there = |at: usize| text[..at].ends_with(['/', '"', '\'']);
        let is_named = |name: &String| text.match_indices(name).any(|(at, _)| starts_there(at));
        names.iter().any(is_named)
    };
    Ok(pages.into_par_iter().filter(loads).collect())
}

fn names_in_file(tree: &WorkingTree, path: &RepoPath, names: &HashSet<&str>) -> Vec<String> {
    let text = read(tree, path);
    let found: HashSet<&str> = words(&text).filter(|word| names.contains(word)).collect();
    found.into_iter().map(str::to_owned).collect()
}

/// The text of a file; empty if it cannot be read or is too large.
fn read(tree: &WorkingTree, path: &RepoPath) -> String {
    let Ok(Some(Ok(blob))) = tree.read_at_most(path, MAX_FILE_BYTES) else {
        return String::new();
    };
    String::from_utf8_lossy(&blob.bytes).into_owned()
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |one: char| one.is_alphanumeric() || one == '_' || one == '$';
    text.split(move |one| !is_part(one))
}
