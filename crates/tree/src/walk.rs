//! Which files there are: what git would show, and what was left out for which reason.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use base::{Call, Problem, RepoPath, Result};
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use ignore::{DirEntry, WalkBuilder};

use crate::confined::Tree;
use crate::stat::Stat;

/// Patterns of `cairn.jsonc` that hide files beyond `.gitignore`.
#[derive(Debug, Clone)]
pub struct Excludes(Arc<Gitignore>);

impl Excludes {
    /// Compiles gitignore patterns; a bad one is the caller's mistake.
    pub fn new(patterns: &[String]) -> Result<Self> {
        let mut builder = GitignoreBuilder::new("");
        for pattern in patterns {
            builder.add_line(None, pattern).map_err(|error| {
                Problem::invalid(format!("`{pattern}` is not a gitignore pattern")).because(error)
            })?;
        }
        let built = builder.build().map_err(|e| Problem::invalid("bad patterns").because(e))?;
        Ok(Self(Arc::new(built)))
    }

    /// Whether a path, or a folder above it, is hidden.
    pub fn hide(&self, path: &RepoPath, is_dir: bool) -> bool {
        !self.0.is_empty()
            && self.0.matched_path_or_any_parents(path.to_relative(), is_dir).is_ignore()
    }
}

/// A file of the project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Where it is
    pub path: RepoPath,
    /// What the file system says of it
    pub stat: Stat,
}

/// Something that was seen and is not a file of the project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// Where it is
    pub path: RepoPath,
    /// Why it was left out
    pub why: Why,
}

/// Why something was left out of a walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Why {
    /// A symbolic link; what it leads to is found at its own place
    Link,
    /// Another repository inside this one: a submodule, a clone, a worktree
    Repository,
    /// A socket, a pipe, a device
    Special,
    /// It could not be listed
    Unreadable,
}

/// Everything below one folder.
#[derive(Debug, Clone, Default)]
pub struct Walk {
    /// Files of the project, sorted by path
    pub files: Vec<Found>,
    /// Folders of the project, the start included, sorted by path
    pub folders: Vec<RepoPath>,
    /// What was left out, apart from what the patterns hide
    pub skipped: Vec<Skipped>,
}

impl Walk {
    /// Lists the whole tree as git's ignore rules see it.
    pub fn whole(tree: &Tree, excludes: &Excludes, call: &Call) -> Result<Self> {
        Self::only(tree, Part::Whole, excludes, call)
    }

    /// Lists what is at or below these paths, by the same rules.
    pub fn part(
        tree: &Tree,
        paths: &BTreeSet<RepoPath>,
        excludes: &Excludes,
        call: &Call,
    ) -> Result<Self> {
        let mut walk = Self::only(tree, Part::At(paths.clone().into()), excludes, call)?;
        let wanted = |path: &RepoPath| is_at_or_below(path, paths);
        walk.files.retain(|file| wanted(&file.path));
        walk.folders.retain(|folder| wanted(folder));
        walk.skipped.retain(|skipped| wanted(&skipped.path));
        Ok(walk)
    }

    fn only(tree: &Tree, part: Part, excludes: &Excludes, call: &Call) -> Result<Self> {
        let mut walk = Self::default();
        let nested = Arc::new(Mutex::new(Vec::new()));
        for (done, entry) in builder(tree, part, excludes, &nested).build().enumerate() {
            if done % 256 == 0 {
                call.step("listing files", done, 0)?;
            }
            match entry {
                Ok(entry) => walk.take(tree, &entry),
                Err(error) => walk.skip_unreadable(tree, &error),
            }
        }
        walk.skipped.append(&mut nested.lock().unwrap_or_else(PoisonError::into_inner));
        walk.files.sort_by(|a, b| a.path.cmp(&b.path));
        walk.folders.sort();
        walk.skipped.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(walk)
    }

    fn take(&mut self, tree: &Tree, entry: &DirEntry) {
        let (Some(path), Ok(known)) = (relative(tree, entry.path()), entry.metadata()) else {
            return; // it vanished, or git and cairn keep it for themselves
        };
        let stat = Stat::of(&known);
        let skip = |why| Skipped { path: path.clone(), why };
        if stat.is_file() {
            self.files.push(Found { path, stat });
        } else if stat.is_link() {
            self.skipped.push(skip(Why::Link));
        } else if !stat.is_dir() {
            self.skipped.push(skip(Why::Special));
        } else {
            self.folders.push(path);
        }
    }

    fn skip_unreadable(&mut self, tree: &Tree, error: &ignore::Error) {
        if error.io_error().is_some_and(|error| error.kind() == std::io::ErrorKind::NotFound) {
            return; // it vanished while we looked
        }
        if let Some(path) = error_path(error).and_then(|path| relative(tree, path)) {
            self.skipped.push(Skipped { path, why: Why::Unreadable });
        }
    }
}

/// How much of the tree is walked.
#[derive(Clone)]
enum Part {
    Whole,
    At(Arc<BTreeSet<RepoPath>>),
}

impl Part {
    /// Whether a walk has to come by here: on the way to a wanted path, or below one.
    fn passes(&self, path: &RepoPath) -> bool {
        let Self::At(paths) = self else { return true };
        let mut below = path.as_bytes().to_vec();
        below.push(b'/');
        let below = RepoPath::from_bytes([below.as_slice(), b"\x01"].concat()).ok();
        let next = below.and_then(|below| paths.range(below..).next());
        is_at_or_below(path, paths) || next.is_some_and(|next| next.is_below(path))
    }
}

/// Whether a path is one of these, or below one of them.
pub fn is_at_or_below(path: &RepoPath, paths: &BTreeSet<RepoPath>) -> bool {
    let ancestors = std::iter::successors(Some(path.clone()), RepoPath::parent);
    ancestors.into_iter().any(|ancestor| paths.contains(&ancestor))
}

/// A walk that sees what git sees: all `.gitignore` files of the tree and `info/exclude`, but
/// nothing from outside of it, so that everybody gets the same list.
fn builder(
    tree: &Tree,
    part: Part,
    excludes: &Excludes,
    nested: &Arc<Mutex<Vec<Skipped>>>,
) -> WalkBuilder {
    let (tree, excludes, nested) = (tree.clone(), excludes.clone(), nested.clone());
    let mut builder = WalkBuilder::new(tree.root());
    builder
        .hidden(false)
        .ignore(false)
        .parents(false)
        .git_global(false)
        .git_exclude(true)
        .require_git(false)
        .follow_links(false)
        .filter_entry(move |entry| {
            let Some(path) = relative(&tree, entry.path()) else { return false };
            if path.is_root() {
                return true;
            }
            if !part.passes(&path) {
                return false;
            }
            let is_dir = entry.file_type().is_some_and(|kind| kind.is_dir());
            if is_dir && entry.path().join(".git").exists() {
                let skipped = Skipped { path, why: Why::Repository };
                nested.lock().unwrap_or_else(PoisonError::into_inner).push(skipped);
                return false;
            }
            !excludes.hide(&path, is_dir)
        });
    builder
}

/// The name of a path in the tree; `None` for what git and cairn keep for themselves.
fn relative(tree: &Tree, path: &Path) -> Option<RepoPath> {
    let relative = path.strip_prefix(tree.root()).ok()?;
    let plain = relative.strip_prefix(".").unwrap_or(relative);
    RepoPath::from_relative(plain).ok()
}

fn error_path(error: &ignore::Error) -> Option<&Path> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::WithDepth { err, .. } => error_path(err),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use jiff::Timestamp;

    use super::*;

    fn walk(root: &Path, part: &[&str], exclude: &[&str]) -> Walk {
        let tree = Tree::open(root).unwrap();
        let patterns: Vec<String> = exclude.iter().map(ToString::to_string).collect();
        let excludes = Excludes::new(&patterns).unwrap();
        let call = Call::new("test", Timestamp::UNIX_EPOCH);
        let part: BTreeSet<RepoPath> = part.iter().map(|path| path.parse().unwrap()).collect();
        match part.is_empty() {
            true => Walk::whole(&tree, &excludes, &call).unwrap(),
            false => Walk::part(&tree, &part, &excludes, &call).unwrap(),
        }
    }

    fn names(walk: &Walk) -> Vec<String> {
        walk.files.iter().map(|file| file.path.to_string()).collect()
    }

    fn repository() -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let file = dir.path().join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        };
        write(".gitignore", "target/\n*.log\n");
        write(".git/HEAD", "ref: refs/heads/main\n");
        write(".cairn/cache/index.sqlite", "");
        write(".cairn/cards/a.card.md", "");
        write("src/.gitignore", "!keep.log\n");
        write("src/a.rs", "");
        write("src/b.log", "");
        write("src/keep.log", "");
        write("target/x", "");
        write("nested/.git/HEAD", "ref: refs/heads/main\n");
        write("nested/code.rs", "");
        write("worktree/.git", "gitdir: elsewhere\n");
        write("worktree/deep/code.rs", "");
        symlink("src", dir.path().join("link")).unwrap();
        dir
    }

    #[test]
    fn a_walk_sees_what_git_sees() {
        let dir = repository();
        let all = walk(dir.path(), &[], &[]);
        let expected =
            [".cairn/cards/a.card.md", ".gitignore", "src/.gitignore", "src/a.rs", "src/keep.log"];
        assert_eq!(names(&all), expected);
        let skipped: Vec<_> = all.skipped.iter().map(|s| (s.path.to_string(), s.why)).collect();
        let repository = |name: &str| (name.to_owned(), Why::Repository);
        assert_eq!(
            skipped,
            [("link".into(), Why::Link), repository("nested"), repository("worktree")]
        );
        let folders: Vec<_> = all.folders.iter().map(ToString::to_string).collect();
        assert_eq!(folders, [".", ".cairn", ".cairn/cards", "src"]);
    }

    #[test]
    fn a_walk_of_a_part_obeys_the_same_rules() {
        let dir = repository();
        let part = |paths: &[&str]| names(&walk(dir.path(), paths, &[]));
        assert_eq!(part(&["src"]), ["src/.gitignore", "src/a.rs", "src/keep.log"]);
        assert_eq!(part(&["src/a.rs", "src/b.log", "target/x"]), ["src/a.rs"]);
        assert_eq!(part(&["src/a.rs", ".cairn"]), [".cairn/cards/a.card.md", "src/a.rs"]);
        assert!(part(&["nested/code.rs", "gone"]).is_empty());
        assert_eq!(names(&walk(dir.path(), &["src"], &["*.log", "/src/a.rs"])), ["src/.gitignore"]);
    }
}
