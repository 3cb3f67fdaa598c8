//! The SQL of the call graph.

use base::{RepoPath, Result};
use store::{Connection, OptionalExtension, Row, SqlResult, params, sqlite_problem};

use super::ids::ImportId;
use super::link::LinkedEdge;
use super::summary::{EdgeConfidence, SymbolRelation};

/// A path of the call graph, by its row in the table `place`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PathId(i64);

/// The stored form of one file's summary.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EncodedSummary<'a> {
    pub export_table: &'a [u8],
    pub link_input: &'a [u8],
    pub export_digests: &'a [u8],
    /// Whether the analysis was cut off by the budget
    pub is_truncated: bool,
}

/// An edge of the call graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallEdgeRow {
    /// The file and the full name of its source; an empty name is the top-level code of the file
    pub from: (RepoPath, String),
    /// The kind of relation
    pub relation: SymbolRelation,
    /// The file and the full name of its target
    pub to: (RepoPath, String),
    /// The confidence
    pub sure: EdgeConfidence,
    /// The source line, counted from 1; 0 if there is none, as for an interface that a Go type
    /// implements
    pub line: u32,
}

fn run(conn: &Connection, sql: &str, params: &[&dyn store::ToSql]) -> Result<()> {
    conn.prepare_cached(sql)
        .and_then(|mut statement| statement.execute(params))
        .map(drop)
        .map_err(sqlite_problem("write the call graph"))
}

fn list<T>(
    conn: &Connection,
    sql: &str,
    params: &[&dyn store::ToSql],
    read: impl FnMut(&Row<'_>) -> SqlResult<T>,
) -> Result<Vec<T>> {
    store::rows(conn, sql, "read the call graph", params, read)
}

/// The id of a path; creates one if needed.
pub(crate) fn path_id(conn: &Connection, path: &RepoPath) -> Result<PathId> {
    if let Some(found) = find_path_id(conn, path)? {
        return Ok(found);
    }
    run(conn, "INSERT INTO place (path) VALUES (?1)", params![path.as_bytes()])?;
    Ok(PathId(conn.last_insert_rowid()))
}

/// The id of a path, if it has one.
pub(crate) fn find_path_id(conn: &Connection, path: &RepoPath) -> Result<Option<PathId>> {
    conn.prepare_cached("SELECT id FROM place WHERE path = ?1")
        .and_then(|mut s| s.query_row([path.as_bytes()], |row| row.get(0).map(PathId)).optional())
        .map_err(sqlite_problem("read the call graph"))
}

/// The path with an id.
pub(crate) fn path_by_id(conn: &Connection, place: PathId) -> Result<Option<RepoPath>> {
    let found = list(conn, "SELECT path FROM place WHERE id = ?1", params![place.0], |row| {
        path_column(row, 0)
    })?;
    Ok(found.into_iter().next())
}

pub(crate) fn put_summary(
    conn: &Connection,
    place: PathId,
    summary: EncodedSummary<'_>,
) -> Result<()> {
    let EncodedSummary { export_table, link_input, export_digests, is_truncated } = summary;
    let sql = "INSERT OR REPLACE INTO summary VALUES (?1, ?2, ?3, ?4, ?5)";
    run(conn, sql, params![place.0, export_table, link_input, export_digests, is_truncated])
}

/// Files whose analysis was cut off by the budget.
pub fn truncated_files(conn: &Connection) -> Result<Vec<RepoPath>> {
    // Without `CROSS JOIN` SQLite reads all rows of `place`, because they are sorted.
    let sql = "SELECT path FROM summary CROSS JOIN place ON id = place WHERE cut ORDER BY path";
    list(conn, sql, params![], |row| path_column(row, 0))
}

pub(crate) fn export_digests(conn: &Connection, place: PathId) -> Result<Option<Vec<u8>>> {
    let sql = "SELECT parts FROM summary WHERE place = ?1";
    Ok(list(conn, sql, params![place.0], |row| row.get(0))?.into_iter().next())
}

pub(crate) fn export_table(conn: &Connection, path: &RepoPath) -> Result<Option<Vec<u8>>> {
    let sql = "SELECT face FROM summary JOIN place ON id = place WHERE path = ?1";
    let found = list(conn, sql, params![path.as_bytes()], |row| row.get(0))?;
    Ok(found.into_iter().next())
}

pub(crate) fn link_input(conn: &Connection, place: PathId) -> Result<Option<Vec<u8>>> {
    let sql = "SELECT own FROM summary WHERE place = ?1";
    Ok(list(conn, sql, params![place.0], |row| row.get(0))?.into_iter().next())
}

/// Removes the summary and the links of a file. Its exported names stay until they are compared.
pub(crate) fn remove_summary(conn: &Connection, place: PathId) -> Result<()> {
    run(conn, "DELETE FROM summary WHERE place = ?1", params![place.0])?;
    remove_links(conn, place)
}

/// Removes the links of a file.
pub(crate) fn remove_links(conn: &Connection, place: PathId) -> Result<()> {
    for sql in [
        "DELETE FROM edge WHERE place = ?1",
        "DELETE FROM unsure WHERE place = ?1",
        "DELETE FROM rest WHERE place = ?1",
    ] {
        run(conn, sql, params![place.0])?;
    }
    Ok(())
}

pub(crate) fn exported_names(conn: &Connection, place: PathId) -> Result<Vec<(String, i64)>> {
    let sql = "SELECT name, digest FROM offer WHERE place = ?1";
    list(conn, sql, params![place.0], |row| Ok((row.get(0)?, row.get(1)?)))
}

pub(crate) fn put_exported_name(
    conn: &Connection,
    place: PathId,
    name: &str,
    digest: i64,
) -> Result<()> {
    run(conn, "INSERT OR REPLACE INTO offer VALUES (?1, ?2, ?3)", params![place.0, name, digest])
}

pub(crate) fn remove_exported_name(conn: &Connection, place: PathId, name: &str) -> Result<()> {
    run(conn, "DELETE FROM offer WHERE place = ?1 AND name = ?2", params![place.0, name])
}

/// Files that export a name.
pub(crate) fn files_exporting(conn: &Connection, name: &str) -> Result<Vec<RepoPath>> {
    let sql = "SELECT path FROM offer JOIN place ON id = place WHERE name = ?1 ORDER BY path";
    list(conn, sql, params![name], |row| path_column(row, 0))
}

/// Marks a file as changed.
pub(crate) fn mark_touched(conn: &Connection, place: PathId) -> Result<()> {
    let sql = "INSERT INTO stale VALUES (?1, 1) ON CONFLICT DO UPDATE SET touched = 1";
    run(conn, sql, params![place.0])
}

/// Marks the files whose edges depend on a name of a file.
pub(crate) fn mark_dependents_stale(conn: &Connection, on: PathId, name: &str) -> Result<()> {
    let sql = "INSERT OR IGNORE INTO stale
        SELECT place, 0 FROM rest WHERE on_place = ?1 AND on_name = ?2";
    run(conn, sql, params![on.0, name])
}

/// Marks the files whose edges depend on any name of a file.
pub(crate) fn mark_all_dependents_stale(conn: &Connection, on: PathId) -> Result<()> {
    let sql = "INSERT OR IGNORE INTO stale SELECT DISTINCT place, 0 FROM rest WHERE on_place = ?1";
    run(conn, sql, params![on.0])
}

pub(crate) fn touched(conn: &Connection) -> Result<Vec<PathId>> {
    let sql = "SELECT place FROM stale WHERE touched ORDER BY place";
    list(conn, sql, params![], |row| row.get(0).map(PathId))
}

pub(crate) fn stale_files(conn: &Connection) -> Result<Vec<PathId>> {
    list(conn, "SELECT place FROM stale ORDER BY place", params![], |row| row.get(0).map(PathId))
}

pub(crate) fn clear_stale(conn: &Connection) -> Result<()> {
    run(conn, "DELETE FROM stale", params![])
}

pub(crate) fn put_edge(
    conn: &Connection,
    by: PathId,
    from: PathId,
    to: PathId,
    edge: &LinkedEdge,
) -> Result<()> {
    let sql = "INSERT INTO edge VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
        ON CONFLICT DO UPDATE SET sure = min(sure, excluded.sure), line = min(line, excluded.line)";
    let (relation, sure) = (edge.relation as i64, edge.sure as i64);
    run(conn, sql, params![by.0, from.0, edge.from.1, relation, to.0, edge.to.1, sure, edge.line])
}

pub(crate) fn put_unresolved_call(
    conn: &Connection,
    place: PathId,
    from: &str,
    name: &str,
    line: u32,
) -> Result<()> {
    let sql = "INSERT INTO unsure VALUES (?1, ?2, ?3, ?4)
        ON CONFLICT DO UPDATE SET line = min(line, excluded.line)";
    run(conn, sql, params![place.0, from, name, line])
}

pub(crate) fn put_dependency(conn: &Connection, by: PathId, on: PathId, name: &str) -> Result<()> {
    run(conn, "INSERT OR IGNORE INTO rest VALUES (?1, ?2, ?3)", params![by.0, on.0, name])
}

/// The files that the imports of a file mean, with the position of the import.
pub(crate) fn import_targets(
    conn: &Connection,
    file: &RepoPath,
) -> Result<Vec<(ImportId, RepoPath)>> {
    let sql = "SELECT id, target FROM import WHERE path = ?1 AND target IS NOT NULL ORDER BY id";
    list(conn, sql, params![file.as_bytes()], |row| {
        Ok((ImportId::from(row.get::<_, u32>(0)?), path_column(row, 1)?))
    })
}

/// The files that a file declares as its modules.
pub(crate) fn declared_modules(conn: &Connection, file: &RepoPath) -> Result<Vec<RepoPath>> {
    let sql = "SELECT DISTINCT target FROM import
        WHERE path = ?1 AND kind = 'Mod' AND target IS NOT NULL ORDER BY target";
    list(conn, sql, params![file.as_bytes()], |row| path_column(row, 0))
}

/// The first file that declares a file as its module.
pub(crate) fn declared_by(conn: &Connection, file: &RepoPath) -> Result<Option<RepoPath>> {
    let sql = "SELECT path FROM import WHERE target = ?1 AND kind = 'Mod' ORDER BY path LIMIT 1";
    Ok(list(conn, sql, params![file.as_bytes()], |row| path_column(row, 0))?.into_iter().next())
}

/// A symbol, by its file and full name. An empty name is the top-level code of the file.
pub type SymbolEndpoint<'a> = (&'a RepoPath, &'a str);

const EDGE_COLUMNS: &str = "SELECT f.path, from_name, relation, t.path, to_name, sure, line";

/// The edges of some relations that start at some symbols.
pub fn edges_from(
    conn: &Connection,
    ends: &[SymbolEndpoint<'_>],
    relations: &[SymbolRelation],
) -> Result<Vec<CallEdgeRow>> {
    let sql = format!(
        "{EDGE_COLUMNS} FROM place f CROSS JOIN edge ON from_place = f.id JOIN place t ON t.id = to_place
         WHERE f.path = ?1 AND from_name = ?2 AND (?3 >> relation) & 1"
    );
    edges_at(conn, &sql, ends, relations)
}

/// The edges of some relations that end at some symbols.
pub fn edges_to(
    conn: &Connection,
    ends: &[SymbolEndpoint<'_>],
    relations: &[SymbolRelation],
) -> Result<Vec<CallEdgeRow>> {
    let sql = format!(
        "{EDGE_COLUMNS} FROM place t CROSS JOIN edge ON to_place = t.id JOIN place f ON f.id = from_place
         WHERE t.path = ?1 AND to_name = ?2 AND (?3 >> relation) & 1"
    );
    edges_at(conn, &sql, ends, relations)
}

/// How many edges of any relation end at a symbol.
pub fn count_edges_to(conn: &Connection, (file, name): SymbolEndpoint<'_>) -> Result<usize> {
    let sql = "SELECT count(*) FROM place t CROSS JOIN edge ON to_place = t.id
         WHERE t.path = ?1 AND to_name = ?2";
    conn.prepare_cached(sql)
        .and_then(|mut statement| {
            statement.query_row(params![file.as_bytes(), name], |row| row.get(0))
        })
        .map_err(sqlite_problem("read the call graph"))
}

/// Reads the edges of all endpoints with one statement and sorts them here, because SQLite would
/// sort once for each endpoint.
fn edges_at(
    conn: &Connection,
    sql: &str,
    ends: &[SymbolEndpoint<'_>],
    relations: &[SymbolRelation],
) -> Result<Vec<CallEdgeRow>> {
    let failed = || sqlite_problem("read the call graph");
    let mask = relations.iter().fold(0_i64, |mask, relation| mask | 1 << (*relation as i64));
    if mask == 0 {
        return Ok(Vec::new());
    }
    let mut edges: Vec<CallEdgeRow> = Vec::new();
    let mut statement = conn.prepare_cached(sql).map_err(failed())?;
    for (file, name) in ends {
        let rows = statement.query_map(params![file.as_bytes(), name, mask], edge_row);
        for row in rows.map_err(failed())? {
            edges.push(row.map_err(failed())?);
        }
    }
    let key = |edge: &CallEdgeRow| (edge.relation as i64, edge.sure as i64, edge.line);
    edges.sort_by(|a, b| (&a.from, &a.to).cmp(&(&b.from, &b.to)).then_with(|| key(a).cmp(&key(b))));
    // Several files may store the same edge, and both ends of an edge may have been asked for.
    edges.dedup_by(|other, first| {
        let same =
            (&other.from, other.relation, &other.to) == (&first.from, first.relation, &first.to);
        first.line = if same { first.line.min(other.line) } else { first.line };
        same
    });
    Ok(edges)
}

/// Unresolved calls of a name: the file, the caller and the line.
pub fn unresolved_calls(
    conn: &Connection,
    name: &str,
    most: u32,
) -> Result<Vec<(RepoPath, String, u32)>> {
    let sql = "SELECT path, from_name, line FROM unsure JOIN place ON id = place
        WHERE name = ?1 ORDER BY path, from_name LIMIT ?2";
    list(conn, sql, params![name, most], |row| Ok((path_column(row, 0)?, row.get(1)?, row.get(2)?)))
}

/// How many unresolved calls of a name each file has.
pub fn unresolved_call_counts(conn: &Connection, name: &str) -> Result<Vec<(RepoPath, usize)>> {
    let sql = "SELECT p.path, u.calls
        FROM (SELECT place, count(*) AS calls FROM unsure WHERE name = ?1 GROUP BY place) u
        JOIN place p ON p.id = u.place";
    list(conn, sql, params![name], |row| Ok((path_column(row, 0)?, row.get(1)?)))
}

/// The names of the unresolved calls of a symbol.
pub fn unresolved_callees(conn: &Connection, caller: SymbolEndpoint<'_>) -> Result<Vec<String>> {
    let (file, from) = caller;
    let sql = "SELECT name FROM unsure JOIN place ON id = place
        WHERE path = ?1 AND from_name = ?2 ORDER BY name";
    list(conn, sql, params![file.as_bytes(), from], |row| row.get(0))
}

fn edge_row(row: &Row<'_>) -> SqlResult<CallEdgeRow> {
    let relation: usize = row.get::<_, i64>(2)?.try_into().unwrap_or_default();
    let sure =
        if row.get::<_, i64>(5)? == 0 { EdgeConfidence::Exact } else { EdgeConfidence::Inferred };
    Ok(CallEdgeRow {
        from: (path_column(row, 0)?, row.get(1)?),
        relation: SymbolRelation::ALL.get(relation).copied().unwrap_or(SymbolRelation::Uses),
        to: (path_column(row, 3)?, row.get(4)?),
        sure,
        line: row.get(6)?,
    })
}

fn path_column(row: &Row<'_>, column: usize) -> SqlResult<RepoPath> {
    let bytes: Vec<u8> = row.get(column)?;
    RepoPath::from_bytes(bytes).map_err(|error| store::bad_value(column, error.to_string()))
}
