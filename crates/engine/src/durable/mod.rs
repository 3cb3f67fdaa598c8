//! Durable stores: what agents wrote, which no other file can bring back.
//!
//! The area defines a store's rows. This module has what all stores share: where they are,
//! how a plan's change to one is committed, recorded and undone.

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

use self::tables::ChangeRecord;
use crate::search;

pub(crate) use derived_cache::DerivedCache;
pub use manager::StoreManager;
pub(crate) use open_stores::{OpenStores, StoreCommit};
pub use overlay::{SharedChanges, SharedSource};
pub use store_reader::StoreReader;
pub use tables::UNDO_MIGRATION;

/// A durable store that an area keeps.
#[derive(Debug, Clone, Copy)]
pub struct DurableStore {
    /// Its name, which starts the numbers of its changes
    pub name: &'static str,
    /// Its file, below the folder that all worktrees share; `{branch}` makes it one a branch
    pub file: &'static str,
    /// Its tables, in steps; the record of changes comes before the first
    pub steps: &'static [Migration],
    /// Reads a recorded inverse back
    pub inverse: fn(&Value) -> Result<Arc<dyn StoreChange>>,
    /// How shared files are read for it
    pub shared: Option<SharedSource>,
    /// Brings what is derived from a record up to date after another machine wrote it
    pub index_record: fn(&Connection, &RecordImage) -> Result<()>,
    /// Why a change of a record cannot wait for the team's server; none if it can
    pub needs_server: fn(&RecordChange) -> Option<&'static str>,
}

/// A change to a durable store, made by an area and committed by the engine.
pub trait StoreChange: Debug + Send + Sync {
    /// The store it is for.
    fn store(&self) -> &'static str;

    /// What it would do, for a dry run.
    fn preview(&self) -> String;

    /// Does it. Returns what undoes it, as [`DurableStore::inverse`] reads it.
    fn apply(&self, transaction: &Transaction<'_>) -> Result<Value>;

    /// How many numbers it uses: its own, and one for each entry of a log that it adds besides.
    fn number_count(&self) -> u64 {
        1
    }

    /// The change of the same store that it takes back, if it is an undo or redo.
    fn undoes(&self) -> Option<i64> {
        None
    }

    /// The same change made by somebody now: an area that keeps a log of its own wants to know.
    fn attributed_to(&self, _at: &str, _actor: &str) -> Option<Arc<dyn StoreChange>> {
        None
    }
}

impl DurableStore {
    /// Opens the store, made or migrated if need be.
    pub fn open(&self, path: &Path) -> Result<Store> {
        make_folder(path)?;
        store::open_durable(path, &self.all_migrations())
    }

    /// Refuses a file of this store, or a copy of one, that a newer cairn wrote.
    pub fn refuse_newer(&self, path: &Path) -> Result<()> {
        store::refuse_newer(path, &self.all_migrations())
    }

    fn all_migrations(&self) -> Vec<Migration> {
        [tables::CHANGES_MIGRATION].into_iter().chain(self.steps.iter().copied()).collect()
    }

    /// Whether it keeps search text.
    pub(crate) fn has_search_text(&self) -> bool {
        self.steps.iter().any(|step| step.name == search::TEXT_MIGRATION.name)
    }

    /// The lock at which writers queue; its folder is made.
    pub(crate) fn lock_file(path: &Path) -> Result<PathBuf> {
        make_folder(path)?;
        Ok(path.with_extension("lock"))
    }

    /// Looks at the store as of now; nothing if it is not there.
    pub(crate) fn open_reader(&self, path: &Path) -> Result<Option<StoreReader>> {
        OpenStores::with_capacity(0).reader(self, path)
    }

    /// What undoes a recorded change, made by somebody now.
    pub fn undo_change(&self, made: &ChangeRecord, call: &Call) -> Result<Arc<dyn StoreChange>> {
        let inverse = self.inverse_of(made)?;
        let inverse = inverse.attributed_to(&call.now.to_string(), &call.actor).unwrap_or(inverse);
        Ok(Arc::new(InverseChange { inverse, undoes: made.id }))
    }

    /// What a recorded change left to undo it.
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

/// The inverse of a recorded change, which knows what it takes back.
#[derive(Debug)]
struct InverseChange {
    inverse: Arc<dyn StoreChange>,
    undoes: i64,
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

    fn undoes(&self) -> Option<i64> {
        Some(self.undoes)
    }
}

fn make_folder(path: &Path) -> Result<()> {
    let folder = path.parent().unwrap_or(path);
    std::fs::create_dir_all(folder).map_err(Problem::io("make the folder of a store"))
}
