//! The SQL of the commit store.

use std::collections::HashMap;

use base::Result;
use store::{Connection, OptionalExtension, Row, SqlResult, params, sqlite_problem};

use crate::commit::{self, CommitFileChange, CommitHeader, CommitSignature, HistoryCommit};

/// The tables.
pub const SCHEMA: &str = include_str!("facts.sql");

const SELECT_COMMIT: &str = "SELECT sha, parents, a.name, a.email, authored, c.name, c.email,
    committed, message, changes, edge, renames_unknown, f.id FROM fact f
    JOIN person a ON a.id = f.author JOIN person c ON c.id = f.committer";

store::row_id!(
    /// A commit, by its row in the commit store.
    pub CommitRowId(i64)
);

impl CommitRowId {
    /// Less than the id of any commit.
    pub const NONE: Self = Self(0);

    /// The id after this one.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

/// A stored commit, and what was missing when it was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoredCommit {
    /// Its id
    pub id: CommitRowId,
    /// Whether it was read at the edge of a shallow clone
    pub is_shallow_edge: bool,
    /// Whether its renames are unknown
    pub renames_unknown: bool,
}

/// A stored commit, by its SHA.
pub fn stored_commit(conn: &Connection, sha: &[u8]) -> Result<Option<StoredCommit>> {
    let known = |row: &Row<'_>| {
        Ok(StoredCommit {
            id: row.get(0)?,
            is_shallow_edge: row.get(1)?,
            renames_unknown: row.get(2)?,
        })
    };
    conn.prepare_cached("SELECT id, edge, renames_unknown FROM fact WHERE sha = ?1")
        .and_then(|mut s| s.query_row([sha], known).optional())
        .map_err(sqlite_problem("read commits"))
}

/// A commit by its id.
pub fn get(conn: &Connection, id: CommitRowId) -> Result<Option<HistoryCommit>> {
    conn.prepare_cached(&format!("{SELECT_COMMIT} WHERE f.id = ?1"))
        .and_then(|mut s| s.query_row([id], |row| commit_from_row(conn, row)).optional())
        .map_err(sqlite_problem("read commits"))
}

/// A commit without its changes, by its id. A commit may have changed thousands of files.
pub fn header(conn: &Connection, id: CommitRowId) -> Result<Option<CommitHeader>> {
    let sql = "SELECT sha, parents, a.name, a.email, authored, message
               FROM fact f JOIN person a ON a.id = f.author WHERE f.id = ?1";
    conn.prepare_cached(sql)
        .and_then(|mut s| s.query_row([id], header_from_row).optional())
        .map_err(sqlite_problem("read commits"))
}

/// The SHA and the message of a commit, by its id.
pub fn sha_and_message(conn: &Connection, id: CommitRowId) -> Result<Option<(Vec<u8>, String)>> {
    conn.prepare_cached("SELECT sha, message FROM fact WHERE id = ?1")
        .and_then(|mut s| {
            s.query_row([id], |row| Ok((row.get(0)?, message_column(row, 1)?))).optional()
        })
        .map_err(sqlite_problem("read commits"))
}

/// A commit by its SHA, with its id.
pub fn by_sha(conn: &Connection, sha: &[u8]) -> Result<Option<(CommitRowId, HistoryCommit)>> {
    conn.prepare_cached(&format!("{SELECT_COMMIT} WHERE sha = ?1"))
        .and_then(|mut s| {
            s.query_row([sha], |row| Ok((row.get(12)?, commit_from_row(conn, row)?))).optional()
        })
        .map_err(sqlite_problem("read commits"))
}

/// The ids of commits whose SHAs are in a range, for abbreviated SHAs.
pub fn ids_in_sha_range(conn: &Connection, low: &[u8], high: &[u8]) -> Result<Vec<CommitRowId>> {
    let sql = "SELECT id FROM fact WHERE sha >= ?1 AND sha <= ?2 ORDER BY sha LIMIT 1000";
    store::rows(conn, sql, "read commits", params![low, high], |row| row.get(0))
}

/// Stores a commit. Returns false if its id is taken, which can only be by the same commit.
pub(crate) fn insert(conn: &Connection, id: CommitRowId, commit: &HistoryCommit) -> Result<bool> {
    let parents = commit.parents.concat();
    let changes = encode_changes(conn, &commit.changes)?;
    let (author, committer) =
        (person_id(conn, &commit.author)?, person_id(conn, &commit.committer)?);
    let message = store::compress(commit.message.as_bytes());
    conn.prepare_cached("INSERT OR IGNORE INTO fact VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11)")
        .and_then(|mut s| {
            s.execute(params![
                id,
                commit.sha,
                parents,
                author,
                commit.author.time,
                committer,
                commit.committer.time,
                message,
                changes,
                commit.is_shallow_edge,
                commit.renames_unknown,
            ])
        })
        .map(|rows| rows > 0)
        .map_err(sqlite_problem("keep a commit"))
}

fn person_id(conn: &Connection, person: &CommitSignature) -> Result<i64> {
    let find = "SELECT id FROM person WHERE name = ?1 AND email = ?2";
    let put = "INSERT INTO person (name, email) VALUES (?1, ?2)";
    intern(conn, find, put, params![person.name, person.email])
}

fn changed_path_id(conn: &Connection, path: &[u8]) -> Result<i64> {
    let find = "SELECT id FROM changed_path WHERE path = ?1";
    intern(conn, find, "INSERT INTO changed_path (path) VALUES (?1)", params![path])
}

/// The number of a value; gives it one if it has none.
fn intern(conn: &Connection, find: &str, put: &str, value: &[&dyn store::ToSql]) -> Result<i64> {
    let found = conn
        .prepare_cached(find)
        .and_then(|mut s| s.query_row(value, |row| row.get(0)).optional())
        .map_err(sqlite_problem("read commits"))?;
    match found {
        Some(id) => Ok(id),
        None => conn
            .prepare_cached(put)
            .and_then(|mut s| s.insert(value))
            .map_err(sqlite_problem("keep a commit")),
    }
}

fn encode_changes(conn: &Connection, changes: &[CommitFileChange]) -> Result<Vec<u8>> {
    let mut numbers = HashMap::new();
    for change in changes {
        for path in [Some(&change.path), change.old_path.as_ref()].into_iter().flatten() {
            numbers.insert(path.as_slice(), changed_path_id(conn, path)?.unsigned_abs());
        }
    }
    Ok(commit::encode_changes(changes, |path| numbers[path]))
}

fn changed_path(conn: &Connection, number: u64) -> Option<Vec<u8>> {
    conn.prepare_cached("SELECT path FROM changed_path WHERE id = ?1")
        .and_then(|mut s| s.query_row([number], |row| row.get(0)))
        .ok()
}

pub(crate) fn insert_words(
    conn: &Connection,
    id: CommitRowId,
    subject: &str,
    body: &str,
) -> Result<()> {
    conn.prepare_cached("INSERT INTO said (rowid, subject, body) VALUES (?1, ?2, ?3)")
        .and_then(|mut s| s.execute(params![id, subject, body]))
        .map(drop)
        .map_err(sqlite_problem("keep a commit's words"))
}

pub(crate) fn replace_changes(
    conn: &Connection,
    id: CommitRowId,
    commit: &HistoryCommit,
) -> Result<()> {
    let sql = "UPDATE fact SET parents = ?2, changes = ?3, edge = ?4, renames_unknown = ?5
               WHERE id = ?1";
    let (parents, changes) = (commit.parents.concat(), encode_changes(conn, &commit.changes)?);
    conn.prepare_cached(sql)
        .and_then(|mut s| {
            s.execute(params![id, parents, changes, commit.is_shallow_edge, commit.renames_unknown])
        })
        .map(drop)
        .map_err(sqlite_problem("keep a commit"))
}

/// The highest id, or [`CommitRowId::NONE`].
pub fn last_id(conn: &Connection) -> Result<CommitRowId> {
    conn.query_row("SELECT coalesce(max(id), 0) FROM fact", [], |row| row.get(0))
        .map_err(sqlite_problem("read commits"))
}

/// The identifier of this database.
pub fn stamp(conn: &Connection) -> Result<String> {
    conn.query_row("SELECT value FROM meta WHERE key = 'stamp'", [], |row| row.get(0))
        .map_err(sqlite_problem("read commits"))
}

/// Replaces the identifier, which invalidates everything built from this database.
pub(crate) fn renew_stamp(conn: &Connection) -> Result<()> {
    conn.execute("UPDATE meta SET value = hex(randomblob(16)) WHERE key = 'stamp'", [])
        .map(drop)
        .map_err(sqlite_problem("keep commits"))
}

/// The ids of commits whose messages match, best first. Of very many matches, only the newest are ranked.
pub fn search_messages(conn: &Connection, query: &str, most: usize) -> Result<Vec<CommitRowId>> {
    let sql = "SELECT id FROM
               (SELECT rowid AS id, bm25(said, 4.0, 1.0) AS fit FROM said WHERE said MATCH ?1
                ORDER BY rowid DESC LIMIT ?3)
               ORDER BY fit, id DESC LIMIT ?2";
    store::rows(conn, sql, "search commits", params![query, most, MAX_RANKED_COMMITS], |row| {
        row.get(0)
    })
}

/// How many commits are ranked.
const MAX_RANKED_COMMITS: usize = 1000;

/// The commits that were read at the edge of a shallow clone.
pub fn shallow_edge_ids(conn: &Connection) -> Result<Vec<CommitRowId>> {
    let sql = "SELECT id FROM fact WHERE edge ORDER BY id";
    store::rows(conn, sql, "read commits", &[], |row| row.get(0))
}

/// The commits whose renames are unknown.
pub fn unknown_rename_ids(conn: &Connection) -> Result<Vec<CommitRowId>> {
    let sql = "SELECT id FROM fact WHERE renames_unknown ORDER BY id";
    store::rows(conn, sql, "read commits", &[], |row| row.get(0))
}

/// The size of all used pages, in bytes.
pub(crate) fn used_bytes(conn: &Connection) -> Result<u64> {
    let sql = "SELECT (page_count - freelist_count) * page_size
               FROM pragma_page_count, pragma_freelist_count, pragma_page_size";
    conn.query_row(sql, [], |row| row.get(0)).map_err(sqlite_problem("size up commits"))
}

/// Removes commits.
pub(crate) fn remove(conn: &Connection, ids: &[CommitRowId]) -> Result<()> {
    for sql in ["DELETE FROM fact WHERE id = ?1", "DELETE FROM said WHERE rowid = ?1"] {
        let mut statement = conn.prepare_cached(sql).map_err(sqlite_problem("drop commits"))?;
        for id in ids {
            statement.execute([id]).map_err(sqlite_problem("drop commits"))?;
        }
    }
    Ok(())
}

/// Every id.
pub(crate) fn ids(conn: &Connection) -> Result<Vec<CommitRowId>> {
    store::rows(conn, "SELECT id FROM fact", "read commits", &[], |row| row.get(0))
}

fn message_column(row: &Row<'_>, column: usize) -> SqlResult<String> {
    let stored: Vec<u8> = row.get(column)?;
    let bytes = store::decompress(&stored).map_err(|problem| problem.to_string());
    let text = bytes.and_then(|bytes| String::from_utf8(bytes).map_err(|error| error.to_string()));
    text.map_err(|error| store::bad_value(column, error))
}

fn header_from_row(row: &Row<'_>) -> SqlResult<CommitHeader> {
    let sha: Vec<u8> = row.get(0)?;
    let parents: Vec<u8> = row.get(1)?;
    Ok(CommitHeader {
        parents: parents.len() / sha.len().max(1),
        sha,
        author: CommitSignature { name: row.get(2)?, email: row.get(3)?, time: row.get(4)? },
        message: message_column(row, 5)?,
    })
}

fn commit_from_row(conn: &Connection, row: &Row<'_>) -> SqlResult<HistoryCommit> {
    let sha: Vec<u8> = row.get(0)?;
    let parents: Vec<u8> = row.get(1)?;
    let changes: Vec<u8> = row.get(9)?;
    let changes = commit::decode_changes(&changes, |id| changed_path(conn, id));
    Ok(HistoryCommit {
        parents: parents.chunks(sha.len().max(1)).map(<[u8]>::to_vec).collect(),
        sha,
        author: CommitSignature { name: row.get(2)?, email: row.get(3)?, time: row.get(4)? },
        committer: CommitSignature { name: row.get(5)?, email: row.get(6)?, time: row.get(7)? },
        message: message_column(row, 8)?,
        changes: changes.ok_or_else(|| store::bad_value(9, "not a list of changes".into()))?,
        is_shallow_edge: row.get(10)?,
        renames_unknown: row.get(11)?,
    })
}
