//! The history of every file: commits in one order, artifacts through their renames, their tags, and
//! the files that usually change together.
//!
//! Commits are stored by SHA ([`commit_store`]), because they are the same in every worktree. The history
//! of one checkout is built from them ([`checkout`]). The crate knows neither git nor the graph: its caller
//! brings the commits.

pub mod checkout;
pub mod cochange;
mod codec;
pub mod commit;
pub mod commit_store;
mod order;
pub mod snapshot;
mod subject;
mod tags;

pub use commit::{
    CommitChangeKind, CommitFileChange, CommitHeader, CommitSignature, HistoryCommit, sha_from_hex,
    sha_to_hex,
};
pub use order::{CommitAndParents, all_descend_from, topological_order};
pub use subject::{ConventionalSubject, parse_conventional_subject};
pub use tags::{
    FolderTagRules, TagOp, replay_tag_ops as tag_state, tag_ops_in_message as tags_said,
};
