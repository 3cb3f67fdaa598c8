//! Stores beside the index that follow the commit that is checked out, not the files.
//!
//! The index waits for nobody's history: a follower has files of its own, is brought up to date
//! in a step of its own, and whoever does not need it need not wait for it.

mod shelf;

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread;
use std::time::{Duration, Instant};

use base::call::{Progress, Stop};
use base::{Call, Code, NextCall, Problem, Result};
use config::Config;
use store::{Connection, Store};

use crate::homes::Homes;
use crate::idle::Pool;
use crate::repo::Repository;

pub use shelf::{Home, Shelf};
pub(crate) use shelf::{Shelves, is_damage};

/// How often somebody who waits asks again.
const PAUSE: Duration = Duration::from_millis(2);

/// How long to wait for another process that follows.
const PATIENCE: Duration = Duration::from_mins(10);

/// An area's part of the cache that depends on commits.
pub trait Follower: Sync {
    /// Its files, in the order in which they are written: a later one names rows of an earlier.
    fn shelves(&self) -> &'static [Shelf];

    /// Whether its files belong together: what one of them names in another is there.
    fn is_consistent(&self, shelves: &[&Connection]) -> Result<bool>;

    /// Whether its files say what they should.
    fn has_arrived(&self, shelves: &[&Connection], goal: &Goal<'_>) -> Result<bool>;

    /// Brings its files up to date. What it has done when it is stopped is not lost.
    fn follow(&self, shelves: &mut [Store], goal: &Goal<'_>) -> Result<()>;
}

/// Where a follower has to get.
pub struct Goal<'a> {
    /// The repository
    pub git: &'a Repository,
    /// The commit that is checked out; none before the first
    pub head: Option<String>,
    /// The configuration in force
    pub config: &'a Config,
    /// Who waits
    pub call: &'a Call,
    /// Hears how far it has come
    pub tell: &'a dyn Fn(Progress) -> Result<()>,
}

/// What is followed: a repository, by the configuration in force.
pub(crate) struct Checkout<'a> {
    pub(crate) git: &'a Repository,
    pub(crate) config: &'a Config,
}

/// One follower of one worktree.
pub(crate) struct Following {
    pub(crate) name: &'static str,
    follower: &'static dyn Follower,
    homes: Homes,
    /// One at a time in this process
    busy: Mutex<()>,
    progress: Mutex<Progress>,
    /// Its files as they are open between calls
    open: Pool<Connection>,
}

/// How a look at a follower's files came out.
pub(crate) enum Look {
    /// They are up to date
    Fresh(Shelves),
    /// They are as they were before; it would have taken longer than the caller waits
    Behind(Shelves, Progress),
    /// There is nothing yet
    Nothing(Progress),
}

impl Following {
    /// One that keeps so many connections to its files open between calls.
    pub(crate) fn new(
        (name, follower): (&'static str, &'static dyn Follower),
        homes: &Homes,
        most_open: usize,
    ) -> Self {
        let (busy, progress) = (Mutex::default(), Mutex::default());
        let open = Pool::keeping(most_open);
        Self { name, follower, homes: homes.clone(), busy, progress, open }
    }

    /// Looks at the files after bringing them up to date, for as long as `call` waits, or for
    /// `limit` where that is shorter. The limit counts from when there is something to do: files
    /// that are up to date are always found to be.
    pub(crate) fn look(
        &self,
        checkout: &Checkout<'_>,
        call: &Call,
        limit: Option<Duration>,
    ) -> Result<Look> {
        let mut done = self.catch_up(checkout, call, limit);
        // Whatever was kept is of no use: a cache is made anew, without being asked.
        if done.as_ref().is_err_and(is_damage) {
            self.open.forget();
            Shelves::remove(self.follower.shelves(), &self.homes, None);
            done = self.catch_up(checkout, call, limit);
        }
        match done {
            // Files that are still being written, or a disk that takes no writes, are no failure:
            // the last good state has to do.
            Err(problem) if matches!(problem.code, Code::Timeout | Code::Busy | Code::Io) => {
                Ok(self.last_good())
            }
            done => done.map(Look::Fresh),
        }
    }

    /// Changes the files while nobody else does.
    pub(crate) fn change<T>(
        &self,
        call: &Call,
        change: impl FnOnce(&mut [Store]) -> Result<T>,
    ) -> Result<T> {
        let _busy = self.busy(call)?;
        let _lock = Shelves::lock(self.follower.shelves(), &self.homes, PATIENCE, call)?;
        change(&mut Shelves::open(self.follower.shelves(), &self.homes)?)
    }

    /// Throws away what belongs to this worktree alone.
    pub(crate) fn forget(&self) -> Result<()> {
        let _busy = self.busy.lock().unwrap_or_else(PoisonError::into_inner);
        self.open.forget();
        Shelves::remove(self.follower.shelves(), &self.homes, Some(Home::Worktree));
        Ok(())
    }

    /// The files of this follower, with their names.
    pub(crate) fn paths(&self) -> Vec<(&'static str, PathBuf)> {
        let path = |shelf: &Shelf| (shelf.name, shelf.path(&self.homes));
        self.follower.shelves().iter().map(path).collect()
    }

    fn catch_up(
        &self,
        checkout: &Checkout<'_>,
        call: &Call,
        limit: Option<Duration>,
    ) -> Result<Shelves> {
        let Checkout { git, config } = *checkout;
        let head = git.head_commit(call)?;
        let goal = Goal { git, head: head.clone(), config, call, tell: &|_| Ok(()) };
        if let Some(shelves) = self.arrived(&goal)? {
            return Ok(shelves);
        }
        let start = Instant::now();
        let is_late = move || limit.is_some_and(|limit| start.elapsed() > limit);
        let call = &call.child(move || is_late().then_some(Stop::Deadline));
        let tell = |progress: Progress| {
            *self.progress() = progress;
            call.step(progress.what, progress.done, progress.total)
        };
        let goal = Goal { git, head, config, call, tell: &tell };
        let _busy = self.busy(call)?;
        let _lock = Shelves::lock(self.follower.shelves(), &self.homes, PATIENCE, call)?;
        // Somebody else may have done it while this one waited.
        if let Some(shelves) = self.arrived(&goal)? {
            return Ok(shelves);
        }
        let mut stores = Shelves::open(self.follower.shelves(), &self.homes)?;
        self.follower.follow(&mut stores, &goal)?;
        drop(stores);
        self.arrived(&goal)?.ok_or_else(|| {
            // The next one follows again: here it could go on for ever.
            Problem::new(Code::Busy, format!("{} moved on while it was read", self.name))
                .hint("repeat the request in a moment")
        })
    }

    fn arrived(&self, goal: &Goal<'_>) -> Result<Option<Shelves>> {
        let Some(shelves) = self.read()? else { return Ok(None) };
        let arrived = self.follower.has_arrived(&shelves.all(), goal)?;
        Ok(arrived.then_some(shelves))
    }

    fn read(&self) -> Result<Option<Shelves>> {
        Shelves::read(self.follower.shelves(), &self.homes, &self.open)
    }

    /// Waits for whoever follows in this process, and passes on how far they are.
    fn busy(&self, call: &Call) -> Result<MutexGuard<'_, ()>> {
        loop {
            match self.busy.try_lock() {
                Ok(busy) => return Ok(busy),
                Err(TryLockError::Poisoned(busy)) => return Ok(busy.into_inner()),
                Err(TryLockError::WouldBlock) => {}
            }
            let Progress { what, done, total } = *self.progress();
            call.step(what, done, total)?;
            thread::sleep(PAUSE);
        }
    }

    fn last_good(&self) -> Look {
        let progress = *self.progress();
        match self.read() {
            Ok(Some(shelves)) if self.is_usable(&shelves) => Look::Behind(shelves, progress),
            _ => Look::Nothing(progress),
        }
    }

    /// Whether files that are behind can be answered from.
    fn is_usable(&self, shelves: &Shelves) -> bool {
        let is_consistent = || self.follower.is_consistent(&shelves.all()).unwrap_or(false);
        shelves.is_written() && is_consistent()
    }

    fn progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The detail that marks a problem of a follower's files, which is mended by writing them anew.
const MARK: (&str, &str) = ("store", "followed");

/// Something that one file of a follower names is not in the other.
pub(crate) fn incomplete(what: &str) -> Problem {
    Problem::new(Code::StoreDamaged, format!("{what} is missing from the cache"))
        .hint_call("the cache is built again by", NextCall::to("sync").with("full", true))
        .detail(MARK.0, MARK.1)
}

/// Whether a problem is mended by writing the files of the followers anew.
pub(crate) fn is_incomplete(problem: &Problem) -> bool {
    problem.details.get(MARK.0).is_some_and(|value| value == MARK.1)
}
