//! Durable stores that stay open between calls.

use std::path::Path;

use base::{Call, Problem, ProblemCode, Result};
use store::{Connection, Store};

use super::counter::ChangeCounter;
use super::tables::{self, ChangeRecord};
use super::{DurableStore, StoreChange, StoreReader};
use crate::connection_pool::{FileId, IdlePool};

/// The stores that a workspace has open: for reading as of one moment, and for writing.
#[derive(Debug)]
pub struct OpenStores {
    readers: IdlePool<Connection>,
    writers: IdlePool<Store>,
}

/// A change to a store that is to be committed.
pub(crate) struct StoreCommit<'a> {
    /// The store
    pub durable: &'a DurableStore,
    /// Its file
    pub path: &'a Path,
    /// The change
    pub change: &'a dyn StoreChange,
    /// The revision of the store that it was planned from
    pub planned_from: i64,
    /// What was pulled in shared files and comes before it
    pub pulled: Option<&'a dyn StoreChange>,
    /// What the change does, in a few words
    pub summary: &'a str,
    /// Where its number comes from
    pub counter: &'a ChangeCounter,
    /// Who asks for it
    pub call: &'a Call,
}

impl StoreCommit<'_> {
    /// The record of the change, still without what undoes it.
    fn record(&self, id: i64) -> ChangeRecord {
        ChangeRecord {
            id,
            at: self.call.now.to_string(),
            actor: self.call.actor.clone(),
            session: Some(self.call.session.clone()),
            summary: self.summary.to_owned(),
            inverse: String::new(),
            undoes: self.change.undoes(),
        }
    }
}

impl OpenStores {
    /// Stores that stay open, so many for reading. A process that gives one answer keeps none.
    pub(crate) fn with_capacity(most: usize) -> Self {
        Self { readers: IdlePool::with_capacity(most), writers: IdlePool::with_capacity(most / 2) }
    }

    /// Looks at a store as of now; nothing if it is not there.
    pub(crate) fn reader(
        &self,
        durable: &DurableStore,
        path: &Path,
    ) -> Result<Option<StoreReader>> {
        let look = || {
            let Some(file) = FileId::with_state(path) else { return Ok(None) };
            let (conn, _) = self.readers.checkout(file, store::open_read_only)?;
            StoreReader::of(conn).map(Some)
        };
        let Some(reading) = look()? else { return Ok(None) };
        if reading.steps == durable.steps.len() + 1 {
            return Ok(Some(reading));
        }
        drop(reading);
        self.close_idle();
        drop(durable.open(path)?); // brings it up to date, or refuses a newer one
        look()
    }

    /// The number of a store's last change.
    pub(crate) fn revision(&self, durable: &DurableStore, path: &Path) -> Result<i64> {
        Ok(self.reader(durable, path)?.map_or(0, |reading| reading.revision))
    }

    /// Commits a change and its record in one transaction, unless the store is no longer at the
    /// revision that the change was planned from. It comes after what was pulled in shared
    /// files. Returns the change's number.
    pub(crate) fn commit(&self, commit: &StoreCommit<'_>) -> Result<String> {
        let StoreCommit { durable, path, call, .. } = *commit;
        let idle = FileId::with_state(path).and_then(|file| self.writers.take(&file));
        let mut store = idle.map_or_else(|| durable.open(path), Ok)?;
        let id = store.write(|transaction| {
            if tables::revision(transaction)? != commit.planned_from {
                return Err(Problem::new(ProblemCode::Conflict, "another writer came between"));
            }
            if let Some(pulled) = commit.pulled {
                pulled.apply(transaction)?;
            }
            let above = tables::highest_number(transaction)?;
            let id = commit.counter.reserve(above, commit.change.number_count(), call)?;
            let id = i64::try_from(id).map_err(|_| Problem::internal("no number is left"))?;
            // The record comes first: an area that keeps a log numbers its entries from it.
            tables::record(transaction, &commit.record(id))?;
            let inverse = commit.change.apply(transaction)?.to_string();
            tables::set_inverse(transaction, id, &inverse)?;
            call.check_stopped()?; // the last chance to stop
            Ok(id)
        })?;
        if let Some(file) = FileId::with_state(path) {
            self.writers.give_back(file, store);
        }
        Ok(id.to_string())
    }

    /// Closes all that nobody uses.
    pub fn close_idle(&self) {
        self.readers.clear();
        self.writers.clear();
    }
}
