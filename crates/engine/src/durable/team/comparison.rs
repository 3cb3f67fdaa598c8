//! The stores of a clone that joins, compared with those of the server.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use base::{Call, Result};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use store::{Connection, RecordImage};
use team::TeamClient;

use super::conflict::conflict_row;
use super::membership::TeamMembership;
use super::replica::{ReplicaFile, ReplicaFiles, TeamStore, problem, record_tables, remove_store};
use crate::durable::DurableStore;
use crate::workspace::Workspace;

/// How long joining and pushing wait for each answer of the server.
pub(super) const WAIT: Duration = Duration::from_secs(30);

/// Kinds of records that are the history of one machine: they are not compared, and not pushed to a
/// server that has a history of its own.
const CHANGES_KIND: &str = "change";

/// Conflicts that an answer lists at most.
const MAX_LISTED: usize = 20;

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

/// A store of this clone with its durable store.
pub(super) struct LocalStore {
    pub durable: DurableStore,
    pub store: TeamStore,
}

/// Every store of this clone that a team shares: of all branches, not of detached heads.
pub(super) fn local_stores(workspace: &Workspace, call: &Call) -> Result<Vec<LocalStore>> {
    let locations = workspace.store_locations(call)?;
    let mut found = Vec::new();
    for durable in workspace.stores().durables() {
        for store in locations.all_team_stores(durable)? {
            found.push(LocalStore { durable: *durable, store });
        }
    }
    Ok(found)
}

pub(super) fn compare_stores(
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
        let removed = RemovedRecords::read(client, files, &store)?;
        let conn = store::open_read_only(&store.path)?;
        compared.push(compare(&conn, theirs.connection(), &store.name, &removed)?);
    }
    Ok(compared)
}

/// The server's records of a store, in a store of their own.
pub(super) fn read_server(
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

pub(super) fn is_compared(kind: &str) -> bool {
    kind != CHANGES_KIND
}

/// The records of a kind by id; logs, which have numbers for keys, by what they say.
pub(super) fn by_identity(conn: &Connection, kind: &str) -> Result<BTreeMap<String, RecordImage>> {
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

/// What is compared of two records with one identity. An entry of a log never changes, so nothing is compared of it:
/// its number and the name of its changeset are those of one log.
pub(super) fn content(image: &RecordImage) -> Value {
    let body: Value =
        image.body.as_deref().and_then(|body| serde_json::from_str(body).ok()).unwrap_or_default();
    match identity(image) == image.id {
        true => body,
        false => Value::Null,
    }
}

/// Records that the team had and removed.
pub(super) struct RemovedRecords(BTreeSet<String>);

impl RemovedRecords {
    /// Reads what was removed from a store.
    pub(super) fn read(
        client: &TeamClient,
        files: ReplicaFiles<'_>,
        store: &TeamStore,
    ) -> Result<Self> {
        let mut removed = BTreeSet::new();
        let first = client.records_after(files.project, &store.name, 0, WAIT).map_err(problem)?;
        let mut page = Some(first);
        while let Some(current) = page {
            let gone = current.images.iter().filter(|image| image.body.is_none());
            removed.extend(gone.map(removed_key));
            page = client.next_page(files.project, &store.name, &current, WAIT).map_err(problem)?;
        }
        Ok(Self(removed))
    }

    /// Whether the team removed the record that this one is a copy of.
    pub(super) fn contains(&self, image: &RecordImage) -> bool {
        self.0.contains(&removed_key(image))
    }
}

fn removed_key(image: &RecordImage) -> String {
    format!("{} {}", image.kind, image.id)
}

fn compare(
    here: &Connection,
    there: &Connection,
    store: &str,
    removed: &RemovedRecords,
) -> Result<StoreComparison> {
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
            let theirs = match theirs.get(id) {
                None if !removed.contains(image) => {
                    found.only_here += 1;
                    continue;
                }
                Some(other) if content(other) == content(image) => {
                    found.equal += 1;
                    continue;
                }
                theirs => theirs.map(content).unwrap_or_default(),
            };
            found.differing += 1;
            if found.conflicts.len() < MAX_LISTED {
                found.conflicts.push(conflict_row(kind, &image.id, &content(image), &theirs));
            }
        }
    }
    Ok(found)
}
