//! Files that could hide what was asked for: skipped, or broken, and mentioning it all the same.

use std::collections::BTreeMap;

use base::{RepoPath, Result};
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;
use syntax::Language;

use crate::contract::page::{Cell, Page};
use crate::index::tables;
use crate::view::View;

/// Larger files are not searched, in bytes; they could hide anything.
const LARGEST: u64 = 64 * 1024 * 1024;

/// How many such files an answer lists.
const LISTED: usize = 20;

/// A file that could hide something, and why it is not known
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Unread {
    /// The file
    pub path: RepoPath,
    /// Why it is not wholly known
    pub why: String,
}

/// The languages whose files import each other.
pub(super) fn family(language: Option<Language>) -> Vec<Language> {
    use Language::{C, Cpp, JavaScript, Tsx, TypeScript};
    match language {
        Some(JavaScript | TypeScript | Tsx) => vec![JavaScript, TypeScript, Tsx],
        Some(C | Cpp) => vec![C, Cpp],
        Some(other) => vec![other],
        None => Language::all().into_iter().filter(|language| language.is_code()).collect(),
    }
}

/// Files in some languages that are not wholly known and hold one of some words, but for those
/// that the answer has anyway. The answer is said to be partial if there are any.
pub(super) fn holding(
    view: &View,
    languages: &[Language],
    (words, known): (&[String], &[&RepoPath]),
) -> Result<Vec<Unread>> {
    let tree = view.tree();
    let found: Vec<Unread> = all(view, languages)?
        .into_par_iter()
        .filter(|file| !known.contains(&&file.path) && may_hold(tree, &file.path, words))
        .collect();
    if !found.is_empty() {
        let count = found.len();
        let files = if count == 1 { "1 file" } else { &format!("{count} files") };
        view.doubt(format!("{files} could not be read as code"));
    }
    Ok(found)
}

/// Says that the answer is partial if a file itself is not wholly known.
pub(super) fn itself(view: &View, path: &RepoPath) -> Result<()> {
    let language = Language::of(path).into_iter().collect::<Vec<_>>();
    let found = all(view, &language)?.into_iter().find(|file| file.path == *path);
    if let Some(file) = &found {
        view.doubt(format!("{} could not be read as code: {}", file.path, file.why));
    }
    Ok(())
}

fn all(view: &View, languages: &[Language]) -> Result<Vec<Unread>> {
    let conn = view.index()?.conn();
    let names: Vec<&str> = languages.iter().map(|language| language.name()).collect();
    let skipped = tables::unread(conn, &names)?.into_iter();
    let mut why: BTreeMap<RepoPath, String> =
        skipped.map(|(path, why)| (path, format!("{why}, skipped"))).collect();
    for (path, line, column) in code::broken(conn)? {
        if Language::of(&path).is_some_and(|language| languages.contains(&language)) {
            why.entry(path).or_insert_with(|| format!("syntax error at {line}:{column}"));
        }
    }
    Ok(why.into_iter().map(|(path, why)| Unread { path, why }).collect())
}

/// Whether a file holds one of the words; one that cannot be read may.
fn may_hold(tree: &tree::Tree, path: &RepoPath, words: &[String]) -> bool {
    match tree.read_at_most(path, LARGEST) {
        Ok(None) => false,
        Ok(Some(Ok(blob))) => {
            let text = String::from_utf8_lossy(&blob.bytes);
            words.iter().any(|word| text.contains(word.as_str()))
        }
        _ => true,
    }
}

/// Lists the files below an answer.
pub(super) fn render(page: &mut Page, files: &[Unread]) {
    let row = |file: &Unread| vec![Cell::handle(&file.path), Cell::faint(&file.why)];
    page.table(2, files.iter().take(LISTED).map(row).collect());
    if files.len() > LISTED {
        page.say(format!("  … {} more", files.len() - LISTED));
    }
}
