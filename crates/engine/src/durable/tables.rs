//! The SQL that every durable store needs.

use base::Result;
use store::{Connection, Migration, OptionalExtension, Row, SqlResult, params, problem};

/// The first step of every durable store.
pub(crate) const CHANGES: Migration =
    Migration { name: "a record of changes", sql: include_str!("change.sql") };

/// A change that was made to a store.
#[derive(Debug, Clone)]
pub(crate) struct Made {
    pub id: i64,
    pub at: String,
    pub actor: String,
    pub summary: String,
    pub inverse: String,
}

pub(crate) fn record(conn: &Connection, made: &Made) -> Result<i64> {
    let sql = "INSERT INTO change (at, actor, summary, inverse) VALUES (?1, ?2, ?3, ?4)";
    conn.prepare_cached(sql)
        .and_then(|mut statement| {
            statement.execute(params![made.at, made.actor, made.summary, made.inverse])
        })
        .map_err(problem("record a change"))?;
    Ok(conn.last_insert_rowid())
}

/// The number of the last change: it counts up with every commit.
pub(crate) fn revision(conn: &Connection) -> Result<i64> {
    conn.prepare_cached("SELECT ifnull(max(id), 0) FROM change")
        .and_then(|mut statement| statement.query_row([], |row| row.get(0)))
        .map_err(problem("read the record of changes"))
}

/// The change with this number, or the last one.
pub(crate) fn made(conn: &Connection, id: Option<i64>) -> Result<Option<Made>> {
    conn.query_row(
        "SELECT id, at, actor, summary, inverse FROM change
         WHERE ?1 IS NULL OR id = ?1 ORDER BY id DESC LIMIT 1",
        [id],
        read,
    )
    .optional()
    .map_err(problem("read the record of changes"))
}

fn read(row: &Row<'_>) -> SqlResult<Made> {
    Ok(Made {
        id: row.get(0)?,
        at: row.get(1)?,
        actor: row.get(2)?,
        summary: row.get(3)?,
        inverse: row.get(4)?,
    })
}
