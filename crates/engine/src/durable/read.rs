//! A durable store as of one moment.

use base::Result;

use super::tables;
use crate::idle::Lent;

/// A look at a store: nothing that is written meanwhile is seen.
#[derive(Debug)]
pub struct Reading {
    /// The connection that the store is read through
    pub conn: Lent,
    /// Counts up with every change
    pub revision: i64,
    /// How many steps of its schema it has
    pub(super) steps: usize,
    /// The state of the shared files whose records are laid over it, where they have some that
    /// the store does not have yet
    pub(crate) pulled: Option<String>,
}

impl Reading {
    pub(super) fn of(conn: Lent) -> Result<Self> {
        let steps = store::version(&conn)? as usize;
        let revision = if steps == 0 { 0 } else { tables::revision(&conn)? };
        Ok(Self { conn, revision, steps, pulled: None })
    }
}
