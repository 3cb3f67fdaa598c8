//! How every file got here: commits in one order, artifacts through their renames, their tags,
//! and what usually changes together.
//!
//! Commits are kept by name ([`facts`]), since they are the same wherever they are reachable;
//! what they add up to for one checkout is the [`line`](mod@line). Knows neither git nor the graph: who
//! uses it brings the commits.

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
    CommitChangeKind, CommitFileChange, CommitSignature, HistoryCommit, sha_from_hex, sha_to_hex,
};
pub use order::{CommitAndParents, all_descend_from, topological_order};
pub use subject::{ConventionalSubject, parse_conventional_subject};
pub use tags::{
    FolderTagRules, TagOp, replay_tag_ops as tag_state, tag_ops_in_message as tags_said,
};
