//! The line: the commits of what is checked out, in order, replayed into artifacts.
//!
//! An artifact is a file through its renames. The line is a function of the order of commits, so
//! it can be cut anywhere and grown again, and comes out the same.

mod tables;
mod writer;

use base::RepoPath;

use crate::commit::CommitChangeKind;

pub(crate) use tables::{
    CommitLimits, artifacts_at, count_commits_of, count_countable_commits, countable_positions,
    each_cochanged, namesakes, siblings,
};
pub use tables::{
    REBUILD_CHECK_QUERIES, SCHEMA, all_tag_ops, checked_out_files, commit_at_position,
    commit_by_id, commit_ids, commit_shas, count, current_path, deleted_artifacts, digest,
    last_commit_of, last_read_commit, meta, path_state_at, set_meta, tag_ops_of,
    touches_at_position, touches_of,
};
pub use writer::{CheckedOutPaths, CheckoutHistoryWriter};

/// A commit as the line has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckoutCommit {
    /// Its position, from 0
    pub pos: i64,
    /// Its id in the store of commits
    pub id: i64,
    /// Its name
    pub sha: Vec<u8>,
    /// When it was committed, in seconds since 1970
    pub time: i64,
    /// How many files it touched
    pub files: i64,
    /// Whether it has several parents
    pub is_merge: bool,
}

/// What was last seen at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PathState {
    /// The artifact
    pub artifact: i64,
    /// Whether it was still there after the last commit that said something of the path
    pub exists_after_replay: bool,
    /// Whether the commit that is checked out has the path
    pub is_checked_out: bool,
}

/// What a commit did to an artifact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TouchRow {
    /// The commit's position
    pub pos: i64,
    /// Where the artifact was then
    pub path: RepoPath,
    /// Where it had been, if it was renamed
    pub old_path: Option<RepoPath>,
    /// What happened
    pub kind: CommitChangeKind,
}
