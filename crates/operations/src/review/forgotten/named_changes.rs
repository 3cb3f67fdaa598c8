//! The names in the changed lines, and the other files that have them.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use base::{RepoPath, Result};

use crate::answers::source::SourceText;
use crate::answers::test_finder::count_word;
use crate::diff::ChangedFile;
use crate::locate;
use engine::index::tables;
use engine::rules::changed_lines;
use engine::view::View;

/// Minimum length of a name; shorter ones are in every file.
const MIN_NAME_LENGTH: usize = 4;

/// If more files than this have a name, the name is no evidence for any of them.
const MAX_FILES_WITH_NAME: usize = 12;

/// Number of files with the words of a name above which they are not read.
const MAX_FILES_READ: usize = 30;

/// How many names are searched, the longest first: long names are rare.
const MAX_NAMES: usize = 60;

/// The least rarity of a name that counts: at most every third file has it.
const MIN_RARITY: f64 = 1.1;

/// A name of the changed lines in another file.
#[derive(Debug, Clone)]
pub(super) struct RareName {
    /// The name
    pub(super) name: String,
    /// The logarithm of how many files there are for each file that has it
    pub(super) rarity: f64,
}

/// The names that the changed lines have, before and after the change.
pub(super) struct ChangedNames(Vec<String>);

impl ChangedNames {
    /// The names of the changed lines of some files.
    pub(super) fn of(files: &[&ChangedFile]) -> Self {
        let mut names = BTreeSet::new();
        for file in files {
            add_names(file.after.as_deref(), &file.lines, &mut names);
            let removed = changed_lines(file.after.clone(), file.before.as_deref());
            add_names(file.before.as_deref(), &removed, &mut names);
        }
        let mut names: Vec<String> = names.into_iter().collect();
        names.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        Self(names)
    }

    /// Whether a changed line has this stem of a file as a word.
    pub(super) fn contain_stem(&self, stem: &str) -> bool {
        self.0.iter().any(|name| name.eq_ignore_ascii_case(stem))
    }

    /// The files that have a rare name, each with the name.
    pub(super) fn find_files(&self, view: &View) -> Result<Vec<(RepoPath, RareName)>> {
        let mut found = Vec::new();
        let all = tables::count_files(view.index()?.conn())?;
        let mut texts: BTreeMap<RepoPath, Option<SourceText>> = BTreeMap::new();
        for name in self.0.iter().filter(|name| name.len() >= MIN_NAME_LENGTH).take(MAX_NAMES) {
            view.call().check_stopped()?;
            let mut files = locate::files_with_words(view, name)?;
            if files.len() > MAX_FILES_READ {
                continue;
            }
            files.retain(|path| {
                let text =
                    texts.entry(path.clone()).or_insert_with(|| SourceText::read(view, path).ok());
                text.as_ref().is_some_and(|text| count_word(text.as_str(), name) > 0)
            });
            let rarity = rarity(all, files.len());
            if files.len() <= MAX_FILES_WITH_NAME && rarity >= MIN_RARITY {
                let named = |path: RepoPath| (path, RareName { name: name.clone(), rarity });
                found.extend(files.into_iter().map(named));
            }
        }
        Ok(found)
    }
}

/// How rare a name is: the logarithm of how many files there are for each file that has it.
#[expect(clippy::cast_precision_loss, reason = "numbers of files")]
fn rarity(all: u64, having: usize) -> f64 {
    (all.max(1) as f64 / having.max(1) as f64).ln().max(0.0)
}

/// Adds the names in some lines of a text, from line 1.
fn add_names(text: Option<&[u8]>, lines: &[Range<u32>], names: &mut BTreeSet<String>) {
    let Some(text) = text.and_then(|bytes| std::str::from_utf8(bytes).ok()) else { return };
    let is_changed = |number: u32| lines.iter().any(|range| range.contains(&number));
    for (number, line) in (1..).zip(text.lines()) {
        if !is_changed(number) {
            continue;
        }
        let words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
        let is_name = |word: &&str| {
            word.starts_with(|c: char| c.is_alphabetic() || c == '_') && !syntax::is_keyword(word)
        };
        names.extend(words.filter(is_name).map(ToOwned::to_owned));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diff::FileChangeKind;

    #[test]
    fn names_of_removed_and_of_new_lines_count() {
        let file = |before: &str, after: &str| ChangedFile {
            path: "a.ts".parse().expect("a path"),
            old: None,
            kind: FileChangeKind::Modified,
            before: Some(before.into()),
            after: Some(after.into()),
            lines: changed_lines(Some(before.into()), Some(after.as_bytes())),
        };
        let changed = file("keep();\nold_name(1);\n", "keep();\nnewName(2);\n");
        let names = ChangedNames::of(&[&changed]);
        assert_eq!(names.0, ["old_name", "newName"]);
        assert!(names.contain_stem("newname"));
    }
}
