//! Leaving a team with everything that it has.

use std::path::Path;
use std::time::Duration;

use base::words::counted;
use base::{Call, NextCall, Problem, ProblemCode, Result};
use store::Durability;
use team::{TeamFailure, TeamResult};

use super::comparison::{LocalStore, local_stores};
use super::membership::TeamMembership;
use super::outbox::OutboxState;
use super::replica::{ReplicaFiles, TeamStore, catch_up_store};
use super::tables;
use crate::durable::{DurableStore, StoreManager};
use crate::workspace::Workspace;

/// How long to wait for each answer of the server. Everything may be read, but a server that does not answer must not
/// hold up a clone that leaves.
const WAIT: Duration = Duration::from_secs(5);

/// What a clone has after it left.
#[derive(Debug)]
pub struct LeftTeam {
    /// How many stores are its own now
    pub stores: usize,
    /// Why they may lack what others wrote lately; `None` if they lack nothing
    pub behind: Option<String>,
}

/// Leaves the team. The replicas are brought up to date, and become stores of this clone alone.
pub fn leave(workspace: &Workspace, give_up_waiting: bool, call: &Call) -> Result<LeftTeam> {
    let link = workspace.stores().team();
    let membership = link.require_membership()?;
    let mut waiting = link.outbox().entries()?;
    waiting.retain(|entry| entry.state != OutboxState::Dropped);
    if !waiting.is_empty() && !give_up_waiting {
        return Err(Problem::new(
            ProblemCode::Blocked,
            format!("the server does not have {} yet", counted(waiting.len(), "change")),
        )
        .hint_call("write them with", NextCall::new("team.push"))
        .hint_call("or give them up with", NextCall::repeat().with("give_up_pending", true)));
    }
    let behind = match membership.is_pushed {
        true => copy_everything(workspace, &membership, call).err(),
        false => None, // the stores are those from before it joined
    };
    let stores = local_stores(workspace, call)?;
    workspace.stores().open_stores().close_idle();
    for LocalStore { durable, store } in &stores {
        let _lock = StoreManager::lock(&store.path, call)?;
        durable.open(&store.path)?.write(|conn| tables::leave_position(conn))?;
    }
    for entry in waiting {
        // Otherwise they would be written after all when this clone joins again.
        link.outbox().set_state(entry.entry, OutboxState::Dropped, entry.problem.as_deref())?;
    }
    TeamMembership::remove(link.shared())?;
    let behind = behind.map(|failure| match failure {
        TeamFailure::Unreachable(why) => why,
        TeamFailure::Refused(problem) => problem.to_string(),
    });
    Ok(LeftTeam { stores: stores.len(), behind })
}

/// Brings every store of the team to this clone, also those that it never read.
fn copy_everything(
    workspace: &Workspace,
    membership: &TeamMembership,
    call: &Call,
) -> TeamResult<()> {
    let client = workspace.stores().team().client(membership, WAIT)?;
    let names = client.stores(&membership.project, WAIT)?;
    let locations = workspace.store_locations(call)?;
    for durable in workspace.stores().durables() {
        let files = ReplicaFiles { durable, locations: &locations, project: &membership.project };
        for store in names.iter().filter_map(|name| locations.team_store_named(durable, name)) {
            catch_up_store(&client, files, &store, WAIT, call)?;
        }
    }
    Ok(())
}

/// Refuses a server that this clone cannot go on with: one that was restored from a backup, or has another schema. A
/// server that cannot be reached is no reason.
pub fn require_usable(workspace: &Workspace, call: &Call) -> Result<()> {
    let link = workspace.stores().team();
    let membership = link.require_membership()?;
    let locations = workspace.store_locations(call)?;
    let check = |durable: &DurableStore, store: &TeamStore| -> TeamResult<()> {
        let files = ReplicaFiles { durable, locations: &locations, project: &membership.project };
        let client = link.client(&membership, WAIT)?;
        catch_up_store(&client, files, store, WAIT, call).map(drop)
    };
    for LocalStore { durable, store } in local_stores(workspace, call)? {
        match check(&durable, &store) {
            Ok(()) => {}
            Err(TeamFailure::Unreachable(_)) => return Ok(()),
            Err(TeamFailure::Refused(problem)) => return Err(problem),
        }
    }
    Ok(())
}

/// Makes the store in a file that of this clone alone if the clone is in no team: a backup may have been a replica.
pub(crate) fn own_restored(shared: &Path, store: &Path) -> Result<()> {
    if TeamMembership::read(shared)?.is_some() {
        return Ok(());
    }
    store::open(store, Durability::Durable)?.write(|conn| tables::leave_position(conn))
}
