//! The SQL of the checkout history.

use std::collections::HashMap;

use base::{RepoPath, Result};
use store::{
    Connection, OptionalExtension, Row, SqlResult, ToSql, ValueRef, params, sqlite_problem,
};

use super::writer::PathChange;
use super::{ArtifactChange, ArtifactId, CheckoutCommit, FileChurn, PathState, TouchRow};
use crate::cochange::shared_test_stem;
use crate::commit::CommitChangeKind;
use crate::commit_store::CommitRowId;
use crate::tags::TagOp;

/// The tables.
pub const SCHEMA: &str = include_str!("line.sql");

/// Queries whose rows must equal those of a rebuilt history.
pub const REBUILD_CHECK_QUERIES: &[&str] = &[
    "SELECT pos, hex(sha), time, files, merge FROM line",
    "SELECT t.pos, t.artifact, p.path, o.path, char(t.how) FROM touch t
     JOIN path p ON p.id = t.path LEFT JOIN path o ON o.id = t.old",
    "SELECT p.path, x.artifact, x.alive, x.live FROM place x JOIN path p ON p.id = x.path",
    "SELECT artifact, pos, nth, tag, adds FROM tag_op",
    "SELECT value FROM meta WHERE key = 'head'",
];

/// Indexes that are created after the first load, which is faster than updating them with each row.
pub(crate) const DEFERRED_INDEXES: &str = "
    CREATE INDEX IF NOT EXISTS touch_artifact ON touch (artifact, pos, size);
    CREATE INDEX IF NOT EXISTS place_artifact ON place (artifact) WHERE live;
    CREATE INDEX IF NOT EXISTS path_folder ON path (folder);
    CREATE INDEX IF NOT EXISTS path_stem ON path (stem);
    CREATE INDEX IF NOT EXISTS line_files ON line (files) WHERE NOT merge";

const WRITE: &str = "write the history";
const READ: &str = "read the history";

/// A value of the table `meta`.
pub fn meta(conn: &Connection, key: &str) -> Result<Option<String>> {
    conn.prepare_cached("SELECT value FROM meta WHERE key = ?1")
        .and_then(|mut s| s.query_row([key], |row| row.get(0)).optional())
        .map_err(sqlite_problem(READ))
}

/// Stores a value in the table `meta`.
pub fn set_meta(conn: &Connection, key: &str, value: &str) -> Result<()> {
    conn.prepare_cached("INSERT OR REPLACE INTO meta VALUES (?1, ?2)")
        .and_then(|mut s| s.execute([key, value]))
        .map(drop)
        .map_err(sqlite_problem(WRITE))
}

/// How many commits there are.
pub fn count(conn: &Connection) -> Result<i64> {
    conn.prepare_cached("SELECT coalesce(max(pos) + 1, 0) FROM line")
        .and_then(|mut s| s.query_row([], |row| row.get(0)))
        .map_err(sqlite_problem(READ))
}

/// The SHAs of all commits, in order.
pub fn commit_shas(conn: &Connection) -> Result<Vec<Vec<u8>>> {
    store::rows(conn, "SELECT sha FROM line ORDER BY pos", READ, &[], |row| row.get(0))
}

/// The ids of all commits.
pub fn commit_ids(conn: &Connection) -> Result<Vec<CommitRowId>> {
    store::rows(conn, "SELECT id FROM line ORDER BY pos", READ, &[], |row| row.get(0))
}

/// The row and the SHA of the newest commit.
pub fn last_read_commit(conn: &Connection) -> Result<Option<(CommitRowId, Vec<u8>)>> {
    conn.prepare_cached("SELECT id, sha FROM line ORDER BY id DESC LIMIT 1")
        .and_then(|mut s| s.query_row([], |row| Ok((row.get(0)?, row.get(1)?))).optional())
        .map_err(sqlite_problem(READ))
}

/// The position of a commit, by its row in the commit store.
pub fn commit_by_id(conn: &Connection, id: CommitRowId) -> Result<Option<CheckoutCommit>> {
    query_commit(conn, "SELECT pos, id, sha, time, files, merge FROM line WHERE id = ?1", &id)
}

/// The commit at a position.
pub fn commit_at_position(conn: &Connection, pos: i64) -> Result<Option<CheckoutCommit>> {
    query_commit(conn, "SELECT pos, id, sha, time, files, merge FROM line WHERE pos = ?1", &pos)
}

fn query_commit(conn: &Connection, sql: &str, key: &dyn ToSql) -> Result<Option<CheckoutCommit>> {
    conn.prepare_cached(sql)
        .and_then(|mut s| s.query_row([key], commit_from_row).optional())
        .map_err(sqlite_problem(READ))
}

fn commit_from_row(row: &Row<'_>) -> SqlResult<CheckoutCommit> {
    Ok(CheckoutCommit {
        pos: row.get(0)?,
        id: row.get(1)?,
        sha: row.get(2)?,
        time: row.get(3)?,
        files: row.get(4)?,
        is_merge: row.get(5)?,
    })
}

pub(crate) fn put_commit(conn: &Connection, stop: &CheckoutCommit) -> Result<()> {
    conn.prepare_cached("INSERT INTO line VALUES (?1, ?2, ?3, ?4, ?5, ?6)")
        .and_then(|mut s| {
            s.execute(params![stop.pos, stop.id, stop.sha, stop.time, stop.files, stop.is_merge])
        })
        .map(drop)
        .map_err(sqlite_problem(WRITE))
}

/// A change of an artifact by a commit.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Touch {
    /// Position of the commit
    pub pos: i64,
    /// The artifact
    pub artifact: ArtifactId,
    /// What the commit did
    pub change: PathChange,
}

/// Stores a touch. `size` is the number of files of the commit; 0 for a merge.
pub(crate) fn put_touch(conn: &Connection, touch: &Touch, size: i64) -> Result<()> {
    let Touch { pos, artifact, change: PathChange { kind, path, old } } = touch;
    conn.prepare_cached("INSERT OR REPLACE INTO touch VALUES (?1, ?2, ?3, ?4, ?5, ?6)")
        .and_then(|mut s| s.execute(params![pos, artifact, path, old, kind.letter(), size]))
        .map(drop)
        .map_err(sqlite_problem(WRITE))
}

/// Stores the `nth` tag operation of the commit at a position.
pub(crate) fn put_tag_op(
    conn: &Connection,
    artifact: ArtifactId,
    pos: i64,
    nth: usize,
    op: &TagOp,
) -> Result<()> {
    conn.prepare_cached("INSERT OR REPLACE INTO tag_op VALUES (?1, ?2, ?3, ?4, ?5)")
        .and_then(|mut s| s.execute(params![artifact, pos, nth, op.tag, op.adds]))
        .map(drop)
        .map_err(sqlite_problem(WRITE))
}

pub(crate) fn path_id(conn: &Connection, path: &[u8]) -> Result<Option<i64>> {
    conn.prepare_cached("SELECT id FROM path WHERE path = ?1")
        .and_then(|mut s| s.query_row([path], |row| row.get(0)).optional())
        .map_err(sqlite_problem(READ))
}

pub(crate) fn put_path(conn: &Connection, path: &RepoPath) -> Result<i64> {
    let (bytes, folder) = (path.as_bytes(), path.parent().unwrap_or(RepoPath::ROOT));
    conn.prepare_cached("INSERT INTO path (path, folder, stem) VALUES (?1, ?2, ?3)")
        .and_then(|mut s| s.insert(params![bytes, folder.as_bytes(), shared_test_stem(bytes)]))
        .map_err(sqlite_problem(WRITE))
}

pub(crate) fn path_state(conn: &Connection, path: i64) -> Result<Option<PathState>> {
    conn.prepare_cached("SELECT artifact, alive, live FROM place WHERE path = ?1")
        .and_then(|mut s| s.query_row([path], path_state_from_row).optional())
        .map_err(sqlite_problem(READ))
}

fn path_state_from_row(row: &Row<'_>) -> SqlResult<PathState> {
    Ok(PathState {
        artifact: row.get(0)?,
        exists_after_replay: row.get(1)?,
        is_checked_out: row.get(2)?,
    })
}

pub(crate) fn put_path_state(conn: &Connection, path: i64, place: PathState) -> Result<()> {
    conn.prepare_cached("INSERT OR REPLACE INTO place VALUES (?1, ?2, ?3, ?4)")
        .and_then(|mut s| {
            s.execute(params![
                path,
                place.artifact,
                place.exists_after_replay,
                place.is_checked_out
            ])
        })
        .map(drop)
        .map_err(sqlite_problem(WRITE))
}

pub(crate) fn clear_checked_out(conn: &Connection) -> Result<()> {
    conn.execute("UPDATE place SET live = 0 WHERE live", [])
        .map(drop)
        .map_err(sqlite_problem(WRITE))
}

/// The first artifact number that is free.
pub(crate) fn next_artifact(conn: &Connection) -> Result<ArtifactId> {
    conn.query_row("SELECT coalesce(max(artifact), 0) + 1 FROM touch", [], |row| row.get(0))
        .map_err(sqlite_problem(READ))
}

/// Removes every commit from a position on, and the states of paths.
pub(crate) fn truncate_from(conn: &Connection, from: i64) -> Result<()> {
    for sql in [
        "DELETE FROM line WHERE pos >= ?1",
        "DELETE FROM touch WHERE pos >= ?1",
        "DELETE FROM tag_op WHERE pos >= ?1",
        "DELETE FROM place WHERE ?1 >= 0",
        "DELETE FROM path WHERE ?1 = 0",
    ] {
        conn.execute(sql, [from]).map_err(sqlite_problem(WRITE))?;
    }
    Ok(())
}

/// Calls `each` with every touch, by position and artifact.
pub(crate) fn all_touches(conn: &Connection, mut each: impl FnMut(Touch)) -> Result<()> {
    let sql = "SELECT pos, artifact, path, old, how FROM touch ORDER BY pos, artifact";
    store::rows(conn, sql, READ, &[], |row| {
        let kind = change_kind_from_row(row, 4)?;
        let change = PathChange { kind, path: row.get(2)?, old: row.get(3)? };
        each(Touch { pos: row.get(0)?, artifact: row.get(1)?, change });
        Ok(())
    })
    .map(drop)
}

fn change_kind_from_row(row: &Row<'_>, column: usize) -> SqlResult<CommitChangeKind> {
    let letter: u8 = row.get(column)?;
    CommitChangeKind::from_letter(letter)
        .ok_or_else(|| store::bad_value(column, format!("how is {letter}")))
}

fn path(row: &Row<'_>, column: usize) -> SqlResult<RepoPath> {
    let bytes: Vec<u8> = row.get(column)?;
    RepoPath::from_bytes(bytes).map_err(|error| store::bad_value(column, error.to_string()))
}

/// The artifact that was last at a path.
pub fn path_state_at(conn: &Connection, wanted: &RepoPath) -> Result<Option<PathState>> {
    let sql = "SELECT artifact, alive, live FROM place
               WHERE path = (SELECT id FROM path WHERE path = ?1)";
    conn.prepare_cached(sql)
        .and_then(|mut s| s.query_row([wanted.as_bytes()], path_state_from_row).optional())
        .map_err(sqlite_problem(READ))
}

/// Every file of the commit that is checked out, by path.
pub fn checked_out_files(conn: &Connection) -> Result<Vec<(RepoPath, ArtifactId)>> {
    let sql = "SELECT p.path, x.artifact FROM place x JOIN path p ON p.id = x.path
               WHERE x.live ORDER BY p.path";
    store::rows(conn, sql, READ, &[], |row| Ok((path(row, 0)?, row.get(1)?)))
}

/// The first path of an artifact in the checked-out commit, if there is one.
pub fn current_path(conn: &Connection, artifact: ArtifactId) -> Result<Option<RepoPath>> {
    let sql = "SELECT min(p.path) FROM place x JOIN path p ON p.id = x.path
               WHERE x.artifact = ?1 AND x.live HAVING count(*) > 0";
    conn.prepare_cached(sql)
        .and_then(|mut s| s.query_row([artifact], |row| path(row, 0)).optional())
        .map_err(sqlite_problem(READ))
}

/// The files of a folder that the commit that is checked out has.
pub(crate) fn siblings(conn: &Connection, folder: &RepoPath) -> Result<Vec<ArtifactId>> {
    let sql = "SELECT x.artifact FROM path p JOIN place x ON x.path = p.id
               WHERE p.folder = ?1 AND x.live";
    store::rows(conn, sql, READ, params![folder.as_bytes()], |row| row.get(0))
}

/// Artifacts whose file has the same name in any folder. A test has the name of the file that it
/// tests.
pub(crate) fn artifacts_with_same_stem(
    conn: &Connection,
    path: &RepoPath,
) -> Result<Vec<ArtifactId>> {
    let sql = "SELECT x.artifact FROM path p JOIN place x ON x.path = p.id
               WHERE p.stem = ?1 AND x.live";
    store::rows(conn, sql, READ, params![shared_test_stem(path.as_bytes())], |row| row.get(0))
}

/// Artifacts that the commit that is checked out does not have, with their last path.
pub fn deleted_artifacts(conn: &Connection) -> Result<Vec<(RepoPath, ArtifactId)>> {
    let sql = "SELECT p.path, t.artifact, max(t.pos) FROM touch t JOIN path p ON p.id = t.path
               WHERE t.artifact NOT IN (SELECT artifact FROM place WHERE live)
               GROUP BY t.artifact ORDER BY p.path, t.artifact";
    store::rows(conn, sql, READ, &[], |row| Ok((path(row, 0)?, row.get(1)?)))
}

/// The changes of an artifact, oldest first.
pub fn touches_of(conn: &Connection, artifact: ArtifactId) -> Result<Vec<TouchRow>> {
    let sql = "SELECT t.pos, p.path, o.path, t.how FROM touch t JOIN path p ON p.id = t.path
               LEFT JOIN path o ON o.id = t.old WHERE t.artifact = ?1 ORDER BY t.pos, p.path";
    store::rows(conn, sql, READ, params![artifact], |row| {
        let old = row.get::<_, Option<Vec<u8>>>(2)?.map(|_| path(row, 2)).transpose()?;
        Ok(TouchRow {
            pos: row.get(0)?,
            path: path(row, 1)?,
            old_path: old,
            kind: change_kind_from_row(row, 3)?,
        })
    })
}

/// The files that the commit at a position touched.
pub fn touches_at_position(conn: &Connection, pos: i64) -> Result<Vec<(ArtifactId, TouchRow)>> {
    let sql = "SELECT t.pos, p.path, o.path, t.how, t.artifact FROM touch t
               JOIN path p ON p.id = t.path LEFT JOIN path o ON o.id = t.old
               WHERE t.pos = ?1 ORDER BY p.path, t.artifact";
    store::rows(conn, sql, READ, params![pos], |row| {
        let old = row.get::<_, Option<Vec<u8>>>(2)?.map(|_| path(row, 2)).transpose()?;
        let touch = TouchRow {
            pos: row.get(0)?,
            path: path(row, 1)?,
            old_path: old,
            kind: change_kind_from_row(row, 3)?,
        };
        Ok((row.get(4)?, touch))
    })
}

/// The last commit that touched an artifact.
pub fn last_commit_of(conn: &Connection, artifact: ArtifactId) -> Result<Option<CheckoutCommit>> {
    let sql = "SELECT pos, id, sha, time, files, merge FROM line WHERE pos =
               (SELECT max(pos) FROM touch WHERE artifact = ?1)";
    query_commit(conn, sql, &artifact)
}

/// The tag operations on an artifact, with the positions of their commits, in order.
pub fn tag_ops_of(conn: &Connection, artifact: ArtifactId) -> Result<Vec<(i64, TagOp)>> {
    let sql = "SELECT pos, tag, adds FROM tag_op WHERE artifact = ?1 ORDER BY pos, nth";
    store::rows(conn, sql, READ, params![artifact], |row| {
        Ok((row.get(0)?, TagOp { tag: row.get(1)?, adds: row.get(2)? }))
    })
}

/// The tag operations on all artifacts, in order for each.
pub fn all_tag_ops(conn: &Connection) -> Result<Vec<(ArtifactId, TagOp)>> {
    let sql = "SELECT artifact, tag, adds FROM tag_op ORDER BY artifact, pos, nth";
    store::rows(conn, sql, READ, &[], |row| {
        Ok((row.get(0)?, TagOp { tag: row.get(1)?, adds: row.get(2)? }))
    })
}

/// Which commits of an artifact count for co-change. Merges never do.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CommitLimits {
    /// A commit of more files does not count
    pub max_files: u32,
    /// How many of the newest commits count
    pub max_commits: usize,
}

/// The positions of the commits of an artifact that count for co-change, newest first.
pub(crate) fn countable_positions(
    conn: &Connection,
    artifact: ArtifactId,
    limits: CommitLimits,
) -> Result<Vec<i64>> {
    let sql = "SELECT DISTINCT pos FROM touch WHERE artifact = ?1 AND size BETWEEN 1 AND ?2
               ORDER BY pos DESC LIMIT ?3";
    store::rows(conn, sql, READ, params![artifact, limits.max_files, limits.max_commits], |row| {
        row.get(0)
    })
}

pub(crate) fn count_commits_of(conn: &Connection, artifact: ArtifactId, files: u32) -> Result<u64> {
    let sql = "SELECT count(*) FROM (SELECT 1 FROM touch
               WHERE artifact = ?1 AND size BETWEEN 1 AND ?2 GROUP BY pos)";
    conn.prepare_cached(sql)
        .and_then(|mut s| s.query_row(params![artifact, files], |row| row.get(0)))
        .map_err(sqlite_problem(READ))
}

pub(crate) fn count_countable_commits(conn: &Connection, files: u32) -> Result<u64> {
    let sql = "SELECT count(*) FROM line WHERE NOT merge AND files BETWEEN 1 AND ?1";
    conn.prepare_cached(sql)
        .and_then(|mut s| s.query_row([files], |row| row.get(0)))
        .map_err(sqlite_problem(READ))
}

/// Calls `each` with the position and artifact of every touch in the commits of an artifact that count
/// for co-change.
pub(crate) fn each_cochanged(
    conn: &Connection,
    artifact: ArtifactId,
    limits: CommitLimits,
    mut each: impl FnMut(i64, ArtifactId),
) -> Result<()> {
    let sql = "SELECT t.pos, t.artifact FROM
               (SELECT DISTINCT pos FROM touch WHERE artifact = ?1 AND size BETWEEN 1 AND ?2
                ORDER BY pos DESC LIMIT ?3) c
               JOIN touch t ON t.pos = c.pos";
    let mut statement = conn.prepare_cached(sql).map_err(sqlite_problem(READ))?;
    let params = params![artifact, limits.max_files, limits.max_commits];
    let mut rows = statement.query(params).map_err(sqlite_problem(READ))?;
    while let Some(row) = rows.next().map_err(sqlite_problem(READ))? {
        let pair = row.get(0).and_then(|pos| Ok((pos, row.get(1)?)));
        let (pos, artifact) = pair.map_err(sqlite_problem(READ))?;
        each(pos, artifact);
    }
    Ok(())
}

/// The artifacts that the commit at a position touched.
pub(crate) fn artifacts_at(conn: &Connection, pos: i64) -> Result<Vec<ArtifactId>> {
    let sql = "SELECT DISTINCT artifact FROM touch WHERE pos = ?1";
    store::rows(conn, sql, READ, params![pos], |row| row.get(0))
}

/// How often each file was changed since a moment in seconds since 1970, merges and bulk commits left
/// out.
pub fn churn(conn: &Connection, since: i64, max_files: u32) -> Result<Vec<FileChurn>> {
    let sql = "SELECT t.artifact, count(DISTINCT t.pos), max(l.time) FROM touch t
               JOIN line l ON l.pos = t.pos
               WHERE t.size BETWEEN 1 AND ?2 AND l.time >= ?1 GROUP BY t.artifact";
    store::rows(conn, sql, READ, params![since, max_files], |row| {
        Ok(FileChurn { artifact: row.get(0)?, commits: row.get(1)?, last_time: row.get(2)? })
    })
}

/// Which commits changed which of the files at or below a path, the newest commit first, merges
/// and bulk commits left out.
pub fn changes_below(
    conn: &Connection,
    folder: &RepoPath,
    max_files: u32,
) -> Result<Vec<ArtifactChange>> {
    let sql = "SELECT DISTINCT t.pos, t.artifact FROM path p
               JOIN place x ON x.path = p.id AND x.live
               JOIN touch t ON t.artifact = x.artifact
               WHERE (p.path = ?1 OR (p.path > ?2 AND p.path < ?3)) AND t.size BETWEEN 1 AND ?4
               ORDER BY t.pos DESC, t.artifact";
    let own = folder.as_bytes();
    // A slash sorts right before a zero, so these enclose exactly what is below the folder.
    let (low, high) = match own.is_empty() {
        true => (Vec::new(), vec![0xff; 8]),
        false => ([own, b"/"].concat(), [own, b"0"].concat()),
    };
    store::rows(conn, sql, READ, params![own, low, high, max_files], |row| {
        Ok(ArtifactChange { pos: row.get(0)?, artifact: row.get(1)? })
    })
}

/// The rows of [`REBUILD_CHECK_QUERIES`], each query in an order that equal histories share. The touches
/// come after the first query.
const DIGEST_QUERIES: &[&str] = &[
    "SELECT pos, sha, time, files, merge FROM line ORDER BY pos",
    "SELECT p.path, x.artifact, x.alive, x.live FROM path p JOIN place x ON x.path = p.id
     ORDER BY p.path",
    "SELECT artifact, pos, nth, tag, adds FROM tag_op ORDER BY artifact, pos, nth",
    "SELECT value FROM meta WHERE key = 'head'",
];

/// How many bytes are hashed at once.
const HASH_CHUNK_BYTES: usize = 64 << 10;

/// A hash of the whole checkout history. Equal histories have equal hashes, whether they were built at
/// once or step by step.
pub fn digest(conn: &Connection) -> Result<String> {
    let mut sum =
        RowHasher { hash: blake3::Hasher::new(), buffer: Vec::with_capacity(2 * HASH_CHUNK_BYTES) };
    for (nth, sql) in DIGEST_QUERIES.iter().enumerate() {
        if nth == 1 {
            digest_touches(conn, &mut sum)?;
            sum.end_table();
        }
        let mut statement = conn.prepare_cached(sql).map_err(sqlite_problem(READ))?;
        let columns = statement.column_count();
        let mut rows = statement.query([]).map_err(sqlite_problem(READ))?;
        while let Some(row) = rows.next().map_err(sqlite_problem(READ))? {
            for column in 0..columns {
                sum.add(row.get_ref(column).map_err(sqlite_problem(READ))?);
            }
        }
        sum.end_table();
    }
    Ok(sum.hash.update(&sum.buffer).finalize().to_hex().to_string())
}

/// Hashes the touches. Numbers of paths depend on the order of insertion, so the paths are hashed.
fn digest_touches(conn: &Connection, sum: &mut RowHasher) -> Result<()> {
    let names = store::rows(conn, "SELECT id, path FROM path", READ, &[], |row| {
        Ok((row.get::<_, i64>(0)?, row.get::<_, Vec<u8>>(1)?))
    })?;
    let names: HashMap<i64, Vec<u8>> = names.into_iter().collect();
    let name = |number: i64| names.get(&number).map_or(ValueRef::Null, |name| ValueRef::Blob(name));
    let mut put = |same: &mut Vec<Touch>| {
        same.sort_by(|a, b| names.get(&a.change.path).cmp(&names.get(&b.change.path)));
        for Touch { pos, artifact, change } in same.drain(..) {
            sum.add(ValueRef::Integer(pos));
            sum.add(ValueRef::Integer(artifact.0));
            sum.add(name(change.path));
            sum.add(change.old.map_or(ValueRef::Null, name));
            sum.add(ValueRef::Integer(change.kind.letter().into()));
        }
    };
    // Few artifacts have more than one path in a commit.
    let mut same: Vec<Touch> = Vec::new();
    all_touches(conn, |touch| {
        let is_other = |last: &Touch| (last.pos, last.artifact) != (touch.pos, touch.artifact);
        if same.last().is_some_and(is_other) {
            put(&mut same);
        }
        same.push(touch);
    })?;
    put(&mut same);
    Ok(())
}

/// A hash of values, each with its kind and length.
struct RowHasher {
    hash: blake3::Hasher,
    buffer: Vec<u8>,
}

impl RowHasher {
    fn add(&mut self, value: ValueRef<'_>) {
        let waiting = &mut self.buffer;
        match value {
            ValueRef::Null => waiting.push(b'-'),
            ValueRef::Integer(number) => {
                waiting.push(b'#');
                waiting.extend(number.to_le_bytes());
            }
            ValueRef::Real(number) => {
                waiting.push(b'.');
                waiting.extend(number.to_le_bytes());
            }
            ValueRef::Text(bytes) | ValueRef::Blob(bytes) => {
                waiting.push(b'=');
                waiting.extend(bytes.len().to_le_bytes());
                waiting.extend(bytes);
            }
        }
        if waiting.len() > HASH_CHUNK_BYTES {
            self.hash.update(waiting);
            waiting.clear();
        }
    }

    /// Ends a table.
    fn end_table(&mut self) {
        self.buffer.push(b'\n');
    }
}
