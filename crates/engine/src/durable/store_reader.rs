//! Reads one consistent state of a durable store.

use base::Result;

use super::tables;
use crate::connection_pool::PooledConnection;

/// One consistent state of a store. Changes that are written later are not visible in it.
#[derive(Debug)]
pub struct StoreReader {
    /// The connection that the store is read through
    pub conn: PooledConnection,
    /// Number of the last change
    pub revision: i64,
    /// Number of the migrations that were applied
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
