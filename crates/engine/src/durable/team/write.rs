//! One write to a shared store: the project's row is locked, the replica is brought up to the last
//! change, and what the plan changes is published before it is committed locally.

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::time::Duration;

use base::{Call, NextCall, Problem, ProblemCode, Result};
use store::{Connection, RecordChange, RecordImage};
use team::{ChangeUid, LockedProject, NewChange, ProjectId, TeamFailure};

use super::client_pool::LentClient;
use super::conflict::check_expected;
use super::home::{TeamLink, WritingThread, needs_server};
use super::membership::TeamMembership;
use super::outbox::{NewOutboxEntry, cannot_wait};
use super::pending;
use super::replica::{
    ReplicaFile, ReplicaFiles, TeamStore, layouts_with, problem, require_known_layout,
};
use super::status::TeamState;
use super::tables::{self, ReplicaPosition};
use crate::durable::DurableStore;
use crate::durable::locations::StoreLocations;

/// How long a write waits for each answer of the server.
const WRITE_WAIT: Duration = Duration::from_secs(10);

/// How long a write waits for a connection.
const CONNECT_WAIT: Duration = Duration::from_secs(4);

/// How often a lost reply is looked up before the change counts as pending.
const LOOKUPS: u32 = 3;

/// How a team takes part in one write.
#[derive(Debug)]
pub(crate) enum TeamWrite {
    /// None: the store is this clone's alone
    Local,
    /// The project's row is held until the change is published or this is dropped
    Online(OnlineWrite),
    /// The server cannot be reached: the request goes to the outbox
    Offline(OfflineWrite),
}

/// A write that holds the project's row.
#[derive(Debug)]
pub(crate) struct OnlineWrite {
    client: LentClient,
    project: ProjectId,
    store: TeamStore,
    /// The number of the last change
    seq: i64,
    layouts: String,
    uid: ChangeUid,
    /// Set once nothing is left to roll back
    is_done: Cell<bool>,
    /// The id of the last change, if it was known when the row was taken
    change: Option<String>,
    /// Set when it is unknown whether the change reached the server, or certain that it did not
    is_lost: Cell<bool>,
    /// While this exists, reads of this thread do not ask the server
    _writing: WritingThread,
}

/// A write that waits for the server.
#[derive(Debug)]
pub(crate) struct OfflineWrite {
    project: ProjectId,
    store: TeamStore,
    /// What the request is planned on: the replica, or the copy with pending changes
    path: PathBuf,
    uid: ChangeUid,
    branch: Option<String>,
    outbox: super::outbox::Outbox,
    /// Set once the request is in the outbox
    is_parked: Cell<bool>,
}

impl TeamLink {
    /// Begins a write to the branch's own store. The caller holds the store's lock.
    pub(crate) fn begin_write(
        &self,
        durable: &DurableStore,
        locations: &StoreLocations,
        call: &Call,
    ) -> Result<TeamWrite> {
        let Some(membership) = self.membership()? else { return Ok(TeamWrite::Local) };
        let path = locations.write_path(durable);
        let store = locations.team_stores(durable).into_iter().find(|store| store.path == path);
        let Some(store) = store else { return Ok(TeamWrite::Local) }; // of a commit without a branch
        let files = ReplicaFiles { durable, locations, project: &membership.project };
        if files.look(&store)? == ReplicaFile::Unpushed {
            return Err(not_pushed());
        }
        let replayed = call.request.as_ref().and_then(|request| request.replayed.as_ref());
        let uid = match replayed {
            Some(replayed) => replayed.change.parse().map_err(Problem::internal)?,
            None => ChangeUid::random()?,
        };
        // Requests that wait for the same store come first. A request that waits for another branch
        // does not block this one.
        if replayed.is_none() && !pending::pending_of(self, &store.name)?.is_empty() {
            return self.offline(files, store, uid).map(TeamWrite::Offline);
        }
        match self.take_project(&membership, files, &store, uid.clone(), call) {
            Ok(online) => {
                if let Some(replayed) = replayed {
                    check_expected(&online.store.path, &replayed.expected)?;
                }
                Ok(TeamWrite::Online(online))
            }
            Err(TeamFailure::Unreachable(why)) if replayed.is_some() => {
                Err(problem(TeamFailure::Unreachable(why)).detail(OFFLINE_DETAIL, true))
            }
            Err(TeamFailure::Unreachable(_)) => {
                self.offline(files, store, uid).map(TeamWrite::Offline)
            }
            Err(refused) => Err(problem(refused)),
        }
    }

    /// Locks the project's row. A connection that was idle may have been closed long ago.
    fn lock_project(
        &self,
        membership: &TeamMembership,
    ) -> Result<(LentClient, LockedProject), TeamFailure> {
        let client = self.client(membership, CONNECT_WAIT)?;
        match client.lock(&membership.project, WRITE_WAIT) {
            Err(TeamFailure::Unreachable(_)) if client.was_idle => {
                self.retry_now();
                let client = self.client(membership, CONNECT_WAIT)?;
                let locked = client.lock(&membership.project, WRITE_WAIT)?;
                Ok((client, locked))
            }
            locked => locked.map(|locked| (client, locked)),
        }
    }

    /// Locks the project's row and brings the replica up to its last change.
    fn take_project(
        &self,
        membership: &TeamMembership,
        files: ReplicaFiles<'_>,
        store: &TeamStore,
        uid: ChangeUid,
        call: &Call,
    ) -> Result<OnlineWrite, TeamFailure> {
        let (client, locked) = self.lock_project(membership)?;
        let mut online = OnlineWrite {
            client,
            project: membership.project.clone(),
            store: store.clone(),
            seq: locked.seq,
            change: locked.change,
            layouts: layouts_with(files.durable, &locked.layouts),
            uid,
            is_done: Cell::new(false),
            is_lost: Cell::new(false),
            _writing: self.begin_writing(),
        };
        require_known_layout(files.durable, &locked.layouts)?;
        online.advance_replica(self, files, call)?;
        self.note_contact(call.now);
        Ok(online)
    }

    fn offline(
        &self,
        files: ReplicaFiles<'_>,
        store: TeamStore,
        uid: ChangeUid,
    ) -> Result<OfflineWrite> {
        let copy = pending::copy_for_reading(self, files)?;
        Ok(OfflineWrite {
            project: files.project.clone(),
            path: copy.unwrap_or_else(|| store.path.clone()),
            branch: store.owner.as_ref().map(|owner| owner.display_name().to_owned()),
            store,
            uid,
            outbox: self.outbox(),
            is_parked: Cell::new(false),
        })
    }

    /// Sets the status that the next answer shows after a write. Errors are ignored: the write is
    /// done, and an error here would make the caller repeat it.
    pub(crate) fn note_write(&self, write: &TeamWrite, call: &Call) {
        let (state, change) = match write {
            TeamWrite::Local => return,
            TeamWrite::Online(online) => (TeamState::Current, online.seq + 1),
            TeamWrite::Offline(_) => {
                (TeamState::Offline, self.last_status().map_or(0, |one| one.change))
            }
        };
        if let Ok(basis) = self.state_basis(state, change, None, call) {
            self.set_status(basis);
        }
    }
}

impl OnlineWrite {
    /// Brings the replica up to the change that the project's row names. A store that the server
    /// does not have becomes a copy of the one that it was copied from here.
    fn advance_replica(
        &mut self,
        link: &TeamLink,
        files: ReplicaFiles<'_>,
        call: &Call,
    ) -> Result<(), TeamFailure> {
        let at = match files.look(&self.store)? {
            ReplicaFile::At(at) => at,
            ReplicaFile::Missing => files.start_of(&self.store),
            ReplicaFile::Unpushed => return Err(not_pushed().into()),
        };
        if at.store == self.store.name {
            let is_here = at.seq == self.seq && self.change.is_some();
            if is_here {
                at.require_known(self.change.as_deref())?;
            }
            let is_current = is_here || link.is_confirmed(&at.store, at.seq, self.seq);
            if !is_current {
                files.advance(&self.client, &self.store, &at, WRITE_WAIT)?;
            }
            return Ok(());
        }
        let own = self.client.last_of_store(&self.project, &self.store.name, WRITE_WAIT)?;
        if own.is_some() {
            files.rebuild(&self.client, &self.store, WRITE_WAIT)?;
            return Ok(());
        }
        files.advance(&self.client, &self.store, &at, WRITE_WAIT)?;
        let source = at.store;
        let fork = NewChange {
            uid: ChangeUid::random()?,
            seq: self.seq + 1,
            action: "fork",
            summary: format!("{} starts as a copy of {source}", self.store.name),
            ..self.entry("", call)
        };
        self.client.fork(&self.project, &source, &fork, WRITE_WAIT)?;
        self.seq += 1;
        Ok(())
    }

    fn entry(&self, summary: &str, call: &Call) -> NewChange {
        NewChange {
            uid: self.uid.clone(),
            store: self.store.name.clone(),
            seq: self.seq + 1,
            action: "write",
            actor: call.actor.clone(),
            session: call.session.clone(),
            summary: summary.to_owned(),
            layouts: self.layouts.clone(),
        }
    }

    /// Commits the change on the server and notes its number in the replica's transaction.
    fn publish(
        &self,
        conn: &Connection,
        changes: &[RecordChange],
        summary: &str,
        call: &Call,
        link: &TeamLink,
    ) -> Result<()> {
        let entry = self.entry(summary, call);
        let images: Vec<RecordImage> = changes.iter().map(|change| change.after.clone()).collect();
        let at = ReplicaPosition {
            project: self.project.to_string(),
            store: self.store.name.clone(),
            seq: entry.seq,
            change: self.uid.to_string(),
        };
        tables::set_position(conn, &at)?; // if this fails, nothing has been published yet
        match self.client.write(&self.project, &entry, &images, WRITE_WAIT) {
            Ok(()) => {}
            Err(TeamFailure::Unreachable(why)) => return Err(self.lost(why)),
            Err(refused) => return Err(problem(refused)),
        }
        match self.client.commit(&self.project, WRITE_WAIT) {
            Ok(()) => self.is_done.set(true),
            Err(TeamFailure::Unreachable(why)) => self.look_up(link, why)?,
            Err(refused) => return Err(problem(refused)),
        }
        Ok(())
    }

    /// Looks a change up whose reply was lost.
    fn look_up(&self, link: &TeamLink, why: String) -> Result<()> {
        let Some(membership) = link.membership()? else { return Err(self.lost(why)) };
        for _ in 0..LOOKUPS {
            link.retry_now();
            let found = link
                .client(&membership, CONNECT_WAIT)
                .and_then(|client| client.find_change(&self.project, &self.uid, WRITE_WAIT));
            match found {
                Ok(Some(_)) => {
                    self.is_done.set(true);
                    return Ok(());
                }
                Ok(None) => return Err(self.lost(why)),
                Err(_) => {}
            }
        }
        Err(self.lost(why))
    }

    fn lost(&self, why: String) -> Problem {
        self.is_lost.set(true);
        self.is_done.set(true); // the connection is gone, and its transaction with it
        self.client.close();
        needs_server(TeamFailure::Unreachable(why), "the connection was lost")
            .detail(OFFLINE_DETAIL, true)
    }
}

impl Drop for OnlineWrite {
    fn drop(&mut self) {
        if !self.is_done.get() && self.client.roll_back(WRITE_WAIT).is_err() {
            self.client.close(); // the server rolls back what a lost connection began
        }
    }
}

impl OfflineWrite {
    /// Stores the request of a change until the server answers.
    fn add_to_outbox(
        &self,
        durable: &DurableStore,
        changes: &[RecordChange],
        summary: &str,
        call: &Call,
    ) -> Result<()> {
        if let Some(why) = changes.iter().find_map(|change| (durable.needs_server)(change)) {
            return Err(Problem::new(
                ProblemCode::Unavailable,
                format!("the team's server cannot be reached, and {why}"),
            )
            .hint("repeat the request when `team status` says that the server is back"));
        }
        self.outbox.append(&NewOutboxEntry {
            change: self.uid.as_str(),
            project: self.project.as_str(),
            store: &self.store.name,
            branch: self.branch.as_deref(),
            summary,
            records: changes,
            call,
        })?;
        self.is_parked.set(true);
        Ok(())
    }
}

/// What a write publishes, and for whom.
pub(crate) struct PublishedChange<'a> {
    pub durable: &'a DurableStore,
    pub changes: &'a [RecordChange],
    pub summary: &'a str,
    /// Whether it undoes another change
    pub is_undo: bool,
    pub call: &'a Call,
}

impl TeamWrite {
    /// The file that the change is planned on and committed to.
    pub(crate) fn path<'a>(&'a self, own: &'a Path) -> &'a Path {
        match self {
            Self::Local | Self::Online(_) => own,
            Self::Offline(offline) => &offline.path,
        }
    }

    /// Whether the changed records must be captured.
    pub(crate) fn captures(&self) -> bool {
        !matches!(self, Self::Local)
    }

    /// Sends the change to the server, or stores it in the outbox, before it is committed locally.
    pub(crate) fn publish(
        &self,
        conn: &Connection,
        published: &PublishedChange<'_>,
        link: &TeamLink,
    ) -> Result<()> {
        let PublishedChange { durable, changes, summary, is_undo, call } = *published;
        match self {
            Self::Local => Ok(()),
            Self::Online(online) => online.publish(conn, changes, summary, call, link),
            Self::Offline(_) if is_undo => Err(cannot_wait(summary)),
            Self::Offline(offline) => offline.add_to_outbox(durable, changes, summary, call),
        }
    }

    /// Whether the request is in the outbox, so that nothing is committed locally.
    pub(crate) fn is_parked(&self) -> bool {
        matches!(self, Self::Offline(offline) if offline.is_parked.get())
    }

    /// The write that continues without the server, after the connection was lost. None if it was
    /// not, or if the request waits in the outbox already.
    pub(crate) fn without_server(
        &self,
        link: &TeamLink,
        locations: &StoreLocations,
        durable: &DurableStore,
        call: &Call,
    ) -> Result<Option<Self>> {
        let Self::Online(online) = self else { return Ok(None) };
        let is_replay = call.request.as_ref().is_some_and(|request| request.replayed.is_some());
        if !online.is_lost.get() || is_replay {
            return Ok(None);
        }
        let files = ReplicaFiles { durable, locations, project: &online.project };
        link.offline(files, online.store.clone(), online.uid.clone())
            .map(|one| Some(Self::Offline(one)))
    }
}

/// The detail of a problem that says that the server was not reached.
pub(super) const OFFLINE_DETAIL: &str = "team_offline";

fn not_pushed() -> Problem {
    Problem::new(
        ProblemCode::InvalidOperation,
        "this clone has records that the team's server does not know",
    )
    .hint_call("push them with", NextCall::new("team.push"))
    .hint_call("or leave the team with", NextCall::new("team.leave"))
}
