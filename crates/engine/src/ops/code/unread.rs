//! Files that could hide what was asked for: skipped, or broken, and mentioning it all the same.

use std::collections::BTreeMap;
use std::sync::Arc;

use base::words::counted;
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

/// The name that they are kept by, and how many bytes of their texts are.
const KEPT: &str = "code.unread";
const ROOM: u64 = 8 * 1024 * 1024;

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
    let may_hide = |one: &&Hiding| {
        languages.contains(&one.language)
            && !known.contains(&&one.file.path)
            && may_hold(tree, one, words)
    };
    let found: Vec<Unread> =
        all(view)?.par_iter().filter(may_hide).map(|one| one.file.clone()).collect();
    if !found.is_empty() {
        let files = counted(found.len(), "file");
        view.doubt(format!("{files} could not be read as code"));
    }
    Ok(found)
}

/// Says that the answer is partial if a file itself is not wholly known.
pub(super) fn itself(view: &View, path: &RepoPath) -> Result<()> {
    let all = all(view)?;
    if let Some(Hiding { file, .. }) = all.iter().find(|one| one.file.path == *path) {
        view.doubt(format!("{} could not be read as code: {}", file.path, file.why));
    }
    Ok(())
}

/// A file that is not wholly known.
struct Hiding {
    file: Unread,
    language: Language,
    /// What it says, where there was room to keep that
    text: Option<String>,
}

/// All of them, read once for each state of the index.
fn all(view: &View) -> Result<Arc<Vec<Hiding>>> {
    view.kept_with_index(KEPT, || read(view))
}

fn read(view: &View) -> Result<Vec<Hiding>> {
    let mut found = listed(view)?;
    let mut room = ROOM;
    for one in &mut found {
        if let Ok(Some(Ok(blob))) = view.tree().read_at_most(&one.file.path, room.min(LARGEST)) {
            room = room.saturating_sub(blob.bytes.len() as u64);
            one.text = Some(String::from_utf8_lossy(&blob.bytes).into_owned());
        }
    }
    Ok(found)
}

fn listed(view: &View) -> Result<Vec<Hiding>> {
    let conn = view.index()?.conn();
    let languages = family(None);
    let names: Vec<&str> = languages.iter().map(|language| language.name()).collect();
    let skipped = tables::unread(conn, &names)?.into_iter();
    let mut why: BTreeMap<RepoPath, String> =
        skipped.map(|(path, why)| (path, format!("{why}, skipped"))).collect();
    for (path, line, column) in code::broken(conn)? {
        why.entry(path).or_insert_with(|| format!("syntax error at {line}:{column}"));
    }
    let hiding = |(path, why)| {
        let language = Language::of(&path)?;
        Some(Hiding { file: Unread { path, why }, language, text: None })
    };
    Ok(why.into_iter().filter_map(hiding).collect())
}

/// Whether a file holds one of the words; one that cannot be read may.
fn may_hold(tree: &tree::Tree, one: &Hiding, words: &[String]) -> bool {
    let holds = |text: &str| words.iter().any(|word| text.contains(word.as_str()));
    if let Some(text) = &one.text {
        return holds(text);
    }
    match tree.read_at_most(&one.file.path, LARGEST) {
        Ok(None) => false,
        Ok(Some(Ok(blob))) => holds(&String::from_utf8_lossy(&blob.bytes)),
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
