//! The first upload of what a clone had before it joined.

use base::words::counted;
use base::{Call, NextCall, Problem, ProblemCode, Result};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use store::{Connection, RecordCapture, RecordImage};
use team::{ChangeUid, NewChange, TeamClient};

use super::comparison::{
    LocalStore, RemovedRecords, StoreComparison, WAIT, by_identity, compare_stores, content,
    is_compared, local_stores, read_server,
};
use super::membership::TeamMembership;
use super::replay::ConflictSide;
use super::replica::{
    ReplicaFile, ReplicaFiles, TeamStore, apply_image, layouts_with, problem, record_tables,
    remove_store,
};
use super::tables::{self, ReplicaPosition};
use crate::backup::BackupFolder;
use crate::durable::{DurableStore, StoreManager};
use crate::workspace::Workspace;

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

/// What the first push did.
#[derive(Debug)]
pub struct PushedRecords {
    /// The stores that were pushed
    pub stores: Vec<PushedStore>,
    /// Whether the team's records took the place of the local ones, because the role may only read
    pub is_replaced: bool,
}

/// Brings what is local to the server, for the first time. Records that differ are refused, unless
/// one side is preferred.
pub fn push(
    workspace: &Workspace,
    membership: &TeamMembership,
    prefer: Option<ConflictSide>,
    call: &Call,
) -> Result<PushedRecords> {
    let link = workspace.stores().team();
    let client = link.client(membership, WAIT).map_err(problem)?;
    let project = client.project(&membership.project, WAIT).map_err(problem)?;
    let is_replaced = project.is_some_and(|project| !project.can_write);
    if is_replaced && prefer != Some(ConflictSide::Theirs) {
        return Err(only_reads());
    }
    let compared = compare_stores(workspace, &client, membership, call)?;
    let differing: usize = compared.iter().map(|store| store.differing).sum();
    if differing > 0 && prefer.is_none() {
        return Err(push_conflict(differing, &compared));
    }
    let mut stores = Vec::new();
    for local in local_stores(workspace, call)? {
        match is_replaced {
            true => take_over(workspace, &client, membership, &local, call)?,
            false => {
                stores.extend(push_store(workspace, &client, membership, &local, prefer, call)?);
            }
        }
    }
    TeamMembership { is_pushed: true, ..membership.clone() }.write(link.shared())?;
    link.note_contact(call.now);
    workspace.stores().open_stores().close_idle();
    Ok(PushedRecords { stores, is_replaced })
}

/// The problem of a push by a role that may only read.
fn only_reads() -> Problem {
    Problem::new(
        ProblemCode::Untrusted,
        "this role may only read, and this clone has records of its own",
    )
    .hint_call(
        "to read the team's records in their place, with a copy of them kept aside:",
        NextCall::repeat().with("prefer", "theirs"),
    )
    .hint_call("or give the team up with", NextCall::new("team.leave"))
}

/// The problem of records that break a rule only together with those of the server.
fn breaks_rule(rule: &str) -> Problem {
    let what = format!("together with the server's records the local ones break a rule: {rule}");
    Problem::new(ProblemCode::Conflict, what).hint_call(
        "nothing was written; change the local records, then join and push again, after",
        NextCall::new("team.leave"),
    )
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
        let removed = RemovedRecords::read(client, files, store)?;
        let was_broken = (durable.broken_rule)(replica.connection())?.is_some();
        let capture =
            RecordCapture::start(replica.connection(), record_tables(replica.connection())?)?;
        let mine = store::open_read_only(&store.path)?;
        let pushed = replica.write(|conn| {
            lay_over(durable, &mine, conn, &LaidOver { is_empty, prefer, removed })?;
            if let Some(rule) = (durable.broken_rule)(conn)?.filter(|_| !was_broken) {
                return Err(breaks_rule(&rule));
            }
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
    install(workspace, store, call)?;
    Ok(Some(pushed))
}

/// How the records of a clone are laid over those of the server.
struct LaidOver {
    /// Whether the server has no history of its own
    is_empty: bool,
    /// The side that is kept where both differ
    prefer: Option<ConflictSide>,
    /// What the team removed
    removed: RemovedRecords,
}

/// Lays the records of a clone over those of the server. Entries of logs get new numbers where the
/// server has a history of its own.
fn lay_over(
    durable: &DurableStore,
    mine: &Connection,
    conn: &Connection,
    how: &LaidOver,
) -> Result<()> {
    let LaidOver { is_empty, prefer, ref removed } = *how;
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
                None => !removed.contains(&image) || prefer == Some(ConflictSide::Mine),
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
            let image = (durable.added_record)(conn, image)?;
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
pub(super) fn take_over(
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
    install(workspace, store, call)
}

/// Puts the replica that was made beside a store in its place. What was there is kept as a backup.
fn install(workspace: &Workspace, store: &TeamStore, call: &Call) -> Result<()> {
    let made = store.path.with_extension("server");
    let aside = BackupFolder::of(workspace, call)?.path_for_replaced(&store.path, call);
    workspace.stores().open_stores().close_idle();
    store::restore(&made, &store.path, &aside)?;
    remove_store(&made);
    Ok(())
}
