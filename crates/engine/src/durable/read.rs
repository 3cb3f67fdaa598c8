//! A durable store as of one moment.

use std::path::Path;

use base::Result;
use store::{Connection, problem};

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
}

impl Reading {
    pub(super) fn open(path: &Path) -> Result<Self> {
        let conn = store::open_reading(path)?;
        conn.execute_batch(tables::BEGIN_READ).map_err(problem("read a store"))?;
        let steps = store::version(&conn)? as usize;
        let revision = if steps == 0 { 0 } else { tables::revision(&conn)? };
        Ok(Self { conn, revision, steps })
    }
}
