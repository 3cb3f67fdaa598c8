//! The link of one clone to its team: the connection, when it last worked, and reads through it.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use base::{Call, Problem, Result};
use jiff::Timestamp;
use team::{CredentialSources, TeamClient, TeamFailure, TeamResult};

use super::client_pool::{ClientPool, LentClient};
use super::membership::TeamMembership;
use super::outbox::{Outbox, OutboxState};
use super::pending;
use super::replica::{self, ReplicaFile, ReplicaFiles};
use super::status::{TeamBasis, TeamState};
use crate::durable::DurableStore;
use crate::durable::locations::StoreLocations;
use crate::durable::owner::StoreOwner;

/// The file with the time of the last contact, in the folder that all worktrees share.
const CONTACT_FILE: &str = "team-contact";

/// A read waits for the server at least this long, and longer if its caller waits longer for
/// optional parts of an answer.
const READ_WAIT: Duration = Duration::from_secs(1);

/// A server that did not answer is not asked again for this long.
const RETRY_AFTER: Duration = Duration::from_secs(2);

/// The link of a clone to its team.
#[derive(Debug)]
pub struct TeamLink {
    shared: PathBuf,
    env: Vec<(OsString, OsString)>,
    pool: ClientPool,
    /// Threads that hold the project's row. What they read is already up to date
    writers: Arc<Mutex<Vec<ThreadId>>>,
    /// Why the server did not answer, and when
    failure: Mutex<Option<LastFailure>>,
    /// What the last read or write found
    status: Mutex<Option<TeamBasis>>,
    /// For each store, the position of its replica and the change up to which nothing was missing
    confirmed: Mutex<BTreeMap<String, ConfirmedPlace>>,
    /// What a listener keeps up to date; `None` if there is no listener
    followed: Mutex<Option<FollowedStores>>,
}

/// The replicas that a listener keeps up to date.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FollowedStores {
    /// The names of their stores
    pub names: BTreeSet<String>,
    /// The last change that they have
    pub newest: i64,
}

#[derive(Debug)]
struct LastFailure {
    at: Instant,
    why: String,
    /// How long the caller waited, if the failure was a timeout
    waited: Option<Duration>,
}

impl LastFailure {
    /// Whether the failure also applies to a caller who waits this long. A caller who waits longer
    /// than the last one may reach a distant server.
    fn holds_for(&self, wait: Duration) -> bool {
        self.at.elapsed() < RETRY_AFTER && self.waited.is_none_or(|waited| waited >= wait)
    }
}

/// The position of a replica, and the change up to which nothing is missing.
#[derive(Debug, PartialEq, Eq)]
struct ConfirmedPlace {
    seq: i64,
    newest: i64,
}

/// A thread that holds the project's row.
#[derive(Debug)]
pub(super) struct WritingThread {
    writers: Arc<Mutex<Vec<ThreadId>>>,
}

impl Drop for WritingThread {
    fn drop(&mut self) {
        let own = thread::current().id();
        lock(&self.writers).retain(|thread| *thread != own);
    }
}

/// What a read found about the team.
pub(crate) struct TeamRead {
    /// What the answer says
    pub basis: TeamBasis,
    /// The copy with pending changes that is read instead of the replica
    pub pending: Option<PathBuf>,
}

impl TeamLink {
    /// The link of the clone whose shared folder this is.
    pub(crate) fn new(shared: PathBuf, env: Vec<(OsString, OsString)>) -> Self {
        Self {
            shared,
            env,
            pool: ClientPool::default(),
            writers: Arc::default(),
            failure: Mutex::default(),
            status: Mutex::default(),
            confirmed: Mutex::default(),
            followed: Mutex::default(),
        }
    }

    /// The folder that all worktrees share.
    pub(super) fn shared(&self) -> &Path {
        &self.shared
    }

    /// The team that this clone has joined, if any.
    pub fn membership(&self) -> Result<Option<TeamMembership>> {
        TeamMembership::read(&self.shared)
    }

    /// The requests that wait for the server.
    pub fn outbox(&self) -> Outbox {
        Outbox::of(&self.shared)
    }

    /// What the last read or write of this process found.
    pub(crate) fn last_status(&self) -> Option<TeamBasis> {
        lock(&self.status).clone()
    }

    pub(super) fn set_status(&self, basis: TeamBasis) {
        *lock(&self.status) = Some(basis);
    }

    /// Counts the waiting requests again, after the outbox was processed.
    pub(super) fn count_outbox(&self, call: &Call) -> Result<()> {
        let Some(last) = self.last_status() else { return Ok(()) };
        let basis = self.state_basis(last.state, last.change, last.reason, call)?;
        self.set_status(basis);
        Ok(())
    }

    /// Where passwords come from.
    pub fn credentials(&self) -> CredentialSources<'_> {
        CredentialSources { env: &self.env }
    }

    /// A connection to the team's server. An idle one is used again; a server that just failed is
    /// not asked again at once, unless this caller waits longer for it.
    pub fn client(&self, membership: &TeamMembership, wait: Duration) -> TeamResult<LentClient> {
        if let Some(idle) = self.pool.take(&membership.address) {
            return Ok(idle);
        }
        let failed = lock(&self.failure);
        if let Some(failure) = failed.as_ref().filter(|one| one.holds_for(wait)) {
            return Err(TeamFailure::Unreachable(failure.why.clone()));
        }
        drop(failed);
        let begin = Instant::now();
        let connected = self.connect(membership, wait);
        lock(&self.confirmed).clear(); // the server may have been restored meanwhile
        *lock(&self.failure) = match &connected {
            Err(TeamFailure::Unreachable(why)) => {
                let waited = Some(wait).filter(|wait| begin.elapsed() >= *wait);
                Some(LastFailure { at: Instant::now(), why: why.clone(), waited })
            }
            _ => None,
        };
        Ok(self.pool.lend(&membership.address, connected?))
    }

    /// A connection of the caller's own.
    pub(super) fn connect(
        &self,
        membership: &TeamMembership,
        wait: Duration,
    ) -> TeamResult<TeamClient> {
        TeamClient::connect(&membership.address()?, &self.credentials(), wait)
    }

    /// Forgets a failure and idle connections, so that the server is asked again at once.
    pub(crate) fn retry_now(&self) {
        self.pool.clear();
        *lock(&self.failure) = None;
    }

    /// Brings the store that is read up to date if the server answers soon. None without a team.
    pub(crate) fn before_read(
        &self,
        durable: &DurableStore,
        locations: &StoreLocations,
        call: &Call,
    ) -> Result<Option<TeamRead>> {
        let Some(membership) = self.membership()? else { return Ok(None) };
        let files = ReplicaFiles { durable, locations, project: &membership.project };
        let basis = if let Some(newest) = self.followed_up_to(files) {
            self.state_basis(TeamState::Current, newest, None, call)?
        } else {
            let wait = READ_WAIT.max(call.optional_wait);
            let reached = self.catch_up(&membership, files, wait, call);
            self.basis(files, &reached, call)?
        };
        self.set_status(basis.clone());
        let is_replay = call.request.as_ref().is_some_and(|request| request.replayed.is_some());
        let pending = match is_replay || basis.pending == 0 {
            true => None,
            false => pending::copy_for_reading(self, files)?,
        };
        Ok(Some(TeamRead { basis, pending }))
    }

    /// Brings the store of a branch that is not checked out up to date, if the server answers soon.
    /// Otherwise the local state is used.
    pub(crate) fn catch_up_branch(
        &self,
        durable: &DurableStore,
        locations: &StoreLocations,
        branch: &str,
        call: &Call,
    ) -> Result<()> {
        let Some(membership) = self.membership()? else { return Ok(()) };
        let owner = StoreOwner::Branch(branch.to_owned());
        let Some(store) = locations.team_store_of(durable, owner) else { return Ok(()) };
        let files = ReplicaFiles { durable, locations, project: &membership.project };
        let wait = READ_WAIT.max(call.optional_wait);
        let reached = self
            .client(&membership, wait)
            .and_then(|client| replica::catch_up_store(&client, files, &store, wait, call));
        match reached {
            Ok(_) | Err(TeamFailure::Unreachable(_)) => Ok(()),
            Err(TeamFailure::Refused(problem)) => Err(problem),
        }
    }

    /// Asks for what is new, unless this thread holds the project's row.
    fn catch_up(
        &self,
        membership: &TeamMembership,
        files: ReplicaFiles<'_>,
        wait: Duration,
        call: &Call,
    ) -> TeamResult<i64> {
        if self.is_writing() {
            return Ok(0);
        }
        let client = self.client(membership, wait)?;
        let reached = match replica::catch_up_for_read(&client, files, wait, call) {
            // A connection that was idle may have broken long ago.
            Err(TeamFailure::Unreachable(_)) if client.was_idle => {
                self.pool.clear();
                replica::catch_up_for_read(&*self.client(membership, wait)?, files, wait, call)
            }
            reached => reached,
        };
        let newest = reached?;
        self.confirm(files, newest)?;
        self.note_contact(call.now);
        Ok(newest)
    }

    /// Records that a replica has everything up to a change: all changes after its own position
    /// were of other stores.
    fn confirm(&self, files: ReplicaFiles<'_>, newest: i64) -> Result<()> {
        let Some(store) = files.read_store()? else { return Ok(()) };
        if let ReplicaFile::At(at) = files.look(&store)?
            && at.store == store.name
        {
            lock(&self.confirmed).insert(store.name, ConfirmedPlace { seq: at.seq, newest });
        }
        Ok(())
    }

    /// Whether a replica at a position is known to have everything up to a change.
    pub(super) fn is_confirmed(&self, store: &str, seq: i64, newest: i64) -> bool {
        lock(&self.confirmed).get(store) == Some(&ConfirmedPlace { seq, newest })
    }

    /// Whether this thread holds the project's row.
    fn is_writing(&self) -> bool {
        lock(&self.writers).contains(&thread::current().id())
    }

    /// Notes that this thread holds the project's row, until the result is dropped.
    pub(super) fn begin_writing(&self) -> WritingThread {
        lock(&self.writers).push(thread::current().id());
        WritingThread { writers: self.writers.clone() }
    }

    /// The last change of the store that is read, if a listener keeps it up to date.
    fn followed_up_to(&self, files: ReplicaFiles<'_>) -> Option<i64> {
        if lock(&self.followed).is_none() {
            return None;
        }
        // After a checkout the server may have a store of the branch that this clone does not have
        // yet.
        let stores = files.consulted_stores();
        let followed = lock(&self.followed);
        let knows_all = |one: &&FollowedStores| {
            !stores.is_empty() && stores.iter().all(|store| one.names.contains(&store.name))
        };
        followed.as_ref().filter(knows_all).map(|one| one.newest)
    }

    /// What a listener has brought up to date; none when it stops.
    pub(super) fn set_followed(&self, stores: Option<FollowedStores>) {
        *lock(&self.followed) = stores;
    }

    fn basis(
        &self,
        files: ReplicaFiles<'_>,
        reached: &TeamResult<i64>,
        call: &Call,
    ) -> Result<TeamBasis> {
        let (is_pushed, at) = match files.read_store()? {
            None => (true, 0),
            Some(store) => match files.look(&store)? {
                ReplicaFile::At(at) => (true, at.seq),
                ReplicaFile::Missing => (true, 0),
                ReplicaFile::Unpushed => (false, 0),
            },
        };
        let (state, reason) = match reached {
            Ok(_) if !is_pushed => (TeamState::NotPushed, None),
            Ok(_) => (TeamState::Current, None),
            Err(TeamFailure::Unreachable(why)) => (TeamState::Offline, Some(why.clone())),
            Err(TeamFailure::Refused(problem)) => (TeamState::Refused, Some(problem.to_string())),
        };
        let change = reached.as_ref().map_or(at, |newest| at.max(*newest));
        self.state_basis(state, change, reason, call)
    }

    /// What an answer says in a state, with what waits.
    pub(super) fn state_basis(
        &self,
        state: TeamState,
        change: i64,
        reason: Option<String>,
        call: &Call,
    ) -> Result<TeamBasis> {
        let entries = self.outbox().entries()?;
        let count = |state| entries.iter().filter(|entry| entry.state == state).count();
        let basis = TeamBasis {
            state,
            change,
            as_of: None,
            age_seconds: None,
            pending: count(OutboxState::Pending),
            conflicts: count(OutboxState::Conflict),
            reason,
        };
        Ok(basis.with_contact(self.last_contact(), call.now))
    }

    /// Notes that the server was reached.
    pub(super) fn note_contact(&self, now: Timestamp) {
        let _ = fs::write(self.shared.join(CONTACT_FILE), now.to_string()); // only for messages
    }

    /// When the server was last reached.
    pub fn last_contact(&self) -> Option<Timestamp> {
        let text = tree::read_regular(&self.shared.join(CONTACT_FILE), 100).ok()?;
        String::from_utf8(text).ok()?.trim().parse().ok()
    }
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The problem of a request that needs the server.
pub(crate) fn needs_server(failure: TeamFailure, what: &str) -> Problem {
    let problem = failure.into_problem();
    Problem { message: format!("{what}: {}", problem.message), ..problem }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_waits_longer_than_the_last_asks_a_slow_server_again() {
        // The time is in the future, so that it counts as recent even on a slow machine.
        let at = Instant::now() + Duration::from_hours(1);
        let failure = |waited| LastFailure { at, why: "no answer".into(), waited };
        let (read, write) = (READ_WAIT, Duration::from_secs(4));
        assert!(failure(Some(read)).holds_for(read));
        assert!(!failure(Some(read)).holds_for(write), "a write waits longer than a read");
        assert!(failure(None).holds_for(write), "a server that refuses at once is left alone");
    }
}
