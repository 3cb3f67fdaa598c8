//! What git knows about a repository: its location, HEAD, trees, blobs, revisions and hooks.
//!
//! This is the only crate that runs git, and it runs nothing else: `command` hardens every call,
//! so that a hostile repository cannot make git start a program. What is cheap to read is read
//! without git ([`discover`], [`Repo::head`], [`RepoLayout::worktrees`]). Nothing here prints,
//! reads the environment or the clock, writes to the repository, or uses the network.

mod ancestry;
mod blobs;
mod branches;
mod command;
mod config;
mod diff;
mod discover;
mod failure;
mod files;
#[cfg(feature = "fuzzing")]
pub mod fuzzing;
mod head;
mod hooks;
mod host;
#[cfg(feature = "hostile")]
pub mod hostile;
mod index;
mod lines;
mod listing;
mod log;
mod oid;
mod range;
mod recent;
mod refs;
mod repo;
mod revision;
mod run;
mod tree;
mod version;
mod worktrees;

pub use ancestry::{CommitParents, CommitRange};
pub use blobs::{Blob, BlobReader};
pub use branches::{Branch, BranchList};
pub use diff::{TreeChange, TreeChangeStatus};
pub use discover::{RepoLayout, RepoLocation, WorktreeKind, discover};
pub use head::{Head, WorktreeState};
pub use hooks::HooksDir;
pub use host::GitHost;
pub use index::IndexEntry;
pub use listing::{Listing, TreeEntry, TreeEntryKind, TreeObject};
pub use log::{CommitReader, GitCommit, GitSignature, TouchKind, TouchedFile};
pub use oid::{ObjectFormat, Oid};
pub use range::RangeCommit;
pub use recent::RecentCommit;
pub use repo::Repo;
pub use version::{GitVersion, version};
