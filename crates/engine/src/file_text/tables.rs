//! The SQL of whole texts.

use base::{RepoPath, Result};
use store::{Connection, Row, params, rows, sqlite_problem};

use crate::index::tables::path;
use crate::search::tables::TextId;

pub(crate) const SCHEMA: &str = include_str!("text.sql");

pub(crate) const DUMP: &[&str] =
    &["SELECT node FROM doc_row WHERE id IN (SELECT rowid FROM doc_text)"];

/// Stores the words of a file. Its `doc` row must exist.
pub(crate) fn put(conn: &Connection, node: &str, words: &str) -> Result<()> {
    conn.prepare_cached(
        "INSERT INTO doc_text (rowid, text) SELECT id, ?2 FROM doc_row WHERE node = ?1",
    )
    .and_then(|mut s| s.execute(params![node, words]))
    .map(drop)
    .map_err(sqlite_problem("write the text of a file"))
}

/// Deletes the words of a file, while its `doc` row still exists.
pub(crate) fn remove(conn: &Connection, node: &str) -> Result<()> {
    conn.prepare_cached(
        "DELETE FROM doc_text WHERE rowid = (SELECT id FROM doc_row WHERE node = ?1)",
    )
    .and_then(|mut s| s.execute([node]))
    .map(drop)
    .map_err(sqlite_problem("write the text of a file"))
}

/// The texts that hold a word, by the id of their `doc`, each with how well it fits.
pub fn texts_with_word(conn: &Connection, word: &str) -> Result<Vec<(TextId, f64)>> {
    let sql = "SELECT rowid, -bm25(doc_text) FROM doc_text WHERE doc_text MATCH ?1";
    let read = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?));
    rows(conn, sql, "search the text of files", params![format!("\"{word}\"")], read)
}

/// The files whose text holds all of some words.
pub fn files_with_all_words(conn: &Connection, words: &[String]) -> Result<Vec<RepoPath>> {
    let quoted: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
    let sql = "SELECT path FROM doc_row WHERE path IS NOT NULL
        AND id IN (SELECT rowid FROM doc_text WHERE doc_text MATCH ?1)";
    let query = quoted.join(" AND ");
    rows(conn, sql, "search the text of files", params![query], |row| path(row, 0))
}

/// The words that start with some letters, each with how many texts hold it.
pub fn words_with_prefix(conn: &Connection, start: &str) -> Result<Vec<(String, i64)>> {
    let end = format!("{start}\u{10FFFF}");
    let sql = "SELECT term, doc FROM text_word WHERE term >= ?1 AND term < ?2";
    let read = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?));
    rows(conn, sql, "search the words of files", params![start, end], read)
}

/// How many texts there are.
pub fn count(conn: &Connection) -> Result<usize> {
    conn.prepare_cached("SELECT count(*) FROM doc_text")
        .and_then(|mut s| s.query_row([], |row| row.get(0)))
        .map_err(sqlite_problem("search the text of files"))
}

/// Every text, by its number, with the file that it is of.
pub fn texts(conn: &Connection) -> Result<Vec<(TextId, RepoPath)>> {
    let sql = "SELECT id, path FROM doc_row WHERE id IN (SELECT rowid FROM doc_text)";
    rows(conn, sql, "search the text of files", params![], |row| Ok((row.get(0)?, path(row, 1)?)))
}

/// The file that a text is of.
pub fn path_of(conn: &Connection, id: TextId) -> Result<Option<RepoPath>> {
    let sql = "SELECT path FROM doc_row WHERE id = ?1";
    let found = rows(conn, sql, "search the text of files", params![id], |row| path(row, 0))?;
    Ok(found.into_iter().next())
}

/// Every file that was read as text.
pub fn paths(conn: &Connection) -> Result<Vec<RepoPath>> {
    let sql = "SELECT path FROM file WHERE skipped IS NULL AND language IS NOT NULL";
    rows(conn, sql, "read the files", params![], |row| path(row, 0))
}
