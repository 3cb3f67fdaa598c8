//! The checked-out commit and branch, and operations in progress. Every request needs them, so they
//! are read from files.

use base::entity::CommitId;
use base::{Call, Result};

use crate::files;
use crate::oid::Oid;
use crate::refs::{self, BranchTip, HeadTarget};
use crate::repo::Repo;

/// What a worktree has checked out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// The checked-out branch, or the branch on which a rebase or bisect was started; `None` if
    /// detached
    pub branch: Option<String>,
    /// The checked-out commit; `None` before the first commit
    pub commit: Option<CommitId>,
    /// The operation in progress
    pub state: WorktreeState,
}

/// The operation that is in progress in a worktree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WorktreeState {
    /// None; a branch is checked out
    Normal,
    /// None; a commit is checked out without a branch
    Detached,
    /// A rebase, or applying patches from mail
    Rebasing,
    /// A merge
    Merging,
    /// A cherry-pick
    CherryPicking,
    /// A revert
    Reverting,
    /// A search for the commit that broke something
    Bisecting,
}

/// Files that exist during an operation, by precedence: a rebase cherry-picks, too.
const STATE_MARKERS: [(&str, WorktreeState); 6] = [
    ("rebase-merge", WorktreeState::Rebasing),
    ("rebase-apply", WorktreeState::Rebasing),
    ("MERGE_HEAD", WorktreeState::Merging),
    ("CHERRY_PICK_HEAD", WorktreeState::CherryPicking),
    ("REVERT_HEAD", WorktreeState::Reverting),
    ("BISECT_LOG", WorktreeState::Bisecting),
];

/// The branch and its commit.
type BranchAndCommit = (Option<Vec<u8>>, Option<CommitId>);

impl Repo {
    /// What is checked out. Git is run only if references are not plain files.
    pub fn head(&self, call: &Call) -> Result<Head> {
        call.check_stopped()?;
        let ((branch, commit), mark) = match self.checked_out_from_files()? {
            Some(found) => (found, self.state_from_files()),
            None => (self.checked_out_from_git(call)?, self.state_from_git(call)?),
        };
        self.build_head(branch, commit, mark)
    }

    /// What is checked out, according to files; `None` if only git can tell.
    pub(crate) fn head_from_files(&self) -> Result<Option<Head>> {
        let Some((branch, commit)) = self.checked_out_from_files()? else { return Ok(None) };
        self.build_head(branch, commit, self.state_from_files()).map(Some)
    }

    fn build_head(
        &self,
        branch: Option<Vec<u8>>,
        commit: Option<CommitId>,
        mark: Option<WorktreeState>,
    ) -> Result<Head> {
        let idle = if branch.is_some() { WorktreeState::Normal } else { WorktreeState::Detached };
        let state = mark.unwrap_or(idle);
        let branch = match branch {
            None if state == WorktreeState::Rebasing => self.rebased_branch()?,
            None if state == WorktreeState::Bisecting => self.bisected_branch()?,
            branch => branch,
        };
        Ok(Head { branch: branch.map(|name| refs::display_name(&name)), commit, state })
    }

    /// The branch and commit according to files; `None` if only git can tell.
    fn checked_out_from_files(&self) -> Result<Option<BranchAndCommit>> {
        let branch = match refs::read_head(self.git_dir())? {
            HeadTarget::Branch(branch) => branch,
            HeadTarget::Commit(oid) => return Ok(Some((None, Some(oid.to_commit_id())))),
            HeadTarget::Unknown => return Ok(None),
        };
        Ok(match refs::read_tip(self.common_dir(), &branch)? {
            BranchTip::Commit(oid) => Some((Some(branch), Some(oid.to_commit_id()))),
            BranchTip::None => Some((Some(branch), None)),
            BranchTip::Unknown => None,
        })
    }

    fn checked_out_from_git(&self, call: &Call) -> Result<BranchAndCommit> {
        let name = self.git("symbolic-ref")?.args(["-q", "HEAD"]).run(call)?.optional_output()?;
        let branch = name.as_deref().map(<[u8]>::trim_ascii_end).and_then(refs::branch_of);
        let commit = self.git("rev-parse")?.args(["-q", "--verify", "--end-of-options"]);
        let commit = commit.args(["HEAD^{commit}"]).run(call)?.optional_output()?;
        let commit = commit.and_then(|line| Oid::from_hex(line.trim_ascii_end()));
        Ok((branch.map(<[u8]>::to_vec), commit.map(Oid::to_commit_id)))
    }

    fn state_from_files(&self) -> Option<WorktreeState> {
        let there = |name: &str| self.git_dir().join(name).exists();
        STATE_MARKERS.iter().find(|(name, _)| there(name)).map(|(_, state)| *state)
    }

    /// The operation in progress in a repository with reftable, where a cherry-pick or revert is
    /// recorded in a reference and not in a file.
    fn state_from_git(&self, call: &Call) -> Result<Option<WorktreeState>> {
        for (name, state) in STATE_MARKERS {
            let kept_as_reference =
                matches!(state, WorktreeState::CherryPicking | WorktreeState::Reverting);
            let git = self.git("rev-parse")?.args(["-q", "--verify", "--end-of-options", name]);
            let there = self.git_dir().join(name).exists()
                || (kept_as_reference && git.run(call)?.optional_output()?.is_some());
            if there {
                return Ok(Some(state));
            }
        }
        Ok(None)
    }

    fn rebased_branch(&self) -> Result<Option<Vec<u8>>> {
        for folder in ["rebase-merge", "rebase-apply"] {
            let line = files::read_line(&self.git_dir().join(folder).join("head-name"))?;
            let branch = line.as_deref().and_then(refs::branch_of);
            if let Some(branch) = branch {
                return Ok(Some(branch.to_vec()));
            }
        }
        Ok(None)
    }

    /// The branch on which a bisect was started; `None` if it was started on a commit.
    fn bisected_branch(&self) -> Result<Option<Vec<u8>>> {
        let line = files::read_line(&self.git_dir().join("BISECT_START"))?.unwrap_or_default();
        if Oid::from_hex(&line).is_some() {
            return Ok(None);
        }
        Ok(refs::branch_of(&[b"refs/heads/", &*line].concat()).map(<[u8]>::to_vec))
    }
}
