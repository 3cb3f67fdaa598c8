//! The SQL of files and folders.

use base::{RepoPath, Result};
use store::{Connection, OptionalExtension, Row, SqlResult, params, sqlite_problem};
use syntax::{Language, MarkdownHeading};

use crate::index::tables::{path, range_below};

pub(super) const SCHEMA: &str = include_str!("files.sql");

pub(super) const DUMP: &[&str] = &[
    "SELECT path, parent, files, below FROM folder",
    "SELECT source, target, line FROM link",
    "SELECT path, line, level, text FROM heading",
];

/// A file as an answer shows it.
#[derive(Debug, Clone)]
pub struct FileSummary {
    /// The file
    pub path: RepoPath,
    /// Its size in bytes
    pub size: u64,
    /// How many lines it has
    pub lines: u32,
    /// Its language, if it is known
    pub language: Option<Language>,
    /// Its first heading or doc comment
    pub title: Option<String>,
    /// Why it was not read; `None` if it was
    pub skipped: Option<String>,
}

/// A folder as an answer shows it.
#[derive(Debug, Clone)]
pub(super) struct FolderSummary {
    pub path: RepoPath,
    pub files: u64,
    pub below: u64,
}

const SELECT_FILE: &str = "SELECT path, size, lines, language, title, skipped FROM file";
const SELECT_FOLDER: &str = "SELECT path, files, below FROM folder";

pub(super) fn count_up(conn: &Connection, folder: &RepoPath, own: i64, all: i64) -> Result<()> {
    let failed = || sqlite_problem("write the index");
    let parent = folder.parent();
    let parent = parent.as_ref().map(RepoPath::as_bytes);
    conn.prepare_cached(
        "INSERT INTO folder VALUES (?1, ?2, ?3, ?4) ON CONFLICT (path)
         DO UPDATE SET files = files + ?3, below = below + ?4",
    )
    .and_then(|mut s| s.execute(params![folder.as_bytes(), parent, own, all]))
    .map_err(failed())?;
    conn.prepare_cached("DELETE FROM folder WHERE path = ?1 AND below = 0")
        .and_then(|mut s| s.execute([folder.as_bytes()]))
        .map(drop)
        .map_err(failed())
}

pub(super) fn forget(conn: &Connection, path: &RepoPath) -> Result<()> {
    for sql in ["DELETE FROM link WHERE source = ?1", "DELETE FROM heading WHERE path = ?1"] {
        conn.prepare_cached(sql)
            .and_then(|mut s| s.execute([path.as_bytes()]))
            .map_err(sqlite_problem("write the index"))?;
    }
    Ok(())
}

pub(super) fn put_link(conn: &Connection, from: &RepoPath, to: &RepoPath, line: u32) -> Result<()> {
    conn.prepare_cached("INSERT OR IGNORE INTO link VALUES (?1, ?2, ?3)")
        .and_then(|mut s| s.execute(params![from.as_bytes(), to.as_bytes(), line]))
        .map(drop)
        .map_err(sqlite_problem("write the index"))
}

pub(super) fn put_heading(
    conn: &Connection,
    path: &RepoPath,
    heading: &MarkdownHeading,
) -> Result<()> {
    conn.prepare_cached("INSERT OR IGNORE INTO heading VALUES (?1, ?2, ?3, ?4)")
        .and_then(|mut s| {
            s.execute(params![path.as_bytes(), heading.line, heading.level, heading.text])
        })
        .map(drop)
        .map_err(sqlite_problem("write the index"))
}

pub(super) fn file(conn: &Connection, path: &RepoPath) -> Result<Option<FileSummary>> {
    conn.prepare_cached(&format!("{SELECT_FILE} WHERE path = ?1"))
        .and_then(|mut s| s.query_row([path.as_bytes()], file_row).optional())
        .map_err(sqlite_problem("read the index"))
}

pub(super) fn folder(conn: &Connection, path: &RepoPath) -> Result<Option<FolderSummary>> {
    conn.prepare_cached(&format!("{SELECT_FOLDER} WHERE path = ?1"))
        .and_then(|mut s| s.query_row([path.as_bytes()], folder_row).optional())
        .map_err(sqlite_problem("read the index"))
}

/// Whether a folder exists: it is in the index, or it is the root.
pub(super) fn is_folder(conn: &Connection, path: &RepoPath) -> Result<bool> {
    Ok(path.is_root() || folder(conn, path)?.is_some())
}

/// The files that are in a folder itself.
pub(super) fn files_in(conn: &Connection, folder: &RepoPath) -> Result<Vec<FileSummary>> {
    let (low, high) = range_below(folder);
    let sql = format!(
        "{SELECT_FILE} WHERE path >= ?1 AND path < ?2 AND instr(substr(path, ?3), x'2f') = 0"
    );
    let start = if folder.is_root() { 1 } else { folder.as_bytes().len() + 2 };
    list(conn, &sql, params![low, high, start], file_row)
}

/// All files below a folder.
pub fn files_below(conn: &Connection, folder: &RepoPath) -> Result<Vec<FileSummary>> {
    let (low, high) = range_below(folder);
    list(
        conn,
        &format!("{SELECT_FILE} WHERE path >= ?1 AND path < ?2"),
        params![low, high],
        file_row,
    )
}

pub(super) fn folders_in(conn: &Connection, parent: &RepoPath) -> Result<Vec<FolderSummary>> {
    list(
        conn,
        &format!("{SELECT_FOLDER} WHERE parent = ?1"),
        params![parent.as_bytes()],
        folder_row,
    )
}

pub(super) fn folders_below(conn: &Connection, folder: &RepoPath) -> Result<Vec<FolderSummary>> {
    let (low, high) = range_below(folder);
    list(
        conn,
        &format!("{SELECT_FOLDER} WHERE path > ?1 AND path < ?2"),
        params![low, high],
        folder_row,
    )
}

/// Files whose path ends with this path, in whole components.
pub(super) fn files_with_suffix(conn: &Connection, end: &RepoPath) -> Result<Vec<RepoPath>> {
    let tail = [b"/", end.as_bytes()].concat();
    let sql = "SELECT path FROM file WHERE path = ?1 OR substr(path, -length(?2)) = ?2
               UNION ALL
               SELECT path FROM folder WHERE path = ?1 OR substr(path, -length(?2)) = ?2
               ORDER BY path";
    list(conn, sql, params![end.as_bytes(), tail], |row| path(row, 0))
}

/// All paths, for suggestions of similar ones.
pub fn all_paths(conn: &Connection) -> Result<Vec<RepoPath>> {
    list(conn, "SELECT path FROM file UNION ALL SELECT path FROM folder", params![], |row| {
        path(row, 0)
    })
}

/// The targets of the links of a file, each with its line.
pub(super) fn links_from(conn: &Connection, source: &RepoPath) -> Result<Vec<(RepoPath, u32)>> {
    let sql = "SELECT target, min(line) FROM link WHERE source = ?1 GROUP BY target ORDER BY 2";
    list(conn, sql, params![source.as_bytes()], path_and_line)
}

/// Links that lead to no file and no folder.
pub fn dead_links(conn: &Connection) -> Result<Vec<(RepoPath, RepoPath, u32)>> {
    let sql = "SELECT source, target, min(line) FROM link
               WHERE target NOT IN (SELECT path FROM file)
               AND target NOT IN (SELECT path FROM folder) GROUP BY source, target";
    let read = |row: &Row<'_>| Ok((path(row, 0)?, path(row, 1)?, row.get(2)?));
    list(conn, sql, params![], read)
}

/// Which files link to a file.
pub(super) fn links_to(conn: &Connection, target: &RepoPath) -> Result<Vec<(RepoPath, u32)>> {
    let sql = "SELECT source, min(line) FROM link WHERE target = ?1 GROUP BY source ORDER BY 1";
    list(conn, sql, params![target.as_bytes()], path_and_line)
}

pub(super) fn headings(conn: &Connection, path: &RepoPath) -> Result<Vec<(u32, u8, String)>> {
    let sql = "SELECT line, level, text FROM heading WHERE path = ?1 ORDER BY line";
    list(conn, sql, params![path.as_bytes()], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
}

fn list<T>(
    conn: &Connection,
    sql: &str,
    params: &[&dyn store::ToSql],
    read: impl FnMut(&Row<'_>) -> SqlResult<T>,
) -> Result<Vec<T>> {
    store::rows(conn, sql, "read the index", params, read)
}

fn path_and_line(row: &Row<'_>) -> SqlResult<(RepoPath, u32)> {
    Ok((path(row, 0)?, row.get(1)?))
}

fn file_row(row: &Row<'_>) -> SqlResult<FileSummary> {
    let language: Option<String> = row.get(3)?;
    Ok(FileSummary {
        path: path(row, 0)?,
        size: row.get(1)?,
        lines: row.get(2)?,
        language: language.as_deref().and_then(Language::from_name),
        title: row.get(4)?,
        skipped: row.get(5)?,
    })
}

fn folder_row(row: &Row<'_>) -> SqlResult<FolderSummary> {
    Ok(FolderSummary { path: path(row, 0)?, files: row.get(1)?, below: row.get(2)? })
}
