//! The durable stores of one workspace: their declarations, their paths and their open connections.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Once;
use std::time::Duration;

use base::{Call, Problem, Result};

use super::locations::{self, FollowedRenames, StoreLocations};
use super::owner::StoreOwner;
use super::team::TeamLink;
use super::{DurableStore, OpenStores};
use crate::repository::Repository;

/// How long a writer waits for the lock of a store before it gives up with `BUSY`.
const STORE_LOCK_TIMEOUT: Duration = Duration::from_secs(5);

/// The durable stores of a workspace.
#[derive(Debug)]
pub struct StoreManager {
    /// The stores that areas declare
    durables: Vec<DurableStore>,
    /// The folder that all worktrees share
    shared: PathBuf,
    /// Connections that stay open between calls
    open_stores: OpenStores,
    /// The team that shares them, if this clone has joined one
    team: TeamLink,
    /// Set once this process has looked for renamed branches
    renames_followed: Once,
}

impl StoreManager {
    /// Manages stores below a folder and keeps at most `max_open` connections for reading.
    pub(crate) fn new(
        durables: Vec<DurableStore>,
        shared: PathBuf,
        max_open: usize,
        env: Vec<(OsString, OsString)>,
    ) -> Self {
        let open_stores = OpenStores::with_capacity(max_open);
        let team = TeamLink::new(shared.clone(), env);
        Self { durables, shared, open_stores, team, renames_followed: Once::new() }
    }

    /// The link to the team that shares the stores.
    pub fn team(&self) -> &TeamLink {
        &self.team
    }

    /// The stores that areas declare.
    pub(crate) fn durables(&self) -> &[DurableStore] {
        &self.durables
    }

    /// The connections that are open.
    pub fn open_stores(&self) -> &OpenStores {
        &self.open_stores
    }

    /// The store of this name.
    pub(crate) fn find(&self, name: &str) -> Result<DurableStore> {
        let found = self.durables.iter().find(|durable| durable.name == name);
        found.copied().ok_or_else(|| Problem::not_found(format!("unknown store `{name}`")))
    }

    /// The paths of the stores for what is checked out now.
    pub(crate) fn locate(
        &self,
        git: Option<&Repository>,
        default_branch: Option<&str>,
        call: &Call,
    ) -> Result<StoreLocations> {
        let followed = self.follow_renames(git, call)?;
        StoreLocations::find(&self.shared, git, default_branch, followed, call)
    }

    /// Moves the stores of renamed branches, once per process. A failure is reported by the next
    /// call that needs a store.
    pub(crate) fn follow_renames_once(&self, git: Option<&Repository>, call: &Call) {
        self.renames_followed.call_once(|| drop(self.follow_renames(git, call)));
    }

    /// Moves the stores of branches that were renamed since the last call.
    fn follow_renames(&self, git: Option<&Repository>, call: &Call) -> Result<FollowedRenames> {
        let Some(git) = git else { return Ok(FollowedRenames::default()) };
        let followed = locations::follow_renames(&self.shared, git, call)?;
        if followed.moved {
            self.open_stores.close_idle();
        }
        Ok(followed)
    }

    /// Creates missing stores of the checked-out branch as copies of the default branch's. If
    /// nothing was ever written, nothing is copied. A commit that is checked out without a branch
    /// gets its own store with the first write, because most such commits are only read.
    pub fn create_branch_stores_if_written(
        &self,
        locations: &StoreLocations,
        call: &Call,
    ) -> Result<()> {
        if matches!(locations.checked_out(), Some(StoreOwner::Commit(_))) {
            return Ok(());
        }
        let written = self.durables.iter().filter(|durable| locations.read_path(durable).exists());
        written
            .into_iter()
            .try_for_each(|durable| self.create_branch_store(locations, durable, call))
    }

    /// Creates the stores of the branch that is checked out, also where nothing was ever written.
    pub fn create_branch_stores(&self, locations: &StoreLocations, call: &Call) -> Result<()> {
        let is_branch = !matches!(locations.checked_out(), Some(StoreOwner::Commit(_)));
        for durable in self.durables.iter().filter(|one| is_branch && one.is_per_branch()) {
            self.create_branch_store(locations, durable, call)?;
            let file = locations.write_path(durable);
            if !file.exists() {
                let _lock = Self::lock(&file, call)?;
                drop(durable.open(&file)?);
            }
        }
        Ok(())
    }

    /// Creates the branch's own store if it is missing. The folder gets its final name at the
    /// end, so nothing may be open in it.
    pub(crate) fn create_branch_store(
        &self,
        locations: &StoreLocations,
        durable: &DurableStore,
        call: &Call,
    ) -> Result<()> {
        if locations.create_branch_store(durable, call)? {
            self.open_stores.close_idle();
        }
        Ok(())
    }

    /// Waits until nobody else writes to a store.
    pub fn lock(file: &Path, call: &Call) -> Result<tree::FileLock> {
        tree::lock(&DurableStore::lock_file(file)?, STORE_LOCK_TIMEOUT, call)
    }
}
