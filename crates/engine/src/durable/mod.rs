//! Durable stores: data written by agents and people that exists nowhere else.
//!
//! An area defines the rows of its store. This module has what all stores share: their paths, and
//! how a planned change is committed, recorded and undone.

pub mod branches;
pub(crate) mod counter;
mod derived_cache;
pub mod locations;
mod manager;
mod open_stores;
pub(crate) mod overlay;
pub(crate) mod owner;
mod store_reader;
pub mod tables;
pub mod team;

use std::fmt::Debug;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use base::{Call, Problem, ProblemCode, Result};
use serde_json::Value;
use store::{Connection, Migration, RecordChange, RecordImage, Store, Transaction};
use tree::ChangeId;

use self::tables::ChangeRecord;
use crate::search;

pub(crate) use derived_cache::DerivedCache;
pub use manager::StoreManager;
pub(crate) use open_stores::{OpenStores, StoreCommit};
pub use overlay::{SharedChanges, SharedSource};
pub use store_reader::StoreReader;
pub use tables::UNDO_MIGRATION;

/// The declaration of a durable store by its area.
#[derive(Debug, Clone, Copy)]
pub struct DurableStore {
    /// Its name. The handles of changes made by older versions start with it
    pub name: &'static str,
    /// The path of its file below the folder that all worktrees share. With `{branch}` in it there
    /// is one file per branch
    pub file: &'static str,
    /// The migrations of its tables. The table of changes is created before the first of them
    pub steps: &'static [Migration],
    /// Parses the recorded inverse of a change
    pub inverse: fn(&Value) -> Result<Arc<dyn StoreChange>>,
    /// How the area reads shared files into the store; `None` if it does not
    pub shared: Option<SharedSource>,
    /// Updates what is derived from a record after another machine wrote it
    pub index_record: fn(&Connection, &RecordImage) -> Result<()>,
    /// Why a change of a record cannot wait for the team's server; `None` if it can
    pub needs_server: fn(&RecordChange) -> Option<&'static str>,
    /// The record of another store as it is added to this one, where both may have given a name of their own to
    /// different things
    pub added_record: fn(&Connection, RecordImage) -> Result<RecordImage>,
    /// The first rule that the records break; `None` if there is none, as after every change
    pub broken_rule: fn(&Connection) -> Result<Option<String>>,
}

/// A change to a durable store, made by an area and committed by the engine.
pub trait StoreChange: Debug + Send + Sync {
    /// The name of the store.
    fn store(&self) -> &'static str;

    /// The effect of the change, for a dry run.
    fn preview(&self) -> String;

    /// Applies the change. Returns its inverse in the form that [`DurableStore::inverse`] parses.
    fn apply(&self, transaction: &Transaction<'_>) -> Result<Value>;

    /// How many numbers the change uses: one for itself, and one for each additional entry of a
    /// log.
    fn number_count(&self) -> u64 {
        1
    }

    /// The change of the same store that this change undoes, if it is an undo or redo.
    fn undoes(&self) -> Option<ChangeId> {
        None
    }

    /// The same change with another time and author, for areas that keep a log of their own.
    fn attributed_to(&self, _at: &str, _actor: &str) -> Option<Arc<dyn StoreChange>> {
        None
    }
}

impl DurableStore {
    /// Opens the store. It is created or migrated if necessary.
    pub fn open(&self, path: &Path) -> Result<Store> {
        make_folder(path)?;
        store::open_durable(path, &self.all_migrations())
    }

    /// Fails if a file of this store, or a backup of it, was written by a newer version of cairn.
    pub fn refuse_newer(&self, path: &Path) -> Result<()> {
        store::refuse_newer(path, &self.all_migrations())
    }

    fn all_migrations(&self) -> Vec<Migration> {
        [tables::CHANGES_MIGRATION].into_iter().chain(self.steps.iter().copied()).collect()
    }

    /// Whether it contains search text.
    pub(crate) fn has_search_text(&self) -> bool {
        self.steps.iter().any(|step| step.name == search::TEXT_MIGRATION.name)
    }

    /// The lock file at which writers queue. Its folder is created.
    pub(crate) fn lock_file(path: &Path) -> Result<PathBuf> {
        make_folder(path)?;
        Ok(path.with_extension("lock"))
    }

    /// Opens one consistent state of the store; `None` if it does not exist.
    pub(crate) fn open_reader(&self, path: &Path) -> Result<Option<StoreReader>> {
        OpenStores::with_capacity(0).reader(self, path)
    }

    /// The change that undoes a recorded change, with the time and author of the call.
    pub fn undo_change(&self, made: &ChangeRecord, call: &Call) -> Result<Arc<dyn StoreChange>> {
        let inverse = self.inverse_of(made)?;
        let inverse = inverse.attributed_to(&call.now.to_string(), &call.actor).unwrap_or(inverse);
        Ok(Arc::new(InverseChange { inverse, undoes: made.id }))
    }

    /// Parses the recorded inverse of a change.
    fn inverse_of(&self, made: &ChangeRecord) -> Result<Arc<dyn StoreChange>> {
        let damaged = |error: serde_json::Error| {
            Problem::new(
                ProblemCode::StoreDamaged,
                format!("change {} cannot be read back", made.id),
            )
            .with_source(error)
        };
        (self.inverse)(&serde_json::from_str(&made.inverse).map_err(damaged)?)
    }
}

/// The inverse of a recorded change, which knows the change that it undoes.
#[derive(Debug)]
struct InverseChange {
    inverse: Arc<dyn StoreChange>,
    undoes: ChangeId,
}

impl StoreChange for InverseChange {
    fn store(&self) -> &'static str {
        self.inverse.store()
    }

    fn preview(&self) -> String {
        self.inverse.preview()
    }

    fn apply(&self, transaction: &Transaction<'_>) -> Result<Value> {
        self.inverse.apply(transaction)
    }

    fn number_count(&self) -> u64 {
        self.inverse.number_count()
    }

    fn undoes(&self) -> Option<ChangeId> {
        Some(self.undoes)
    }
}

fn make_folder(path: &Path) -> Result<()> {
    let folder = path.parent().unwrap_or(path);
    std::fs::create_dir_all(folder).map_err(Problem::io("make the folder of a store"))
}
