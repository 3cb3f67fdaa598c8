//! The git repository as the engine uses it, with answers in the types of the engine.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use base::{Call, Problem, RepoPath, Result};
use git::{
    Blob, BranchList, GitHost, Head, HooksDir, ObjectFormat, Oid, Repo, RepoLayout, TreeEntry,
    TreeEntryKind,
};

/// A git repository, seen from one working tree.
#[derive(Debug)]
pub struct Repository {
    repo: Repo,
}

/// A file of the commit that is checked out.
#[derive(Debug)]
pub(crate) struct HeadFile {
    pub path: RepoPath,
    pub oid: Vec<u8>,
    pub kind: &'static str,
}

impl From<TreeEntry> for HeadFile {
    fn from(entry: TreeEntry) -> Self {
        Self {
            path: entry.path,
            oid: entry.object.oid.as_bytes().to_vec(),
            kind: match entry.object.kind {
                TreeEntryKind::File => "file",
                TreeEntryKind::Executable => "executable",
                TreeEntryKind::Symlink => "symlink",
                TreeEntryKind::Submodule => "submodule",
            },
        }
    }
}

/// A file that the next commit would change.
#[derive(Debug)]
pub struct StagedChange {
    /// The file
    pub path: RepoPath,
    /// The content in the commit that is checked out
    pub before: Option<Oid>,
    /// The content that is staged
    pub after: Option<Oid>,
}

impl Repository {
    /// Opens the repository at a place that was discovered.
    pub(crate) fn open(host: GitHost, layout: RepoLayout) -> Result<Self> {
        Ok(Self { repo: Repo::open(host, layout)? })
    }

    /// The repository as the `git` crate opens it.
    pub fn repo(&self) -> &Repo {
        &self.repo
    }

    /// The folders of the repository.
    pub fn layout(&self) -> &RepoLayout {
        self.repo.layout()
    }

    /// What is checked out now.
    pub fn head(&self, call: &Call) -> Result<Head> {
        self.repo.head(call)
    }

    /// The object format, such as SHA-1.
    pub(crate) fn format(&self) -> ObjectFormat {
        self.repo.format()
    }

    pub(crate) fn head_commit(&self, call: &Call) -> Result<Option<String>> {
        Ok(self.head(call)?.commit.map(|commit| commit.to_string()))
    }

    pub(crate) fn tree(&self, commit: &str, call: &Call) -> Result<Vec<HeadFile>> {
        let commit = commit.parse().map_err(Problem::internal)?;
        let entries = self.repo.tree(call, &commit)?.items.into_iter();
        Ok(entries.map(HeadFile::from).collect())
    }

    /// Those of some files that a commit has.
    pub(crate) fn tree_at<'p>(
        &self,
        commit: &str,
        paths: impl Iterator<Item = &'p RepoPath>,
        call: &Call,
    ) -> Result<Vec<HeadFile>> {
        let commit = commit.parse().map_err(Problem::internal)?;
        let entries = self.repo.tree_at(call, &commit, paths)?.items.into_iter();
        Ok(entries.map(HeadFile::from).collect())
    }

    /// The size of git's index in bytes, an estimate of how many files are tracked.
    pub(crate) fn index_bytes(&self) -> u64 {
        std::fs::metadata(self.layout().git_dir.join("index")).map_or(0, |known| known.len())
    }

    /// What the next commit would change, in another index than git's own if one is named.
    pub fn staged_changes(&self, index: Option<PathBuf>, call: &Call) -> Result<Vec<StagedChange>> {
        let repo = match index {
            Some(index) => self.repo.clone().with_index(index),
            None => self.repo.clone(),
        };
        let mut before = BTreeMap::new();
        if let Some(commit) = self.head(call)?.commit {
            let entries = repo.tree(call, &commit)?.items.into_iter();
            before.extend(entries.map(|entry| (entry.path, entry.object)));
        }
        let mut changes = Vec::new();
        for staged in repo.staged(call)?.items {
            let old = before.remove(&staged.entry.path);
            if old != Some(staged.entry.object) {
                let (path, after) = (staged.entry.path, Some(staged.entry.object.oid));
                changes.push(StagedChange { path, before: old.map(|leaf| leaf.oid), after });
            }
        }
        let gone = before.into_iter().map(|(path, leaf)| StagedChange {
            path,
            before: Some(leaf.oid),
            after: None,
        });
        changes.extend(gone);
        Ok(changes)
    }

    /// Reads the contents of objects of up to `cap` bytes.
    pub fn read_blobs(
        &self,
        oids: &[Oid],
        cap: u64,
        call: &Call,
        mut each: impl FnMut(Oid, Blob),
    ) -> Result<()> {
        self.repo.blobs(cap).read_all(call, oids, |oid, blob| {
            each(oid, blob);
            Ok(())
        })
    }

    pub(crate) fn tracked(&self, call: &Call) -> Result<Vec<RepoPath>> {
        Ok(self.repo.tracked(call)?.items)
    }

    /// Tracked files that a sparse checkout leaves out.
    pub(crate) fn sparse_excluded(&self, call: &Call) -> Result<Vec<RepoPath>> {
        Ok(self.repo.sparse_excluded(call)?.items)
    }

    /// A fingerprint that changes with git's index and its private ignore rules.
    pub(crate) fn index_fingerprint(&self) -> String {
        let layout = self.layout();
        let exclude = layout.common_dir.join("info/exclude");
        let index = stat_fingerprint(&layout.git_dir.join("index"));
        // Git replaces its index by a new file. A person changes the rules in place, perhaps twice
        // within one tick of the clock, so their content is compared.
        format!("{index} {} {}", stat_fingerprint(&exclude), content_fingerprint(&exclude))
            .replace('|', "/")
    }

    /// The name of a linked worktree; `.` for the main one.
    pub(crate) fn worktree_name(&self) -> String {
        let layout = self.layout();
        match layout.kind {
            git::WorktreeKind::Linked => name_of(&layout.root),
            _ => ".".into(),
        }
    }

    /// The sibling worktree that an absolute path is in.
    pub(crate) fn sibling_worktree_containing(&self, path: &Path) -> Option<PathBuf> {
        let own = &self.layout().root;
        let all = self.layout().worktrees().ok()?.into_iter();
        let holds = |layout: &RepoLayout| layout.root != *own && path.starts_with(&layout.root);
        // A worktree may be inside another: the innermost holds the path.
        let inner = all.filter(holds).max_by_key(|layout| layout.root.as_os_str().len())?;
        (!own.starts_with(&inner.root) || !path.starts_with(own)).then_some(inner.root)
    }

    /// The commits since a moment, newest first.
    pub(crate) fn commits_since(
        &self,
        since: jiff::Timestamp,
        call: &Call,
    ) -> Result<Vec<git::RecentCommit>> {
        self.repo.recent_commits(call, since)
    }

    /// The files that a commit touched.
    pub(crate) fn files_touched_by(
        &self,
        commit: &git::RecentCommit,
        call: &Call,
    ) -> Result<Vec<RepoPath>> {
        let changes = self.repo.diff_trees(call, commit.parent.as_ref(), &commit.id)?;
        Ok(changes.items.into_iter().map(|change| change.path).collect())
    }

    /// The branch that a fresh clone of `origin` checks out, if this clone knows it.
    pub(crate) fn default_branch(&self, call: &Call) -> Result<Option<String>> {
        self.repo.default_branch(call)
    }

    /// Every branch there is, and what every worktree has checked out.
    pub(crate) fn branch_list(&self, call: &Call) -> Result<BranchList> {
        self.repo.branch_list(call)
    }

    /// Whether git's files show a reference for each of these branches.
    pub(crate) fn has_all_branches<'n>(
        &self,
        names: impl Iterator<Item = &'n str>,
    ) -> Result<bool> {
        self.repo.has_all_branches(names)
    }

    /// The names that a branch had before it was renamed, the newest first, according to its log.
    pub(crate) fn former_names(&self, branch: &str, call: &Call) -> Result<Vec<String>> {
        self.repo.former_names(branch, call)
    }

    /// The commit that the history which is checked out begins with, where it is known.
    pub(crate) fn root_commit(&self, call: &Call) -> Result<Option<String>> {
        Ok(self.repo.root_commit(call)?.map(String::from))
    }

    /// Whether the repository has a commit, by its whole name.
    pub(crate) fn has_commit(&self, commit: &str, call: &Call) -> bool {
        self.repo.resolve(call, commit).is_ok()
    }

    /// The email that the user gave git.
    pub fn user_email(&self, call: &Call) -> Result<Option<String>> {
        self.repo.user_email(call)
    }

    /// The folder whose hooks git runs.
    pub fn hooks_dir(&self, call: &Call) -> Result<HooksDir> {
        self.repo.hooks_dir(call)
    }
}

/// The metadata of a file that shows whether the file changed.
fn stat_fingerprint(path: &Path) -> String {
    std::fs::metadata(path)
        .map_or_else(|_| "-".into(), |known| platform::change_fingerprint(&known))
}

/// The largest rules whose content is compared, in bytes.
const LARGEST_RULES: u64 = 64 * 1024;

/// The content of a small file as a digest; empty if it is not a file or too large to be read often.
fn content_fingerprint(path: &Path) -> String {
    let is_small = |known: &std::fs::Metadata| known.is_file() && known.len() <= LARGEST_RULES;
    if !std::fs::metadata(path).is_ok_and(|known| is_small(&known)) {
        return "-".into();
    }
    let bytes = std::fs::read(path).unwrap_or_default();
    base::Hash::of(&bytes).prefix(16)
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
