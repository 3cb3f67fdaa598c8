//! Connections, and their limits.
//!
//! A connection costs a file handle and memory before it is authenticated. The number of
//! connections that have not sent the token is therefore small: one more ends the oldest of them. A
//! client that sends the token at once always gets through.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio_util::sync::CancellationToken;

/// Maximum number of connections that have not sent the token.
const MAX_UNAUTHENTICATED: usize = 64;

/// Maximum number of connections that have sent the token.
const MAX_AUTHENTICATED: usize = 256;

/// All connections of a server.
#[derive(Clone, Default)]
pub(super) struct ConnectionTable(Arc<Mutex<ConnectionCounts>>);

#[derive(Default)]
struct ConnectionCounts {
    next: u64,
    unauthenticated: BTreeMap<u64, CancellationToken>,
    authenticated: usize,
}

/// One connection; dropping the last clone of it makes room for another.
#[derive(Clone)]
pub(crate) struct ConnectionHandle(Arc<ConnectionEntry>);

struct ConnectionEntry {
    table: ConnectionTable,
    number: u64,
    evicted: CancellationToken,
    is_authenticated: Mutex<bool>,
}

impl ConnectionTable {
    fn counts(&self) -> MutexGuard<'_, ConnectionCounts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a new connection. If there are too many unauthenticated ones, the oldest of them ends.
    pub(super) fn accept(&self) -> ConnectionHandle {
        let mut counts = self.counts();
        if counts.unauthenticated.len() >= MAX_UNAUTHENTICATED
            && let Some((_, oldest)) = counts.unauthenticated.pop_first()
        {
            oldest.cancel();
        }
        counts.next += 1;
        let (number, evicted) = (counts.next, CancellationToken::new());
        counts.unauthenticated.insert(number, evicted.clone());
        let is_known = Mutex::new(false);
        ConnectionHandle(Arc::new(ConnectionEntry {
            table: self.clone(),
            number,
            evicted,
            is_authenticated: is_known,
        }))
    }
}

impl ConnectionHandle {
    /// Ready when another connection took its place.
    pub(super) async fn evicted(&self) {
        self.0.evicted.cancelled().await;
    }

    /// Records that it has sent the token. Returns false if too many connections have.
    pub(crate) fn try_authenticate(&self) -> bool {
        let mut is_known = self.0.is_authenticated.lock().unwrap_or_else(PoisonError::into_inner);
        if *is_known {
            return true;
        }
        let mut counts = self.0.table.counts();
        if counts.authenticated >= MAX_AUTHENTICATED {
            return false;
        }
        counts.unauthenticated.remove(&self.0.number);
        counts.authenticated += 1;
        *is_known = true;
        true
    }
}

impl Drop for ConnectionEntry {
    fn drop(&mut self) {
        let is_known = *self.is_authenticated.get_mut().unwrap_or_else(PoisonError::into_inner);
        let mut counts = self.table.counts();
        if is_known {
            counts.authenticated -= 1;
        } else {
            counts.unauthenticated.remove(&self.number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stranger_makes_room_for_the_next_and_a_known_one_stays() {
        let visitors = ConnectionTable::default();
        let known = visitors.accept();
        assert!(known.try_authenticate());
        let crowd: Vec<ConnectionHandle> =
            (0..10 * MAX_UNAUTHENTICATED).map(|_| visitors.accept()).collect();
        assert!(!known.0.evicted.is_cancelled());
        let evicted = crowd.iter().filter(|visitor| visitor.0.evicted.is_cancelled()).count();
        assert_eq!(evicted, 9 * MAX_UNAUTHENTICATED);
        assert!(crowd.last().is_some_and(ConnectionHandle::try_authenticate));
        drop(crowd);
        let counts = visitors.counts();
        assert_eq!((counts.unauthenticated.len(), counts.authenticated), (0, 1));
    }

    #[test]
    fn those_with_the_token_are_not_without_limit() {
        let visitors = ConnectionTable::default();
        let crowd: Vec<ConnectionHandle> =
            (0..MAX_AUTHENTICATED).map(|_| visitors.accept()).collect();
        assert!(crowd.iter().all(ConnectionHandle::try_authenticate));
        let more = visitors.accept();
        assert!(!more.try_authenticate() && crowd[0].try_authenticate());
        drop(crowd);
        assert!(more.try_authenticate());
    }
}
