//! Lists the files of the project: those that git would show. Skipped entries are listed with the
//! reason.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::Arc;

use base::{Call, Problem, RepoPath, Result};
use cap_std::fs::DirEntry;
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::confined::WorkingTree;
use crate::ignore_rules::{self, IgnoreLimit, IgnoreRule, InheritedRules};
use crate::stat::Stat;

/// Maximum number of hiding rules that are counted separately.
const MAX_COUNTED_RULES: usize = 50;

/// The patterns of `cairn.jsonc` that hide files in addition to `.gitignore`.
#[derive(Debug, Clone)]
pub struct Excludes(Arc<Gitignore>);

impl Excludes {
    /// Compiles gitignore patterns. An invalid pattern is the caller's mistake.
    pub fn new(patterns: &[String]) -> Result<Self> {
        let mut builder = GitignoreBuilder::new("");
        for pattern in patterns {
            builder.add_line(None, pattern).map_err(|error| {
                Problem::invalid(format!("`{pattern}` is not a gitignore pattern"))
                    .with_source(error)
            })?;
        }
        let built = builder.build().map_err(|e| Problem::invalid("bad patterns").with_source(e))?;
        Ok(Self(Arc::new(built)))
    }

    /// Whether a path or one of its parents is hidden.
    pub fn hides(&self, path: &RepoPath, is_dir: bool) -> bool {
        !self.0.is_empty()
            && self.0.matched_path_or_any_parents(path.to_relative(), is_dir).is_ignore()
    }

    /// The pattern that hides a path whose folder is not hidden.
    fn hidden_by(&self, path: &RepoPath, is_dir: bool) -> Option<IgnoreRule> {
        match self.0.matched(path.to_relative(), is_dir) {
            Match::Ignore(glob) => {
                let pattern = glob.original().to_owned();
                Some(IgnoreRule { file: "cairn.jsonc".into(), pattern })
            }
            _ => None,
        }
    }
}

/// A file of the project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectFile {
    /// Its path
    pub path: RepoPath,
    /// Its metadata
    pub stat: Stat,
    /// Whether it has other names too. Writes through those may not be reported by the watcher
    pub has_hard_links: bool,
}

/// An entry of the tree that is not a file of the project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkippedEntry {
    /// Its path
    pub path: RepoPath,
    /// Why it is not
    pub reason: SkipReason,
}

/// Why something was left out of a walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SkipReason {
    /// A symbolic link; its target is listed under its own path
    Link,
    /// A nested repository: a submodule, clone or worktree
    Repository,
    /// A socket, pipe or device
    Special,
    /// A folder that could not be read
    Unreadable,
}

/// The result of listing a tree or a part of it.
#[derive(Debug, Clone, Default)]
pub struct FileWalk {
    /// Files of the project, sorted by path
    pub files: Vec<ProjectFile>,
    /// Folders of the project, the start included, sorted by path
    pub folders: Vec<RepoPath>,
    /// Entries that were skipped, apart from those that patterns hide
    pub skipped: Vec<SkippedEntry>,
    /// The patterns that hid something, with the number of entries; a hidden folder counts as one
    pub hidden: BTreeMap<IgnoreRule, usize>,
    /// Ignore files that are not fully applied, sorted by name
    pub limits: Vec<IgnoreLimit>,
}

impl FileWalk {
    /// Lists the whole tree according to git's ignore rules.
    pub fn whole_tree(tree: &WorkingTree, excludes: &Excludes, call: &Call) -> Result<Self> {
        Self::run(tree, WalkScope::Whole, excludes, call)
    }

    /// Lists what is at or below these paths, by the same rules.
    pub fn of_paths(
        tree: &WorkingTree,
        paths: &BTreeSet<RepoPath>,
        excludes: &Excludes,
        call: &Call,
    ) -> Result<Self> {
        let mut walk = Self::run(tree, WalkScope::Paths(paths.clone().into()), excludes, call)?;
        let wanted = |path: &RepoPath| is_at_or_below(path, paths);
        walk.files.retain(|file| wanted(&file.path));
        walk.folders.retain(|folder| wanted(folder));
        walk.skipped.retain(|skipped| wanted(&skipped.path));
        Ok(walk)
    }

    /// A walk that sees what git sees: all `.gitignore` files of the tree and `info/exclude`, but
    /// nothing from outside of the repository, so that everybody gets the same list.
    fn run(tree: &WorkingTree, part: WalkScope, excludes: &Excludes, call: &Call) -> Result<Self> {
        let mut walking =
            FileWalker { tree, part, excludes, walk: Self::default(), folders: Vec::new() };
        let private = ignore_rules::exclude_file_rules(tree, &mut walking.walk.limits);
        walking.walk.folders.push(RepoPath::ROOT);
        walking.folders.push((RepoPath::ROOT, private));
        let mut done = 0;
        while let Some((folder, above)) = walking.folders.pop() {
            walking.list(&folder, &above, &mut |seen| {
                done += seen;
                match done % 256 < seen {
                    true => call.step("listing files", done, 0),
                    false => Ok(()),
                }
            })?;
        }
        let mut walk = walking.walk;
        walk.files.sort_by(|a, b| a.path.cmp(&b.path));
        walk.folders.sort();
        walk.skipped.sort_by(|a, b| a.path.cmp(&b.path));
        walk.limits.sort();
        Ok(walk)
    }

    fn add_skipped(&mut self, path: &RepoPath, why: SkipReason) {
        self.skipped.push(SkippedEntry { path: path.clone(), reason: why });
    }

    fn count_hidden(&mut self, rule: IgnoreRule) {
        if self.hidden.len() < MAX_COUNTED_RULES || self.hidden.contains_key(&rule) {
            *self.hidden.entry(rule).or_default() += 1;
        }
    }
}

/// A walk in progress.
struct FileWalker<'a> {
    tree: &'a WorkingTree,
    part: WalkScope,
    excludes: &'a Excludes,
    walk: FileWalk,
    /// Folders that remain to be listed, with the rules of their parents
    folders: Vec<(RepoPath, InheritedRules)>,
}

impl FileWalker<'_> {
    fn list(
        &mut self,
        folder: &RepoPath,
        above: &InheritedRules,
        step: &mut impl FnMut(usize) -> Result<()>,
    ) -> Result<()> {
        let listed = self.tree.dir().open_dir(folder.to_relative());
        let entries = listed.and_then(|dir| {
            let rules = ignore_rules::folder_rules(above, folder, &dir, &mut self.walk.limits);
            Ok((dir.entries()?, rules))
        });
        let (entries, rules) = match entries {
            Ok(found) => found,
            Err(error) => {
                self.note_unreadable(folder, &error);
                return step(1);
            }
        };
        for entry in entries {
            step(1)?;
            match entry {
                Ok(entry) => self.visit_entry(folder, &entry, &rules),
                Err(error) => self.note_unreadable(folder, &error),
            }
        }
        Ok(())
    }

    fn visit_entry(&mut self, folder: &RepoPath, entry: &DirEntry, rules: &InheritedRules) {
        let (Some(path), Ok(known)) = (child_path(folder, entry), entry.metadata()) else {
            return; // it vanished, or git and cairn keep it for themselves
        };
        if !self.part.must_visit(&path) {
            return;
        }
        let stat = Stat::of_confined(&known);
        let is_dir = stat.is_dir();
        let hidden = ignore_rules::hidden_by(rules, &path, is_dir);
        if let Some(rule) = hidden.or_else(|| self.excludes.hidden_by(&path, is_dir)) {
            self.walk.count_hidden(rule);
        } else if stat.is_file() {
            self.walk.files.push(ProjectFile {
                path,
                stat,
                has_hard_links: platform::has_other_names(&known),
            });
        } else if stat.is_link() {
            self.walk.add_skipped(&path, SkipReason::Link);
        } else if !is_dir {
            self.walk.add_skipped(&path, SkipReason::Special);
        } else if self.tree.root().join(path.to_relative()).join(".git").exists() {
            self.walk.add_skipped(&path, SkipReason::Repository);
        } else {
            self.walk.folders.push(path.clone());
            self.folders.push((path, rules.clone()));
        }
    }

    fn note_unreadable(&mut self, folder: &RepoPath, error: &io::Error) {
        let vanished = [io::ErrorKind::NotFound, io::ErrorKind::NotADirectory];
        if !vanished.contains(&error.kind()) {
            self.walk.add_skipped(folder, SkipReason::Unreadable);
        }
    }
}

/// How much of the tree is listed.
#[derive(Clone)]
enum WalkScope {
    Whole,
    Paths(Arc<BTreeSet<RepoPath>>),
}

impl WalkScope {
    /// Whether a walk has to enter this path: it leads to a wanted path or is below one.
    fn must_visit(&self, path: &RepoPath) -> bool {
        let Self::Paths(paths) = self else { return true };
        let mut below = path.as_bytes().to_vec();
        below.push(b'/');
        let below = RepoPath::from_bytes([below.as_slice(), b"\x01"].concat()).ok();
        let next = below.and_then(|below| paths.range(below..).next());
        is_at_or_below(path, paths) || next.is_some_and(|next| next.is_at_or_below(path))
    }
}

/// Whether a path is one of these paths or below one of them.
pub fn is_at_or_below(path: &RepoPath, paths: &BTreeSet<RepoPath>) -> bool {
    let ancestors = std::iter::successors(Some(path.clone()), RepoPath::parent);
    ancestors.into_iter().any(|ancestor| paths.contains(&ancestor))
}

/// The path of an entry; `None` for the folders of git and cairn.
fn child_path(folder: &RepoPath, entry: &DirEntry) -> Option<RepoPath> {
    let name = entry.file_name();
    let name = name.as_encoded_bytes();
    let path = match folder.is_root() {
        true => name.to_vec(),
        false => [folder.as_bytes(), b"/", name].concat(),
    };
    RepoPath::from_bytes(path).ok()
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::path::Path;

    use jiff::Timestamp;

    use super::*;

    fn walk(root: &Path, part: &[&str], exclude: &[&str]) -> FileWalk {
        let tree = WorkingTree::open(root).unwrap();
        let patterns: Vec<String> = exclude.iter().map(ToString::to_string).collect();
        let excludes = Excludes::new(&patterns).unwrap();
        let call = Call::new("test", Timestamp::UNIX_EPOCH);
        let part: BTreeSet<RepoPath> = part.iter().map(|path| path.parse().unwrap()).collect();
        match part.is_empty() {
            true => FileWalk::whole_tree(&tree, &excludes, &call).unwrap(),
            false => FileWalk::of_paths(&tree, &part, &excludes, &call).unwrap(),
        }
    }

    fn names(walk: &FileWalk) -> Vec<String> {
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
        let skipped: Vec<_> = all.skipped.iter().map(|s| (s.path.to_string(), s.reason)).collect();
        let repository = |name: &str| (name.to_owned(), SkipReason::Repository);
        assert_eq!(
            skipped,
            [("link".into(), SkipReason::Link), repository("nested"), repository("worktree")]
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
