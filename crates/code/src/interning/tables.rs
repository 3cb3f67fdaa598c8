//! The SQL of paths and names.

use base::{RepoPath, Result};
use store::{Connection, OptionalExtension, Row, SqlResult, ToSql, params, sqlite_problem};

/// A path, by its row in the table `place`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct PathId(i64);

/// A name, by its row in the table `name`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct NameId(i64);

impl PathId {
    /// The id that a column holds.
    pub(crate) fn column(row: &Row<'_>, column: usize) -> SqlResult<Self> {
        row.get(column).map(Self)
    }

    /// The number of the row; never 0.
    pub(crate) const fn row(self) -> i64 {
        self.0
    }
}

impl NameId {
    /// The number of the row.
    pub(crate) const fn row(self) -> i64 {
        self.0
    }
}

/// The id of a path; creates one if needed.
pub(crate) fn path_id(conn: &Connection, path: &RepoPath) -> Result<PathId> {
    match find_path_id(conn, path)? {
        Some(found) => Ok(found),
        None => insert(conn, "INSERT INTO place (path) VALUES (?1)", &path.as_bytes()).map(PathId),
    }
}

/// The id of a path, if it has one.
pub(crate) fn find_path_id(conn: &Connection, path: &RepoPath) -> Result<Option<PathId>> {
    let sql = "SELECT id FROM place WHERE path = ?1";
    Ok(find(conn, sql, &path.as_bytes(), |row| row.get(0))?.map(PathId))
}

/// The path with an id.
pub(crate) fn path_by_id(conn: &Connection, place: PathId) -> Result<Option<RepoPath>> {
    find(conn, "SELECT path FROM place WHERE id = ?1", &place.0, |row| path_column(row, 0))
}

/// The id of a name; creates one if needed.
pub(crate) fn name_id(conn: &Connection, name: &str) -> Result<NameId> {
    match find_name_id(conn, name)? {
        Some(found) => Ok(found),
        None => insert(conn, "INSERT INTO name (text) VALUES (?1)", &name).map(NameId),
    }
}

/// The id of a name, if it has one.
pub(crate) fn find_name_id(conn: &Connection, name: &str) -> Result<Option<NameId>> {
    Ok(find(conn, "SELECT id FROM name WHERE text = ?1", &name, |row| row.get(0))?.map(NameId))
}

fn insert(conn: &Connection, sql: &str, value: &dyn ToSql) -> Result<i64> {
    conn.prepare_cached(sql)
        .and_then(|mut statement| statement.insert(params![value]))
        .map_err(sqlite_problem("write the names of the index"))
}

fn find<T>(
    conn: &Connection,
    sql: &str,
    value: &dyn ToSql,
    read: impl FnOnce(&Row<'_>) -> SqlResult<T>,
) -> Result<Option<T>> {
    conn.prepare_cached(sql)
        .and_then(|mut statement| statement.query_row(params![value], read).optional())
        .map_err(sqlite_problem("read the names of the index"))
}

pub(crate) fn path_column(row: &Row<'_>, column: usize) -> SqlResult<RepoPath> {
    let bytes: Vec<u8> = row.get(column)?;
    RepoPath::from_bytes(bytes).map_err(|error| store::bad_value(column, error.to_string()))
}
