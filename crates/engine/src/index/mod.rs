//! The index: everything derived from the working tree, in one file that can be thrown away.
//!
//! Areas plug in as [`Indexer`]s. The index is brought up to date by whoever reads, one process
//! at a time; others read the last good state. A full build goes to a new file.

mod apply;
mod generation;
mod listen;
mod look;
mod memory;
pub(crate) mod read;
mod refresh;
mod sweep;
pub(crate) mod tables;
mod todo;
mod tracked;

use std::any::Any;

use base::{Hash, RepoPath, Result};
use store::Connection;
use syntax::{FileFacts, Language};

pub(crate) use generation::Generations;
pub use read::Index;
pub(crate) use read::file_mark;
pub use refresh::Freshness;
pub(crate) use refresh::{Refresher, Wait};
pub(crate) use todo::{ParseScope, Sources};

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
    fn reads(&self, _path: &RepoPath) -> bool {
        false
    }

    /// What it makes of a file's facts and bytes alone, which [`learn`](Indexer::learn) gets back.
    /// Done for many files at once, so what takes time belongs here.
    fn prepare(&self, _path: &RepoPath, _facts: &FileFacts, _text: &[u8]) -> Option<Prepared> {
        None
    }

    /// Drops what was learnt from a file, because it is gone or about to be learnt again.
    fn forget(&self, conn: &Connection, path: &RepoPath, gone: bool) -> Result<()>;

    /// Takes in what a file says.
    fn learn(&self, conn: &Connection, file: &Learned<'_>) -> Result<()>;

    /// Called once after all files, to settle what depends on several.
    fn settle(&self, conn: &Connection, news: &News<'_>) -> Result<()>;
}

/// What an area makes of a file before it is learnt; only that area knows what it is.
pub type Prepared = Box<dyn Any + Send + Sync>;

/// A file as an area learns of it.
#[derive(Debug)]
pub struct Learned<'a> {
    /// Where it is
    pub path: &'a RepoPath,
    /// The hash of its bytes; none where it was too large to read
    pub hash: Option<Hash>,
    /// What it is written in
    pub language: Option<Language>,
    /// What it says
    pub facts: &'a FileFacts,
    /// What this area [made](Indexer::prepare) of it
    pub prepared: Option<&'a Prepared>,
    /// Its bytes, for an area that [reads](Indexer::reads) them and where it was not skipped
    pub text: Option<&'a [u8]>,
    /// Why it was not read as text, if it was not
    pub skipped: Option<&'static str>,
    /// Whether the index did not have it before
    pub is_new: bool,
}

/// What a refresh was about.
#[derive(Debug, Default)]
pub struct News<'a> {
    /// Files that are new or other
    pub changed: &'a [RepoPath],
    /// Whether some of them were not there before
    pub some_new: bool,
    /// Files that are gone
    pub gone: &'a [RepoPath],
    /// Whether another commit is checked out
    pub head_moved: bool,
}
