//! A durable store as of one moment.

use std::path::Path;

use base::Result;
use store::{Connection, problem};

use super::idle::FileId;
use super::tables;

/// A look at a store: nothing that is written meanwhile is seen.
#[derive(Debug)]
pub struct Reading {
    /// The connection that the store is read through
    pub conn: Connection,
    /// Counts up with every change
    pub revision: i64,
    /// How many steps of its schema it has
    pub(super) steps: usize,
    /// Which file it reads, if that is certain
    pub(super) file: Option<FileId>,
}

impl Reading {
    pub(super) fn open(path: &Path) -> Result<Self> {
        let before = FileId::of(path);
        let conn = store::open_reading(path)?;
        // Another file may have been put in its place just now.
        let file = before.filter(|file| FileId::of(path).as_ref() == Some(file));
        Self::through(conn, file)
    }

    /// A look through a connection that is open.
    pub(super) fn through(conn: Connection, file: Option<FileId>) -> Result<Self> {
        conn.execute_batch(tables::BEGIN_READ).map_err(problem("read a store"))?;
        let steps = store::version(&conn)? as usize;
        let revision = if steps == 0 { 0 } else { tables::revision(&conn)? };
        Ok(Self { conn, revision, steps, file })
    }
}
