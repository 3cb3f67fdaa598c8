//! Which files there are: what git would show, and what was left out for which reason.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::Arc;

use base::{Call, Problem, RepoPath, Result};
use cap_std::fs::{DirEntry, MetadataExt};
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::confined::Tree;
use crate::rules::{self, Above, IgnoreLimit, IgnoreRule};
use crate::stat::Stat;

/// How many different rules are counted that hide something.
const MOST_COUNTED: usize = 50;

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
pub struct Found {
    /// Where it is
    pub path: RepoPath,
    /// What the file system says of it
    pub stat: Stat,
    /// Whether it has other names too: what is written through one of those may go unheard
    pub is_linked: bool,
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
    /// The patterns that hid something, and how many entries each; a hidden folder is one
    pub hidden: BTreeMap<IgnoreRule, usize>,
    /// Ignore files that do not count as a whole, sorted by name
    pub limits: Vec<IgnoreLimit>,
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

    /// A walk that sees what git sees: all `.gitignore` files of the tree and `info/exclude`, but
    /// nothing from outside of the repository, so that everybody gets the same list.
    fn only(tree: &Tree, part: Part, excludes: &Excludes, call: &Call) -> Result<Self> {
        let mut walking =
            Walking { tree, part, excludes, walk: Self::default(), folders: Vec::new() };
        let private = rules::private(tree, &mut walking.walk.limits);
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

    fn skip(&mut self, path: &RepoPath, why: Why) {
        self.skipped.push(Skipped { path: path.clone(), why });
    }

    fn hide(&mut self, rule: IgnoreRule) {
        if self.hidden.len() < MOST_COUNTED || self.hidden.contains_key(&rule) {
            *self.hidden.entry(rule).or_default() += 1;
        }
    }
}

/// A walk on its way.
struct Walking<'a> {
    tree: &'a Tree,
    part: Part,
    excludes: &'a Excludes,
    walk: Walk,
    /// Folders that are still to be listed, with the rules above them
    folders: Vec<(RepoPath, Above)>,
}

impl Walking<'_> {
    fn list(
        &mut self,
        folder: &RepoPath,
        above: &Above,
        step: &mut impl FnMut(usize) -> Result<()>,
    ) -> Result<()> {
        let listed = self.tree.dir().open_dir(folder.to_relative());
        let entries = listed.and_then(|dir| {
            let rules = rules::in_folder(above, folder, &dir, &mut self.walk.limits);
            Ok((dir.entries()?, rules))
        });
        let (entries, rules) = match entries {
            Ok(found) => found,
            Err(error) => {
                self.cannot_list(folder, &error);
                return step(1);
            }
        };
        for entry in entries {
            step(1)?;
            match entry {
                Ok(entry) => self.take(folder, &entry, &rules),
                Err(error) => self.cannot_list(folder, &error),
            }
        }
        Ok(())
    }

    fn take(&mut self, folder: &RepoPath, entry: &DirEntry, rules: &Above) {
        let (Some(path), Ok(known)) = (child(folder, entry), entry.metadata()) else {
            return; // it vanished, or git and cairn keep it for themselves
        };
        if !self.part.passes(&path) {
            return;
        }
        let stat = Stat::of_confined(&known);
        let is_dir = stat.is_dir();
        let hidden = rules::hidden_by(rules, &path, is_dir);
        if let Some(rule) = hidden.or_else(|| self.excludes.hidden_by(&path, is_dir)) {
            self.walk.hide(rule);
        } else if stat.is_file() {
            self.walk.files.push(Found { path, stat, is_linked: known.nlink() > 1 });
        } else if stat.is_link() {
            self.walk.skip(&path, Why::Link);
        } else if !is_dir {
            self.walk.skip(&path, Why::Special);
        } else if self.tree.root().join(path.to_relative()).join(".git").exists() {
            self.walk.skip(&path, Why::Repository);
        } else {
            self.walk.folders.push(path.clone());
            self.folders.push((path, rules.clone()));
        }
    }

    fn cannot_list(&mut self, folder: &RepoPath, error: &io::Error) {
        let vanished = [io::ErrorKind::NotFound, io::ErrorKind::NotADirectory];
        if !vanished.contains(&error.kind()) {
            self.walk.skip(folder, Why::Unreadable);
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

/// The name of an entry in the tree; `None` for what git and cairn keep for themselves.
fn child(folder: &RepoPath, entry: &DirEntry) -> Option<RepoPath> {
    let name = entry.file_name();
    let name = name.as_encoded_bytes();
    let path = match folder.is_root() {
        true => name.to_vec(),
        false => [folder.as_bytes(), b"/", name].concat(),
    };
    RepoPath::from_bytes(path).ok()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::path::Path;

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
