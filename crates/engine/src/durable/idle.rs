//! Connections to stores that stay open between calls: opening one costs more than most answers.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use store::Connection;

use super::read::Reading;
use super::tables;
use crate::index::file_mark;

/// Connections that stay open, at most.
const KEPT: usize = 6;

/// Which file a connection reads, and how it was then: its name may since belong to another, and
/// somebody may have damaged it where a connection that remembers its pages would not notice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FileId {
    path: PathBuf,
    mark: String,
    bytes: u64,
    modified: Option<SystemTime>,
}

impl FileId {
    /// The file that is at a path now.
    pub(super) fn of(path: &Path) -> Option<Self> {
        let known = std::fs::metadata(path).ok()?;
        Some(Self {
            path: path.to_path_buf(),
            mark: file_mark(path)?,
            bytes: known.len(),
            modified: known.modified().ok(),
        })
    }

    fn is_there(&self) -> bool {
        Self::of(&self.path).as_ref() == Some(self)
    }
}

/// Open connections that nobody reads through.
#[derive(Debug, Default)]
pub(crate) struct Idle(Mutex<Vec<(FileId, Connection)>>);

impl Idle {
    /// A look through an open connection to a store, if there is one.
    pub(super) fn look(&self, path: &Path) -> Option<Reading> {
        let file = FileId::of(path)?;
        let conn = {
            let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let at = open.iter().position(|(known, _)| *known == file)?;
            open.swap_remove(at).1
        };
        Reading::through(conn, Some(file)).ok()
    }

    /// Keeps a connection whose look is over. One to a file that nobody can write would not see
    /// what is written once somebody can, so it is closed.
    pub(crate) fn give(&self, reading: Reading) {
        let Reading { conn, file, .. } = reading;
        let is_done = conn.execute_batch(tables::END_READ).is_ok();
        let is_still = conn.is_readonly("main").unwrap_or(true);
        let file = file.filter(|file| is_done && !is_still && file.is_there());
        let Some(file) = file else { return };
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if open.len() >= KEPT {
            open.remove(0);
        }
        open.push((file, conn));
    }
}
