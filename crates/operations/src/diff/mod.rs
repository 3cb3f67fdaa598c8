//! The differences between two states of the tree: commits, git's index, the working tree.

mod rename;
mod symbols;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use base::words::counted;
use base::{Problem, RepoPath, Result};
use git::{Blob, Oid, TreeEntryKind};
use tree::Stat;

use engine::index::tables;
use engine::repository::Repository;
use engine::rules::changed_lines;
use engine::view::View;

pub(crate) use symbols::{
    ChangedSymbol, FileSymbols, FileSymbolsPair, SymbolChangeKind as SymbolHow, pairs,
};

/// Size above which files are not compared by content, in bytes.
pub(crate) const MAX_FILE_BYTES: u64 = 4 * 1024 * 1024;

/// Which two states are compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum DiffRange {
    /// The checked-out commit and the working tree
    WorkingTree,
    /// The checked-out commit and the staged changes
    Staged,
    /// A commit, and the working tree
    Since(String),
    /// Two commits; with the flag, the merge base takes the place of the first
    Commits(String, String, bool),
}

impl DiffRange {
    /// Parses `A..B`, `A...B` or `A`.
    pub(crate) fn parse(text: &str) -> Self {
        let side = |name: &str| if name.is_empty() { "HEAD".to_owned() } else { name.to_owned() };
        if let Some((old, new)) = text.split_once("...") {
            return Self::Commits(side(old), side(new), true);
        }
        match text.split_once("..") {
            Some((old, new)) => Self::Commits(side(old), side(new), false),
            None => Self::Since(side(text)),
        }
    }

    /// A short description.
    pub(crate) fn description(&self) -> String {
        match self {
            Self::WorkingTree => "since HEAD".into(),
            Self::Staged => "staged".into(),
            Self::Since(commit) => format!("since {commit}"),
            Self::Commits(old, new, false) => format!("in {old}..{new}"),
            Self::Commits(old, new, true) => format!("in {old}...{new}"),
        }
    }
}

/// What happened to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileChangeKind {
    Added,
    Deleted,
    Modified,
    Renamed,
}

impl FileChangeKind {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Deleted => "deleted",
            Self::Modified => "modified",
            Self::Renamed => "renamed",
        }
    }
}

/// A file that differs.
#[derive(Debug, Clone)]
pub(crate) struct ChangedFile {
    /// Where it is, or was
    pub path: RepoPath,
    /// Where it was, if that was elsewhere
    pub old: Option<RepoPath>,
    /// What happened
    pub kind: FileChangeKind,
    /// Its content before; none if it did not exist, or is too large
    pub before: Option<Vec<u8>>,
    /// Its content after
    pub after: Option<Vec<u8>>,
    /// The new or changed lines, from 1
    pub lines: Vec<Range<u32>>,
}

impl ChangedFile {
    /// Where it was.
    pub(crate) fn before_path(&self) -> &RepoPath {
        self.old.as_ref().unwrap_or(&self.path)
    }
}

/// What differs, by path.
#[derive(Debug)]
pub(crate) struct TreeDiff {
    /// The files
    pub files: Vec<ChangedFile>,
    /// Whether the newer state is what the index shows
    pub is_indexed: bool,
}

/// Compares two states.
pub(crate) fn diff(view: &View, between: &DiffRange) -> Result<TreeDiff> {
    let git = view.git().ok_or_else(|| {
        Problem::new(base::ProblemCode::Unavailable, "there is no git repository")
            .hint("changes are read from git: run this in a git repository")
    })?;
    let (mut raw, is_shown) = match between {
        DiffRange::WorkingTree => (working(view, git)?, true),
        DiffRange::Since(commit) => (since(view, git, commit)?, true),
        DiffRange::Staged => (staged(view, git)?, true),
        DiffRange::Commits(old, new, parted) => commits(view, git, old, new, *parted)?,
    };
    raw.sort_by(|a, b| a.path.cmp(&b.path));
    let files = rename::pair_renames(&raw);
    let lines = |mut file: ChangedFile| {
        file.lines = changed_lines(file.before.clone(), file.after.as_deref());
        file
    };
    Ok(TreeDiff { files: files.into_iter().map(lines).collect(), is_indexed: is_shown })
}

fn changed_file(
    path: RepoPath,
    before: Option<Vec<u8>>,
    after: Option<Vec<u8>>,
    how: FileChangeKind,
) -> ChangedFile {
    ChangedFile { path, old: None, kind: how, before, after, lines: Vec::new() }
}

/// What happened to a path, by what is there on both sides.
const fn change_kind(before: bool, after: bool) -> FileChangeKind {
    match (before, after) {
        (false, _) => FileChangeKind::Added,
        (true, false) => FileChangeKind::Deleted,
        (true, true) => FileChangeKind::Modified,
    }
}

fn working(view: &View, git: &Repository) -> Result<Vec<ChangedFile>> {
    let edited = tables::edited(view.index()?.conn())?;
    let sides =
        edited.into_iter().map(|(path, head)| (path, head.and_then(|o| Oid::from_bytes(&o))));
    against_tree(view, git, sides.collect())
}

fn since(view: &View, git: &Repository, commit: &str) -> Result<Vec<ChangedFile>> {
    let commit = git.repo().resolve(view.call(), commit)?;
    let mut old: BTreeMap<RepoPath, Oid> = BTreeMap::new();
    for entry in git.repo().tree(view.call(), &commit)?.items {
        if matches!(entry.object.kind, git::TreeEntryKind::File | git::TreeEntryKind::Executable) {
            old.insert(entry.path, entry.object.oid);
        }
    }
    let mut sides = Vec::new();
    for (path, oid, with_lf) in tables::object_ids(view.index()?.conn())? {
        let before = old.remove(&path);
        let same = |known: &Option<Vec<u8>>| {
            before.as_ref().is_some_and(|b| known.as_deref() == Some(b.as_bytes()))
        };
        if !same(&oid) && !same(&with_lf) {
            sides.push((path, before));
        }
    }
    sides.extend(old.into_iter().map(|(path, oid)| (path, Some(oid))));
    against_tree(view, git, sides)
}

/// Files of the working tree with their earlier content.
fn against_tree(
    view: &View,
    git: &Repository,
    sides: Vec<(RepoPath, Option<Oid>)>,
) -> Result<Vec<ChangedFile>> {
    let oids: Vec<Oid> = sides.iter().filter_map(|(_, oid)| *oid).collect();
    let blobs = blobs(view, git, &oids, |_| true)?;
    let mut files = Vec::new();
    for (path, oid) in sides {
        // A file that became a folder, a link or something else counts as deleted.
        let stat = view.tree().stat_if_reachable(&path).filter(Stat::is_file);
        let small = stat.as_ref().is_some_and(|stat| stat.size <= MAX_FILE_BYTES);
        let after = if small { content(view, &path) } else { None };
        let before = oid.and_then(|oid| blobs.get(&oid.to_string()).cloned());
        files.push(changed_file(path, before, after, change_kind(oid.is_some(), stat.is_some())));
    }
    Ok(files)
}

/// The content of a file. An unreadable file makes the answer partial; all others are compared.
fn content(view: &View, path: &RepoPath) -> Option<Vec<u8>> {
    match view.tree().read(path) {
        Ok(blob) => blob.map(|blob| blob.bytes),
        Err(problem) => {
            view.mark_partial(format!("{path} is not compared: {problem}"));
            None
        }
    }
}

fn staged(view: &View, git: &Repository) -> Result<Vec<ChangedFile>> {
    let changes = git.staged_changes(view.git_index(), view.call())?;
    let sides = changes.into_iter().map(|change| (change.path, change.before, change.after));
    // Git has just listed them, so a missing one is the commit of a submodule.
    between_objects(view, git, sides.collect(), |_| false)
}

fn commits(
    view: &View,
    git: &Repository,
    old: &str,
    new: &str,
    parted: bool,
) -> Result<(Vec<ChangedFile>, bool)> {
    let (repo, call) = (git.repo(), view.call());
    let (mut old, new) = (repo.resolve(call, old)?, repo.resolve(call, new)?);
    if parted {
        let base = repo.merge_base(call, &old, &new)?;
        old = base.ok_or_else(|| Problem::invalid("the two commits share no history"))?;
    }
    let changes = repo.diff_trees(call, Some(&old), &new)?.items;
    let leaves = changes.iter().flat_map(|change| [change.old, change.new]).flatten();
    let contents = leaves.filter(|leaf| leaf.kind != TreeEntryKind::Submodule);
    let contents: BTreeSet<String> = contents.map(|leaf| leaf.oid.to_string()).collect();
    let side = |leaf: Option<git::TreeObject>| leaf.map(|leaf| leaf.oid);
    let sides = changes.into_iter().map(|change| (change.path, side(change.old), side(change.new)));
    let is_content = |oid: &Oid| contents.contains(&oid.to_string());
    let files = between_objects(view, git, sides.collect(), is_content)?;
    let is_head = git.head(call)?.commit.as_ref() == Some(&new);
    Ok((files, is_head && tables::count_edited(view.index()?.conn())? == 0))
}

fn between_objects(
    view: &View,
    git: &Repository,
    sides: Vec<(RepoPath, Option<Oid>, Option<Oid>)>,
    is_content: impl Fn(&Oid) -> bool,
) -> Result<Vec<ChangedFile>> {
    let both = sides.iter().flat_map(|(_, before, after)| [*before, *after]);
    let oids: Vec<Oid> = both.flatten().collect();
    let blobs = blobs(view, git, &oids, is_content)?;
    let content = |oid: Option<Oid>| oid.and_then(|oid| blobs.get(&oid.to_string()).cloned());
    let one = |(path, before, after): (RepoPath, Option<Oid>, Option<Oid>)| {
        let how = change_kind(before.is_some(), after.is_some());
        changed_file(path, content(before), content(after), how)
    };
    Ok(sides.into_iter().map(one).collect())
}

/// The contents of some blobs. Missing blobs of files make the answer partial.
fn blobs(
    view: &View,
    git: &Repository,
    oids: &[Oid],
    is_content: impl Fn(&Oid) -> bool,
) -> Result<BTreeMap<String, Vec<u8>>> {
    let (mut blobs, mut missing) = (BTreeMap::new(), 0);
    git.read_blobs(oids, MAX_FILE_BYTES, view.call(), |oid, blob| match blob {
        Blob::Bytes(bytes) => drop(blobs.insert(oid.to_string(), bytes)),
        Blob::Missing if is_content(&oid) => missing += 1,
        _ => {}
    })?;
    if missing > 0 {
        view.mark_partial(format!(
            "this clone lacks {}, so not all changes are compared; fetch them with git",
            counted(missing, "committed content")
        ));
    }
    Ok(blobs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_read_as_git_reads_it() {
        let commits = |a: &str, b: &str, parted| DiffRange::Commits(a.into(), b.into(), parted);
        assert_eq!(DiffRange::parse("main..topic"), commits("main", "topic", false));
        assert_eq!(DiffRange::parse("main..."), commits("main", "HEAD", true));
        assert_eq!(DiffRange::parse("..topic"), commits("HEAD", "topic", false));
        assert_eq!(DiffRange::parse("v1.2"), DiffRange::Since("v1.2".into()));
    }
}
