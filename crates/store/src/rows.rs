//! Reading rows.

use base::Result;
use rusqlite::{Connection, Row, ToSql};

use crate::failure::sqlite_problem;

/// Returns all rows of a query, each converted by `read`. The prepared statement is cached.
///
/// `action` is what the caller was doing, such as `read commits`, for the message of a failure.
pub fn rows<T>(
    conn: &Connection,
    sql: &str,
    action: &str,
    params: &[&dyn ToSql],
    read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
) -> Result<Vec<T>> {
    let mut statement = conn.prepare_cached(sql).map_err(sqlite_problem(action))?;
    let rows = statement.query_map(params, read).map_err(sqlite_problem(action))?;
    rows.collect::<rusqlite::Result<_>>().map_err(sqlite_problem(action))
}
