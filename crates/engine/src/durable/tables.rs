//! The SQL that every durable store needs.

use base::Result;
use store::{Connection, Migration, OptionalExtension, Row, SqlResult, params, sqlite_problem};
use tree::ChangeId;

/// The first migration of every durable store.
pub(crate) const CHANGES_MIGRATION: Migration =
    Migration { name: "a record of changes", sql: include_str!("change.sql") };

/// The migration that adds sessions and undone changes. Stores list it at the place where they got
/// it.
pub const UNDO_MIGRATION: Migration =
    Migration { name: "sessions and what was undone", sql: include_str!("undo.sql") };

const SELECT_CHANGE: &str = "SELECT id, at, actor, session, summary, inverse, undoes FROM change";

/// A change that was made to a store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeRecord {
    /// Its number
    pub id: ChangeId,
    /// When it was made, as RFC 3339
    pub at: String,
    /// Who made it
    pub actor: String,
    /// None for a change of an older version, whose number was counted by its store alone
    pub session: Option<String>,
    /// What it did, in a few words
    pub summary: String,
    /// The change that undoes it, as JSON of the area
    pub inverse: String,
    /// The change that it undoes
    pub undoes: Option<ChangeId>,
}

/// Records a change under its number.
pub fn record(conn: &Connection, made: &ChangeRecord) -> Result<()> {
    let sql = "INSERT INTO change (id, at, actor, session, summary, inverse, undoes)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
    let ChangeRecord { id, at, actor, session, summary, inverse, undoes } = made;
    conn.prepare_cached(sql)
        .and_then(|mut statement| {
            let undoes = undoes.map(|undone| undone.0);
            statement.execute(params![id.0, at, actor, session, summary, inverse, undoes])
        })
        .map(drop)
        .map_err(sqlite_problem("record a change"))
}

/// Adds what undoes a recorded change.
pub(crate) fn set_inverse(conn: &Connection, id: ChangeId, inverse: &str) -> Result<()> {
    conn.prepare_cached("UPDATE change SET inverse = ?2 WHERE id = ?1")
        .and_then(|mut statement| statement.execute(params![id.0, inverse]))
        .map(drop)
        .map_err(sqlite_problem("record a change"))
}

/// The number of the last change: it counts up with every commit.
pub(crate) fn revision(conn: &Connection) -> Result<i64> {
    conn.prepare_cached("SELECT ifnull(max(id), 0) FROM change")
        .and_then(|mut statement| statement.query_row([], |row| row.get(0)))
        .map_err(sqlite_problem("read the record of changes"))
}

/// The highest number that anything in the store was given: a change, or an entry of a log that its
/// area keeps. SQLite stores it for every table with `AUTOINCREMENT`.
pub(crate) fn highest_number(conn: &Connection) -> Result<u64> {
    conn.prepare_cached("SELECT ifnull(max(seq), 0) FROM sqlite_sequence")
        .and_then(|mut statement| statement.query_row([], |row| row.get(0)))
        .map_err(sqlite_problem("read the record of changes"))
}

/// The change with this number.
pub fn change_record(conn: &Connection, id: ChangeId) -> Result<Option<ChangeRecord>> {
    conn.query_row(&format!("{SELECT_CHANGE} WHERE id = ?1"), [id.0], record_of_row)
        .optional()
        .map_err(sqlite_problem("read the record of changes"))
}

/// Every change that undoes another, with the change that it undoes; newest first.
pub(crate) fn undos(conn: &Connection) -> Result<Vec<(ChangeId, ChangeId)>> {
    let sql = "SELECT id, undoes FROM change WHERE undoes IS NOT NULL ORDER BY id DESC";
    let pair = |row: &Row<'_>| Ok((ChangeId(row.get(0)?), ChangeId(row.get(1)?)));
    store::rows(conn, sql, "read the record of changes", &[], pair)
}

/// The newest change that is wanted.
pub(crate) fn newest(
    conn: &Connection,
    is_wanted: impl Fn(&ChangeRecord) -> bool,
) -> Result<Option<ChangeRecord>> {
    let failed = || sqlite_problem("read the record of changes");
    let sql = format!("{SELECT_CHANGE} ORDER BY id DESC");
    let mut statement = conn.prepare(&sql).map_err(failed())?;
    let mut rows = statement.query([]).map_err(failed())?;
    while let Some(row) = rows.next().map_err(failed())? {
        let made = record_of_row(row).map_err(failed())?;
        if is_wanted(&made) {
            return Ok(Some(made));
        }
    }
    Ok(None)
}

fn record_of_row(row: &Row<'_>) -> SqlResult<ChangeRecord> {
    Ok(ChangeRecord {
        id: ChangeId(row.get(0)?),
        at: row.get(1)?,
        actor: row.get(2)?,
        session: row.get(3)?,
        summary: row.get(4)?,
        inverse: row.get(5)?,
        undoes: row.get::<_, Option<u64>>(6)?.map(ChangeId),
    })
}
