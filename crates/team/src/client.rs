//! The operations of the engine on the team's database.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use base::{Problem, ProblemCode};
use postgres::types::{ToSql, Type};
use postgres::{Client, Row, SimpleQueryMessage};
use store::RecordImage;

use crate::address::TeamAddress;
use crate::connection::TeamConnection;
use crate::credentials::CredentialSources;
use crate::failure::{TeamFailure, TeamResult};
use crate::ids::{ChangeUid, ProjectId};
use crate::project::{self, NewProject, TeamProject};
use crate::schema::{self, SchemaState};
use crate::tables;

/// Maximum number of records on one page of a catch-up.
const PAGE_RECORDS: i64 = 5_000;

/// A connection to the shared home.
#[derive(Debug)]
pub struct TeamClient {
    connection: TeamConnection,
    /// Whether the server notifies listeners of a change itself, as PostgreSQL does; known after
    /// the first lock
    notifies: AtomicBool,
}

/// The row of a project that a writer holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LockedProject {
    /// The number of the last change
    pub seq: i64,
    /// The schemas of the stores that the last writer had, as JSON
    pub layouts: String,
    /// The id of the last change; `None` if another client wrote it while this one waited for the
    /// lock
    pub change: Option<String>,
}

/// Records that were written after a given change.
#[derive(Debug, Clone, Default)]
pub struct RecordPage {
    /// The number of the project's last change
    pub newest: i64,
    /// The id of the newest change; `None` before the first
    pub newest_change: Option<String>,
    /// The id that the server knows for the last change that the reader has
    pub own_change: Option<String>,
    /// The schemas of the stores that the last writer had, as JSON
    pub layouts: String,
    /// The records, in the order in which they were written
    pub images: Vec<RecordImage>,
    /// Where the next page begins; `None` on the last page
    next: Option<RecordCursor>,
}

/// A place in the order of written records.
#[derive(Debug, Clone)]
struct RecordCursor {
    seq: i64,
    kind: String,
    id: String,
}

/// A change that is to be written.
#[derive(Debug, Clone)]
pub struct NewChange {
    /// Its id
    pub uid: ChangeUid,
    /// The store that it is for
    pub store: String,
    /// Its number
    pub seq: i64,
    /// `write` or `push`
    pub action: &'static str,
    /// The author
    pub actor: String,
    /// The session of the author
    pub session: String,
    /// A short description
    pub summary: String,
    /// The schema of each store, as JSON
    pub layouts: String,
}

/// A change that was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeEntry {
    /// Its number
    pub seq: i64,
    /// Its id
    pub uid: String,
    /// The store that it changed
    pub store: String,
    /// `write`, `fork` or `push`
    pub action: String,
    /// The store that a fork was made from
    pub source: Option<String>,
    /// The author, by the name that the client gave
    pub actor: String,
    /// The session of the author
    pub session: String,
    /// The role that was logged in
    pub role: String,
    /// A short description
    pub summary: String,
    /// How many records it wrote
    pub records: i32,
    /// When it was made, by the server's clock, in RFC 3339
    pub at: String,
}

impl TeamClient {
    /// Connects and logs in, within `wait`. The schema is checked by every statement that locks the
    /// project's row or reads records. The check therefore costs no round trip, and clients that
    /// are connected during a migration notice it.
    pub fn connect(
        address: &TeamAddress,
        sources: &CredentialSources<'_>,
        wait: Duration,
    ) -> TeamResult<Self> {
        let connection = TeamConnection::open(address, sources, wait)?;
        Ok(Self { connection, notifies: AtomicBool::new(false) })
    }

    /// Whether the connection broke or was given up.
    pub fn is_closed(&self) -> bool {
        self.connection.is_closed()
    }

    /// Closes the connection. The server rolls an open transaction back.
    pub fn close(&self) {
        self.connection.give_up();
    }

    /// The schema of the database.
    pub fn schema(&self, wait: Duration) -> TeamResult<SchemaState> {
        self.connection.run(wait, schema::read)
    }

    /// Migrates the schema, if the caller has the right to, and returns its state.
    pub fn migrate(&self) -> TeamResult<SchemaState> {
        schema::migrate(&self.connection)
    }

    /// The project, if the caller may see it.
    pub fn project(&self, id: &ProjectId, wait: Duration) -> TeamResult<Option<TeamProject>> {
        let id = id.clone();
        self.connection.run(wait, move |client| project::find(client, &id))
    }

    /// Creates a project, its roles, and the membership of the caller.
    pub fn create_project(&self, new: NewProject, wait: Duration) -> TeamResult<()> {
        self.connection.run(wait, move |client| project::create(client, &new))
    }

    /// Sets the root commits of a project that was made before the first commit.
    pub fn set_roots(&self, id: &ProjectId, roots: Vec<String>, wait: Duration) -> TeamResult<()> {
        let id = id.clone();
        self.connection.run(wait, move |client| {
            let params: SqlParams<'_> = &[(&id.as_str(), Type::TEXT), (&roots, Type::TEXT_ARRAY)];
            Ok(client.execute_typed(tables::SET_ROOTS, params).map(drop)?)
        })
    }

    /// Begins a transaction and locks the project's row, so that no other client writes until
    /// [`Self::commit`] or [`Self::roll_back`]. It takes one round trip.
    pub fn lock(&self, project: &ProjectId, wait: Duration) -> TeamResult<LockedProject> {
        let (sql, id) = (tables::begin_and_lock(project), project.clone());
        let locked = self.connection.run(wait, move |client| lock_project(client, &sql, &id));
        if matches!(locked, Err(TeamFailure::Refused(_))) {
            let _ = self.roll_back(wait); // the connection is used again
        }
        let (locked, notifies) = locked?;
        self.notifies.store(notifies, Ordering::Relaxed);
        Ok(locked)
    }

    /// The first page of the records of a store that were written after a change. One round trip.
    pub fn records_after(
        &self,
        project: &ProjectId,
        store: &str,
        seq: i64,
        wait: Duration,
    ) -> TeamResult<RecordPage> {
        // Every kind is greater than this one, so all records of the next change follow it.
        let after = RecordCursor { seq: seq + 1, kind: String::new(), id: String::new() };
        self.read_page(project, store, after, seq, wait)
    }

    /// The page after another one; `None` after the last.
    pub fn next_page(
        &self,
        project: &ProjectId,
        store: &str,
        page: &RecordPage,
        wait: Duration,
    ) -> TeamResult<Option<RecordPage>> {
        let Some(next) = page.next.clone() else { return Ok(None) };
        self.read_page(project, store, next, page.newest, wait).map(Some)
    }

    fn read_page(
        &self,
        project: &ProjectId,
        store: &str,
        after: RecordCursor,
        own: i64,
        wait: Duration,
    ) -> TeamResult<RecordPage> {
        let (project, store) = (project.clone(), store.to_owned());
        self.connection.run(wait, move |client| {
            let params: SqlParams<'_> = &[
                (&project.as_str(), Type::TEXT),
                (&store, Type::TEXT),
                (&after.seq, Type::INT8),
                (&after.kind, Type::TEXT),
                (&after.id, Type::TEXT),
                (&PAGE_RECORDS, Type::INT8),
                (&own, Type::INT8),
            ];
            let rows = client.query_typed(tables::READ_RECORDS, params);
            let rows = rows.map_err(|error| schema::explain(client, error))?;
            let first = rows.first().ok_or_else(|| no_project(&project))?;
            schema::require(client, first.get::<_, Option<i32>>(9).unwrap_or_default())?;
            let (newest, layouts) = (first.get(0), first.get(1));
            let (newest_change, own_change) = (first.get(7), first.get(8));
            let is_full = i64::try_from(rows.len()).is_ok_and(|count| count >= PAGE_RECORDS);
            let next = rows.last().filter(|_| is_full).and_then(cursor_of_row);
            let images = rows.iter().filter_map(image_of_row).collect();
            Ok(RecordPage { newest, newest_change, own_change, layouts, images, next })
        })
    }

    /// The number of a project's last change.
    pub fn newest(&self, project: &ProjectId, wait: Duration) -> TeamResult<i64> {
        let id = project.clone();
        self.connection.run(wait, move |client| {
            let params: SqlParams<'_> = &[(&id.as_str(), Type::TEXT)];
            let row = client.query_typed_opt(tables::READ_NEWEST, params)?;
            Ok(row.ok_or_else(|| no_project(&id))?.get(0))
        })
    }

    /// The number of the last change of a store; `None` if the server does not have the store.
    pub fn last_of_store(
        &self,
        project: &ProjectId,
        store: &str,
        wait: Duration,
    ) -> TeamResult<Option<i64>> {
        let (project, store) = (project.clone(), store.to_owned());
        self.connection.run(wait, move |client| {
            let params: SqlParams<'_> = &[(&project.as_str(), Type::TEXT), (&store, Type::TEXT)];
            Ok(client.query_typed_opt(tables::LAST_OF_STORE, params)?.map(|row| row.get(0)))
        })
    }

    /// The names of all stores of a project.
    pub fn stores(&self, project: &ProjectId, wait: Duration) -> TeamResult<Vec<String>> {
        let id = project.clone();
        self.connection.run(wait, move |client| {
            let rows = client
                .query_typed(tables::STORES, &[(&id.as_str() as SqlParam<'_>, Type::TEXT)])?;
            Ok(rows.iter().map(|row| row.get(0)).collect())
        })
    }

    /// Creates a store as a copy of another, in the transaction that locked the project's row.
    pub fn fork(
        &self,
        project: &ProjectId,
        source: &str,
        change: &NewChange,
        wait: Duration,
    ) -> TeamResult<()> {
        let (project, source, change) = (project.clone(), source.to_owned(), change.clone());
        self.connection.run(wait, move |client| {
            let params: SqlParams<'_> = &[
                (&project.as_str(), Type::TEXT),
                (&change.store, Type::TEXT),
                (&source, Type::TEXT),
                (&change.seq, Type::INT8),
                (&change.uid.as_str(), Type::TEXT),
                (&change.actor, Type::TEXT),
                (&change.session, Type::TEXT),
                (&change.summary, Type::TEXT),
            ];
            Ok(client.execute_typed(tables::FORK_STORE, params).map(drop)?)
        })
    }

    /// Writes the record images of a change and its log entry, in the transaction that locked the
    /// project's row. It takes one round trip.
    pub fn write(
        &self,
        project: &ProjectId,
        change: &NewChange,
        images: &[RecordImage],
        wait: Duration,
    ) -> TeamResult<()> {
        let (project, change, images) = (project.clone(), change.clone(), images.to_vec());
        self.connection.run(wait, move |client| write_change(client, &project, &change, &images))
    }

    /// Commits the transaction. One round trip.
    pub fn commit(&self, project: &ProjectId, wait: Duration) -> TeamResult<()> {
        let sql = match self.notifies.load(Ordering::Relaxed) {
            true => tables::commit_and_notify(project),
            false => tables::COMMIT.to_owned(),
        };
        self.connection.run(wait, move |client| Ok(client.batch_execute(&sql)?))
    }

    /// Unlocks the project's row without a change.
    pub fn roll_back(&self, wait: Duration) -> TeamResult<()> {
        self.connection.run(wait, |client| Ok(client.batch_execute(tables::ROLLBACK)?))
    }

    /// The number of a change by its id. It waits until no other client can be writing the change,
    /// because a lost connection may still be committing it.
    pub fn find_change(
        &self,
        project: &ProjectId,
        uid: &ChangeUid,
        wait: Duration,
    ) -> TeamResult<Option<i64>> {
        self.lock(project, wait)?;
        let (id, wanted) = (project.clone(), uid.clone());
        let found = self.connection.run(wait, move |client| {
            let params: SqlParams<'_> =
                &[(&id.as_str(), Type::TEXT), (&wanted.as_str(), Type::TEXT)];
            Ok(client.query_typed_opt(tables::FIND_CHANGE, params)?.map(|row| row.get(0)))
        });
        self.roll_back(wait)?;
        found
    }

    /// Listens to a project's changes from now on.
    pub fn listen(&self, project: &ProjectId, wait: Duration) -> TeamResult<()> {
        let sql = tables::listen(project);
        self.connection.run(wait, move |client| Ok(client.batch_execute(&sql)?))
    }

    /// Waits for a change of the projects that it listens to. Returns false if there was none
    /// within `wait`.
    pub fn wait_for_change(&self, wait: Duration) -> TeamResult<bool> {
        let grace = Duration::from_secs(5);
        self.connection.run(wait + grace, move |client| {
            use postgres::fallible_iterator::FallibleIterator as _;
            let mut notifications = client.notifications();
            let first = notifications.timeout_iter(wait).next()?;
            // Several changes at once are one reason to look.
            while notifications.iter().next()?.is_some() {}
            Ok(first.is_some())
        })
    }

    /// Entries of the log, newest first, and their total number.
    pub fn changes(
        &self,
        project: &ProjectId,
        store: Option<&str>,
        limit: i64,
        offset: i64,
        wait: Duration,
    ) -> TeamResult<(Vec<ChangeEntry>, i64)> {
        let (project, store) = (project.clone(), store.map(ToOwned::to_owned));
        self.connection.run(wait, move |client| {
            let (id, store) = (
                (&project.as_str() as SqlParam<'_>, Type::TEXT),
                (&store as SqlParam<'_>, Type::TEXT),
            );
            let total =
                client.query_typed_one(tables::COUNT_CHANGES, &[id.clone(), store.clone()])?.get(0);
            let params: SqlParams<'_> = &[id, store, (&limit, Type::INT8), (&offset, Type::INT8)];
            let rows = client.query_typed(tables::READ_CHANGES, params)?;
            Ok((rows.iter().map(entry_of_row).collect(), total))
        })
    }

    /// The authors of the last given number of seconds: name, role, and the number and time of
    /// their last change.
    pub fn active(
        &self,
        project: &ProjectId,
        seconds: f64,
        wait: Duration,
    ) -> TeamResult<Vec<ActiveMember>> {
        let id = project.clone();
        self.connection.run(wait, move |client| {
            let params: SqlParams<'_> = &[(&id.as_str(), Type::TEXT), (&seconds, Type::FLOAT8)];
            let rows = client.query_typed(tables::READ_ACTIVE, params)?;
            let member = |row: &Row| ActiveMember {
                actor: row.get(0),
                role: row.get(1),
                last_change: row.get(2),
                at: row.get(3),
            };
            Ok(rows.iter().map(member).collect())
        })
    }

    /// The server's clock, in milliseconds since 1970.
    pub fn clock_ms(&self, wait: Duration) -> TeamResult<i64> {
        self.connection
            .run(wait, |client| Ok(client.query_typed_one(tables::READ_CLOCK, &[])?.get(0)))
    }
}

/// An author of recent changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActiveMember {
    /// Their own name
    pub actor: String,
    /// The role that was logged in
    pub role: String,
    /// The number of their last change
    pub last_change: i64,
    /// When it was made, in RFC 3339
    pub at: String,
}

/// Locks the project's row. Also returns whether the server notifies listeners itself.
fn lock_project(
    client: &mut Client,
    sql: &str,
    id: &ProjectId,
) -> TeamResult<(LockedProject, bool)> {
    let rows = client.simple_query(sql).map_err(|error| schema::explain(client, error))?;
    let row = rows.into_iter().find_map(|message| match message {
        SimpleQueryMessage::Row(row) => Some(row),
        _ => None,
    });
    let row = row.ok_or_else(|| no_project(id))?;
    let number = |at| row.get(at).and_then(|text: &str| text.parse::<i64>().ok());
    let found = number(3).and_then(|version| i32::try_from(version).ok()).unwrap_or_default();
    schema::require(client, found)?;
    let locked = LockedProject {
        seq: number(0).ok_or_else(|| Problem::internal("a change has no number"))?,
        layouts: row.get(1).unwrap_or("{}").to_owned(),
        change: row.get(2).map(ToOwned::to_owned),
    };
    Ok((locked, row.get(4) == Some("t")))
}

type SqlParam<'a> = &'a (dyn ToSql + Sync);
type SqlParams<'a> = &'a [(SqlParam<'a>, Type)];

fn write_change(
    client: &mut Client,
    project: &ProjectId,
    change: &NewChange,
    images: &[RecordImage],
) -> TeamResult<()> {
    let kinds: Vec<&str> = images.iter().map(|image| image.kind.as_str()).collect();
    let ids: Vec<&str> = images.iter().map(|image| image.id.as_str()).collect();
    let versions: Vec<i64> = images.iter().map(|image| image.version).collect();
    let bodies: Vec<Option<&str>> = images.iter().map(|image| image.body.as_deref()).collect();
    let params: SqlParams<'_> = &[
        (&project.as_str(), Type::TEXT),
        (&change.store, Type::TEXT),
        (&change.seq, Type::INT8),
        (&kinds, Type::TEXT_ARRAY),
        (&ids, Type::TEXT_ARRAY),
        (&versions, Type::INT8_ARRAY),
        (&bodies, Type::TEXT_ARRAY),
        (&change.uid.as_str(), Type::TEXT),
        (&change.action, Type::TEXT),
        (&change.actor, Type::TEXT),
        (&change.session, Type::TEXT),
        (&change.summary, Type::TEXT),
        (&change.layouts, Type::TEXT),
    ];
    Ok(client.execute_typed(tables::WRITE_CHANGE, params).map(drop)?)
}

fn no_project(id: &ProjectId) -> Problem {
    Problem::new(ProblemCode::Untrusted, format!("the team's database shows no project {id}")).hint(
        "ask its owner to grant you the project's role; \
             `team status` on a joined machine shows it",
    )
}

fn image_of_row(row: &Row) -> Option<RecordImage> {
    let kind: Option<String> = row.get(3);
    Some(RecordImage { kind: kind?, id: row.get(4), version: row.get(5), body: row.get(6) })
}

fn cursor_of_row(row: &Row) -> Option<RecordCursor> {
    let seq: Option<i64> = row.get(2);
    Some(RecordCursor { seq: seq?, kind: row.get(3), id: row.get(4) })
}

fn entry_of_row(row: &Row) -> ChangeEntry {
    ChangeEntry {
        seq: row.get(0),
        uid: row.get(1),
        store: row.get(2),
        action: row.get(3),
        source: row.get(4),
        actor: row.get(5),
        session: row.get(6),
        role: row.get(7),
        summary: row.get(8),
        records: row.get(9),
        at: row.get(10),
    }
}
