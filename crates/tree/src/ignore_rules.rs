//! Which paths the ignore rules hide, as git reads them, within limits.
//!
//! Compiled patterns take a thousand times the memory of their text, so an ignore file applies up
//! to a size and a number of patterns. What exceeds these limits is left out and reported. An
//! ignore file that is not a regular file is not opened.

use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use base::RepoPath;
use base::text::bytes_without_byte_order_mark;
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::confined::WorkingTree;
use crate::disk::DirHandle;
use crate::regular_file::{open_regular, open_regular_in};

/// The name of an ignore file in the tree.
const GITIGNORE: &str = ".gitignore";

/// Maximum number of bytes of an ignore file that are read.
const MAX_FILE_BYTES: usize = 256 * 1024;

/// Maximum number of patterns that apply to one folder, including those of its parents.
const MAX_PATTERNS: usize = 5_000;

/// Maximum length of a pattern, in bytes. Longer patterns are ignored, because no path is that
/// long.
const MAX_PATTERN_BYTES: usize = 4096;

/// Maximum number of patterns that are compiled together. A larger set may not compile.
const PATTERNS_PER_SET: usize = 500;

/// A pattern that hides something, and its file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct IgnoreRule {
    /// The file that contains it
    pub file: String,
    /// The pattern as written
    pub pattern: String,
}

/// An ignore file that is not fully applied.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct IgnoreLimit {
    /// The file
    pub file: String,
    /// The reason, and what is not applied
    pub reason: String,
}

/// The rules of one folder and of its parents.
#[derive(Debug)]
pub(crate) struct FolderRules {
    parent: Option<Arc<FolderRules>>,
    folder: RepoPath,
    file: String,
    /// Compiled patterns; the last set has precedence
    matchers: Vec<Gitignore>,
    /// Number of patterns of this file and of the files above it
    total: usize,
}

/// The rules of the parents of a folder.
pub(crate) type InheritedRules = Option<Arc<FolderRules>>;

/// The rules that git keeps outside of the tree; they apply everywhere.
pub(crate) fn exclude_file_rules(
    tree: &WorkingTree,
    limits: &mut Vec<IgnoreLimit>,
) -> InheritedRules {
    let path = tree.exclude_file()?;
    let opened = open_regular(path);
    // It is normal that a repository lacks the file or its folder, so this is not reported.
    load(None, RepoPath::ROOT, "info/exclude".into(), opened, limits)
}

/// The rules that apply in a folder. `dir` is the handle of the folder.
pub(crate) fn folder_rules(
    above: &InheritedRules,
    folder: &RepoPath,
    dir: &DirHandle,
    limits: &mut Vec<IgnoreLimit>,
) -> InheritedRules {
    // Git follows no link at an ignore file.
    let is_link = dir.symlink_metadata(GITIGNORE).map(|known| known.is_symlink());
    match is_link {
        Ok(false) => {}
        _ => return above.clone(),
    }
    let file = match folder.is_root() {
        true => GITIGNORE.to_owned(),
        false => format!("{folder}/{GITIGNORE}"),
    };
    let opened = open_regular_in(dir, Path::new(GITIGNORE));
    load(above.clone(), folder.clone(), file, opened, limits)
}

/// The pattern that hides a path. The innermost rule that matches decides.
pub(crate) fn hidden_by(
    rules: &InheritedRules,
    path: &RepoPath,
    is_dir: bool,
) -> Option<IgnoreRule> {
    let mut next = rules.as_ref();
    while let Some(rules) = next {
        let inner = rules.relative_to_folder(path);
        for matcher in rules.matchers.iter().rev() {
            match matcher.matched(&inner, is_dir) {
                Match::None => {}
                Match::Whitelist(_) => return None,
                Match::Ignore(glob) => {
                    let pattern = glob.original().to_owned();
                    return Some(IgnoreRule { file: rules.file.clone(), pattern });
                }
            }
        }
        next = rules.parent.as_ref();
    }
    None
}

impl FolderRules {
    /// The path relative to the folder of these rules.
    fn relative_to_folder(&self, path: &RepoPath) -> PathBuf {
        let path = path.to_relative();
        let inner = path.strip_prefix(self.folder.to_relative());
        inner.map(Path::to_path_buf).unwrap_or(path.clone())
    }
}

fn load(
    above: InheritedRules,
    folder: RepoPath,
    file: String,
    opened: io::Result<std::fs::File>,
    limits: &mut Vec<IgnoreLimit>,
) -> InheritedRules {
    let mut text = Vec::new();
    let read =
        opened.and_then(|opened| opened.take(MAX_FILE_BYTES as u64 + 1).read_to_end(&mut text));
    let mut limited = |why: String| limits.push(IgnoreLimit { file: file.clone(), reason: why });
    match read {
        Ok(_) => {}
        Err(error) if is_absent(&error) => return above,
        Err(error) => {
            limited(format!("none of its rules hold: {error}"));
            return above;
        }
    }
    if text.len() > MAX_FILE_BYTES {
        limited(format!("only the rules in its first {} KiB apply", MAX_FILE_BYTES / 1024));
        text.truncate(MAX_FILE_BYTES);
        let end = text.iter().rposition(|byte| *byte == b'\n').unwrap_or(0);
        text.truncate(end);
    }
    let before = above.as_ref().map_or(0, |above| above.total);
    let lines = patterns(&text);
    let room = MAX_PATTERNS.saturating_sub(before).min(lines.len());
    if room < lines.len() {
        limited(format!(
            "only {room} of its {} rules apply: the limit is {MAX_PATTERNS} in one folder",
            lines.len()
        ));
    }
    let mut matchers = Vec::new();
    let dropped: usize =
        lines[..room].chunks(PATTERNS_PER_SET).map(|chunk| compile(chunk, &mut matchers)).sum();
    if dropped > 0 {
        limited(format!("{dropped} of its rules are ignored: they are too complex"));
    }
    let total = before + room;
    Some(Arc::new(FolderRules { parent: above, folder, file, matchers, total }))
}

/// The lines that may be patterns. Comments are left out, so that they do not count towards the
/// limit.
fn patterns(text: &[u8]) -> Vec<&str> {
    let text = bytes_without_byte_order_mark(text);
    let lines = text.split(|byte| *byte == b'\n');
    let lines = lines.filter(|line| line.len() <= MAX_PATTERN_BYTES && !line.starts_with(b"#"));
    let lines = lines.filter_map(|line| std::str::from_utf8(line).ok());
    lines.filter(|line| !line.trim().is_empty()).collect()
}

/// Compiles patterns into as few sets as possible. Returns the number of patterns that did not fit.
fn compile(lines: &[&str], matchers: &mut Vec<Gitignore>) -> usize {
    let mut builder = GitignoreBuilder::new("");
    for line in lines {
        // Git takes a pattern that is malformed for one that matches nothing.
        let _ = builder.add_line(None, line);
    }
    match builder.build() {
        Ok(matcher) => {
            matchers.push(matcher);
            0
        }
        Err(_) if lines.len() > 1 => {
            let (first, last) = lines.split_at(lines.len() / 2);
            compile(first, matchers) + compile(last, matchers)
        }
        Err(_) => 1,
    }
}

fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn rules(text: &[u8]) -> (InheritedRules, Vec<IgnoreLimit>) {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join(GITIGNORE), text).unwrap();
        let (folder, mut limits) = (crate::open_folder(dir.path()).unwrap(), Vec::new());
        (folder_rules(&None, &RepoPath::ROOT, &folder, &mut limits), limits)
    }

    fn hidden(rules: &InheritedRules, path: &str) -> Option<String> {
        hidden_by(rules, &path.parse().unwrap(), false).map(|rule| rule.pattern)
    }

    #[test]
    fn the_last_pattern_that_fits_decides() {
        let mut text = String::from("\u{feff}*.log\r\n# comment\n\n!keep.log\n");
        text.extend((0..2 * PATTERNS_PER_SET).map(|n| format!("filler-{n}\n")));
        let (rules, limits) = rules((text + "keep.log.old\n").as_bytes());
        assert_eq!(hidden(&rules, "a.log").as_deref(), Some("*.log"));
        assert_eq!(hidden(&rules, "keep.log"), None);
        assert_eq!(hidden(&rules, "filler-999").as_deref(), Some("filler-999"));
        assert_eq!(hidden(&rules, "keep.log.old").as_deref(), Some("keep.log.old"));
        assert!(limits.is_empty());
    }

    #[test]
    fn a_file_beyond_the_limits_counts_up_to_them_and_is_told_of() {
        let many: String = (0..MAX_PATTERNS + 10).map(|n| format!("a{n}\n")).collect();
        let (cut, limits) = rules(many.as_bytes());
        assert_eq!(hidden(&cut, "a4999").as_deref(), Some("a4999"));
        assert_eq!(hidden(&cut, "a5000"), None);
        assert_eq!(limits[0].reason.split(':').next(), Some("only 5000 of its 5010 rules apply"));
        let long = [b"first\n".as_slice(), &vec![b'x'; 2 * MAX_FILE_BYTES]].concat();
        let (cut, limits) = rules(&long);
        assert_eq!(hidden(&cut, "first").as_deref(), Some("first"));
        assert_eq!(limits[0].reason, "only the rules in its first 256 KiB apply");
    }
}
