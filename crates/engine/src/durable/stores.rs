//! Durable stores that stay open between calls.

use std::path::Path;

use base::{Call, Code, Problem, Result};
use store::{Connection, Store};

use super::counter::ChangeCounter;
use super::tables::{self, Made};
use super::{Durable, Reading, StoreChange};
use crate::idle::{FileId, Pool};

/// The stores that a workspace has open: for reading as of one moment, and for writing.
#[derive(Debug)]
pub(crate) struct Stores {
    readers: Pool<Connection>,
    writers: Pool<Store>,
}

/// A change to a store that is to be committed.
pub(crate) struct StoreCommit<'a> {
    /// The store
    pub durable: &'a Durable,
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
    fn record(&self, id: i64) -> Made {
        Made {
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
    /// revision that the change was planned from. It comes after what was pulled in shared
    /// files. Returns the change's number.
    pub(crate) fn commit(&self, commit: &StoreCommit<'_>) -> Result<String> {
        let StoreCommit { durable, path, call, .. } = *commit;
        let idle = FileId::unchanged(path).and_then(|file| self.writers.take(&file));
        let mut store = idle.map_or_else(|| durable.open(path), Ok)?;
        let id = store.write(|transaction| {
            if tables::revision(transaction)? != commit.planned_from {
                return Err(Problem::new(Code::Conflict, "another writer came between"));
            }
            if let Some(pulled) = commit.pulled {
                pulled.apply(transaction)?;
            }
            let above = tables::highest(transaction)?;
            let id = commit.counter.take(above, commit.change.numbers(), call)?;
            let id = i64::try_from(id).map_err(|_| Problem::internal("no number is left"))?;
            // The record comes first: an area that keeps a log numbers its entries from it.
            tables::record(transaction, &commit.record(id))?;
            let inverse = commit.change.apply(transaction)?.to_string();
            tables::set_inverse(transaction, id, &inverse)?;
            call.go_on()?; // the last chance to stop
            Ok(id)
        })?;
        if let Some(file) = FileId::unchanged(path) {
            self.writers.give_back(file, store);
        }
        Ok(id.to_string())
    }

    /// Closes all that nobody uses.
    pub(crate) fn forget(&self) {
        self.readers.forget();
        self.writers.forget();
    }
}
