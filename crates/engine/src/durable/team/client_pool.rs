//! Connections to the server that are open and idle.
//!
//! A connection is lent to one caller at a time, because a write has a transaction open on it.

use std::ops::Deref;
use std::sync::{Arc, Mutex, PoisonError};

use team::TeamClient;

/// Maximum number of idle connections.
const MAX_IDLE: usize = 4;

/// Idle connections, with the addresses that they were opened for.
#[derive(Debug, Clone, Default)]
pub(super) struct ClientPool(Arc<Mutex<Vec<IdleClient>>>);

#[derive(Debug)]
struct IdleClient {
    address: String,
    client: TeamClient,
}

/// A connection that is returned to its pool when it is dropped, unless it broke.
#[derive(Debug)]
pub struct LentClient {
    lent: Option<IdleClient>,
    pool: ClientPool,
    /// Whether it was idle before, so that the server may have closed it unnoticed
    pub(super) was_idle: bool,
}

impl ClientPool {
    /// An idle connection to an address.
    pub(super) fn take(&self, address: &str) -> Option<LentClient> {
        let mut idle = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        idle.retain(|one| !one.client.is_closed());
        let at = idle.iter().position(|one| one.address == address)?;
        Some(LentClient { lent: Some(idle.swap_remove(at)), pool: self.clone(), was_idle: true })
    }

    /// Lends a new connection.
    pub(super) fn lend(&self, address: &str, client: TeamClient) -> LentClient {
        let lent = IdleClient { address: address.to_owned(), client };
        LentClient { lent: Some(lent), pool: self.clone(), was_idle: false }
    }

    /// Closes all idle connections, because one of them was found to be broken.
    pub(super) fn clear(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

impl Deref for LentClient {
    type Target = TeamClient;

    fn deref(&self) -> &TeamClient {
        &self.lent.as_ref().expect("it is only taken when it is dropped").client
    }
}

impl Drop for LentClient {
    fn drop(&mut self) {
        let Some(lent) = self.lent.take().filter(|one| !one.client.is_closed()) else { return };
        let mut idle = self.pool.0.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < MAX_IDLE {
            idle.push(lent);
        }
    }
}
