//! Checkout history: the commits reachable from HEAD, in order, replayed into artifacts.
//!
//! An artifact is a file through its renames. The history depends only on the order of commits, so it can
//! be truncated anywhere and extended again with the same result.

mod tables;
mod writer;

use base::RepoPath;

use crate::commit::CommitChangeKind;
use crate::commit_store::CommitRowId;

store::row_id!(
    /// An artifact, by its number in the checkout history. Numbers start at 1 in the order in which files appear.
    pub ArtifactId(i64)
);

impl ArtifactId {
    /// Represents a file that no commit has. It is less than the number of any artifact.
    pub const NONE: Self = Self(0);

    /// The number of the next artifact.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

pub(crate) use tables::{
    CommitLimits, artifacts_at, artifacts_with_same_stem, count_commits_of,
    count_countable_commits, countable_positions, each_cochanged, siblings,
};
pub use tables::{
    REBUILD_CHECK_QUERIES, SCHEMA, all_tag_ops, changes_below, checked_out_files, churn,
    commit_at_position, commit_by_id, commit_ids, commit_shas, count, current_path,
    deleted_artifacts, digest, last_commit_of, last_read_commit, meta, path_state_at, set_meta,
    tag_ops_of, touches_at_position, touches_of,
};
pub use writer::{CheckedOutPaths, CheckoutHistoryWriter};

/// A commit of the checkout history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckoutCommit {
    /// Its position, from 0
    pub pos: i64,
    /// Its row in the commit store
    pub id: CommitRowId,
    /// Its SHA
    pub sha: Vec<u8>,
    /// When it was committed, in seconds since 1970
    pub time: i64,
    /// How many files it touched
    pub files: i64,
    /// Whether it has several parents
    pub is_merge: bool,
}

/// The state of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PathState {
    /// The artifact
    pub artifact: ArtifactId,
    /// Whether it exists after the last commit that touched the path
    pub exists_after_replay: bool,
    /// Whether the checked-out commit has the path
    pub is_checked_out: bool,
}

/// How often a file was changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileChurn {
    /// The artifact
    pub artifact: ArtifactId,
    /// Commits that changed it
    pub commits: u64,
    /// When the last of them was made, in seconds since 1970
    pub last_time: i64,
}

/// A commit that changed an artifact, by its position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ArtifactChange {
    /// The commit's position
    pub pos: i64,
    /// The artifact
    pub artifact: ArtifactId,
}

/// A change of an artifact by a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TouchRow {
    /// The commit's position
    pub pos: i64,
    /// The path of the artifact after the commit
    pub path: RepoPath,
    /// Its old path, if it was renamed
    pub old_path: Option<RepoPath>,
    /// The kind of change
    pub kind: CommitChangeKind,
}
