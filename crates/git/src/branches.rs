//! Which branches exist. No other module decides that.
//!
//! A branch exists when it has a reference, and also when some worktree is on it before its first
//! commit, or in the middle of a rebase or bisect that began on it. What a branch was called before
//! is in its log.

use std::collections::BTreeSet;

use base::entity::CommitId;
use base::{Call, ProblemCode, Result};

use crate::head::Head;
use crate::oid::Oid;
use crate::repo::Repo;
use crate::{RepoLayout, WorktreeKind, failure, refs};

/// A local branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Branch {
    /// Its name, without `refs/heads/`
    pub name: String,
    /// The commit it is at
    pub commit: CommitId,
}

/// The branches of a repository and what its worktrees have checked out, at one moment.
#[derive(Debug, Clone)]
pub struct BranchList {
    names: BTreeSet<String>,
    heads: Vec<Head>,
}

impl BranchList {
    /// The names of all branches, sorted, including those without a commit.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }

    /// Whether there is a branch of this name.
    pub fn contains(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    /// Whether a worktree has this commit checked out without a branch.
    pub fn is_detached_at(&self, commit: &str) -> bool {
        let mut detached = self.heads.iter().filter(|head| head.branch.is_none());
        detached.any(|head| head.commit.as_ref().is_some_and(|found| found.as_str() == commit))
    }
}

impl Repo {
    /// Reads all branches and what every worktree has checked out.
    pub fn branch_list(&self, call: &Call) -> Result<BranchList> {
        let heads = self.heads(call)?;
        let unborn = heads.iter().filter_map(|head| head.branch.clone());
        let names = self.branches(call)?.into_iter().map(|branch| branch.name).chain(unborn);
        Ok(BranchList { names: names.collect(), heads })
    }

    /// The local branches that have a commit, sorted by name.
    pub fn branches(&self, call: &Call) -> Result<Vec<Branch>> {
        let git = self.git("for-each-ref")?.args(["--format=%(objectname) %(refname)"]);
        let output = git.args(["refs/heads/"]).run(call)?.output()?;
        let lines = output.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        lines.map(parse_branch).collect()
    }

    /// Whether the files of git show a reference for each of these branches. Cheap, because git
    /// is not started; `false` means that [`Repo::branch_list`] has to be asked.
    pub fn has_all_branches<'n>(&self, names: impl Iterator<Item = &'n str>) -> Result<bool> {
        refs::has_all_branches(self.common_dir(), names)
    }

    /// The names that a branch had before it was renamed, the newest first, according to its log. A
    /// branch without a log counts as never renamed.
    pub fn former_names(&self, branch: &str, call: &Call) -> Result<Vec<String>> {
        let reference = format!("refs/heads/{branch}");
        if refs::branch_of(reference.as_bytes()).is_none() {
            return Ok(Vec::new());
        }
        if !refs::is_reftable(self.common_dir()) {
            return refs::former_names(self.common_dir(), branch);
        }
        let git = self.git("reflog")?.args(["show", "--format=%gs", "--end-of-options"]);
        let log = match git.args([reference]).run(call)?.output() {
            Err(problem) if problem.code == ProblemCode::NotFound => return Ok(Vec::new()),
            log => log?,
        };
        let mut lines: Vec<&[u8]> = log.split(|byte| *byte == b'\n').collect();
        lines.reverse(); // git shows the newest first
        Ok(refs::former_names_in_log(branch, &lines))
    }

    /// The branch that a fresh clone of `origin` checks out, if this clone knows it.
    pub fn default_branch(&self, call: &Call) -> Result<Option<String>> {
        if let Some(known) = refs::origin_head(self.common_dir())? {
            return Ok(known);
        }
        let git = self.git("symbolic-ref")?.args(["-q", "refs/remotes/origin/HEAD"]);
        let output = git.run(call)?.optional_output()?;
        let name = output.as_deref().map(<[u8]>::trim_ascii_end);
        Ok(name.and_then(|name| name.strip_prefix(b"refs/remotes/origin/")).map(refs::display_name))
    }

    /// What every worktree has checked out. A worktree whose folder is not there now, such as one
    /// on a disk that is not mounted, still has its branch.
    fn heads(&self, call: &Call) -> Result<Vec<Head>> {
        let alive = self.layout().worktrees()?;
        let mut heads = alive
            .iter()
            .map(|layout| self.with_layout(layout.clone()).head(call))
            .collect::<Result<Vec<_>>>()?;
        let common_dir = self.common_dir().to_path_buf();
        let git_dirs = self.layout().linked_git_dirs()?.into_iter().chain([common_dir]);
        for git_dir in git_dirs.filter(|dir| !alive.iter().any(|layout| layout.git_dir == *dir)) {
            let layout =
                RepoLayout { git_dir, kind: WorktreeKind::Linked, ..self.layout().clone() };
            heads.extend(self.with_layout(layout).head_from_files()?);
        }
        Ok(heads)
    }
}

fn parse_branch(line: &[u8]) -> Result<Branch> {
    let refused = || failure::unexpected_output("for-each-ref", line);
    let space = line.iter().position(|byte| *byte == b' ').ok_or_else(refused)?;
    let oid = Oid::from_hex(&line[..space]).ok_or_else(refused)?;
    let name = line[space + 1..].strip_prefix(b"refs/heads/").ok_or_else(refused)?;
    Ok(Branch { name: refs::display_name(name), commit: oid.to_commit_id() })
}
