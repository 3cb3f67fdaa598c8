//! A durable store as of one moment.

use base::Result;

use super::tables;
use crate::connection_pool::PooledConnection;

/// A look at a store: nothing that is written meanwhile is seen.
#[derive(Debug)]
pub struct StoreReader {
    /// The connection that the store is read through
    pub conn: PooledConnection,
    /// Counts up with every change
    pub revision: i64,
    /// How many steps of its schema it has
    pub(super) steps: usize,
    /// The state of the shared files whose records are laid over it, where they have some that
    /// the store does not have yet
    pub(crate) shared_state: Option<String>,
}

impl StoreReader {
    pub(super) fn of(conn: PooledConnection) -> Result<Self> {
        let steps = store::schema_version(&conn)? as usize;
        let revision = if steps == 0 { 0 } else { tables::revision(&conn)? };
        Ok(Self { conn, revision, steps, shared_state: None })
    }
}
