//! Stores beside the index that depend on the checked-out commit and not on the files.
//!
//! Reading the history can take minutes, and the index must not wait for it. A follower therefore
//! has files of its own and is updated in a step of its own, and only operations that need it wait
//! for it.

mod follower_files;

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread;
use std::time::{Duration, Instant};

use base::call::{CallStopReason, Progress};
use base::{Call, NextCall, Problem, ProblemCode, Result};
use config::Config;
use store::{Connection, Store};

use crate::connection_pool::IdlePool;
use crate::data_folders::DataFolders;
use crate::repository::Repository;

pub use follower_files::{FollowerFile, FollowerFileScope};
pub(crate) use follower_files::{FollowerFiles, is_damage};

/// Interval at which a waiting reader tries again.
const POLL_INTERVAL: Duration = Duration::from_millis(2);

/// Maximum time to wait for another process that updates the same files.
const LOCK_TIMEOUT: Duration = Duration::from_mins(10);

/// The part of an area that depends on the checked-out commit.
pub trait CommitFollower: Sync {
    /// Its files, in the order in which they are written: rows of a file refer to rows of earlier
    /// files only.
    fn files(&self) -> &'static [FollowerFile];

    /// Whether its files fit together, that is, whether every row that one of them refers to exists
    /// in the other.
    fn is_consistent(&self, conns: &[&Connection]) -> Result<bool>;

    /// Whether its files are up to date.
    fn is_up_to_date(&self, conns: &[&Connection], goal: &FollowTarget<'_>) -> Result<bool>;

    /// Brings its files up to date. If it is stopped, the work done so far is kept.
    fn update(&self, stores: &mut [Store], goal: &FollowTarget<'_>) -> Result<()>;
}

/// The state that a follower's files must reach.
pub struct FollowTarget<'a> {
    /// The repository
    pub git: &'a Repository,
    /// The checked-out commit; `None` in a repository without commits
    pub head: Option<String>,
    /// The effective configuration
    pub config: &'a Config,
    /// The call that waits for the update
    pub call: &'a Call,
    /// Called with the progress of the update
    pub report_progress: &'a dyn Fn(Progress) -> Result<()>,
}

/// A repository with its effective configuration.
pub(crate) struct FollowedCheckout<'a> {
    pub(crate) git: &'a Repository,
    pub(crate) config: &'a Config,
}

/// A follower of one worktree.
pub struct WorktreeFollower {
    pub(crate) name: &'static str,
    follower: &'static dyn CommitFollower,
    folders: DataFolders,
    /// Allows one update at a time in this process
    update_lock: Mutex<()>,
    progress: Mutex<Progress>,
    /// Connections to its files that stay open between calls
    connections: IdlePool<Connection>,
}

/// The result of opening a follower's files.
pub(crate) enum FollowResult {
    /// The files are up to date
    Fresh(FollowerFiles),
    /// The files are as they were before the update, which would have taken longer than the caller
    /// waits
    Behind(FollowerFiles, Progress),
    /// The files do not exist yet
    Empty(Progress),
}

impl WorktreeFollower {
    /// A follower that keeps at most this many connections open between calls.
    pub(crate) fn new(
        name: &'static str,
        follower: &'static dyn CommitFollower,
        folders: &DataFolders,
        most_open: usize,
    ) -> Self {
        let (update_lock, progress) = (Mutex::default(), Mutex::default());
        let connections = IdlePool::with_capacity(most_open);
        Self { name, follower, folders: folders.clone(), update_lock, progress, connections }
    }

    /// Updates the files and opens them. It waits as long as `call` allows, or for `limit` if that
    /// is shorter. The limit counts from the moment at which there is something to update, so files
    /// that are up to date are always recognised.
    pub(crate) fn open_up_to_date(
        &self,
        checkout: &FollowedCheckout<'_>,
        call: &Call,
        limit: Option<Duration>,
    ) -> Result<FollowResult> {
        let mut done = self.catch_up(checkout, call, limit);
        // Damaged files are useless: as a cache, they are built again without asking.
        if done.as_ref().is_err_and(is_damage) {
            self.connections.clear();
            FollowerFiles::remove(self.follower.files(), &self.folders, None);
            done = self.catch_up(checkout, call, limit);
        }
        match done {
            // If files are still being written, or the disk is read-only, the last complete state
            // is used.
            Err(problem)
                if matches!(
                    problem.code,
                    ProblemCode::Timeout | ProblemCode::Busy | ProblemCode::Io
                ) =>
            {
                Ok(self.last_committed())
            }
            done => done.map(FollowResult::Fresh),
        }
    }

    /// Runs a function that changes the files, while no other process writes to them.
    pub fn write<T>(
        &self,
        call: &Call,
        change: impl FnOnce(&mut [Store]) -> Result<T>,
    ) -> Result<T> {
        let _busy = self.lock_in_process(call)?;
        let _lock = FollowerFiles::lock(self.follower.files(), &self.folders, LOCK_TIMEOUT, call)?;
        change(&mut FollowerFiles::open(self.follower.files(), &self.folders)?)
    }

    /// Deletes the files that belong to this worktree only.
    pub(crate) fn remove_worktree_files(&self) -> Result<()> {
        let _busy = self.update_lock.lock().unwrap_or_else(PoisonError::into_inner);
        self.connections.clear();
        FollowerFiles::remove(
            self.follower.files(),
            &self.folders,
            Some(FollowerFileScope::Worktree),
        );
        Ok(())
    }

    /// The files of this follower, with their names.
    pub(crate) fn paths(&self) -> Vec<(&'static str, PathBuf)> {
        let path = |file: &FollowerFile| (file.name, file.path(&self.folders));
        self.follower.files().iter().map(path).collect()
    }

    fn catch_up(
        &self,
        checkout: &FollowedCheckout<'_>,
        call: &Call,
        limit: Option<Duration>,
    ) -> Result<FollowerFiles> {
        let FollowedCheckout { git, config } = *checkout;
        let head = git.head_commit(call)?;
        let goal =
            FollowTarget { git, head: head.clone(), config, call, report_progress: &|_| Ok(()) };
        if let Some(files) = self.read_if_up_to_date(&goal)? {
            return Ok(files);
        }
        let start = Instant::now();
        let is_late = move || limit.is_some_and(|limit| start.elapsed() > limit);
        let call = &call.child(move || is_late().then_some(CallStopReason::Deadline));
        let tell = |progress: Progress| {
            *self.progress() = progress;
            call.step(progress.activity, progress.done, progress.total)
        };
        let goal = FollowTarget { git, head, config, call, report_progress: &tell };
        let _busy = self.lock_in_process(call)?;
        let _lock = FollowerFiles::lock(self.follower.files(), &self.folders, LOCK_TIMEOUT, call)?;
        // Another thread or process may have done it meanwhile.
        if let Some(files) = self.read_if_up_to_date(&goal)? {
            return Ok(files);
        }
        let mut stores = FollowerFiles::open(self.follower.files(), &self.folders)?;
        self.follower.update(&mut stores, &goal)?;
        drop(stores);
        self.read_if_up_to_date(&goal)?.ok_or_else(|| {
            // The next caller follows the new commit; a loop here might never end.
            Problem::new(ProblemCode::Busy, format!("{} changed while it was read", self.name))
                .hint("repeat the request in a moment")
        })
    }

    fn read_if_up_to_date(&self, goal: &FollowTarget<'_>) -> Result<Option<FollowerFiles>> {
        let Some(files) = self.read()? else { return Ok(None) };
        let arrived = self.follower.is_up_to_date(&files.all(), goal)?;
        Ok(arrived.then_some(files))
    }

    fn read(&self) -> Result<Option<FollowerFiles>> {
        FollowerFiles::read(self.follower.files(), &self.folders, &self.connections)
    }

    /// Waits for the update that runs in this process, and passes its progress on.
    fn lock_in_process(&self, call: &Call) -> Result<MutexGuard<'_, ()>> {
        loop {
            match self.update_lock.try_lock() {
                Ok(busy) => return Ok(busy),
                Err(TryLockError::Poisoned(busy)) => return Ok(busy.into_inner()),
                Err(TryLockError::WouldBlock) => {}
            }
            let Progress { activity: what, done, total } = *self.progress();
            call.step(what, done, total)?;
            thread::sleep(POLL_INTERVAL);
        }
    }

    fn last_committed(&self) -> FollowResult {
        let progress = *self.progress();
        match self.read() {
            Ok(Some(files)) if self.is_usable(&files) => FollowResult::Behind(files, progress),
            _ => FollowResult::Empty(progress),
        }
    }

    /// Whether files that are out of date can still be used for answers.
    fn is_usable(&self, files: &FollowerFiles) -> bool {
        let is_consistent = || self.follower.is_consistent(&files.all()).unwrap_or(false);
        files.is_written() && is_consistent()
    }

    fn progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The detail that marks an error of a follower's files. The caller responds to it by writing them
/// again.
const FOLLOWER_DETAIL: (&str, &str) = ("store", "followed");

/// The error that one file of a follower refers to a row that is missing in the other.
pub(crate) fn incomplete_problem(what: &str) -> Problem {
    Problem::new(ProblemCode::StoreDamaged, format!("{what} is missing from the cache"))
        .hint_call("the cache is built again by", NextCall::new("sync").with("full", true))
        .detail(FOLLOWER_DETAIL.0, FOLLOWER_DETAIL.1)
}

/// Whether writing the files of the followers again solves a problem.
pub(crate) fn is_incomplete(problem: &Problem) -> bool {
    problem.details.get(FOLLOWER_DETAIL.0).is_some_and(|value| value == FOLLOWER_DETAIL.1)
}
