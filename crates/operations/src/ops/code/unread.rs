//! Files that mention what was asked for but were skipped or could not be parsed completely.

use std::collections::BTreeMap;
use std::sync::Arc;

use base::words::counted;
use base::{RepoPath, Result};
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;
use syntax::Language;

use engine::contract::page::{Page, PageCell};
use engine::index::tables;
use engine::view::View;

/// Size above which files are not searched, in bytes; they may contain anything.
const MAX_FILE_BYTES: u64 = 64 * 1024 * 1024;

/// The cache key of these files, and how many bytes of their texts are cached.
const CACHE_KEY: &str = "code.unread";
const MAX_CACHED_BYTES: u64 = 8 * 1024 * 1024;

/// How many such files an answer lists.
const MAX_LISTED: usize = 20;

/// A file that may contain uses, and why it was not parsed completely
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct UnreadFile {
    /// The file
    pub path: RepoPath,
    /// Why it was not parsed completely
    pub why: String,
}

/// The languages whose files import each other.
pub(super) fn family(language: Option<Language>) -> Vec<Language> {
    match language {
        Some(language) => language.family_members(),
        None => Language::ALL.iter().copied().filter(|language| language.is_code()).collect(),
    }
}

/// Files in some languages that could not be parsed completely and contain one of some words,
/// except those that the answer has anyway. Marks the answer as partial if there are any.
pub(super) fn unread_with_words(
    view: &View,
    languages: &[Language],
    words: &[String],
    known: &[&RepoPath],
) -> Result<Vec<UnreadFile>> {
    let tree = view.tree();
    let may_hide = |one: &&UnindexedFile| {
        languages.contains(&one.language)
            && !known.contains(&&one.file.path)
            && may_hold(tree, one, words)
    };
    let found: Vec<UnreadFile> =
        unindexed_files(view)?.par_iter().filter(may_hide).map(|one| one.file.clone()).collect();
    if !found.is_empty() {
        let files = counted(found.len(), "file");
        view.mark_partial(format!("{files} could not be parsed"));
    }
    Ok(found)
}

/// Marks the answer as partial if the file itself could not be parsed completely.
pub(super) fn note_if_unread(view: &View, path: &RepoPath) -> Result<()> {
    let all = unindexed_files(view)?;
    if let Some(UnindexedFile { file, .. }) = all.iter().find(|one| one.file.path == *path) {
        view.mark_partial(format!("{} could not be parsed: {}", file.path, file.why));
    }
    Ok(())
}

/// A file that could not be parsed completely.
struct UnindexedFile {
    file: UnreadFile,
    language: Language,
    /// Its text, if the limit allowed keeping it
    text: Option<String>,
}

/// All of them, read once for each state of the index.
fn unindexed_files(view: &View) -> Result<Arc<Vec<UnindexedFile>>> {
    view.cached_for_index(CACHE_KEY, || read(view))
}

fn read(view: &View) -> Result<Vec<UnindexedFile>> {
    let mut found = listed(view)?;
    let mut room = MAX_CACHED_BYTES;
    for one in &mut found {
        if let Ok(Some(Ok(blob))) =
            view.tree().read_at_most(&one.file.path, room.min(MAX_FILE_BYTES))
        {
            room = room.saturating_sub(blob.bytes.len() as u64);
            one.text = Some(String::from_utf8_lossy(&blob.bytes).into_owned());
        }
    }
    Ok(found)
}

fn listed(view: &View) -> Result<Vec<UnindexedFile>> {
    let conn = view.index()?.conn();
    let languages = family(None);
    let names: Vec<&str> = languages.iter().map(|language| language.name()).collect();
    let skipped = tables::unread_files(conn, &names)?.into_iter();
    let mut why: BTreeMap<RepoPath, String> =
        skipped.map(|(path, why)| (path, format!("{why}, skipped"))).collect();
    for code::FirstSyntaxError { path, line, column, not_read } in
        code::files_with_syntax_errors(conn)?
    {
        let language = Language::from_path(&path).filter(|language| language.is_left_out());
        let reason = language.map(Language::left_out_reason).or(not_read);
        let reason = reason.unwrap_or_else(|| format!("syntax error at {line}:{column}"));
        why.entry(path).or_insert(reason);
    }
    let hiding = |(path, why)| {
        let language = Language::from_path(&path)?;
        Some(UnindexedFile { file: UnreadFile { path, why }, language, text: None })
    };
    Ok(why.into_iter().filter_map(hiding).collect())
}

/// Whether a file contains one of the words; an unreadable one counts as containing them.
fn may_hold(tree: &tree::WorkingTree, one: &UnindexedFile, words: &[String]) -> bool {
    let holds = |text: &str| words.iter().any(|word| text.contains(word.as_str()));
    if let Some(text) = &one.text {
        return holds(text);
    }
    match tree.read_at_most(&one.file.path, MAX_FILE_BYTES) {
        Ok(None) => false,
        Ok(Some(Ok(blob))) => holds(&String::from_utf8_lossy(&blob.bytes)),
        _ => true,
    }
}

/// Lists the files below an answer.
pub(super) fn render(page: &mut Page, files: &[UnreadFile]) {
    let row = |file: &UnreadFile| vec![PageCell::handle(&file.path), PageCell::faint(&file.why)];
    page.table(2, files.iter().take(MAX_LISTED).map(row).collect());
    if files.len() > MAX_LISTED {
        page.say(format!("  … {} more", files.len() - MAX_LISTED));
    }
}
