//! Durable stores that stay open between calls.

use std::path::Path;

use base::{Call, Code, Problem, Result};
use store::{Connection, Store};

use super::tables::{self, Made};
use super::{Durable, Reading, StoreChange};
use crate::idle::{FileId, Pool};

/// The stores that a workspace has open: for reading as of one moment, and for writing.
#[derive(Debug)]
pub(crate) struct Stores {
    readers: Pool<Connection>,
    writers: Pool<Store>,
}

impl Stores {
    /// Stores that stay open, so many for reading. A process that gives one answer keeps none.
    pub(crate) fn keeping(most: usize) -> Self {
        Self { readers: Pool::keeping(most), writers: Pool::keeping(most / 2) }
    }

    /// Looks at a store as of now; nothing if it is not there.
    pub(crate) fn read(&self, durable: &Durable, path: &Path) -> Result<Option<Reading>> {
        let look = || {
            let Some(file) = FileId::unchanged(path) else { return Ok(None) };
            let (conn, _) = self.readers.lend(file, store::open_reading)?;
            Reading::of(conn).map(Some)
        };
        let Some(reading) = look()? else { return Ok(None) };
        if reading.steps == durable.steps.len() + 1 {
            return Ok(Some(reading));
        }
        drop(reading);
        self.forget();
        drop(durable.open(path)?); // brings it up to date, or refuses a newer one
        look()
    }

    /// The number of a store's last change.
    pub(crate) fn revision(&self, durable: &Durable, path: &Path) -> Result<i64> {
        Ok(self.read(durable, path)?.map_or(0, |reading| reading.revision))
    }

    /// Commits a change and its record in one transaction, unless the store is no longer at the
    /// revision that the change was planned from. It comes after what was pulled in shared files.
    /// Returns the change's number.
    pub(crate) fn commit(
        &self,
        (durable, path): (&Durable, &Path),
        (change, planned_from, pulled): (&dyn StoreChange, i64, Option<&dyn StoreChange>),
        (summary, call): (String, &Call),
    ) -> Result<String> {
        let idle = FileId::unchanged(path).and_then(|file| self.writers.take(&file));
        let mut store = idle.map_or_else(|| durable.open(path), Ok)?;
        let id = store.write(|transaction| {
            if tables::revision(transaction)? != planned_from {
                return Err(Problem::new(Code::Conflict, "another writer came between"));
            }
            if let Some(pulled) = pulled {
                pulled.apply(transaction)?;
            }
            let inverse = change.apply(transaction)?.to_string();
            let (at, actor) = (call.now.to_string(), call.actor.clone());
            call.go_on()?; // the last chance to stop
            tables::record(transaction, &Made { id: 0, at, actor, summary, inverse })
        })?;
        if let Some(file) = FileId::unchanged(path) {
            self.writers.give_back(file, store);
        }
        Ok(format!("{}:{id}", durable.name))
    }

    /// Closes all that nobody uses.
    pub(crate) fn forget(&self) {
        self.readers.forget();
        self.writers.forget();
    }
}
