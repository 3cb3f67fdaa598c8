//! Reads one consistent state of the index.

use base::words::counted;
use base::{Problem, ProblemCode, Result};
use store::Connection;
use syntax::Language;

use super::generation::IndexGenerations;
use super::refresh_plan::IGNORE_NOTES_KEY;
use super::tables;
use crate::connection_pool::{FileId, IdlePool, PooledConnection};

/// Maximum number of connections that stay open between calls.
const MAX_IDLE_CONNECTIONS: usize = 4;

/// The detail that marks an error of the index itself. The caller responds to it by rebuilding the
/// index.
const INDEX_DETAIL: (&str, &str) = ("store", "index");

/// Key of the `meta` entry that contains the path of the index file.
const PATH_KEY: &str = "home";

/// Records in a new index which file it is.
pub(crate) fn record_path(conn: &Connection, path: &std::path::Path) -> Result<()> {
    let own = FileId::of(path).ok_or_else(|| Problem::internal("an index without a file"))?;
    tables::set_meta(conn, PATH_KEY, &own.device_and_inode_text())
}

/// Identifies a file on disk; `None` if it does not exist.
pub(crate) fn file_fingerprint(path: &std::path::Path) -> Option<String> {
    FileId::of(path).map(|file| file.device_and_inode_text())
}

/// Opens the current index for reading.
#[derive(Debug, Clone)]
pub(crate) struct IndexReaders {
    generations: IndexGenerations,
    idle: IdlePool<Connection>,
}

/// One consistent state of the index. Changes that are written later are not visible in it.
#[derive(Debug)]
pub struct Index {
    conn: PooledConnection,
    /// Number of the refresh that wrote this state
    pub revision: u64,
}

impl IndexReaders {
    pub(crate) fn new(generations: IndexGenerations) -> Self {
        Self { generations, idle: IdlePool::with_capacity(MAX_IDLE_CONNECTIONS) }
    }

    /// Opens the current index; `None` if there is none or it is damaged.
    pub(crate) fn open(&self) -> Result<Option<Index>> {
        let Some((_, path)) = self.generations.current() else { return Ok(None) };
        let Some(file) = FileId::of(&path) else { return Ok(None) };
        self.idle.keep_only(&file);
        let (conn, is_known) =
            self.idle.checkout(file, store::open_read_only).map_err(mark_as_index_problem)?;
        let index = Index::of(conn).map_err(mark_as_index_problem)?;
        if !is_known {
            check_watermark(&index.conn, &path).map_err(mark_as_index_problem)?;
        }
        Ok(Some(index))
    }

    /// Closes idle connections, because the index file is about to be replaced.
    pub(crate) fn close_idle(&self) {
        self.idle.clear();
    }
}

impl Index {
    /// Identifies this state of the index among the states of all index files; `None` for an index
    /// in memory.
    pub fn fingerprint(&self) -> Option<String> {
        Some(format!("{} {}", self.conn.file_text()?, self.revision))
    }

    fn of(conn: PooledConnection) -> Result<Self> {
        let revision = tables::meta(&conn, "revision")?;
        let revision = revision.and_then(|text| text.parse().ok()).unwrap_or(0);
        Ok(Self { conn, revision })
    }

    /// Notes that every answer has to show: about the ignore rules, and about files in languages
    /// that this build does not support.
    pub(crate) fn notes(&self) -> Result<Vec<String>> {
        let notes = tables::meta(&self.conn, IGNORE_NOTES_KEY)?.unwrap_or_default();
        let mut notes: Vec<String> = notes.lines().map(ToOwned::to_owned).collect();
        let left_out = Language::left_out();
        if !left_out.is_empty() {
            let counts = tables::language_counts(&self.conn)?.into_iter();
            let unread = counts.filter_map(|(name, count)| {
                let language = left_out.iter().find(|language| language.name() == name)?;
                let files = counted(usize::try_from(count).ok()?, &format!("{name} file"));
                Some(format!("not read: {files} ({})", language.left_out_reason()))
            });
            notes.extend(unread);
        }
        Ok(notes)
    }

    /// Opens an index that is in memory.
    pub(super) fn in_memory(conn: Connection) -> Result<Self> {
        Self::of(PooledConnection::unpooled(conn)?)
    }

    /// The connection to the index.
    pub fn conn(&self) -> &Connection {
        &self.conn
    }
}

/// Checks that the file contains a whole index and was made here. The integrity check of SQLite
/// accepts an empty or truncated file, so the index records what it contains. It also records its
/// own path: an index that came with a clone is not trusted.
pub(super) fn check_watermark(conn: &Connection, path: &std::path::Path) -> Result<()> {
    let own = FileId::of(path).map(|file| file.device_and_inode_text());
    if own.is_none() || tables::meta(conn, PATH_KEY)? != own {
        return Err(Problem::new(ProblemCode::StoreDamaged, "the index belongs to another folder"));
    }
    let marked: Option<u64> = tables::meta(conn, "files")?.and_then(|text| text.parse().ok());
    let found = tables::count_files(conn)?;
    if marked == Some(found) {
        return Ok(());
    }
    let message = format!("the index holds {found} files, but records {marked:?}");
    Err(Problem::new(ProblemCode::StoreDamaged, message))
}

/// Marks an error as one of the index, unless it is only a timeout.
fn mark_as_index_problem(problem: Problem) -> Problem {
    if problem.code == ProblemCode::Busy {
        problem
    } else {
        problem.detail(INDEX_DETAIL.0, INDEX_DETAIL.1)
    }
}

/// Whether rebuilding the index solves a problem.
pub(crate) fn is_index_problem(problem: &Problem) -> bool {
    let marked = problem.details.get(INDEX_DETAIL.0).is_some_and(|value| value == INDEX_DETAIL.1);
    let damaged = problem
        .source
        .as_ref()
        .and_then(|source| source.downcast_ref())
        .is_some_and(store::is_corrupt);
    marked || damaged
}
