//! The SQL of a replica and of the outbox.

use base::Result;
use store::{Connection, OptionalExtension, Row, SqlResult, params, rows, sqlite_problem};

/// The position of a replica in the order of changes. Only stores of a joined repository have the
/// table.
const CREATE_POSITION: &str = "CREATE TABLE IF NOT EXISTS team_position (
    one INTEGER PRIMARY KEY CHECK (one = 1), project TEXT NOT NULL, store TEXT NOT NULL, seq INTEGER NOT NULL,
    change TEXT NOT NULL)";
const SET_POSITION: &str = "INSERT OR REPLACE INTO team_position VALUES (1, ?1, ?2, ?3, ?4)";
const HAS_POSITION: &str =
    "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'team_position'";

/// Where a store was when its clone left the team, and its revision then. A store that has not changed since is still
/// what the team had.
const CREATE_LEFT: &str = "DROP TABLE IF EXISTS team_left;
    CREATE TABLE team_left (project TEXT NOT NULL, store TEXT NOT NULL, seq INTEGER NOT NULL, change TEXT NOT NULL,
        revision INTEGER NOT NULL);
    INSERT INTO team_left SELECT project, store, seq, change, (SELECT ifnull(max(id), 0) FROM change) FROM team_position;
    DROP TABLE team_position";
const HAS_LEFT: &str = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'team_left'";
const READ_LEFT: &str = "SELECT project, store, seq, change FROM team_left
    WHERE revision = (SELECT ifnull(max(id), 0) FROM change)";

/// Requests that wait for the server.
pub(super) const CREATE_OUTBOX: &str = "CREATE TABLE IF NOT EXISTS outbox (
    entry INTEGER PRIMARY KEY AUTOINCREMENT, change TEXT NOT NULL UNIQUE, project TEXT NOT NULL, store TEXT NOT NULL,
    branch TEXT, operation TEXT NOT NULL, args TEXT NOT NULL, seed TEXT NOT NULL, at TEXT NOT NULL,
    actor TEXT NOT NULL, session TEXT NOT NULL, summary TEXT NOT NULL, images TEXT NOT NULL,
    state TEXT NOT NULL, problem TEXT)";
const HAS_OUTBOX: &str = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'outbox'";
const OUTBOX_COLUMNS: &str =
    "entry, change, project, store, branch, operation, args, seed, at, actor,
    session, summary, images, state, problem";

/// The position of a replica.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ReplicaPosition {
    /// The project that it belongs to
    pub project: String,
    /// The store that it is a replica of; for the store of a new branch the one that it was copied from
    pub store: String,
    /// The last change that it has
    pub seq: i64,
    /// The id of that change, which shows whether the server was restored from a backup; empty
    /// before the first
    pub change: String,
}

/// The position of a replica; `None` for a store that never was one.
pub(super) fn position(conn: &Connection) -> Result<Option<ReplicaPosition>> {
    read_position(conn, HAS_POSITION, "SELECT project, store, seq, change FROM team_position")
}

/// The position at which a store was left; `None` if it has changed since, or never was a replica.
pub(super) fn left_position(conn: &Connection) -> Result<Option<ReplicaPosition>> {
    read_position(conn, HAS_LEFT, READ_LEFT)
}

fn read_position(conn: &Connection, exists: &str, sql: &str) -> Result<Option<ReplicaPosition>> {
    let failed = || sqlite_problem("read the position of a replica");
    let exists = conn.query_row(exists, [], |_| Ok(())).optional().map_err(failed())?;
    if exists.is_none() {
        return Ok(None);
    }
    let read = |row: &Row<'_>| {
        Ok(ReplicaPosition {
            project: row.get(0)?,
            store: row.get(1)?,
            seq: row.get(2)?,
            change: row.get(3)?,
        })
    };
    conn.query_row(sql, [], read).optional().map_err(failed())
}

/// Stores the position of a replica, in the transaction that brings it there.
pub(super) fn set_position(conn: &Connection, at: &ReplicaPosition) -> Result<()> {
    conn.execute_batch(CREATE_POSITION)
        .and_then(|()| conn.execute(SET_POSITION, params![at.project, at.store, at.seq, at.change]))
        .map(drop)
        .map_err(sqlite_problem("store the position of a replica"))
}

/// Forgets the position of a store that changed since without the team.
pub(super) fn drop_position(conn: &Connection) -> Result<()> {
    conn.execute_batch("DROP TABLE IF EXISTS team_position")
        .map_err(sqlite_problem("forget the position of a replica"))
}

/// Turns a replica into a local store, which remembers where it was.
pub(super) fn leave_position(conn: &Connection) -> Result<()> {
    if position(conn)?.is_none() {
        return Ok(());
    }
    conn.execute_batch(CREATE_LEFT).map_err(sqlite_problem("leave the team"))
}

/// A row of the outbox.
#[derive(Debug, Clone)]
pub(super) struct OutboxRow {
    pub entry: i64,
    pub change: String,
    pub project: String,
    pub store: String,
    pub branch: Option<String>,
    pub operation: String,
    pub args: String,
    pub seed: String,
    pub at: String,
    pub actor: String,
    pub session: String,
    pub summary: String,
    pub images: String,
    pub state: String,
    pub problem: Option<String>,
}

/// Every row, in the order in which they came.
pub(super) fn outbox(conn: &Connection) -> Result<Vec<OutboxRow>> {
    let exists = conn.query_row(HAS_OUTBOX, [], |_| Ok(())).optional();
    if exists.map_err(sqlite_problem("read the outbox"))?.is_none() {
        return Ok(Vec::new()); // another process is creating it
    }
    let sql = format!("SELECT {OUTBOX_COLUMNS} FROM outbox ORDER BY entry");
    rows(conn, &sql, "read the outbox", &[], outbox_row)
}

fn outbox_row(row: &Row<'_>) -> SqlResult<OutboxRow> {
    Ok(OutboxRow {
        entry: row.get(0)?,
        change: row.get(1)?,
        project: row.get(2)?,
        store: row.get(3)?,
        branch: row.get(4)?,
        operation: row.get(5)?,
        args: row.get(6)?,
        seed: row.get(7)?,
        at: row.get(8)?,
        actor: row.get(9)?,
        session: row.get(10)?,
        summary: row.get(11)?,
        images: row.get(12)?,
        state: row.get(13)?,
        problem: row.get(14)?,
    })
}

/// Appends a row; its number is given here.
pub(super) fn append_to_outbox(conn: &Connection, row: &OutboxRow) -> Result<i64> {
    let sql = "INSERT INTO outbox (change, project, store, branch, operation, args, seed, at, actor,
        session, summary, images, state, problem) VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14)";
    conn.execute(
        sql,
        params![
            row.change,
            row.project,
            row.store,
            row.branch,
            row.operation,
            row.args,
            row.seed,
            row.at,
            row.actor,
            row.session,
            row.summary,
            row.images,
            row.state,
            row.problem
        ],
    )
    .map_err(sqlite_problem("write the outbox"))?;
    Ok(conn.last_insert_rowid())
}

/// Sets the state of a row, and why.
pub(super) fn set_outbox_state(
    conn: &Connection,
    entry: i64,
    state: &str,
    problem: Option<&str>,
) -> Result<()> {
    conn.execute(
        "UPDATE outbox SET state = ?2, problem = ?3 WHERE entry = ?1",
        params![entry, state, problem],
    )
    .map(drop)
    .map_err(sqlite_problem("write the outbox"))
}

/// Removes a row that is on the server now.
pub(super) fn remove_from_outbox(conn: &Connection, entry: i64) -> Result<()> {
    conn.execute("DELETE FROM outbox WHERE entry = ?1", [entry])
        .map(drop)
        .map_err(sqlite_problem("write the outbox"))
}
