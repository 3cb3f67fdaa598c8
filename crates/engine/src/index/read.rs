//! Reading the index as of one moment.

use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use base::{Code, Problem, Result};
use store::Connection;

use super::generation::Generations;
use super::tables;

/// Connections that stay open between calls, at most.
const KEPT: usize = 4;

/// The detail that marks a problem of the index, which is mended by building it anew.
const MARK: (&str, &str) = ("store", "index");

/// The entry that says which file an index is.
const HOME: &str = "home";

/// Has an index say which file it is. The caller just made it.
pub(crate) fn settle_in(conn: &Connection, path: &std::path::Path) -> Result<()> {
    let own = file_id(path).ok_or_else(|| Problem::internal("an index without a file"))?;
    tables::set_meta(conn, HOME, &own.text())
}

/// What tells one file on disk from another; none if it is not there.
pub(crate) fn file_mark(path: &std::path::Path) -> Option<String> {
    file_id(path).map(|file| file.text())
}

/// Hands out looks at the current index.
#[derive(Debug, Clone)]
pub(crate) struct Readers {
    generations: Generations,
    idle: Arc<Mutex<Vec<Idle>>>,
}

#[derive(Debug)]
struct Idle {
    conn: Connection,
    file: FileId,
}

/// Which file on disk a connection reads: the name may since belong to another.
#[derive(Debug, Clone, PartialEq, Eq)]
struct FileId {
    path: PathBuf,
    device: u64,
    inode: u64,
}

impl FileId {
    fn text(&self) -> String {
        format!("{}:{}", self.device, self.inode)
    }
}

/// The index as of one moment: nothing that is written meanwhile is seen.
#[derive(Debug)]
pub struct Index {
    conn: Option<Connection>,
    /// Where the connection goes back to; none if it is in memory
    home: Option<(Readers, FileId)>,
    /// Counts up with every refresh
    pub revision: u64,
}

impl Readers {
    pub(crate) fn new(generations: Generations) -> Self {
        Self { generations, idle: Arc::default() }
    }

    /// Opens the current index, if there is a sound one.
    pub(crate) fn open(&self) -> Result<Option<Index>> {
        let Some((_, path)) = self.generations.current() else { return Ok(None) };
        let Some(file) = file_id(&path) else { return Ok(None) };
        let idle = self.take_idle(&file);
        let is_known = idle.is_some();
        let conn = match idle {
            Some(conn) => conn,
            None => store::open_reading(&path).map_err(mark)?,
        };
        let begun = conn.execute_batch(tables::BEGIN_READ);
        begun.map_err(store::problem("read the index")).map_err(mark)?;
        let revision = tables::meta(&conn, "revision").map_err(mark)?;
        if !is_known {
            check_watermark(&conn, &path).map_err(mark)?;
        }
        let revision = revision.and_then(|text| text.parse().ok()).unwrap_or(0);
        Ok(Some(Index { conn: Some(conn), home: Some((self.clone(), file)), revision }))
    }

    fn take_idle(&self, file: &FileId) -> Option<Connection> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.retain(|idle| idle.file == *file);
        idle.pop().map(|idle| idle.conn)
    }

    fn give_back(&self, conn: Connection, file: FileId) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < KEPT && conn.execute_batch(tables::END_READ).is_ok() {
            idle.push(Idle { conn, file });
        }
    }

    /// Forgets the open connections, because their file is to be replaced.
    pub(crate) fn forget(&self) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

impl Index {
    /// What tells this state of the index from every other, those of files in its place
    /// included; none where it is only in memory.
    pub fn mark(&self) -> Option<String> {
        let (_, file) = self.home.as_ref()?;
        Some(format!("{} {} {}", file.path.display(), file.text(), self.revision))
    }

    /// A look at an index that is in memory.
    pub(super) fn in_memory(conn: Connection) -> Result<Self> {
        conn.execute_batch(tables::BEGIN_READ).map_err(store::problem("read the index"))?;
        let revision = tables::meta(&conn, "revision")?;
        let revision = revision.and_then(|text| text.parse().ok()).unwrap_or(0);
        Ok(Self { conn: Some(conn), home: None, revision })
    }

    /// The connection that the index is read through.
    pub(crate) fn conn(&self) -> &Connection {
        self.conn.as_ref().expect("it is only taken when dropped")
    }
}

impl Drop for Index {
    fn drop(&mut self) {
        if let (Some(conn), Some((home, file))) = (self.conn.take(), self.home.take()) {
            home.give_back(conn, file);
        }
    }
}

/// SQLite calls an empty or truncated file sound, so the index says itself what it holds. It
/// also says which file it is: one that came with a clone was not made here and is not believed.
pub(super) fn check_watermark(conn: &Connection, path: &std::path::Path) -> Result<()> {
    let own = file_id(path).map(|file| file.text());
    if own.is_none() || tables::meta(conn, HOME)? != own {
        return Err(Problem::new(Code::StoreDamaged, "the index was not made here"));
    }
    let marked: Option<u64> = tables::meta(conn, "files")?.and_then(|text| text.parse().ok());
    let found = tables::count_files(conn)?;
    if marked == Some(found) {
        return Ok(());
    }
    let message = format!("the index holds {found} files and says {marked:?}");
    Err(Problem::new(Code::StoreDamaged, message))
}

/// Marks a problem as one of the index, unless it is only a matter of waiting.
fn mark(problem: Problem) -> Problem {
    if problem.code == Code::Busy { problem } else { problem.detail(MARK.0, MARK.1) }
}

/// Whether a problem is mended by building the index anew.
pub(crate) fn is_of_index(problem: &Problem) -> bool {
    let marked = problem.details.get(MARK.0).is_some_and(|value| value == MARK.1);
    let damaged = problem
        .source
        .as_ref()
        .and_then(|source| source.downcast_ref())
        .is_some_and(store::damaged);
    marked || damaged
}

#[cfg(unix)]
fn file_id(path: &std::path::Path) -> Option<FileId> {
    use std::os::unix::fs::MetadataExt;
    let known = fs::metadata(path).ok()?;
    Some(FileId { path: path.to_path_buf(), device: known.dev(), inode: known.ino() })
}

#[cfg(not(unix))]
fn file_id(path: &std::path::Path) -> Option<FileId> {
    fs::metadata(path).ok()?;
    Some(FileId { path: path.to_path_buf(), device: 0, inode: 0 })
}
