//! Durable stores: what agents wrote, which no other file can bring back.
//!
//! A store's rows are the business of its area. Here is what all of them share: where they are,
//! how a plan's change to one is committed, recorded and undone.

mod idle;
mod kept;
pub(crate) mod name;
pub(crate) mod place;
mod read;
pub(crate) mod tables;

use std::fmt::Debug;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use base::{Call, Code, Problem, Result};
use serde_json::Value;
use store::{Migration, Store, Transaction};

use self::tables::Made;
use crate::search;

pub(crate) use idle::Idle;
pub(crate) use kept::Kept;
pub use read::Reading;

/// A durable store that an area keeps.
#[derive(Debug, Clone, Copy)]
pub struct Durable {
    /// Its name, which starts the numbers of its changes
    pub name: &'static str,
    /// Its file, below the folder that all worktrees share; `{branch}` makes it one a branch
    pub file: &'static str,
    /// Its tables, in steps; the record of changes comes before the first
    pub steps: &'static [Migration],
    /// Reads a recorded inverse back
    pub inverse: fn(&Value) -> Result<Arc<dyn StoreChange>>,
}

/// A change to a durable store, made by an area and committed by the engine.
pub trait StoreChange: Debug + Send + Sync {
    /// The store it is for.
    fn store(&self) -> &'static str;

    /// What it would do, for a dry run.
    fn preview(&self) -> String;

    /// Does it. Returns what undoes it, as [`Durable::inverse`] reads it.
    fn apply(&self, transaction: &Transaction<'_>) -> Result<Value>;

    /// The same change made by somebody now: an area that keeps a log of its own wants to know.
    fn stamped(&self, _at: &str, _actor: &str) -> Option<Arc<dyn StoreChange>> {
        None
    }
}

impl Durable {
    /// Opens the store, made or migrated if need be.
    pub(crate) fn open(&self, path: &Path) -> Result<Store> {
        make_folder(path)?;
        let steps: Vec<Migration> =
            [tables::CHANGES].into_iter().chain(self.steps.iter().copied()).collect();
        store::open_durable(path, &steps)
    }

    /// Commits a change and its record in one transaction, unless the store is no longer at the
    /// revision that the change was planned from. Returns the change's number.
    pub(crate) fn commit(
        &self,
        path: &Path,
        (change, planned_from): (&dyn StoreChange, i64),
        (summary, call): (String, &Call),
    ) -> Result<String> {
        let id = self.open(path)?.write(|transaction| {
            if tables::revision(transaction)? != planned_from {
                return Err(Problem::new(Code::Conflict, "another writer came between"));
            }
            let inverse = change.apply(transaction)?.to_string();
            let (at, actor) = (call.now.to_string(), call.actor.clone());
            call.go_on()?; // the last chance to stop
            tables::record(transaction, &Made { id: 0, at, actor, summary, inverse })
        })?;
        Ok(format!("{}:{id}", self.name))
    }

    /// Whether it keeps search text.
    pub(crate) fn has_texts(&self) -> bool {
        self.steps.iter().any(|step| step.name == search::STEP.name)
    }

    /// The lock at which writers queue; its folder is made.
    pub(crate) fn lock_file(path: &Path) -> Result<PathBuf> {
        make_folder(path)?;
        Ok(path.with_extension("lock"))
    }

    /// The number of its last change.
    pub(crate) fn revision(&self, path: &Path) -> Result<i64> {
        Ok(self.read(path)?.map_or(0, |reading| reading.revision))
    }

    /// Looks at the store as of now; nothing if it is not there.
    pub(crate) fn read(&self, path: &Path) -> Result<Option<Reading>> {
        if !path.exists() {
            return Ok(None);
        }
        let reading = Reading::open(path)?;
        if reading.steps == self.steps.len() + 1 {
            return Ok(Some(reading));
        }
        drop(reading);
        drop(self.open(path)?); // brings it up to date, or refuses a newer one
        Reading::open(path).map(Some)
    }

    /// The same through a connection that is open, if there is one.
    pub(crate) fn read_again(&self, path: &Path, idle: &Idle) -> Result<Option<Reading>> {
        match idle.look(path).filter(|reading| reading.steps == self.steps.len() + 1) {
            Some(reading) => Ok(Some(reading)),
            None => self.read(path),
        }
    }

    /// A recorded change, by number or the last one. A store that is not there has none.
    pub(crate) fn made(&self, path: &Path, id: Option<i64>) -> Result<Option<Made>> {
        if !path.exists() {
            return Ok(None);
        }
        tables::made(self.open(path)?.connection(), id)
    }

    /// What undoes a recorded change.
    pub(crate) fn undoing(&self, made: &Made) -> Result<Arc<dyn StoreChange>> {
        let damaged = |error: serde_json::Error| {
            Problem::new(Code::StoreDamaged, format!("change {} cannot be read back", made.id))
                .because(error)
        };
        (self.inverse)(&serde_json::from_str(&made.inverse).map_err(damaged)?)
    }
}

fn make_folder(path: &Path) -> Result<()> {
    let folder = path.parent().unwrap_or(path);
    std::fs::create_dir_all(folder).map_err(Problem::io("make the folder of a store"))
}
