//! The line: the commits of what is checked out, in order, replayed into artifacts.
//!
//! An artifact is a file through its renames. The line is a function of the order of commits, so
//! it can be cut anywhere and grown again, and comes out the same.

mod tables;
mod writer;

use base::RepoPath;

use crate::commit::How;

pub use tables::{
    DUMP, SCHEMA, all_tag_ops, at, count, digest, gone, ids, last_touch, live, meta, names, newest,
    place_now, set_meta, stop_at, stop_of, tag_ops_of, touched_at, touches_of,
};
pub(crate) use tables::{
    artifacts_at, count_all, count_stops, namesakes, siblings, stops_of, touched_with,
};
pub use writer::{Live, Writer};

/// A commit as the line has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stop {
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
pub struct Place {
    /// The artifact
    pub artifact: i64,
    /// Whether it was still there after the last commit that said something of the path
    pub alive: bool,
    /// Whether the commit that is checked out has the path
    pub live: bool,
}

/// What a commit did to an artifact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TouchRow {
    /// The commit's position
    pub pos: i64,
    /// Where the artifact was then
    pub path: RepoPath,
    /// Where it had been, if it was renamed
    pub old: Option<RepoPath>,
    /// What happened
    pub how: How,
}
