//! The index: everything derived from the working tree, in one file that can be thrown away.
//!
//! Areas plug in as [`Indexer`]s. The index is brought up to date by whoever reads, one process
//! at a time; others read the last good state. A full build goes to a new file.

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

/// A part of the index that belongs to one area.
pub trait Indexer: Sync {
    /// Its tables, as SQL.
    fn schema(&self) -> &'static str;

    /// Indexes that only questions need: a full build makes them last, when they cost least.
    fn late_schema(&self) -> &'static str {
        ""
    }

    /// Queries whose rows must be the same in an index built from nothing.
    fn dump(&self) -> &'static [&'static str];

    /// Whether it wants the bytes of a file besides its facts.
    fn wants_bytes(&self, _path: &RepoPath) -> bool {
        false
    }

    /// What it makes of a file's facts and bytes alone, which [`index_file`](Indexer::index_file) gets back.
    /// Done for many files at once, so what takes time belongs here.
    fn prepare(&self, _path: &RepoPath, _facts: &FileFacts, _text: &[u8]) -> Option<PreparedFile> {
        None
    }

    /// Drops what was learnt from a file, because it is gone or about to be learnt again.
    fn remove_file(&self, conn: &Connection, path: &RepoPath, gone: bool) -> Result<()>;

    /// Takes in what a file says.
    fn index_file(&self, conn: &Connection, file: &IndexedFile<'_>) -> Result<()>;

    /// Called once after all files, to settle what depends on several.
    fn finish(&self, conn: &Connection, news: &RefreshSummary<'_>) -> Result<()>;
}

/// What an area makes of a file before it is learnt; only that area knows what it is.
pub type PreparedFile = Box<dyn Any + Send + Sync>;

/// A file as an area learns of it.
#[derive(Debug)]
pub struct IndexedFile<'a> {
    /// Where it is
    pub path: &'a RepoPath,
    /// The hash of its bytes; none where it was too large to read
    pub hash: Option<Hash>,
    /// What it is written in
    pub language: Option<Language>,
    /// What it says
    pub facts: &'a FileFacts,
    /// What this area [made](Indexer::prepare) of it
    pub prepared: Option<&'a PreparedFile>,
    /// Its bytes, for an area that [wants](Indexer::wants_bytes) them and where it was not skipped
    pub text: Option<&'a [u8]>,
    /// Why it was not read as text, if it was not
    pub skipped: Option<&'static str>,
    /// Whether the index did not have it before
    pub is_new: bool,
}

/// What a refresh was about.
#[derive(Debug, Default)]
pub struct RefreshSummary<'a> {
    /// Files that are new or other
    pub changed: &'a [RepoPath],
    /// Whether some of them were not there before
    pub some_new: bool,
    /// Files that are gone
    pub gone: &'a [RepoPath],
    /// Whether another commit is checked out
    pub head_moved: bool,
}
