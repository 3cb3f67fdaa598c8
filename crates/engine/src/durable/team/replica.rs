//! The replica of one store: its position in the order of changes, and how it is brought up to
//! date.

use std::path::PathBuf;
use std::time::Duration;

use base::{Call, NextCall, Problem, ProblemCode, Result};
use serde_json::{Value, json};
use store::{Connection, RecordImage, RecordTables};
use team::{ProjectId, RecordPage, TeamClient, TeamFailure, TeamResult};

use super::tables::{self, ReplicaPosition};
use crate::durable::locations::StoreLocations;
use crate::durable::owner::StoreOwner;
use crate::durable::{DurableStore, StoreManager};

/// Tables of every store that are computed from its records.
const DERIVED_TABLES: [&str; 2] = ["doc", "doc_name"];

/// A store that the team shares, with the file that holds its replica.
#[derive(Debug, Clone)]
pub(crate) struct TeamStore {
    /// Its name on the server: `work`, or `kb/main`
    pub name: String,
    /// The branch that it belongs to
    pub owner: Option<StoreOwner>,
    /// The replica
    pub path: PathBuf,
}

/// The replicas of one durable store: those of the branches that concern one call.
#[derive(Debug, Clone, Copy)]
pub(super) struct ReplicaFiles<'a> {
    pub durable: &'a DurableStore,
    pub locations: &'a StoreLocations,
    pub project: &'a ProjectId,
}

/// The file of a replica.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ReplicaFile {
    /// There is none
    Missing,
    /// A store with records that the server does not know
    Unpushed,
    /// A replica
    At(ReplicaPosition),
}

impl ReplicaFiles<'_> {
    /// The store that is read: the branch's own where it is there, else the default branch's.
    pub(super) fn read_store(&self) -> Result<Option<TeamStore>> {
        let stores = self.locations.team_stores(self.durable);
        Ok(stores.iter().find(|store| store.path.exists()).or(stores.first()).cloned())
    }

    /// The stores that decide what is read: up to the first that exists, because those after it are
    /// not read.
    pub(super) fn consulted_stores(&self) -> Vec<TeamStore> {
        let mut stores = self.locations.team_stores(self.durable);
        if let Some(read) = stores.iter().position(|store| store.path.exists()) {
            stores.truncate(read + 1);
        }
        stores
    }

    /// What kind of file the file of a store is.
    pub(super) fn look(&self, store: &TeamStore) -> Result<ReplicaFile> {
        if !store.path.exists() {
            return Ok(ReplicaFile::Missing);
        }
        let conn = store::open_read_only(&store.path)?;
        self.look_at(&conn, store)
    }

    fn look_at(&self, conn: &Connection, store: &TeamStore) -> Result<ReplicaFile> {
        if let Some(at) = tables::position(conn)?
            && at.project == self.project.as_str()
        {
            return Ok(ReplicaFile::At(at));
        }
        let is_new =
            store::schema_version(conn)? == 0 || crate::durable::tables::revision(conn)? == 0;
        Ok(match is_new {
            true => ReplicaFile::At(self.start_of(store)),
            false => ReplicaFile::Unpushed,
        })
    }

    /// The position of a replica that has no changes yet.
    pub(super) fn start_of(&self, store: &TeamStore) -> ReplicaPosition {
        ReplicaPosition {
            project: self.project.to_string(),
            store: store.name.clone(),
            seq: 0,
            change: String::new(),
        }
    }

    /// Brings a replica from its position to the newest change. Returns the number of that change.
    ///
    /// Readers in other processes do the same without a lock. If the replica has moved meanwhile,
    /// this continues from its new position, because the other process may have stopped before the
    /// change that the caller needs.
    pub(super) fn advance(
        &self,
        client: &TeamClient,
        store: &TeamStore,
        from: &ReplicaPosition,
        wait: Duration,
    ) -> TeamResult<i64> {
        let mut from = from.clone();
        loop {
            if let Some(newest) = self.try_advance(client, store, &from, wait)? {
                return Ok(newest);
            }
            match self.look(store)? {
                ReplicaFile::At(at) => from = at,
                _ => return Err(Problem::internal("a replica lost its position").into()),
            }
        }
    }

    /// Advances a replica once; `None` if it is no longer at the expected position.
    fn try_advance(
        &self,
        client: &TeamClient,
        store: &TeamStore,
        from: &ReplicaPosition,
        wait: Duration,
    ) -> TeamResult<Option<i64>> {
        let page = client.records_after(self.project, &from.store, from.seq, wait)?;
        require_known_layout(self.durable, &page.layouts)?;
        from.require_known(page.own_change.as_deref())?;
        if page.images.is_empty() {
            return Ok(Some(page.newest));
        }
        self.locations.prepare_folder(store)?;
        let mut open = self.durable.open(&store.path)?;
        let mut failure = None;
        let written = open.write(|transaction| {
            let here = self.look_at(transaction, store)?;
            if here != ReplicaFile::At(from.clone()) {
                return Ok(None); // another process was faster
            }
            match self.apply_pages(client, transaction, from, page, wait) {
                Ok(newest) => Ok(Some(newest)),
                Err(problem) => {
                    failure = Some(problem);
                    Err(Problem::internal("a replica was not brought up to date"))
                }
            }
        });
        if let Some(failure) = failure {
            return Err(failure);
        }
        Ok(written?)
    }

    fn apply_pages(
        &self,
        client: &TeamClient,
        conn: &Connection,
        from: &ReplicaPosition,
        first: RecordPage,
        wait: Duration,
    ) -> TeamResult<i64> {
        let records = record_tables(conn)?;
        let mut page = first;
        loop {
            for image in &page.images {
                apply_image(self.durable, &records, conn, image)?;
            }
            match client.next_page(self.project, &from.store, &page, wait)? {
                Some(next) => page = next,
                None => break,
            }
        }
        let change = page.newest_change.unwrap_or_default();
        let at = ReplicaPosition { seq: page.newest, change, ..from.clone() };
        tables::set_position(conn, &at)?;
        Ok(page.newest)
    }

    /// Builds the replica of a store from the server's records. It replaces a file that was a copy
    /// of another store. The caller holds the store's lock.
    pub(super) fn rebuild(
        &self,
        client: &TeamClient,
        store: &TeamStore,
        wait: Duration,
    ) -> TeamResult<i64> {
        let temp = TeamStore { path: store.path.with_extension("joining"), ..store.clone() };
        remove_store(&temp.path);
        drop(self.durable.open(&temp.path)?);
        let newest = self.advance(client, &temp, &self.start_of(store), wait)?;
        let open = self.durable.open(&temp.path)?;
        open.checkpoint()?;
        drop(open);
        let aside = store.path.with_extension("replaced");
        remove_store(&aside);
        store::restore(&temp.path, &store.path, &aside)?;
        remove_store(&temp.path);
        remove_store(&aside); // a replica of another store, which is still there
        Ok(newest)
    }
}

/// Brings the store that a call reads up to date. Returns the number of the newest change.
pub(super) fn catch_up_for_read(
    client: &TeamClient,
    files: ReplicaFiles<'_>,
    wait: Duration,
    call: &Call,
) -> TeamResult<i64> {
    let mut newest = 0;
    for store in files.locations.team_stores(files.durable) {
        newest = catch_up_store(client, files, &store, wait, call)?;
        if store.path.exists() {
            break; // otherwise the server has no such store, and the default branch's is read
        }
    }
    Ok(newest)
}

/// Brings one store up to date. Returns the number of the newest change.
pub(super) fn catch_up_store(
    client: &TeamClient,
    files: ReplicaFiles<'_>,
    store: &TeamStore,
    wait: Duration,
    call: &Call,
) -> TeamResult<i64> {
    match files.look(store)? {
        ReplicaFile::Missing => files.advance(client, store, &files.start_of(store), wait),
        ReplicaFile::Unpushed => client.newest(files.project, wait),
        ReplicaFile::At(at) if at.store == store.name => files.advance(client, store, &at, wait),
        ReplicaFile::At(at) => {
            if client.last_of_store(files.project, &store.name, wait)?.is_none() {
                files.advance(client, store, &at, wait)
            } else {
                let _lock = StoreManager::lock(&store.path, call)?;
                files.rebuild(client, store, wait)
            }
        }
    }
}

impl ReplicaPosition {
    /// Refuses a server that was restored from an old backup, by the change id that the server has
    /// at this position: it gives the numbers of lost changes again, perhaps to other changes.
    pub(super) fn require_known(&self, on_server: Option<&str>) -> Result<()> {
        if self.seq == 0 || on_server == Some(self.change.as_str()) {
            return Ok(());
        }
        let seq = self.seq;
        Err(Problem::new(
            ProblemCode::Conflict,
            format!("this machine has a change {seq} that the team's server does not have"),
        )
        .hint_call(
            "the server was restored from a backup; join it again, after",
            NextCall::new("team.leave"),
        ))
    }
}

/// The tables of a store whose rows are records.
pub(crate) fn record_tables(conn: &Connection) -> Result<RecordTables> {
    RecordTables::of(conn, &DERIVED_TABLES)
}

/// Writes the record of another machine, and what is derived from it.
pub(super) fn apply_image(
    durable: &DurableStore,
    records: &RecordTables,
    conn: &Connection,
    image: &RecordImage,
) -> Result<()> {
    records.put(conn, image)?;
    (durable.index_record)(conn, image)
}

/// Refuses records of a newer program, which may have columns that this one would lose.
pub(super) fn require_known_layout(durable: &DurableStore, layouts: &str) -> Result<()> {
    let written = layouts_of(layouts)[durable.name].as_u64().unwrap_or_default();
    let known = durable.steps.len() as u64;
    if written <= known {
        return Ok(());
    }
    let name = durable.name;
    Err(Problem::new(
        ProblemCode::Unavailable,
        format!(
            "the team's `{name}` records have layout {written}; this cairn supports up to {known}"
        ),
    )
    .hint("update cairn on this machine; nothing was read or written"))
}

/// The layouts after a write of this program.
pub(super) fn layouts_with(durable: &DurableStore, layouts: &str) -> String {
    let mut all = layouts_of(layouts);
    let known = durable.steps.len() as u64;
    let written = all[durable.name].as_u64().unwrap_or_default();
    all[durable.name] = json!(known.max(written));
    all.to_string()
}

fn layouts_of(text: &str) -> Value {
    serde_json::from_str(text).ok().filter(Value::is_object).unwrap_or_else(|| json!({}))
}

pub(super) fn remove_store(path: &std::path::Path) {
    for end in ["", "-wal", "-shm", "-journal"] {
        let mut name = path.as_os_str().to_owned();
        name.push(end);
        let _ = std::fs::remove_file(PathBuf::from(name)); // not all of them are there
    }
}

/// The failure as a problem, for callers that cannot go on.
pub(super) fn problem(failure: TeamFailure) -> Problem {
    failure.into_problem()
}
