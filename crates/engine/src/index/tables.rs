//! The SQL of the index's core: files, the commit below them, and the index's own record.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use base::{Hash, RepoPath, Result};
use store::{Connection, OptionalExtension, Row, params, sqlite_problem};
use tree::{FileTime, Stat};

/// The tables.
pub(crate) const SCHEMA: &str = include_str!("core.sql");

/// Queries whose rows must be equal in an index built from scratch and in an updated one.
pub(crate) const DUMP: &[&str] = &[
    "SELECT path, size, executable, hash, oid, oid_lf, language, skipped, lines, title FROM file",
    "SELECT path, why FROM aside",
    "SELECT path, oid, kind FROM head_entry",
    "SELECT path, how FROM edited",
    "SELECT value FROM meta WHERE key = 'head'",
];

pub(crate) const BEGIN_READ: &str = "BEGIN DEFERRED";
pub(crate) const END_READ: &str = "ROLLBACK";

/// What the index knows about a file from the last time it was read.
#[derive(Debug, Clone)]
pub struct KnownFile {
    /// Its size and times at that moment
    pub stat: Stat,
    /// When it was read
    pub read_at: FileTime,
    /// The hash of its content; `None` if the file was not read completely
    pub hash: Option<Hash>,
}

/// A row of the table of files.
#[derive(Debug, Clone)]
pub(crate) struct IndexedFileRow<'a> {
    pub path: &'a RepoPath,
    pub stat: &'a Stat,
    pub read_at: FileTime,
    pub hash: Option<Hash>,
    pub oid: Option<&'a [u8]>,
    pub oid_lf: Option<&'a [u8]>,
    pub language: Option<&'a str>,
    pub skipped: Option<&'a str>,
    pub lines: u32,
    pub title: Option<&'a str>,
}

/// An entry of the `meta` table by its key.
pub fn meta(conn: &Connection, key: &str) -> Result<Option<String>> {
    conn.prepare_cached("SELECT value FROM meta WHERE key = ?1")
        .and_then(|mut statement| statement.query_row([key], |row| row.get(0)).optional())
        .map_err(sqlite_problem("read the index"))
}

/// Whether a store has the `meta` table.
pub(crate) fn has_meta(conn: &Connection) -> Result<bool> {
    let sql = "SELECT count(*) FROM sqlite_schema WHERE name = 'meta'";
    conn.query_row(sql, [], |row| row.get(0)).map_err(sqlite_problem("read a store"))
}

pub(crate) fn set_meta(conn: &Connection, key: &str, value: &str) -> Result<()> {
    conn.prepare_cached("INSERT OR REPLACE INTO meta VALUES (?1, ?2)")
        .and_then(|mut statement| statement.execute([key, value]))
        .map(drop)
        .map_err(sqlite_problem("write the index"))
}

/// Whether the tables exist.
pub(crate) fn has_tables(conn: &Connection) -> Result<bool> {
    conn.query_row("SELECT count(*) FROM sqlite_schema WHERE name = 'meta'", [], |row| row.get(0))
        .map(|count: u64| count > 0)
        .map_err(sqlite_problem("read the index"))
}

/// The number of indexed files.
pub fn count_files(conn: &Connection) -> Result<u64> {
    conn.prepare_cached("SELECT count(*) FROM file")
        .and_then(|mut statement| statement.query_row([], |row| row.get(0)))
        .map_err(sqlite_problem("count the index"))
}

/// All indexed files.
pub(crate) fn known_files(conn: &Connection) -> Result<BTreeMap<RepoPath, KnownFile>> {
    known_files_where(conn, "", params![])
}

/// The indexed files at or below a path.
pub fn known_files_below(
    conn: &Connection,
    path: &RepoPath,
) -> Result<BTreeMap<RepoPath, KnownFile>> {
    if path.is_root() {
        return known_files(conn);
    }
    let (low, high) = range_below(path);
    known_files_where(
        conn,
        "WHERE path = ?1 OR (path >= ?2 AND path < ?3)",
        params![path.as_bytes(), low, high],
    )
}

fn known_files_where(
    conn: &Connection,
    condition: &str,
    params: &[&dyn store::ToSql],
) -> Result<BTreeMap<RepoPath, KnownFile>> {
    let sql = format!(
        "SELECT path, size, mtime, ctime, inode, executable, read_at, hash FROM file {condition}"
    );
    let mut statement = conn.prepare_cached(&sql).map_err(sqlite_problem("read the index"))?;
    let rows =
        statement.query_map(params, known_file_of_row).map_err(sqlite_problem("read the index"))?;
    rows.collect::<Result<_, _>>().map_err(sqlite_problem("read the index"))
}

fn known_file_of_row(row: &Row<'_>) -> store::SqlResult<(RepoPath, KnownFile)> {
    let stat = Stat {
        kind: tree::FileKind::File,
        size: row.get(1)?,
        mtime: row.get(2)?,
        ctime: row.get(3)?,
        inode: row.get::<_, i64>(4)?.cast_unsigned(),
        executable: row.get(5)?,
    };
    let known = KnownFile { stat, read_at: row.get(6)?, hash: hash(row, 7)? };
    Ok((path(row, 0)?, known))
}

pub(crate) fn put_file(conn: &Connection, file: &IndexedFileRow<'_>) -> Result<()> {
    let sql = "INSERT OR REPLACE INTO file VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14)";
    conn.prepare_cached(sql)
        .and_then(|mut statement| {
            statement.execute(params![
                file.path.as_bytes(),
                file.stat.size,
                file.stat.mtime,
                file.stat.ctime,
                file.stat.inode.cast_signed(),
                file.stat.executable,
                file.read_at,
                file.hash.map(|hash| *hash.as_bytes()),
                file.oid,
                file.oid_lf,
                file.language,
                file.skipped,
                file.lines,
                file.title,
            ])
        })
        .map(drop)
        .map_err(sqlite_problem("write the index"))
}

/// Updates the metadata of a file whose bytes did not change.
pub(crate) fn touch_file(
    conn: &Connection,
    path: &RepoPath,
    stat: &Stat,
    at: FileTime,
) -> Result<()> {
    let sql = "UPDATE file SET size = ?2, mtime = ?3, ctime = ?4, inode = ?5, executable = ?6,
               read_at = ?7 WHERE path = ?1";
    conn.prepare_cached(sql)
        .and_then(|mut statement| {
            statement.execute(params![
                path.as_bytes(),
                stat.size,
                stat.mtime,
                stat.ctime,
                stat.inode.cast_signed(),
                stat.executable,
                at
            ])
        })
        .map(drop)
        .map_err(sqlite_problem("write the index"))
}

/// The content hashes at or below a path, each with its number of lines.
pub fn contents_below(
    conn: &Connection,
    folder: &RepoPath,
) -> Result<Vec<(RepoPath, Option<Hash>, u32)>> {
    let (low, high) = range_below(folder);
    let sql = "SELECT path, hash, lines FROM file WHERE path = ?1
        UNION ALL SELECT path, hash, lines FROM file WHERE path >= ?2 AND path < ?3";
    store::rows(conn, sql, "read the index", params![folder.as_bytes(), low, high], |row| {
        Ok((path(row, 0)?, hash(row, 1)?, row.get(2)?))
    })
}

/// The hash of a file's content when it was indexed.
pub fn content_hash(conn: &Connection, file: &RepoPath) -> Result<Option<Hash>> {
    let sql = "SELECT hash FROM file WHERE path = ?1";
    let found =
        store::rows(conn, sql, "read the index", params![file.as_bytes()], |row| hash(row, 0))?;
    Ok(found.into_iter().next().flatten())
}

/// The paths among the given ones that are files.
pub(crate) fn which_are_files(conn: &Connection, paths: &[RepoPath]) -> Result<HashSet<RepoPath>> {
    // A path that is not UTF-8 cannot be passed to this query, and counts as no file.
    let texts = paths.iter().filter_map(|path| std::str::from_utf8(path.as_bytes()).ok());
    let list = texts.collect::<serde_json::Value>().to_string();
    let sql = "SELECT path FROM file WHERE path IN (SELECT CAST(value AS BLOB) FROM json_each(?1))";
    let found = store::rows(conn, sql, "read the index", params![list], |row| path(row, 0))?;
    Ok(found.into_iter().collect())
}

/// All files.
pub fn all_files(conn: &Connection) -> Result<BTreeSet<RepoPath>> {
    let rows =
        store::rows(conn, "SELECT path FROM file", "read the index", &[], |row| path(row, 0))?;
    Ok(rows.into_iter().collect())
}

/// The files directly in a folder.
pub(crate) fn files_in(conn: &Connection, folder: &RepoPath) -> Result<Vec<RepoPath>> {
    let (low, high) = range_below(folder);
    let sql = "SELECT path FROM file WHERE path >= ?1 AND path < ?2
               AND instr(substr(path, ?3), x'2f') = 0 ORDER BY path";
    let start = if folder.is_root() { 1 } else { folder.as_bytes().len() + 2 };
    store::rows(conn, sql, "read the index", params![low, high, start], |row| path(row, 0))
}

/// Files in some languages that were skipped or have syntax errors, each with the reason.
pub fn unread_files(conn: &Connection, languages: &[&str]) -> Result<Vec<(RepoPath, String)>> {
    let sql = "SELECT path, language, skipped FROM file WHERE skipped IS NOT NULL ORDER BY path";
    let rows = store::rows(conn, sql, "read the index", &[], |row| {
        Ok((path(row, 0)?, row.get::<_, Option<String>>(1)?, row.get::<_, String>(2)?))
    })?;
    let wanted = |language: &Option<String>| {
        language.as_deref().is_some_and(|language| languages.contains(&language))
    };
    let rows = rows.into_iter().filter(|(_, language, _)| wanted(language));
    Ok(rows.map(|(path, _, why)| (path, why)).collect())
}

/// Whether a file is indexed.
pub fn has_file(conn: &Connection, path: &RepoPath) -> Result<bool> {
    conn.prepare_cached("SELECT 1 FROM file WHERE path = ?1")
        .and_then(|mut statement| statement.exists([path.as_bytes()]))
        .map_err(sqlite_problem("read the index"))
}

pub(crate) fn remove_file(conn: &Connection, path: &RepoPath) -> Result<()> {
    execute_for_path(conn, "DELETE FROM file WHERE path = ?1", path)
}

pub(crate) fn replace_skipped_paths<'a>(
    conn: &Connection,
    rows: impl Iterator<Item = (&'a RepoPath, &'a str)>,
) -> Result<()> {
    conn.execute("DELETE FROM aside", []).map_err(sqlite_problem("write the index"))?;
    rows.into_iter().try_for_each(|(path, why)| put_skipped_path(conn, path, why))
}

/// The paths that the last walk skipped, and why.
pub(crate) fn skipped_paths(conn: &Connection) -> Result<BTreeMap<RepoPath, String>> {
    let rows = store::rows(conn, "SELECT path, why FROM aside", "read the index", &[], |row| {
        Ok((path(row, 0)?, row.get(1)?))
    })?;
    Ok(rows.into_iter().collect())
}

pub(crate) fn put_skipped_path(conn: &Connection, path: &RepoPath, why: &str) -> Result<()> {
    conn.prepare_cached("INSERT OR REPLACE INTO aside VALUES (?1, ?2)")
        .and_then(|mut statement| statement.execute(params![path.as_bytes(), why]))
        .map(drop)
        .map_err(sqlite_problem("write the index"))
}

pub(crate) fn forget_skipped_below(conn: &Connection, path: &RepoPath) -> Result<()> {
    let (low, high) = range_below(path);
    conn.prepare_cached("DELETE FROM aside WHERE path = ?1 OR (path >= ?2 AND path < ?3)")
        .and_then(|mut statement| statement.execute(params![path.as_bytes(), low, high]))
        .map(drop)
        .map_err(sqlite_problem("write the index"))
}

/// The number of skipped paths by reason.
pub fn skipped_counts(conn: &Connection) -> Result<Vec<(String, u64)>> {
    let sql = "SELECT why, count(*) FROM
               (SELECT why FROM aside UNION ALL SELECT skipped FROM file WHERE skipped IS NOT NULL)
               GROUP BY why ORDER BY count(*) DESC, why";
    name_counts(conn, sql)
}

/// The number of files by language.
pub fn language_counts(conn: &Connection) -> Result<Vec<(String, u64)>> {
    let sql = "SELECT language, count(*) FROM file WHERE language IS NOT NULL
               GROUP BY language ORDER BY count(*) DESC, language";
    name_counts(conn, sql)
}

fn name_counts(conn: &Connection, sql: &str) -> Result<Vec<(String, u64)>> {
    let rows = store::rows(conn, sql, "read the index", &[], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.into_iter().collect())
}

pub(crate) fn clear_head(conn: &Connection) -> Result<()> {
    conn.execute("DELETE FROM head_entry", []).map(drop).map_err(sqlite_problem("write the index"))
}

pub(crate) fn put_head(conn: &Connection, path: &RepoPath, oid: &[u8], kind: &str) -> Result<()> {
    conn.prepare_cached("INSERT OR REPLACE INTO head_entry VALUES (?1, ?2, ?3)")
        .and_then(|mut statement| statement.execute(params![path.as_bytes(), oid, kind]))
        .map(drop)
        .map_err(sqlite_problem("write the index"))
}

/// Compares every file with the checked-out commit.
pub(crate) fn compare_all(conn: &Connection) -> Result<()> {
    conn.execute_batch(
        "DELETE FROM edited;
         INSERT INTO edited
         SELECT f.path, 'modified' FROM file f JOIN head_entry h ON h.path = f.path
         WHERE f.oid IS NOT NULL AND f.oid <> h.oid AND f.oid_lf IS NOT h.oid;
         INSERT INTO edited
         SELECT path, 'added' FROM file WHERE path NOT IN (SELECT path FROM head_entry);",
    )
    .map_err(sqlite_problem("compare with the commit"))
}

/// Compares one file with the checked-out commit.
pub(crate) fn compare_one(conn: &Connection, path: &RepoPath) -> Result<()> {
    execute_for_path(conn, "DELETE FROM edited WHERE path = ?1", path)?;
    execute_for_path(
        conn,
        "INSERT INTO edited
         SELECT f.path, CASE WHEN h.path IS NULL THEN 'added' ELSE 'modified' END
         FROM file f LEFT JOIN head_entry h ON h.path = f.path
         WHERE f.path = ?1 AND (h.path IS NULL
             OR (f.oid IS NOT NULL AND f.oid <> h.oid AND f.oid_lf IS NOT h.oid))",
        path,
    )
}

const MISSING_FROM_FILES: &str =
    "SELECT path, kind FROM head_entry h WHERE NOT EXISTS (SELECT 1 FROM file WHERE path = h.path)";

/// Paths of the checked-out commit that are not indexed files, with what they are there.
pub(crate) fn missing_from_files(conn: &Connection) -> Result<Vec<(RepoPath, String)>> {
    missing_where(conn, MISSING_FROM_FILES, &[])
}

/// Like [`missing_from_files`], limited to what is at or below a path. The cost depends on what is
/// below it.
pub(crate) fn missing_below(
    conn: &Connection,
    below: &RepoPath,
) -> Result<Vec<(RepoPath, String)>> {
    if below.is_root() {
        return missing_from_files(conn);
    }
    let (low, high) = range_below(below);
    let sql = format!("{MISSING_FROM_FILES} AND path = ?1");
    let mut missing = missing_where(conn, &sql, params![below.as_bytes()])?;
    let sql = format!("{MISSING_FROM_FILES} AND path >= ?1 AND path < ?2");
    missing.extend(missing_where(conn, &sql, params![low, high])?);
    Ok(missing)
}

fn missing_where(
    conn: &Connection,
    sql: &str,
    params: &[&dyn store::ToSql],
) -> Result<Vec<(RepoPath, String)>> {
    store::rows(conn, sql, "compare with the commit", params, |row| {
        Ok((path(row, 0)?, row.get(1)?))
    })
}

pub(crate) fn forget_deleted(conn: &Connection, path: &RepoPath) -> Result<()> {
    execute_for_path(conn, "DELETE FROM edited WHERE path = ?1", path)
}

pub(crate) fn put_deleted(conn: &Connection, path: &RepoPath) -> Result<()> {
    execute_for_path(conn, "INSERT OR REPLACE INTO edited VALUES (?1, 'deleted')", path)
}

/// The number of files that differ from the checked-out commit.
pub fn count_edited(conn: &Connection) -> Result<u64> {
    conn.prepare_cached("SELECT count(*) FROM edited")
        .and_then(|mut statement| statement.query_row([], |row| row.get(0)))
        .map_err(sqlite_problem("read the index"))
}

/// The files that differ from the checked-out commit or are not in it.
pub fn edited_paths(conn: &Connection) -> Result<Vec<RepoPath>> {
    let read = || {
        let mut statement = conn.prepare_cached("SELECT path FROM edited ORDER BY path")?;
        let rows = statement.query_map([], |row| row.get::<_, Vec<u8>>(0))?;
        rows.collect::<store::SqlResult<Vec<_>>>()
    };
    let rows = read().map_err(sqlite_problem("read the index"))?;
    Ok(rows.into_iter().filter_map(|bytes| RepoPath::from_bytes(bytes).ok()).collect())
}

/// Whether a file differs from the checked-out commit or is not in it.
pub(crate) fn is_edited(conn: &Connection, path: &RepoPath) -> Result<bool> {
    let sql = "SELECT count(*) FROM edited WHERE path = ?1";
    conn.prepare_cached(sql)
        .and_then(|mut statement| statement.query_row([path.as_bytes()], |row| row.get(0)))
        .map(|count: u64| count > 0)
        .map_err(sqlite_problem("read the index"))
}

/// The files that differ from the checked-out commit, each with its object id there.
pub fn edited(conn: &Connection) -> Result<Vec<(RepoPath, Option<Vec<u8>>)>> {
    let sql = "SELECT e.path, h.oid FROM edited e LEFT JOIN head_entry h ON h.path = e.path
               ORDER BY e.path";
    let read = |row: &Row<'_>| Ok((path(row, 0)?, row.get(1)?));
    Ok(store::rows(conn, sql, "read the index", &[], read)?.into_iter().collect())
}

/// A file with the git object id of its bytes, and of its bytes with LF line ends.
pub(crate) type FileObjectIds = (RepoPath, Option<Vec<u8>>, Option<Vec<u8>>);

/// All files with their git object ids.
pub fn object_ids(conn: &Connection) -> Result<Vec<FileObjectIds>> {
    let sql = "SELECT path, oid, oid_lf FROM file ORDER BY path";
    let read = |row: &Row<'_>| Ok((path(row, 0)?, row.get(1)?, row.get(2)?));
    Ok(store::rows(conn, sql, "read the index", &[], read)?.into_iter().collect())
}

/// The rows of a query as sorted text, to compare two indexes.
pub(crate) fn dump(conn: &Connection, sql: &str) -> Result<Vec<String>> {
    let failed = || sqlite_problem("dump the index");
    let mut statement = conn.prepare(sql).map_err(failed())?;
    let columns = statement.column_count();
    let rows = statement.query_map([], |row| {
        let cells = (0..columns).map(|column| Ok(value_text(row.get_ref(column)?)));
        Ok(cells.collect::<store::SqlResult<Vec<_>>>()?.join("|"))
    });
    let mut rows = rows.map_err(failed())?.collect::<Result<Vec<_>, _>>().map_err(failed())?;
    rows.sort();
    Ok(rows)
}

/// A value as text. Bytes are shown as text if they are UTF-8.
fn value_text(value: store::ValueRef<'_>) -> String {
    match value {
        store::ValueRef::Text(bytes) | store::ValueRef::Blob(bytes) => {
            bytes.escape_ascii().to_string()
        }
        other => format!("{other:?}"),
    }
}

fn execute_for_path(conn: &Connection, sql: &str, path: &RepoPath) -> Result<()> {
    conn.prepare_cached(sql)
        .and_then(|mut statement| statement.execute([path.as_bytes()]))
        .map(drop)
        .map_err(sqlite_problem("write the index"))
}

/// The range of byte strings in which every path below a folder sorts.
pub fn range_below(folder: &RepoPath) -> (Vec<u8>, Vec<u8>) {
    if folder.is_root() {
        return (Vec::new(), vec![0xff; 8]);
    }
    let mut low = folder.as_bytes().to_vec();
    let mut high = low.clone();
    low.push(b'/');
    high.push(b'/' + 1);
    (low, high)
}

/// A path from a column.
pub(crate) fn path(row: &Row<'_>, column: usize) -> store::SqlResult<RepoPath> {
    let bytes: Vec<u8> = row.get(column)?;
    RepoPath::from_bytes(bytes).map_err(|error| store::bad_value(column, error.to_string()))
}

fn hash(row: &Row<'_>, column: usize) -> store::SqlResult<Option<Hash>> {
    let bytes: Option<[u8; 32]> = row.get(column)?;
    Ok(bytes.map(Hash::from_bytes))
}
