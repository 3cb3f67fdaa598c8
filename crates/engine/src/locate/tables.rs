//! The SQL of whole texts.

use base::{RepoPath, Result};
use store::{Connection, Row, params, problem, rows};

use crate::index::tables::path;

pub(crate) const SCHEMA: &str = include_str!("text.sql");

pub(crate) const DUMP: &[&str] = &["SELECT node FROM doc WHERE id IN (SELECT rowid FROM doc_text)"];

/// Keeps the words of a file. Its `doc` is there already.
pub(crate) fn put(conn: &Connection, node: &str, words: &str) -> Result<()> {
    conn.prepare_cached("INSERT INTO doc_text (rowid, text) SELECT id, ?2 FROM doc WHERE node = ?1")
        .and_then(|mut s| s.execute(params![node, words]))
        .map(drop)
        .map_err(problem("write the text of a file"))
}

/// Forgets the words of a file, while its `doc` is still there.
pub(crate) fn remove(conn: &Connection, node: &str) -> Result<()> {
    conn.prepare_cached("DELETE FROM doc_text WHERE rowid = (SELECT id FROM doc WHERE node = ?1)")
        .and_then(|mut s| s.execute([node]))
        .map(drop)
        .map_err(problem("write the text of a file"))
}

/// Files whose text fits a query, best first, each with how well.
pub(super) fn fitting(conn: &Connection, query: &str, most: usize) -> Result<Vec<(RepoPath, f64)>> {
    let sql = "SELECT d.path, -bm25(doc_text) FROM doc_text JOIN doc d ON d.id = doc_text.rowid
               WHERE doc_text MATCH ?1 ORDER BY bm25(doc_text), d.node LIMIT ?2";
    let read = |row: &Row<'_>| Ok((path(row, 0)?, row.get(1)?));
    rows(conn, (sql, "search the text of files"), params![query, most], read)
}

/// Every file that was read as text.
pub(super) fn paths(conn: &Connection) -> Result<Vec<RepoPath>> {
    let sql = "SELECT path FROM file WHERE skipped IS NULL AND language IS NOT NULL";
    rows(conn, (sql, "read the files"), params![], |row| path(row, 0))
}
