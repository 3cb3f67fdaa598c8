//! Durable stores that stay open between calls.

use std::path::Path;

use base::{Call, Problem, ProblemCode, Result};
use store::{Connection, RecordCapture, Store, Transaction};
use tree::ChangeId;

use super::counter::ChangeCounter;
use super::tables::{self, ChangeRecord};
use super::team::{PublishedChange, TeamLink, TeamWrite, record_tables};
use super::{DurableStore, StoreChange, StoreReader};
use crate::connection_pool::{FileId, IdlePool};

/// The open connections of a workspace to its durable stores, for reading and for writing.
#[derive(Debug)]
pub struct OpenStores {
    readers: IdlePool<Connection>,
    writers: IdlePool<Store>,
}

/// A change to a store that has to be committed.
pub(crate) struct StoreCommit<'a> {
    /// The store
    pub durable: &'a DurableStore,
    /// Its file
    pub path: &'a Path,
    /// The change
    pub change: &'a dyn StoreChange,
    /// The revision of the store that the change was planned from
    pub planned_from: i64,
    /// A change that adds records from shared files and is applied first
    pub pulled: Option<&'a dyn StoreChange>,
    /// A short description of the change
    pub summary: &'a str,
    /// The counter that gives the change its number
    pub counter: &'a ChangeCounter,
    /// How the team takes part in this change
    pub team: &'a TeamWrite,
    /// The link to the team
    pub link: &'a TeamLink,
    /// Who asks for it
    pub call: &'a Call,
}

impl StoreCommit<'_> {
    /// The record of the change, whose inverse is not known yet.
    fn record(&self, id: ChangeId) -> ChangeRecord {
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

impl StoreCommit<'_> {
    /// The error that the store changed after the change was planned. In a team the records
    /// themselves may not conflict: the server may have been reached or lost while the change was
    /// planned.
    fn outdated_plan(&self) -> Problem {
        match self.team {
            TeamWrite::Local => {
                Problem::new(ProblemCode::Conflict, "the store changed in the meantime")
            }
            _ => Problem::new(ProblemCode::Busy, "the team's records changed in the meantime")
                .hint("repeat the request"),
        }
    }

    /// Applies the change in a transaction. Returns its number.
    fn apply(&self, transaction: &Transaction<'_>) -> Result<ChangeId> {
        if tables::revision(transaction)? != self.planned_from {
            return Err(self.outdated_plan());
        }
        if let Some(pulled) = self.pulled {
            pulled.apply(transaction)?;
        }
        let above = tables::highest_number(transaction)?;
        let count = self.change.number_count();
        let id = ChangeId(self.counter.reserve(above, count, self.call)?);
        // The record comes first: an area that keeps a log numbers its entries from it.
        tables::record(transaction, &self.record(id))?;
        let inverse = self.change.apply(transaction)?.to_string();
        tables::set_inverse(transaction, id, &inverse)?;
        self.call.check_stopped()?; // the last chance to stop
        Ok(id)
    }

    /// Applies the change and publishes its records before the local transaction is committed. A
    /// request that waits for the server writes no rows here.
    fn apply_and_publish(&self, store: &mut Store) -> Result<ChangeId> {
        let records = record_tables(store.connection())?;
        let capture = RecordCapture::start(store.connection(), records)?;
        let done = store.write(|transaction| {
            let id = self.apply(transaction)?;
            let published = PublishedChange {
                durable: self.durable,
                changes: &capture.changes(transaction)?,
                summary: self.summary,
                is_undo: self.change.undoes().is_some(),
                call: self.call,
            };
            self.team.publish(transaction, &published, self.link)?;
            if self.team.is_parked() {
                return Err(Problem::new(
                    ProblemCode::Unavailable,
                    "the change waits for the server",
                ));
            }
            Ok(id)
        });
        capture.finish(store.connection())?;
        done
    }
}

impl OpenStores {
    /// Keeps at most this many reading connections open. A process that gives one answer keeps
    /// none.
    pub(crate) fn with_capacity(most: usize) -> Self {
        Self { readers: IdlePool::with_capacity(most), writers: IdlePool::with_capacity(most / 2) }
    }

    /// Opens one consistent state of a store; `None` if it does not exist.
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
    /// revision that the change was planned from. Records from shared files are applied first.
    /// Returns the number of the change; `None` for a request that waits for the team's server.
    pub(crate) fn commit(&self, commit: &StoreCommit<'_>) -> Result<Option<String>> {
        let StoreCommit { durable, path, .. } = *commit;
        let idle = FileId::with_state(path).and_then(|file| self.writers.take(&file));
        let mut store = idle.map_or_else(|| durable.open(path), Ok)?;
        let done = match commit.team.captures() {
            false => store.write(|transaction| commit.apply(transaction)),
            true => commit.apply_and_publish(&mut store),
        };
        if commit.team.is_parked() {
            return Ok(None);
        }
        let id = done?;
        if let Some(file) = FileId::with_state(path) {
            self.writers.give_back(file, store);
        }
        Ok(Some(id.to_string()))
    }

    /// Closes the connections that are not in use.
    pub fn close_idle(&self) {
        self.readers.clear();
        self.writers.clear();
    }
}
