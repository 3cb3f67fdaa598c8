//! Joining a team.

use base::{Call, Problem, ProblemCode, Result};
use team::{NewProject, ProjectId, TeamAddress, TeamClient, TeamProject};

use super::comparison::{LocalStore, StoreComparison, WAIT, compare_stores, local_stores};
use super::membership::TeamMembership;
use super::push::take_over;
use super::replica::{ReplicaFile, ReplicaFiles, problem};
use super::tables;
use crate::durable::StoreManager;
use crate::workspace::Workspace;

/// What joining found.
#[derive(Debug)]
pub struct JoinedTeam {
    /// The project as the server has it
    pub project: TeamProject,
    /// Whether it was made now
    pub is_new: bool,
    /// The stores of this clone, compared with the server's
    pub stores: Vec<StoreComparison>,
    /// Whether everything local is on the server
    pub is_pushed: bool,
}

/// Joins: finds or makes the project, and compares what is local with what the server has.
pub fn join(
    workspace: &Workspace,
    address: &TeamAddress,
    project: &ProjectId,
    may_create: bool,
    call: &Call,
) -> Result<JoinedTeam> {
    let link = workspace.stores().team();
    let roots = root_commits(workspace, call)?;
    let client = TeamClient::connect(address, &link.credentials(), WAIT).map_err(problem)?;
    client.migrate().map_err(problem)?.require_current()?;
    let (found, is_new) = match client.project(project, WAIT).map_err(problem)? {
        Some(found) => (found, false),
        None if !may_create => return Err(unseen_project(project)),
        None => {
            let name = workspace.tree.root().file_name().unwrap_or_default();
            let name = name.to_string_lossy().into_owned();
            let new = NewProject { id: project.clone(), name, roots: roots.clone() };
            client.create_project(new, WAIT).map_err(problem)?;
            let made = client.project(project, WAIT).map_err(problem)?;
            (made.ok_or_else(|| unseen_project(project))?, true)
        }
    };
    found.require_same_repository(&roots)?;
    if found.roots.is_empty() && !roots.is_empty() && found.can_write {
        client.set_roots(project, roots, WAIT).map_err(problem)?;
    }
    let before = link.membership()?;
    let was_member = before.is_some();
    let clone_name = match before.and_then(|before| before.clone_name) {
        Some(name) => name,
        None => TeamMembership::new_clone_name()?,
    };
    let membership = TeamMembership {
        address: address.as_str().to_owned(),
        project: project.clone(),
        is_pushed: false,
        clone_name: Some(clone_name),
    };
    for store in local_stores(workspace, call)? {
        if !was_member {
            forget_position(&store, call)?;
        }
        take_up(workspace, &client, &membership, &store, call)?;
    }
    let stores = compare_stores(workspace, &client, &membership, call)?;
    let is_pushed = stores.iter().all(|store| store.only_here == 0 && store.differing == 0);
    let membership = TeamMembership { is_pushed, ..membership };
    if is_pushed {
        for store in local_stores(workspace, call)? {
            take_over(workspace, &client, &membership, &store, call)?;
        }
    }
    membership.write(link.shared())?;
    link.note_contact(call.now);
    Ok(JoinedTeam { project: found, is_new, stores, is_pushed })
}

/// The root commits of this repository.
fn root_commits(workspace: &Workspace, call: &Call) -> Result<Vec<String>> {
    let root = workspace.git.as_ref().map(|git| git.root_commit(call)).transpose()?.flatten();
    Ok(root.into_iter().collect())
}

fn unseen_project(project: &ProjectId) -> Problem {
    Problem::new(ProblemCode::Untrusted, format!("the team's database shows no project {project}"))
        .hint("ask its owner for membership in the project's role, or check the address")
}

/// Forgets the position of a store of a clone that is in no team: joining was interrupted before, and what was written
/// since is not in the log of the team.
fn forget_position(local: &LocalStore, call: &Call) -> Result<()> {
    let LocalStore { durable, store } = local;
    let _lock = StoreManager::lock(&store.path, call)?;
    match tables::position(&store::open_read_only(&store.path)?)? {
        None => Ok(()),
        Some(_) => durable.open(&store.path)?.write(|conn| tables::drop_position(conn)),
    }
}

/// Makes a store a replica again that this clone left and has not changed since, if the server has what it had.
/// Otherwise its older records would look like changes of this clone.
fn take_up(
    workspace: &Workspace,
    client: &TeamClient,
    membership: &TeamMembership,
    local: &LocalStore,
    call: &Call,
) -> Result<()> {
    let locations = workspace.store_locations(call)?;
    let LocalStore { durable, store } = local;
    let files = ReplicaFiles { durable, locations: &locations, project: &membership.project };
    let _lock = StoreManager::lock(&store.path, call)?;
    if files.look(store)? != ReplicaFile::Unpushed {
        return Ok(());
    }
    let left = tables::left_position(&store::open_read_only(&store.path)?)?;
    let Some(left) = left.filter(|left| left.project == membership.project.as_str()) else {
        return Ok(());
    };
    let page = client.records_after(&membership.project, &left.store, left.seq, WAIT);
    if left.require_known(page.map_err(problem)?.own_change.as_deref()).is_err() {
        return Ok(()); // it has what a restored database lacks
    }
    workspace.stores().open_stores().close_idle();
    durable.open(&store.path)?.write(|conn| tables::set_position(conn, &left))
}
