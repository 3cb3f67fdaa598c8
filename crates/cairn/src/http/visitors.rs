//! Connections, and how many there may be.
//!
//! A connection costs a file handle and memory before it says who it is. So those that have not shown
//! the token are few: one more ends the oldest of them, and a client that shows it at once always
//! gets in.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio_util::sync::CancellationToken;

/// Connections that have not shown the token, at most.
const MOST_STRANGERS: usize = 64;

/// Connections that have shown the token, at most.
const MOST_KNOWN: usize = 256;

/// All connections of a server.
#[derive(Clone, Default)]
pub(super) struct Visitors(Arc<Mutex<ConnectionCounts>>);

#[derive(Default)]
struct ConnectionCounts {
    next: u64,
    strangers: BTreeMap<u64, CancellationToken>,
    known: usize,
}

/// One connection; dropping the last clone of it makes room for another.
#[derive(Clone)]
pub(super) struct Visitor(Arc<VisitorEntry>);

struct VisitorEntry {
    visitors: Visitors,
    number: u64,
    evicted: CancellationToken,
    is_known: Mutex<bool>,
}

impl Visitors {
    fn counts(&self) -> MutexGuard<'_, ConnectionCounts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes in a new connection, at the cost of the oldest stranger if there are too many.
    pub(super) fn enter(&self) -> Visitor {
        let mut counts = self.counts();
        if counts.strangers.len() >= MOST_STRANGERS
            && let Some((_, oldest)) = counts.strangers.pop_first()
        {
            oldest.cancel();
        }
        counts.next += 1;
        let (number, evicted) = (counts.next, CancellationToken::new());
        counts.strangers.insert(number, evicted.clone());
        let is_known = Mutex::new(false);
        Visitor(Arc::new(VisitorEntry { visitors: self.clone(), number, evicted, is_known }))
    }
}

impl Visitor {
    /// Ready when another connection took its place.
    pub(super) async fn evicted(&self) {
        self.0.evicted.cancelled().await;
    }

    /// Notes that it has shown the token; false if there are too many that have.
    pub(super) fn is_welcome(&self) -> bool {
        let mut is_known = self.0.is_known.lock().unwrap_or_else(PoisonError::into_inner);
        if *is_known {
            return true;
        }
        let mut counts = self.0.visitors.counts();
        if counts.known >= MOST_KNOWN {
            return false;
        }
        counts.strangers.remove(&self.0.number);
        counts.known += 1;
        *is_known = true;
        true
    }
}

impl Drop for VisitorEntry {
    fn drop(&mut self) {
        let is_known = *self.is_known.get_mut().unwrap_or_else(PoisonError::into_inner);
        let mut counts = self.visitors.counts();
        if is_known {
            counts.known -= 1;
        } else {
            counts.strangers.remove(&self.number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stranger_makes_room_for_the_next_and_a_known_one_stays() {
        let visitors = Visitors::default();
        let known = visitors.enter();
        assert!(known.is_welcome());
        let crowd: Vec<Visitor> = (0..10 * MOST_STRANGERS).map(|_| visitors.enter()).collect();
        assert!(!known.0.evicted.is_cancelled());
        let evicted = crowd.iter().filter(|visitor| visitor.0.evicted.is_cancelled()).count();
        assert_eq!(evicted, 9 * MOST_STRANGERS);
        assert!(crowd.last().is_some_and(Visitor::is_welcome));
        drop(crowd);
        let counts = visitors.counts();
        assert_eq!((counts.strangers.len(), counts.known), (0, 1));
    }

    #[test]
    fn those_with_the_token_are_not_without_limit() {
        let visitors = Visitors::default();
        let crowd: Vec<Visitor> = (0..MOST_KNOWN).map(|_| visitors.enter()).collect();
        assert!(crowd.iter().all(Visitor::is_welcome));
        let more = visitors.enter();
        assert!(!more.is_welcome() && crowd[0].is_welcome());
        drop(crowd);
        assert!(more.is_welcome());
    }
}
