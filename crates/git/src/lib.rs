//! What git knows about a repository: where it is, what HEAD is, trees, blobs, revisions, hooks.
//!
//! The only crate that runs git, and it runs nothing else: `command` hardens every call, so that
//! a hostile repository names no program that starts. What is cheap to read is read in process
//! ([`discover`], [`Repo::head`], [`Layout::worktrees`]). Nothing here prints, reads the
//! environment or the clock, writes to the repository, or reaches for the network.

mod ancestry;
mod blobs;
mod branches;
mod command;
mod config;
mod diff;
mod discover;
mod failure;
mod files;
mod head;
mod hooks;
mod host;
#[cfg(feature = "hostile")]
pub mod hostile;
mod index;
mod listing;
mod log;
mod oid;
mod platform;
mod recent;
mod refs;
mod repo;
mod revision;
mod run;
pub mod spoken;
mod tree;
mod version;
mod worktrees;

pub use ancestry::Link;
pub use blobs::{Blob, Blobs};
pub use branches::{Branch, BranchList};
pub use diff::{Change, Status};
pub use discover::{Kind, Layout, Place, discover};
pub use head::{Head, State};
pub use hooks::HooksDir;
pub use host::Host;
pub use index::Staged;
pub use listing::{Entry, EntryKind, Leaf, Listing};
pub use log::{Commit, Commits, Person, Touch, Touched};
pub use oid::{Format, Oid};
pub use recent::Recent;
pub use repo::Repo;
pub use version::{Version, version};
