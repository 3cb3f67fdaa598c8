//! The SQL of the search text.

use base::{RepoPath, Result};
use store::{Connection, OptionalExtension, Row, SqlResult, params, problem};

use super::Text;
use crate::index::tables::range_below;

pub(crate) const SCHEMA: &str = include_str!("search.sql");

pub(crate) const DUMP: &[&str] = &[
    "SELECT node, kind, path, name, body FROM doc",
    // Each word with the nodes it occurs in: the full-text tables have no rows of their own.
    "SELECT node FROM doc WHERE id IN (SELECT rowid FROM doc_word)",
    "SELECT node FROM doc WHERE id IN (SELECT rowid FROM doc_gram)",
];

/// A row that may be an answer.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    pub id: i64,
    pub node: String,
    pub kind: String,
    pub name: String,
    pub body: String,
}

const COLUMNS: &str = "d.id, d.node, d.kind, d.name, d.body";

pub(crate) fn put(conn: &Connection, text: &Text, split: (&str, &str)) -> Result<()> {
    let failed = || problem("write the search text");
    remove(conn, &text.node)?;
    let path = text.path.as_ref().map(RepoPath::as_bytes);
    conn.prepare_cached(
        "INSERT INTO doc (node, kind, path, name, body) VALUES (?1, ?2, ?3, ?4, ?5)",
    )
    .and_then(|mut s| s.execute(params![text.node, text.kind, path, text.name, text.body]))
    .map_err(failed())?;
    let id = conn.last_insert_rowid();
    conn.prepare_cached("INSERT INTO doc_word (rowid, name, body) VALUES (?1, ?2, ?3)")
        .and_then(|mut s| s.execute(params![id, split.0, split.1]))
        .map_err(failed())?;
    conn.prepare_cached("INSERT INTO doc_gram (rowid, text) VALUES (?1, ?2)")
        .and_then(|mut s| s.execute(params![id, format!("{}\n{}", text.name, text.body)]))
        .map(drop)
        .map_err(failed())
}

pub(crate) fn remove(conn: &Connection, node: &str) -> Result<()> {
    let failed = || problem("write the search text");
    let id: Option<i64> = conn
        .prepare_cached("DELETE FROM doc WHERE node = ?1 RETURNING id")
        .and_then(|mut s| s.query_row([node], |row| row.get(0)).optional())
        .map_err(failed())?;
    for sql in ["DELETE FROM doc_word WHERE rowid = ?1", "DELETE FROM doc_gram WHERE rowid = ?1"] {
        if let Some(id) = id {
            conn.prepare_cached(sql).and_then(|mut s| s.execute([id])).map_err(failed())?;
        }
    }
    Ok(())
}

/// Which rows may be found, as the statements take it.
#[derive(Debug)]
pub(crate) struct Bounds {
    kinds: Option<String>,
    path: Option<(Vec<u8>, Vec<u8>, Vec<u8>)>,
}

impl Bounds {
    /// Only these kinds, only at or below this path.
    pub(crate) fn new(kinds: &[String], path: Option<&RepoPath>) -> Self {
        let path = path.map(|path| {
            let (low, high) = range_below(path);
            (path.as_bytes().to_vec(), low, high)
        });
        Self { kinds: (!kinds.is_empty()).then(|| serde_json::json!(kinds).to_string()), path }
    }
}

/// The condition that bounds are, with the parameters from the third on.
const WITHIN: &str = "(?3 IS NULL OR d.kind IN (SELECT value FROM json_each(?3)))
    AND (?4 IS NULL OR d.path = ?4 OR (d.path >= ?5 AND d.path < ?6))";

/// The best rows by words, names counting more than bodies.
pub(crate) fn by_words(
    conn: &Connection,
    query: &str,
    (b, most): (&Bounds, usize),
) -> Result<Vec<Found>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM doc_word JOIN doc d ON d.id = doc_word.rowid
         WHERE doc_word MATCH ?1 AND {WITHIN} ORDER BY bm25(doc_word, 5.0, 1.0) LIMIT ?2"
    );
    matching(conn, &sql, query, (b, most))
}

/// The best rows by trigrams.
pub(crate) fn by_grams(
    conn: &Connection,
    query: &str,
    (b, most): (&Bounds, usize),
) -> Result<Vec<Found>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM doc_gram JOIN doc d ON d.id = doc_gram.rowid
         WHERE doc_gram MATCH ?1 AND {WITHIN} ORDER BY bm25(doc_gram) LIMIT ?2"
    );
    matching(conn, &sql, query, (b, most))
}

/// Rows that hold a text too short for a trigram.
pub(crate) fn by_substring(
    conn: &Connection,
    text: &str,
    (b, most): (&Bounds, usize),
) -> Result<Vec<Found>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM doc d WHERE (instr(d.name, ?1) > 0 OR instr(d.body, ?1) > 0)
         AND {WITHIN} ORDER BY instr(d.name, ?1) = 0, length(d.name), d.node LIMIT ?2"
    );
    matching(conn, &sql, text, (b, most))
}

fn matching(
    conn: &Connection,
    sql: &str,
    query: &str,
    (bounds, most): (&Bounds, usize),
) -> Result<Vec<Found>> {
    let failed = || problem("search");
    let mut statement = conn.prepare_cached(sql).map_err(failed())?;
    let (path, low, high) = match &bounds.path {
        Some((path, low, high)) => (Some(path), Some(low), Some(high)),
        None => (None, None, None),
    };
    let params = params![query, most, bounds.kinds, path, low, high];
    let rows = statement.query_map(params, found).map_err(failed())?;
    rows.collect::<Result<_, _>>().map_err(failed())
}

fn found(row: &Row<'_>) -> SqlResult<Found> {
    Ok(Found {
        id: row.get(0)?,
        node: row.get(1)?,
        kind: row.get(2)?,
        name: row.get(3)?,
        body: row.get(4)?,
    })
}
