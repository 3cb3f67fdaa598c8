//! Reading rows.

use base::Result;
use rusqlite::{Connection, Row, ToSql};

use crate::failure::sqlite_problem;

/// All rows of a query, each read by `read`. The statement is kept for the next time.
pub fn rows<T>(
    conn: &Connection,
    (sql, what): (&str, &str),
    params: &[&dyn ToSql],
    read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
) -> Result<Vec<T>> {
    let mut statement = conn.prepare_cached(sql).map_err(sqlite_problem(what))?;
    let rows = statement.query_map(params, read).map_err(sqlite_problem(what))?;
    rows.collect::<rusqlite::Result<_>>().map_err(sqlite_problem(what))
}
