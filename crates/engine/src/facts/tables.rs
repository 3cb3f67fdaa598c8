//! The SQL of the cache of facts.

use base::Hash;
use store::{Connection, OptionalExtension, SqlResult, params};

pub(super) const SCHEMA: &str = include_str!("facts.sql");

/// The key of a row: a content hash, the dialect that it was parsed as, and the version of the
/// extractor.
#[derive(Debug, Clone, Copy)]
pub(super) struct FactsRowKey<'a> {
    pub hash: &'a Hash,
    pub dialect: &'static str,
    pub version: u32,
}

/// The value of a row and the day on which it was last used.
pub(super) fn find(conn: &Connection, key: FactsRowKey<'_>) -> SqlResult<Option<(Vec<u8>, i64)>> {
    conn.prepare_cached(
        "SELECT value, used FROM fact WHERE hash = ?1 AND dialect = ?2 AND version = ?3",
    )?
    .query_row(params![key.hash.as_bytes(), key.dialect, key.version], |row| {
        Ok((row.get(0)?, row.get(1)?))
    })
    .optional()
}

pub(super) fn put(
    conn: &Connection,
    key: FactsRowKey<'_>,
    value: &[u8],
    day: i64,
) -> SqlResult<()> {
    conn.prepare_cached("INSERT OR REPLACE INTO fact VALUES (?1, ?2, ?3, ?4, ?5)")?
        .execute(params![key.hash.as_bytes(), key.dialect, key.version, day, value])
        .map(drop)
}

pub(super) fn mark_used(conn: &Connection, hash: &Hash, day: i64) -> SqlResult<()> {
    conn.prepare_cached("UPDATE fact SET used = ?2 WHERE hash = ?1")?
        .execute(params![hash.as_bytes(), day])
        .map(drop)
}

/// The number of bytes in use, without free pages.
pub(super) fn size(conn: &Connection) -> SqlResult<u64> {
    let sql = "SELECT (page_count - freelist_count) * page_size
               FROM pragma_page_count, pragma_freelist_count, pragma_page_size";
    conn.query_row(sql, [], |row| row.get(0))
}

/// Deletes the tenth of the rows that has not been used for the longest time.
pub(super) fn evict(conn: &Connection) -> SqlResult<usize> {
    conn.execute(
        "DELETE FROM fact WHERE (hash, dialect, version) IN
         (SELECT hash, dialect, version FROM fact ORDER BY used
          LIMIT 1 + (SELECT count(*) FROM fact) / 10)",
        [],
    )
}

/// Deletes the rows of older versions, once for each new version, and frees their space.
pub(super) fn drop_older_than(conn: &Connection, version: u32) -> SqlResult<()> {
    let newest: u32 = conn.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    if newest >= version {
        return Ok(());
    }
    conn.execute("DELETE FROM fact WHERE version < ?1", [version])?;
    set_newest_version(conn, version)?;
    conn.execute_batch("VACUUM")
}

/// Records the newest version that has written to this cache.
pub(super) fn set_newest_version(conn: &Connection, version: u32) -> SqlResult<()> {
    conn.pragma_update(None, "user_version", version)
}
