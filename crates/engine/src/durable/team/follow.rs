//! Keeps the replicas of a server up to date: it listens for changes, so that a read need not ask
//! the server.

use std::collections::BTreeSet;
use std::time::Duration;

use base::{Call, Result};
use jiff::Timestamp;
use team::{TeamClient, TeamResult};

use super::home::{FollowedStores, TeamLink};
use super::membership::TeamMembership;
use super::outbox::OutboxState;
use super::replay;
use super::replica::{self, ReplicaFile, ReplicaFiles};
use crate::workspace::Workspace;

/// How long to wait for each answer of the server.
const WAIT: Duration = Duration::from_secs(5);

/// How long to listen before asking for the number of the newest change, because a server that only
/// speaks PostgreSQL's protocol may never send notifications.
const LISTEN_FOR: Duration = Duration::from_secs(2);

/// How long to wait before the next try after a failure, or before looking for a membership.
const PAUSE: Duration = Duration::from_secs(2);

/// Follows the team until `call` is stopped. `now` is the clock, for the age of the last contact.
pub fn follow(workspace: &Workspace, call: &Call, now: fn() -> Timestamp) {
    let link = workspace.stores().team();
    while call.check_stopped().is_ok() {
        if let Ok(Some(membership)) = link.membership() {
            // A failure is reported to the next reader, which asks the server itself.
            let _ = follow_once(workspace, link, &membership, call, now);
            link.set_followed(None);
        }
        std::thread::sleep(PAUSE);
    }
    link.set_followed(None);
}

fn follow_once(
    workspace: &Workspace,
    link: &TeamLink,
    membership: &TeamMembership,
    call: &Call,
    now: fn() -> Timestamp,
) -> TeamResult<()> {
    let client = link.connect(membership, WAIT)?;
    client.listen(&membership.project, WAIT)?;
    let (mut seen, mut checked) = (-1, BTreeSet::new());
    let mut followed = BTreeSet::new();
    while call.check_stopped().is_ok() && link.membership()?.as_ref() == Some(membership) {
        let newest = client.newest(&membership.project, WAIT)?;
        let stores = store_names(workspace, call)?;
        if newest != seen || stores != checked {
            followed = catch_up(workspace, &client, membership, call)?;
            (seen, checked) = (newest, stores);
        }
        link.note_contact(now());
        link.set_followed(Some(FollowedStores { names: followed.clone(), newest }));
        if !link.outbox().in_state(OutboxState::Pending)?.is_empty() {
            link.retry_now();
            replay::work_off(workspace, call)?;
        }
        client.wait_for_change(LISTEN_FOR)?;
    }
    Ok(())
}

/// The stores that answers are read from now.
fn store_names(workspace: &Workspace, call: &Call) -> Result<BTreeSet<String>> {
    let locations = workspace.store_locations(call)?;
    let stores = workspace.stores().durables().iter();
    Ok(stores.flat_map(|durable| locations.team_stores(durable)).map(|store| store.name).collect())
}

/// Brings every store up to date that answers are read from. Returns the names of those that are replicas.
fn catch_up(
    workspace: &Workspace,
    client: &TeamClient,
    membership: &TeamMembership,
    call: &Call,
) -> TeamResult<BTreeSet<String>> {
    let locations = workspace.store_locations(call)?;
    let mut replicas = BTreeSet::new();
    for durable in workspace.stores().durables() {
        let files = ReplicaFiles { durable, locations: &locations, project: &membership.project };
        replica::catch_up_for_read(client, files, WAIT, call)?;
        for store in files.consulted_stores() {
            if files.look(&store)? != ReplicaFile::Unpushed {
                replicas.insert(store.name);
            }
        }
    }
    Ok(replicas)
}
