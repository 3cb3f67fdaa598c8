//! The index: everything that is derived from the working tree, in one SQLite file that can be
//! deleted at any time.
//!
//! Each area contributes an [`Indexer`]. The index is refreshed by the process that reads it. One
//! process refreshes at a time; the others read the last complete state. A full build writes a new
//! file.

mod apply;
mod change_listener;
mod early;
mod file_reader;
mod generation;
mod memory;
pub mod read;
mod refresh;
mod refresh_plan;
mod sweep;
pub mod tables;
mod tracked_ignored;

use std::any::Any;

use base::{Hash, RepoPath, Result};
use store::Connection;
use syntax::{FileFacts, Language};

pub(crate) use generation::IndexGenerations;
pub use read::Index;
pub(crate) use read::file_fingerprint;
pub use refresh::Freshness;
pub(crate) use refresh::{RefreshWait, Refresher};
pub(crate) use refresh_plan::{ParseScope, RefreshSources};

/// The part of the index that belongs to one area.
pub trait Indexer: Sync {
    /// SQL that creates the area's tables.
    fn schema(&self) -> &'static str;

    /// SQL indexes that only queries need. A full build creates them last, when that is cheapest.
    fn late_schema(&self) -> &'static str {
        ""
    }

    /// Queries whose rows must be equal in an updated index and in one built from scratch. Tests
    /// compare them.
    fn dump(&self) -> &'static [&'static str];

    /// Whether the area needs the bytes of a file in addition to its facts.
    fn wants_bytes(&self, _path: &RepoPath) -> bool {
        false
    }

    /// Computes what the area derives from a file alone; [`index_file`](Indexer::index_file)
    /// receives the result. It runs on several threads, so expensive work belongs here.
    fn prepare(&self, _path: &RepoPath, _facts: &FileFacts, _text: &[u8]) -> Option<PreparedFile> {
        None
    }

    /// Removes the rows of a file. `gone` tells whether the file was deleted or is about to be
    /// indexed again.
    fn remove_file(&self, conn: &Connection, path: &RepoPath, gone: bool) -> Result<()>;

    /// Writes the rows of a file.
    fn index_file(&self, conn: &Connection, file: &IndexedFile<'_>) -> Result<()>;

    /// Runs once after all files were written, for rows that depend on several files.
    fn finish(&self, conn: &Connection, news: &RefreshSummary<'_>) -> Result<()>;
}

/// What an area prepared from a file. Only that area knows the type inside.
pub type PreparedFile = Box<dyn Any + Send + Sync>;

/// A file as it is passed to each area's [`Indexer`].
#[derive(Debug)]
pub struct IndexedFile<'a> {
    /// Its path
    pub path: &'a RepoPath,
    /// The hash of its bytes; `None` if the file was too large to read
    pub hash: Option<Hash>,
    /// Its language
    pub language: Option<Language>,
    /// The facts that were extracted from it
    pub facts: &'a FileFacts,
    /// What this area [prepared](Indexer::prepare)
    pub prepared: Option<&'a PreparedFile>,
    /// Its bytes, if the area [asked](Indexer::wants_bytes) for them and the file was not skipped
    pub text: Option<&'a [u8]>,
    /// Why the file was not read as text; `None` if it was
    pub skipped: Option<&'static str>,
    /// Whether the file is new to the index
    pub is_new: bool,
}

/// The changes of one refresh.
#[derive(Debug, Default)]
pub struct RefreshSummary<'a> {
    /// Files that are new or changed
    pub changed: &'a [RepoPath],
    /// Whether any of these files is new
    pub some_new: bool,
    /// Files that were deleted
    pub gone: &'a [RepoPath],
    /// Whether the checked-out commit changed
    pub head_moved: bool,
}
