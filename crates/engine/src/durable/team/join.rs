//! Joining a team, the first upload, and leaving again.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use base::words::counted;
use base::{Call, NextCall, Problem, ProblemCode, Result};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use store::{Connection, RecordCapture, RecordImage};
use team::{ChangeUid, NewChange, NewProject, ProjectId, TeamAddress, TeamClient, TeamProject};

use super::conflict::conflict_row;
use super::membership::TeamMembership;
use super::outbox::OutboxState;
use super::replay::ConflictSide;
use super::replica::{
    ReplicaFile, ReplicaFiles, TeamStore, apply_image, layouts_with, problem, record_tables,
    remove_store,
};
use super::tables::{self, ReplicaPosition};
use crate::durable::{DurableStore, StoreManager};
use crate::workspace::Workspace;

/// How long joining and pushing wait for each answer of the server.
const WAIT: Duration = Duration::from_secs(30);

/// Kinds of records that are the history of one machine: they are not compared, and not pushed to a
/// server that has a history of its own.
const CHANGES_KIND: &str = "change";

/// Conflicts that an answer lists at most.
const MAX_LISTED: usize = 20;

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

/// A store of this clone beside the server's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct StoreComparison {
    /// Its name: `work`, or `kb/` and a branch
    pub store: String,
    /// Records that only this clone has
    pub only_here: usize,
    /// Records that only the server has
    pub only_there: usize,
    /// Records that are equal
    pub equal: usize,
    /// Records that differ
    pub differing: usize,
    /// The first of those that differ, with both sides
    pub conflicts: Vec<Value>,
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
    let clone_name = match link.membership()?.and_then(|before| before.clone_name) {
        Some(name) => name,
        None => TeamMembership::new_clone_name()?,
    };
    let membership = TeamMembership {
        address: address.as_str().to_owned(),
        project: project.clone(),
        is_pushed: false,
        clone_name: Some(clone_name),
    };
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

/// A store of this clone with its durable store.
struct LocalStore {
    durable: DurableStore,
    store: TeamStore,
}

/// Every store of this clone that a team shares: of all branches, not of detached heads.
fn local_stores(workspace: &Workspace, call: &Call) -> Result<Vec<LocalStore>> {
    let locations = workspace.store_locations(call)?;
    let mut found = Vec::new();
    for durable in workspace.stores().durables() {
        for store in locations.all_team_stores(durable)? {
            found.push(LocalStore { durable: *durable, store });
        }
    }
    Ok(found)
}

fn compare_stores(
    workspace: &Workspace,
    client: &TeamClient,
    membership: &TeamMembership,
    call: &Call,
) -> Result<Vec<StoreComparison>> {
    let locations = workspace.store_locations(call)?;
    let mut compared = Vec::new();
    for LocalStore { durable, store } in local_stores(workspace, call)? {
        let files =
            ReplicaFiles { durable: &durable, locations: &locations, project: &membership.project };
        if matches!(files.look(&store)?, ReplicaFile::At(_)) {
            continue; // it has nothing of its own
        }
        let theirs = read_server(client, files, &store)?;
        let conn = store::open_read_only(&store.path)?;
        compared.push(compare(&conn, theirs.connection(), &store.name)?);
    }
    Ok(compared)
}

/// The server's records of a store, in a store of their own.
fn read_server(
    client: &TeamClient,
    files: ReplicaFiles<'_>,
    store: &TeamStore,
) -> Result<store::Store> {
    let temp = server_copy(files, store);
    remove_store(&temp.path);
    let open = files.durable.open(&temp.path)?;
    files.advance(client, &temp, &files.start_of(store), WAIT).map_err(problem)?;
    Ok(open)
}

fn server_copy(_: ReplicaFiles<'_>, store: &TeamStore) -> TeamStore {
    TeamStore { path: store.path.with_extension("server"), ..store.clone() }
}

fn is_compared(kind: &str) -> bool {
    kind != CHANGES_KIND
}

/// The records of a kind by id; logs, which have numbers for keys, by what they say.
fn by_identity(conn: &Connection, kind: &str) -> Result<BTreeMap<String, RecordImage>> {
    let images = record_tables(conn)?.images(conn, kind)?;
    Ok(images.into_iter().map(|image| (identity(&image), image)).collect())
}

/// What a record is known by on every machine: its id, or the `uid` of an entry of a log.
fn identity(image: &RecordImage) -> String {
    let is_number = image.id.as_bytes().get(1).is_some_and(u8::is_ascii_digit);
    let body = image.body.as_deref().filter(|_| is_number);
    let body: Option<Value> = body.and_then(|body| serde_json::from_str(body).ok());
    let uid = body.as_ref().and_then(|body| body["uid"].as_str());
    uid.map_or_else(|| image.id.clone(), ToOwned::to_owned)
}

/// The body without the number of a log entry, which every machine gives by itself.
fn content(image: &RecordImage) -> Value {
    let mut body: Value =
        image.body.as_deref().and_then(|body| serde_json::from_str(body).ok()).unwrap_or_default();
    if image.id.as_bytes().get(1).is_some_and(u8::is_ascii_digit)
        && let Some(fields) = body.as_object_mut()
    {
        fields.remove("seq");
    }
    body
}

fn compare(here: &Connection, there: &Connection, store: &str) -> Result<StoreComparison> {
    let mut found = StoreComparison {
        store: store.to_owned(),
        only_here: 0,
        only_there: 0,
        equal: 0,
        differing: 0,
        conflicts: Vec::new(),
    };
    for kind in record_tables(here)?.kinds().filter(|kind| is_compared(kind)) {
        let (own, theirs) = (by_identity(here, kind)?, by_identity(there, kind)?);
        found.only_there += theirs.keys().filter(|id| !own.contains_key(*id)).count();
        for (id, image) in &own {
            match theirs.get(id) {
                None => found.only_here += 1,
                Some(other) if content(other) == content(image) => found.equal += 1,
                Some(other) => {
                    found.differing += 1;
                    if found.conflicts.len() < MAX_LISTED {
                        let (mine, theirs) = (content(image), content(other));
                        found.conflicts.push(conflict_row(kind, &image.id, &mine, &theirs));
                    }
                }
            }
        }
    }
    Ok(found)
}

/// What a push did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PushedStore {
    /// The store: `work`, or `kb/` and a branch
    pub store: String,
    /// Records that are on the server now because of it, without the history of this machine's changes
    pub records: usize,
    /// The number of the change that pushed them; `None` if there was nothing to push
    #[serde(skip_serializing_if = "Option::is_none")]
    pub change: Option<i64>,
}

/// Brings what is local to the server, for the first time. Records that differ are refused, unless
/// one side is preferred.
pub fn push(
    workspace: &Workspace,
    membership: &TeamMembership,
    prefer: Option<ConflictSide>,
    call: &Call,
) -> Result<Vec<PushedStore>> {
    let link = workspace.stores().team();
    let client = link.client(membership, WAIT).map_err(problem)?;
    let compared = compare_stores(workspace, &client, membership, call)?;
    let differing: usize = compared.iter().map(|store| store.differing).sum();
    if differing > 0 && prefer.is_none() {
        return Err(push_conflict(differing, &compared));
    }
    let mut pushed = Vec::new();
    for local in local_stores(workspace, call)? {
        let records = push_store(workspace, &client, membership, &local, prefer, call)?;
        pushed.extend(records);
    }
    TeamMembership { is_pushed: true, ..membership.clone() }.write(link.shared())?;
    link.note_contact(call.now);
    workspace.stores().open_stores().close_idle();
    Ok(pushed)
}

fn push_conflict(differing: usize, compared: &[StoreComparison]) -> Problem {
    let rows: Vec<Value> = compared.iter().flat_map(|store| store.conflicts.clone()).collect();
    let differ = if differing == 1 { "differs" } else { "differ" };
    let what = format!("{} {differ} from the server's", counted(differing, "record"));
    Problem::new(ProblemCode::Conflict, what)
        .detail("conflicts", rows)
        .hint_call("nothing was written; to keep yours", NextCall::repeat().with("prefer", "mine"))
        .hint_call("or to take the server's", NextCall::repeat().with("prefer", "theirs"))
}

/// Pushes one store: a replica is made of the server's records, the local ones are laid over it, and
/// what differs is one change.
fn push_store(
    workspace: &Workspace,
    client: &TeamClient,
    membership: &TeamMembership,
    local: &LocalStore,
    prefer: Option<ConflictSide>,
    call: &Call,
) -> Result<Option<PushedStore>> {
    let locations = workspace.store_locations(call)?;
    let LocalStore { durable, store } = local;
    let files = ReplicaFiles { durable, locations: &locations, project: &membership.project };
    let _lock = StoreManager::lock(&store.path, call)?;
    if files.look(store)? != ReplicaFile::Unpushed {
        return Ok(None);
    }
    let locked = client.lock(&membership.project, WAIT).map_err(problem)?;
    let done = (|| {
        let mut replica = read_server(client, files, store)?;
        let seq = locked.seq + 1;
        let is_empty = crate::durable::tables::revision(replica.connection())? == 0;
        let capture =
            RecordCapture::start(replica.connection(), record_tables(replica.connection())?)?;
        let mine = store::open_read_only(&store.path)?;
        let pushed = replica.write(|conn| {
            lay_over(durable, &mine, conn, is_empty, prefer)?;
            let changes = capture.changes(conn)?;
            let images: Vec<RecordImage> = changes.into_iter().map(|change| change.after).collect();
            let records = images.iter().filter(|image| is_compared(&image.kind)).count();
            let uid = ChangeUid::random()?;
            let (seq_here, change) = match (images.is_empty(), &locked.change) {
                (false, _) => (seq, uid.to_string()),
                (true, Some(change)) => (locked.seq, change.clone()),
                (true, None) => (0, String::new()), // everything is read once more
            };
            let at = ReplicaPosition { seq: seq_here, change, ..files.start_of(store) };
            tables::set_position(conn, &at)?;
            if images.is_empty() {
                client.roll_back(WAIT).map_err(problem)?;
                return Ok(PushedStore { store: store.name.clone(), records: 0, change: None });
            }
            let entry = NewChange {
                uid,
                store: store.name.clone(),
                seq,
                action: "push",
                actor: call.actor.clone(),
                session: call.session.clone(),
                summary: format!("push {} from a clone", counted(records, "record")),
                layouts: layouts_with(durable, &locked.layouts),
            };
            client.write(&membership.project, &entry, &images, WAIT).map_err(problem)?;
            client.commit(&membership.project, WAIT).map_err(problem)?;
            Ok(PushedStore { store: store.name.clone(), records, change: Some(seq) })
        });
        capture.finish(replica.connection())?;
        replica.checkpoint()?;
        pushed
    })();
    if done.is_err() {
        let _ = client.roll_back(WAIT); // the connection is used again
    }
    let pushed = done?;
    install(workspace, store)?;
    Ok(Some(pushed))
}

/// Lays the records of a clone over those of the server. Entries of logs get new numbers where the
/// server has a history of its own.
fn lay_over(
    durable: &DurableStore,
    mine: &Connection,
    conn: &Connection,
    is_empty: bool,
    prefer: Option<ConflictSide>,
) -> Result<()> {
    let records = record_tables(conn)?;
    for kind in records.kinds() {
        if !is_compared(kind) && !is_empty {
            continue;
        }
        let theirs = by_identity(conn, kind)?;
        let mut next =
            1 + theirs.values().filter_map(|image| number_of(&image.id)).max().unwrap_or(0);
        for (id, image) in by_identity(mine, kind)? {
            let is_mine = match theirs.get(&id) {
                None => true,
                Some(other) => {
                    content(other) != content(&image) && prefer == Some(ConflictSide::Mine)
                }
            };
            if !is_mine {
                continue;
            }
            let image = match theirs.get(&id) {
                Some(other) => with_version_above(image, other.version),
                None => image,
            };
            let image = match number_of(&image.id) {
                Some(_) if !is_empty => {
                    let numbered = with_number(&image, next);
                    next += 1;
                    numbered
                }
                _ => image,
            };
            apply_image(durable, &records, conn, &image)?;
        }
    }
    Ok(())
}

/// A record that replaces another, with a version above both: whoever read the other must not overwrite this one.
fn with_version_above(image: RecordImage, other: i64) -> RecordImage {
    let mut body: Value =
        image.body.as_deref().and_then(|body| serde_json::from_str(body).ok()).unwrap_or_default();
    if image.version == 0 || !body["version"].is_i64() {
        return image;
    }
    let version = image.version.max(other) + 1;
    body["version"] = json!(version);
    RecordImage { version, body: Some(body.to_string()), ..image }
}

/// The number that is the key of a log entry.
fn number_of(id: &str) -> Option<i64> {
    id.trim_start_matches('[').trim_end_matches(']').parse().ok()
}

/// A log entry under another number.
fn with_number(image: &RecordImage, number: i64) -> RecordImage {
    let mut body: Value =
        image.body.as_deref().and_then(|body| serde_json::from_str(body).ok()).unwrap_or_default();
    for key in ["seq", "id"] {
        if body[key].is_i64() {
            body[key] = json!(number);
        }
    }
    RecordImage { id: format!("[{number}]"), body: Some(body.to_string()), ..image.clone() }
}

/// Makes the replica of a store whose records are all on the server.
fn take_over(
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
    read_server(client, files, store)?.checkpoint()?;
    install(workspace, store)
}

/// Puts the replica that was made beside a store in its place. What was there is kept as a backup.
fn install(workspace: &Workspace, store: &TeamStore) -> Result<()> {
    let made = store.path.with_extension("server");
    let mut aside: PathBuf = store.path.with_extension("before-team.sqlite");
    let mut number = 1;
    while aside.exists() {
        number += 1;
        aside = store.path.with_extension(format!("before-team-{number}.sqlite"));
    }
    workspace.stores().open_stores().close_idle();
    store::restore(&made, &store.path, &aside)?;
    remove_store(&made);
    Ok(())
}

/// Leaves the team. The replicas become stores of this clone alone, whole as they are.
pub fn leave(workspace: &Workspace, give_up_waiting: bool, call: &Call) -> Result<usize> {
    let link = workspace.stores().team();
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
    let stores = local_stores(workspace, call)?;
    workspace.stores().open_stores().close_idle();
    for LocalStore { durable, store } in &stores {
        let _lock = StoreManager::lock(&store.path, call)?;
        durable.open(&store.path)?.write(|conn| tables::drop_position(conn))?;
    }
    for entry in waiting {
        // Otherwise they would be written after all when this clone joins again.
        link.outbox().set_state(entry.entry, OutboxState::Dropped, entry.problem.as_deref())?;
    }
    TeamMembership::remove(link.shared())?;
    Ok(stores.len())
}
