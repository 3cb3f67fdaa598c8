//! Reading the index as of one moment.

use base::words::counted;
use base::{Problem, ProblemCode, Result};
use store::Connection;
use syntax::Language;

use super::generation::IndexGenerations;
use super::refresh_plan::IGNORE_NOTES_KEY;
use super::tables;
use crate::connection_pool::{FileId, IdlePool, PooledConnection};

/// Connections that stay open between calls, at most.
const MAX_IDLE_CONNECTIONS: usize = 4;

/// The detail that marks a problem of the index, which is mended by building it anew.
const INDEX_DETAIL: (&str, &str) = ("store", "index");

/// The entry that says which file an index is.
const PATH_KEY: &str = "home";

/// Has an index say which file it is. The caller just made it.
pub(crate) fn record_path(conn: &Connection, path: &std::path::Path) -> Result<()> {
    let own = FileId::of(path).ok_or_else(|| Problem::internal("an index without a file"))?;
    tables::set_meta(conn, PATH_KEY, &own.device_and_inode_text())
}

/// What tells one file on disk from another; none if it is not there.
pub(crate) fn file_fingerprint(path: &std::path::Path) -> Option<String> {
    FileId::of(path).map(|file| file.device_and_inode_text())
}

/// Hands out looks at the current index.
#[derive(Debug, Clone)]
pub(crate) struct IndexReaders {
    generations: IndexGenerations,
    idle: IdlePool<Connection>,
}

/// The index as of one moment: nothing that is written meanwhile is seen.
#[derive(Debug)]
pub struct Index {
    conn: PooledConnection,
    /// Counts up with every refresh
    pub revision: u64,
}

impl IndexReaders {
    pub(crate) fn new(generations: IndexGenerations) -> Self {
        Self { generations, idle: IdlePool::with_capacity(MAX_IDLE_CONNECTIONS) }
    }

    /// Opens the current index, if there is a sound one.
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

    /// Forgets the open connections, because their file is to be replaced.
    pub(crate) fn close_idle(&self) {
        self.idle.clear();
    }
}

impl Index {
    /// What tells this state of the index from every other, those of files in its place
    /// included; none where it is only in memory.
    pub fn fingerprint(&self) -> Option<String> {
        Some(format!("{} {}", self.conn.file_text()?, self.revision))
    }

    fn of(conn: PooledConnection) -> Result<Self> {
        let revision = tables::meta(&conn, "revision")?;
        let revision = revision.and_then(|text| text.parse().ok()).unwrap_or(0);
        Ok(Self { conn, revision })
    }

    /// What every answer has to say of the ignore rules, and of files in languages that this program
    /// was built without.
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

    /// A look at an index that is in memory.
    pub(super) fn in_memory(conn: Connection) -> Result<Self> {
        Self::of(PooledConnection::unpooled(conn)?)
    }

    /// The connection that the index is read through.
    pub fn conn(&self) -> &Connection {
        &self.conn
    }
}

/// SQLite calls an empty or truncated file sound, so the index says itself what it holds. It
/// also says which file it is: one that came with a clone was not made here and is not believed.
pub(super) fn check_watermark(conn: &Connection, path: &std::path::Path) -> Result<()> {
    let own = FileId::of(path).map(|file| file.device_and_inode_text());
    if own.is_none() || tables::meta(conn, PATH_KEY)? != own {
        return Err(Problem::new(ProblemCode::StoreDamaged, "the index was not made here"));
    }
    let marked: Option<u64> = tables::meta(conn, "files")?.and_then(|text| text.parse().ok());
    let found = tables::count_files(conn)?;
    if marked == Some(found) {
        return Ok(());
    }
    let message = format!("the index holds {found} files and says {marked:?}");
    Err(Problem::new(ProblemCode::StoreDamaged, message))
}

/// Marks a problem as one of the index, unless it is only a matter of waiting.
fn mark_as_index_problem(problem: Problem) -> Problem {
    if problem.code == ProblemCode::Busy {
        problem
    } else {
        problem.detail(INDEX_DETAIL.0, INDEX_DETAIL.1)
    }
}

/// Whether a problem is mended by building the index anew.
pub(crate) fn is_index_problem(problem: &Problem) -> bool {
    let marked = problem.details.get(INDEX_DETAIL.0).is_some_and(|value| value == INDEX_DETAIL.1);
    let damaged = problem
        .source
        .as_ref()
        .and_then(|source| source.downcast_ref())
        .is_some_and(store::is_corrupt);
    marked || damaged
}
