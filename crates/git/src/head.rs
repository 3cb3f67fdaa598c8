//! What is checked out, and what is in progress. Asked on every request, so read from files.

use base::entity::CommitId;
use base::{Call, Result};

use crate::files;
use crate::oid::Oid;
use crate::refs::{self, HeadLine, Tip};
use crate::repo::Repo;

/// What a worktree has checked out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// The branch that is checked out, or that a rebase or bisect began on; `None` when detached
    pub branch: Option<String>,
    /// The commit; `None` before the first one
    pub commit: Option<CommitId>,
    /// What is in progress
    pub state: State,
}

/// What a worktree is in the middle of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum State {
    /// Nothing; a branch is checked out
    Normal,
    /// Nothing; a commit is checked out, and no branch
    Detached,
    /// A rebase, or mail being applied
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

/// Files that tell of something in progress, the strongest first: a rebase picks, too.
const MARKS: [(&str, State); 6] = [
    ("rebase-merge", State::Rebasing),
    ("rebase-apply", State::Rebasing),
    ("MERGE_HEAD", State::Merging),
    ("CHERRY_PICK_HEAD", State::CherryPicking),
    ("REVERT_HEAD", State::Reverting),
    ("BISECT_LOG", State::Bisecting),
];

/// The branch, and the commit it is at.
type Where = (Option<Vec<u8>>, Option<CommitId>);

impl Repo {
    /// What is checked out now. Runs git only where references are not plain files.
    pub fn head(&self, call: &Call) -> Result<Head> {
        call.go_on()?;
        let ((branch, commit), mark) = match self.checked_out_by_files()? {
            Some(found) => (found, self.mark_by_files()),
            None => (self.checked_out_by_git(call)?, self.mark_by_git(call)?),
        };
        self.head_of(branch, commit, mark)
    }

    /// What is checked out, as far as files tell; `None` when only git knows.
    pub(crate) fn head_by_files(&self) -> Result<Option<Head>> {
        let Some((branch, commit)) = self.checked_out_by_files()? else { return Ok(None) };
        self.head_of(branch, commit, self.mark_by_files()).map(Some)
    }

    fn head_of(
        &self,
        branch: Option<Vec<u8>>,
        commit: Option<CommitId>,
        mark: Option<State>,
    ) -> Result<Head> {
        let idle = if branch.is_some() { State::Normal } else { State::Detached };
        let state = mark.unwrap_or(idle);
        let branch = match branch {
            None if state == State::Rebasing => self.rebased_branch()?,
            None if state == State::Bisecting => self.bisected_branch()?,
            branch => branch,
        };
        Ok(Head { branch: branch.map(|name| refs::text(&name)), commit, state })
    }

    /// `None` when only git knows.
    fn checked_out_by_files(&self) -> Result<Option<Where>> {
        let branch = match refs::head_line(self.git_dir())? {
            HeadLine::Branch(branch) => branch,
            HeadLine::Commit(oid) => return Ok(Some((None, Some(oid.to_commit())))),
            HeadLine::Unsure => return Ok(None),
        };
        Ok(match refs::tip(self.common_dir(), &branch)? {
            Tip::Commit(oid) => Some((Some(branch), Some(oid.to_commit()))),
            Tip::None => Some((Some(branch), None)),
            Tip::Unsure => None,
        })
    }

    fn checked_out_by_git(&self, call: &Call) -> Result<Where> {
        let name = self.git("symbolic-ref")?.args(["-q", "HEAD"]).run(call)?.answer()?;
        let branch = name.as_deref().map(<[u8]>::trim_ascii_end).and_then(refs::branch_of);
        let commit = self.git("rev-parse")?.args(["-q", "--verify", "--end-of-options"]);
        let commit = commit.args(["HEAD^{commit}"]).run(call)?.answer()?;
        let commit = commit.and_then(|line| Oid::from_digits(line.trim_ascii_end()));
        Ok((branch.map(<[u8]>::to_vec), commit.map(Oid::to_commit)))
    }

    fn mark_by_files(&self) -> Option<State> {
        let there = |name: &str| self.git_dir().join(name).exists();
        MARKS.iter().find(|(name, _)| there(name)).map(|(_, state)| *state)
    }

    /// With reftable, what is being picked or reverted is a reference and not a file.
    fn mark_by_git(&self, call: &Call) -> Result<Option<State>> {
        for (name, state) in MARKS {
            let kept_as_reference = matches!(state, State::CherryPicking | State::Reverting);
            let git = self.git("rev-parse")?.args(["-q", "--verify", "--end-of-options", name]);
            let there = self.git_dir().join(name).exists()
                || (kept_as_reference && git.run(call)?.answer()?.is_some());
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

    /// The branch that a bisect began on; it may have begun on a commit.
    fn bisected_branch(&self) -> Result<Option<Vec<u8>>> {
        let line = files::read_line(&self.git_dir().join("BISECT_START"))?.unwrap_or_default();
        if Oid::from_digits(&line).is_some() {
            return Ok(None);
        }
        Ok(refs::branch_of(&[b"refs/heads/", &*line].concat()).map(<[u8]>::to_vec))
    }
}
