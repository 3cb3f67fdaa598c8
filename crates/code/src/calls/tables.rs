//! The SQL of the call graph.

use base::{RepoPath, Result};
use store::{Connection, Row, SqlResult, params, sqlite_problem};

use super::ids::ImportId;
use super::summary::{EdgeConfidence, SymbolRelation};
use crate::interning::{NameId, PathId, find_name_id, name_id, path_column};

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

pub(crate) fn put_summary(
    conn: &Connection,
    place: PathId,
    summary: EncodedSummary<'_>,
) -> Result<()> {
    let EncodedSummary { export_table, link_input, export_digests, is_truncated } = summary;
    let sql = "INSERT OR REPLACE INTO summary VALUES (?1, ?2, ?3, ?4, ?5)";
    run(conn, sql, params![place.row(), export_table, link_input, export_digests, is_truncated])
}

/// Files whose analysis was cut off by the budget.
pub fn truncated_files(conn: &Connection) -> Result<Vec<RepoPath>> {
    // Without `CROSS JOIN` SQLite reads all rows of `place`, because they are sorted.
    let sql = "SELECT path FROM summary CROSS JOIN place ON id = place WHERE cut ORDER BY path";
    list(conn, sql, params![], |row| path_column(row, 0))
}

pub(crate) fn export_digests(conn: &Connection, place: PathId) -> Result<Option<Vec<u8>>> {
    let sql = "SELECT parts FROM summary WHERE place = ?1";
    Ok(list(conn, sql, params![place.row()], |row| row.get(0))?.into_iter().next())
}

pub(crate) fn export_table(conn: &Connection, path: &RepoPath) -> Result<Option<Vec<u8>>> {
    let sql = "SELECT face FROM summary JOIN place ON id = place WHERE path = ?1";
    let found = list(conn, sql, params![path.as_bytes()], |row| row.get(0))?;
    Ok(found.into_iter().next())
}

pub(crate) fn link_input(conn: &Connection, place: PathId) -> Result<Option<Vec<u8>>> {
    let sql = "SELECT own FROM summary WHERE place = ?1";
    Ok(list(conn, sql, params![place.row()], |row| row.get(0))?.into_iter().next())
}

/// Removes the summary and the links of a file. Its exported names stay until they are compared.
pub(crate) fn remove_summary(conn: &Connection, place: PathId) -> Result<()> {
    run(conn, "DELETE FROM summary WHERE place = ?1", params![place.row()])?;
    remove_links(conn, place)
}

/// Removes the links of a file.
pub(crate) fn remove_links(conn: &Connection, place: PathId) -> Result<()> {
    for sql in [
        "DELETE FROM edge WHERE place = ?1",
        "DELETE FROM unsure WHERE place = ?1",
        "DELETE FROM rest WHERE place = ?1",
    ] {
        run(conn, sql, params![place.row()])?;
    }
    Ok(())
}

pub(crate) fn exported_names(conn: &Connection, place: PathId) -> Result<Vec<(String, i64)>> {
    let sql = "SELECT text, digest FROM offer JOIN name n ON n.id = name WHERE place = ?1";
    list(conn, sql, params![place.row()], |row| Ok((row.get(0)?, row.get(1)?)))
}

pub(crate) fn put_exported_name(
    conn: &Connection,
    place: PathId,
    name: &str,
    digest: i64,
) -> Result<()> {
    let name = name_id(conn, name)?.row();
    run(
        conn,
        "INSERT OR REPLACE INTO offer VALUES (?1, ?2, ?3)",
        params![place.row(), name, digest],
    )
}

pub(crate) fn remove_exported_name(conn: &Connection, place: PathId, name: &str) -> Result<()> {
    let name = name_id(conn, name)?.row();
    run(conn, "DELETE FROM offer WHERE place = ?1 AND name = ?2", params![place.row(), name])
}

/// Files that export a name.
pub(crate) fn files_exporting(conn: &Connection, name: &str) -> Result<Vec<RepoPath>> {
    let sql = "SELECT path FROM name n CROSS JOIN offer ON name = n.id
        CROSS JOIN place p ON p.id = place WHERE n.text = ?1 ORDER BY path";
    list(conn, sql, params![name], |row| path_column(row, 0))
}

/// Marks a file as changed.
pub(crate) fn mark_touched(conn: &Connection, place: PathId) -> Result<()> {
    let sql = "INSERT INTO stale VALUES (?1, 1) ON CONFLICT DO UPDATE SET touched = 1";
    run(conn, sql, params![place.row()])
}

/// Marks the files whose edges depend on a name of a file.
pub(crate) fn mark_dependents_stale(conn: &Connection, on: PathId, name: &str) -> Result<()> {
    let sql = "INSERT OR IGNORE INTO stale
        SELECT place, 0 FROM rest WHERE on_place = ?1 AND on_name = ?2";
    match find_name_id(conn, name)? {
        Some(name) => run(conn, sql, params![on.row(), name.row()]),
        None => Ok(()),
    }
}

/// Marks the files whose edges depend on any name of a file.
pub(crate) fn mark_all_dependents_stale(conn: &Connection, on: PathId) -> Result<()> {
    let sql = "INSERT OR IGNORE INTO stale SELECT DISTINCT place, 0 FROM rest WHERE on_place = ?1";
    run(conn, sql, params![on.row()])
}

pub(crate) fn touched(conn: &Connection) -> Result<Vec<PathId>> {
    let sql = "SELECT place FROM stale WHERE touched ORDER BY place";
    list(conn, sql, params![], |row| PathId::column(row, 0))
}

pub(crate) fn stale_files(conn: &Connection) -> Result<Vec<PathId>> {
    let sql = "SELECT place FROM stale ORDER BY place";
    list(conn, sql, params![], |row| PathId::column(row, 0))
}

pub(crate) fn clear_stale(conn: &Connection) -> Result<()> {
    run(conn, "DELETE FROM stale", params![])
}

/// An edge to be stored, by the file that declares it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NewEdge {
    pub from: (PathId, NameId),
    pub relation: SymbolRelation,
    pub to: (PathId, NameId),
    pub sure: EdgeConfidence,
    pub line: u32,
}

pub(crate) fn put_edge(conn: &Connection, by: PathId, edge: &NewEdge) -> Result<()> {
    let sql = "INSERT INTO edge VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
        ON CONFLICT DO UPDATE SET sure = min(sure, excluded.sure), line = min(line, excluded.line)";
    let NewEdge { from, relation, to, sure, line } = edge;
    let from_place = if from.0 == by { 0 } else { from.0.row() };
    let (from, to_name) = (from.1.row(), to.1.row());
    let (relation, sure) = (*relation as i64, *sure as i64);
    run(conn, sql, params![by.row(), from, relation, to.0.row(), to_name, from_place, sure, line])
}

pub(crate) fn put_unresolved_call(
    conn: &Connection,
    place: PathId,
    from: NameId,
    name: NameId,
    line: u32,
) -> Result<()> {
    let sql = "INSERT INTO unsure VALUES (?1, ?2, ?3, ?4)
        ON CONFLICT DO UPDATE SET line = min(line, excluded.line)";
    run(conn, sql, params![place.row(), from.row(), name.row(), line])
}

pub(crate) fn put_dependency(
    conn: &Connection,
    by: PathId,
    on: PathId,
    name: NameId,
) -> Result<()> {
    let sql = "INSERT OR IGNORE INTO rest VALUES (?1, ?2, ?3)";
    run(conn, sql, params![by.row(), on.row(), name.row()])
}

/// The files that the imports of a file mean, with the position of the import.
pub(crate) fn import_targets(
    conn: &Connection,
    file: &RepoPath,
) -> Result<Vec<(ImportId, RepoPath)>> {
    let sql = "SELECT i.id, t.path FROM place p CROSS JOIN import i ON i.place = p.id
        CROSS JOIN place t ON t.id = i.target WHERE p.path = ?1 ORDER BY i.id";
    list(conn, sql, params![file.as_bytes()], |row| {
        Ok((ImportId::from(row.get::<_, u32>(0)?), path_column(row, 1)?))
    })
}

/// The files that a file declares as its modules.
pub(crate) fn declared_modules(conn: &Connection, file: &RepoPath) -> Result<Vec<RepoPath>> {
    let sql = "SELECT DISTINCT t.path FROM place p CROSS JOIN import i ON i.place = p.id
        CROSS JOIN place t ON t.id = i.target
        WHERE p.path = ?1 AND kind = 'Mod' ORDER BY t.path";
    list(conn, sql, params![file.as_bytes()], |row| path_column(row, 0))
}

/// The first file that declares a file as its module.
pub(crate) fn declared_by(conn: &Connection, file: &RepoPath) -> Result<Option<RepoPath>> {
    let sql = "SELECT p.path FROM place t CROSS JOIN import i ON i.target = t.id
        CROSS JOIN place p ON p.id = i.place
        WHERE t.path = ?1 AND kind = 'Mod' ORDER BY p.path LIMIT 1";
    Ok(list(conn, sql, params![file.as_bytes()], |row| path_column(row, 0))?.into_iter().next())
}

/// A symbol as the end of an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct SymbolEndpoint<'a> {
    /// Its file
    pub file: &'a RepoPath,
    /// Its full name; empty for the top-level code of the file
    pub name: &'a str,
}

impl<'a> SymbolEndpoint<'a> {
    /// The symbol of this full name in a file.
    pub const fn new(file: &'a RepoPath, name: &'a str) -> Self {
        Self { file, name }
    }
}

const EDGE_COLUMNS: &str = "SELECT f.path, fn.text, relation, t.path, tn.text, sure, line";

/// The edges of some relations that start at some symbols.
pub fn edges_from(
    conn: &Connection,
    ends: &[SymbolEndpoint<'_>],
    relations: &[SymbolRelation],
) -> Result<Vec<CallEdgeRow>> {
    let ends_of = "JOIN place t ON t.id = to_place JOIN name tn ON tn.id = to_name
         WHERE f.path = ?1 AND fn.text = ?2 AND (?3 >> relation) & 1";
    let sql = format!(
        "{EDGE_COLUMNS} FROM place f CROSS JOIN name fn
         CROSS JOIN edge ON place = f.id AND from_name = fn.id AND from_place = 0 {ends_of}
         UNION ALL {EDGE_COLUMNS} FROM place f CROSS JOIN name fn
         CROSS JOIN edge ON from_place <> 0 AND from_place = f.id AND from_name = fn.id {ends_of}"
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
        "{EDGE_COLUMNS} FROM place t CROSS JOIN name tn
         CROSS JOIN edge ON to_place = t.id AND to_name = tn.id
         JOIN place f ON f.id = iif(from_place = 0, place, from_place)
         JOIN name fn ON fn.id = from_name
         WHERE t.path = ?1 AND tn.text = ?2 AND (?3 >> relation) & 1"
    );
    edges_at(conn, &sql, ends, relations)
}

/// How many edges of any relation end at a symbol.
pub fn count_edges_to(conn: &Connection, symbol: SymbolEndpoint<'_>) -> Result<usize> {
    let SymbolEndpoint { file, name } = symbol;
    let sql = "SELECT count(*) FROM place t CROSS JOIN name tn
         CROSS JOIN edge ON to_place = t.id AND to_name = tn.id
         WHERE t.path = ?1 AND tn.text = ?2";
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
    for SymbolEndpoint { file, name } in ends {
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
    let sql = "SELECT path, f.text, line FROM name n CROSS JOIN unsure u ON u.name = n.id
        CROSS JOIN place p ON p.id = place CROSS JOIN name f ON f.id = from_name
        WHERE n.text = ?1 ORDER BY path, f.text LIMIT ?2";
    list(conn, sql, params![name, most], |row| Ok((path_column(row, 0)?, row.get(1)?, row.get(2)?)))
}

/// How many unresolved calls of a name each file has.
pub fn unresolved_call_counts(conn: &Connection, name: &str) -> Result<Vec<(RepoPath, usize)>> {
    let sql = "SELECT p.path, u.calls
        FROM (SELECT place, count(*) AS calls FROM name n CROSS JOIN unsure o ON o.name = n.id
              WHERE n.text = ?1 GROUP BY place) u
        JOIN place p ON p.id = u.place";
    list(conn, sql, params![name], |row| Ok((path_column(row, 0)?, row.get(1)?)))
}

/// The names of the unresolved calls of a symbol.
pub fn unresolved_callees(conn: &Connection, caller: SymbolEndpoint<'_>) -> Result<Vec<String>> {
    let SymbolEndpoint { file, name } = caller;
    let sql = "SELECT n.text FROM place p CROSS JOIN name f
        CROSS JOIN unsure u ON u.place = p.id AND u.from_name = f.id
        JOIN name n ON n.id = u.name WHERE p.path = ?1 AND f.text = ?2 ORDER BY n.text";
    list(conn, sql, params![file.as_bytes(), name], |row| row.get(0))
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
