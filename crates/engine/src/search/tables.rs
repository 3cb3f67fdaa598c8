//! The SQL of the search text.

use base::{RepoPath, Result};
use store::{Connection, OptionalExtension, Row, SqlResult, ToSql, params, rows, sqlite_problem};

use super::{SymbolBody, SymbolText, TokenizedText, words};
use crate::index::tables::range_below;

pub(super) const TEXTS_SQL: &str = include_str!("search.sql");
pub(super) const NAMES_SQL: &str = include_str!("names.sql");

/// The tables of the index. A durable store has those of the two migrations above.
pub(crate) const INDEX_SCHEMA: &str = include_str!("index_texts.sql");

pub(crate) const DUMP: &[&str] = &[
    "SELECT node, kind, path, name, body FROM doc",
    // Each word with the nodes it occurs in: the full-text tables have no rows of their own.
    "SELECT node FROM doc WHERE id IN (SELECT rowid FROM doc_word)",
    "SELECT node FROM doc WHERE id IN (SELECT rowid FROM doc_gram)",
    "SELECT key, node FROM doc_name LEFT JOIN doc ON id = doc",
];

store::row_id!(
    /// A searchable text, by its row in the table `doc`.
    pub TextId(i64)
);

/// A candidate row.
#[derive(Debug, Clone)]
pub(crate) struct SearchRow {
    pub id: TextId,
    pub node: String,
    pub kind: String,
    pub name: String,
    pub body: String,
}

const COLUMNS: &str = "d.id, d.node, d.kind, d.name, d.body";

/// The table that holds the texts.
#[derive(Debug, Clone, Copy)]
pub(super) enum TextTable {
    /// Of a durable store
    Store,
    /// Of the index
    Index,
}

impl TextTable {
    const fn name(self) -> &'static str {
        match self {
            Self::Store => "doc",
            Self::Index => "doc_row",
        }
    }
}

pub(super) fn put(conn: &Connection, table: TextTable, tokenized: &TokenizedText) -> Result<()> {
    let text = &tokenized.text;
    let path = text.path.as_ref().map(RepoPath::as_bytes);
    let sql = format!(
        "INSERT OR IGNORE INTO {} (node, kind, path, name, body) VALUES (?1, ?2, ?3, ?4, ?5)",
        table.name()
    );
    let values = params![text.node, text.kind, path, text.name, text.body];
    // In a build from scratch most rows are new.
    if run(conn, &sql, values)? == 0 {
        remove(conn, table, &text.node)?;
        run(conn, &sql, values)?;
    }
    put_words(conn, TextId(conn.last_insert_rowid()), tokenized)
}

/// Makes the text of a row findable.
fn put_words(conn: &Connection, id: TextId, tokenized: &TokenizedText) -> Result<()> {
    let TokenizedText { text, name, body, keys } = tokenized;
    let sql = "INSERT INTO doc_word (rowid, name, body) VALUES (?1, ?2, ?3)";
    run(conn, sql, params![id, name, body])?;
    // The added line breaks make the last letters the start of a trigram too.
    let whole = format!("{}\n{}\n\n", text.name, text.body);
    run(conn, "INSERT INTO doc_gram (rowid, text) VALUES (?1, ?2)", params![id, whole])?;
    let sql = "INSERT OR IGNORE INTO doc_name (key, doc) VALUES (?1, ?2)";
    keys.iter().try_for_each(|key| run(conn, sql, params![key, id]).map(drop))
}

pub(super) fn remove(conn: &Connection, table: TextTable, node: &str) -> Result<()> {
    let sql = format!("DELETE FROM {} WHERE node = ?1 RETURNING id, name", table.name());
    let gone: Option<(TextId, String)> = conn
        .prepare_cached(&sql)
        .and_then(|mut s| s.query_row([node], |row| Ok((row.get(0)?, row.get(1)?))).optional())
        .map_err(sqlite_problem("write the search text"))?;
    gone.map_or(Ok(()), |(id, name)| remove_words(conn, id, &name))
}

fn remove_words(conn: &Connection, id: TextId, name: &str) -> Result<()> {
    run(conn, "DELETE FROM doc_word WHERE rowid = ?1", params![id])?;
    run(conn, "DELETE FROM doc_gram WHERE rowid = ?1", params![id])?;
    // In an older store, a row may only have the key that SQL could compute.
    let keys = words::lookup_keys(name).into_iter().chain([name.to_ascii_lowercase()]);
    let sql = "DELETE FROM doc_name WHERE key = ?1 AND doc = ?2";
    keys.into_iter().try_for_each(|key| run(conn, sql, params![key, id]).map(drop))
}

/// Stores the texts of a file's symbols in the index. The symbols are there already.
pub(super) fn put_symbols(conn: &Connection, path: &RepoPath, texts: &[SymbolText]) -> Result<()> {
    if texts.is_empty() {
        return Ok(());
    }
    let failed = || sqlite_problem("write the search text");
    let (place, first): (i64, i64) = conn
        .prepare_cached(
            "SELECT id, (SELECT 1 + coalesce(max(id), 0) FROM doc_row) FROM place WHERE path = ?1",
        )
        .and_then(|mut s| s.query_row([path.as_bytes()], |row| Ok((row.get(0)?, row.get(1)?))))
        .map_err(failed())?;
    let sql = "INSERT INTO doc_row (id, place, symbol, node, body) VALUES (?1, ?2, ?3, ?4, ?5)";
    let mut id = first;
    for SymbolText { symbol, tokenized, body } in texts {
        // SQL cannot compute the handle of a path in which bytes are escaped.
        let text = &tokenized.text;
        let node = Some(&text.node).filter(|_| !is_plain(path));
        let body = Some(&text.body).filter(|_| matches!(body, SymbolBody::Own));
        run(conn, sql, params![id, place, symbol, node, body])?;
        put_words(conn, TextId(id), tokenized)?;
        id += 1;
    }
    run(conn, "INSERT INTO doc_range VALUES (?1, ?2, ?3)", params![place, first, id - 1]).map(drop)
}

/// Whether the text form of a path is its bytes.
fn is_plain(path: &RepoPath) -> bool {
    path.to_string().as_bytes() == path.as_bytes()
}

/// Removes the texts of a file's symbols from the index, while the symbols are still there.
pub(super) fn remove_symbols(conn: &Connection, path: &RepoPath) -> Result<()> {
    let sql = "DELETE FROM doc_range WHERE place = (SELECT id FROM place WHERE path = ?1)
               RETURNING first, last";
    let range: Option<(i64, i64)> = conn
        .prepare_cached(sql)
        .and_then(|mut s| {
            s.query_row([path.as_bytes()], |row| Ok((row.get(0)?, row.get(1)?))).optional()
        })
        .map_err(sqlite_problem("write the search text"))?;
    let Some((first, last)) = range else { return Ok(()) };
    let sql = "SELECT id, name FROM doc WHERE id >= ?1 AND id <= ?2";
    let read = |row: &Row<'_>| Ok((row.get(0)?, row.get::<_, String>(1)?));
    for (id, name) in rows(conn, sql, "read the search text", params![first, last], read)? {
        remove_words(conn, id, &name)?;
    }
    run(conn, "DELETE FROM doc_row WHERE id >= ?1 AND id <= ?2", params![first, last]).map(drop)
}

/// How many rows changed.
fn run(conn: &Connection, sql: &str, params: &[&dyn ToSql]) -> Result<usize> {
    conn.prepare_cached(sql)
        .and_then(|mut statement| statement.execute(params))
        .map_err(sqlite_problem("write the search text"))
}

/// A filter of rows, as parameters of the statements.
#[derive(Debug)]
pub(crate) struct SearchBounds {
    kinds: Option<String>,
    path: Option<(Vec<u8>, Vec<u8>, Vec<u8>)>,
}

impl SearchBounds {
    /// Only these kinds, only at or below this path.
    pub(crate) fn new(kinds: &[String], path: Option<&RepoPath>) -> Self {
        let path = path.map(|path| {
            let (low, high) = range_below(path);
            (path.as_bytes().to_vec(), low, high)
        });
        Self { kinds: (!kinds.is_empty()).then(|| serde_json::json!(kinds).to_string()), path }
    }

    /// Whether it excludes nothing.
    pub(super) fn is_unbounded(&self) -> bool {
        self.kinds.is_none() && self.path.is_none()
    }
}

/// The bounds as an SQL condition, with parameters from the third on.
const BOUNDS_CONDITION: &str = "(?3 IS NULL OR d.kind IN (SELECT value FROM json_each(?3)))
    AND (?4 IS NULL OR d.path = ?4 OR (d.path >= ?5 AND d.path < ?6))";

/// The table of a full text.
#[derive(Debug, Clone, Copy)]
pub(super) enum FullTextTable {
    Words,
    Trigrams,
}

impl FullTextTable {
    const fn name(self) -> &'static str {
        match self {
            Self::Words => "doc_word",
            Self::Trigrams => "doc_gram",
        }
    }
}

/// The best rows; names count more than bodies. All matches are ranked.
pub(super) fn best_rows(
    conn: &Connection,
    held: FullTextTable,
    query: &str,
    bounds: &SearchBounds,
    most: usize,
) -> Result<Vec<SearchRow>> {
    let (table, weights) = match held {
        FullTextTable::Words => (held.name(), ", 5.0, 1.0"),
        FullTextTable::Trigrams => (held.name(), ""),
    };
    let order = format!("ORDER BY bm25({table}{weights})");
    matching(conn, &text_query(table, &order), query, bounds, most)
}

/// Matching rows, in no particular order.
pub(super) fn any_rows(
    conn: &Connection,
    held: FullTextTable,
    query: &str,
    bounds: &SearchBounds,
    most: usize,
) -> Result<Vec<SearchRow>> {
    matching(conn, &text_query(held.name(), ""), query, bounds, most)
}

fn text_query(table: &str, order: &str) -> String {
    format!(
        "SELECT {COLUMNS} FROM {table} JOIN doc d ON d.id = {table}.rowid
         WHERE {table} MATCH ?1 AND {BOUNDS_CONDITION} {order} LIMIT ?2"
    )
}

/// Rows that contain a text too short for a trigram, among a limited number of rows.
pub(super) fn by_substring(
    conn: &Connection,
    text: &str,
    bounds: &SearchBounds,
    most: usize,
) -> Result<Vec<SearchRow>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM doc d WHERE {BOUNDS_CONDITION}
         AND (instr(lower(d.name), ?1) > 0 OR instr(lower(d.body), ?1) > 0)
         ORDER BY instr(lower(d.name), ?1) = 0, length(d.name), d.node LIMIT ?2"
    );
    matching(conn, &sql, text, bounds, most)
}

/// Rows with a name that is this text or starts with it, in the order of names.
pub(super) fn by_name(
    conn: &Connection,
    name: &str,
    bounds: &SearchBounds,
    most: usize,
) -> Result<Vec<SearchRow>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM doc_name n CROSS JOIN doc d ON d.id = n.doc
         WHERE n.key >= ?1 AND n.key < ?1 || char(1114111) AND {BOUNDS_CONDITION}
         ORDER BY n.key, n.doc LIMIT ?2"
    );
    matching(conn, &sql, name, bounds, most)
}

/// The first longer words with a prefix, until they are in `most` rows together; all such words if
/// they are in fewer. A column is `name` or `body`.
pub(super) fn terms_with_prefix(
    conn: &Connection,
    start: &str,
    column: Option<&str>,
    most: usize,
) -> Result<Vec<String>> {
    let sql = "SELECT term, doc FROM doc_term WHERE term >= ?1 AND term < ?2
               AND (?3 IS NULL OR col = ?3)";
    // U+0001 sorts before every letter, so the range starts after the word itself.
    let longer = format!("{start}\u{1}");
    take_terms(conn, sql, &[&longer, &prefix_end(start), &column], most)
}

/// The first trigrams with a prefix, until they are in `most` rows together; all if they are in
/// fewer.
pub(super) fn trigrams_with_prefix(
    conn: &Connection,
    start: &str,
    most: usize,
) -> Result<Vec<String>> {
    let sql = "SELECT term, doc FROM doc_piece WHERE term >= ?1 AND term < ?2";
    take_terms(conn, sql, &[&start, &prefix_end(start)], most)
}

fn prefix_end(start: &str) -> String {
    format!("{start}{}", char::MAX)
}

/// Takes terms until the number of rows that contain them is enough. Reading a term costs time in
/// proportion to its rows.
fn take_terms(
    conn: &Connection,
    sql: &str,
    params: &[&dyn ToSql],
    most: usize,
) -> Result<Vec<String>> {
    let failed = || sqlite_problem("read the words");
    let mut statement = conn.prepare_cached(sql).map_err(failed())?;
    let mut rows = statement.query(params).map_err(failed())?;
    let (mut terms, mut held) = (Vec::new(), 0);
    while held < most
        && let Some(row) = rows.next().map_err(failed())?
    {
        let term: String = row.get(0).map_err(failed())?;
        held += row.get::<_, usize>(1).map_err(failed())?;
        // FTS5 ends a query at a zero byte.
        terms.extend(Some(term).filter(|term| !term.contains('\0')));
    }
    terms.dedup(); // one in both columns
    Ok(terms)
}

/// The rarest of some trigrams, as many as are in `most` rows together.
pub(super) fn rarest_trigrams(
    conn: &Connection,
    pieces: &[String],
    most: usize,
) -> Result<Vec<String>> {
    let sql = "SELECT doc FROM doc_piece WHERE term = ?1";
    let mut counted = Vec::new();
    for piece in pieces {
        let found = rows(conn, sql, "read the words", &[piece], |row| row.get::<_, usize>(0))?;
        counted.extend(found.first().map(|held| (*held, piece.clone())));
    }
    counted.sort();
    counted.dedup();
    let mut held = 0;
    let few = counted.into_iter().enumerate().take_while(|(at, (count, _))| {
        held += count;
        *at == 0 || held <= most
    });
    Ok(few.map(|(_, (_, piece))| piece).collect())
}

fn matching(
    conn: &Connection,
    sql: &str,
    query: &str,
    bounds: &SearchBounds,
    most: usize,
) -> Result<Vec<SearchRow>> {
    let failed = || sqlite_problem("search");
    let mut statement = conn.prepare_cached(sql).map_err(failed())?;
    let (path, low, high) = match &bounds.path {
        Some((path, low, high)) => (Some(path), Some(low), Some(high)),
        None => (None, None, None),
    };
    let params = params![query, most, bounds.kinds, path, low, high];
    let rows = statement.query_map(params, read_row).map_err(failed())?;
    rows.collect::<Result<_, _>>().map_err(failed())
}

fn read_row(row: &Row<'_>) -> SqlResult<SearchRow> {
    Ok(SearchRow {
        id: row.get(0)?,
        node: row.get(1)?,
        kind: row.get(2)?,
        name: row.get(3)?,
        body: row.get(4)?,
    })
}
