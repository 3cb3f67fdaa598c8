//! Connections that stay open between calls.
//!
//! Opening a store costs more than most queries, and closing the last connection to one writes its
//! log back. A connection that is lent reads as of one moment until it is returned.

use std::fs;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use base::Result;
use store::Connection;

use crate::index::tables::{BEGIN_READ, END_READ};

/// Identifies a file on disk, because another file may since have taken its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FileId {
    path: PathBuf,
    device: u64,
    inode: u64,
    /// Its size and modification time, for files that only others write
    state: Option<(u64, Option<SystemTime>)>,
}

impl FileId {
    /// The file at a path, if there is one.
    pub(crate) fn of(path: &Path) -> Option<Self> {
        let known = fs::metadata(path).ok()?;
        let (device, inode) = platform::device_and_inode(&known);
        Some(Self { path: path.to_path_buf(), device, inode, state: None })
    }

    /// The file at a path with its current state: overwriting it in place makes it another.
    pub(crate) fn with_state(path: &Path) -> Option<Self> {
        let known = fs::metadata(path).ok()?;
        let (device, inode) = platform::device_and_inode(&known);
        let state = Some((known.len(), known.modified().ok()));
        Some(Self { path: path.to_path_buf(), device, inode, state })
    }

    /// The path, and the identity of the file there.
    pub(crate) fn path_and_id(&self) -> String {
        format!("{} {}", self.path.display(), self.device_and_inode_text())
    }

    /// Device and inode as text.
    pub(crate) fn device_and_inode_text(&self) -> String {
        format!("{}:{}", self.device, self.inode)
    }
}

/// Idle connections, by file.
#[derive(Debug)]
pub(crate) struct IdlePool<T> {
    entries: Arc<Mutex<Vec<(FileId, T)>>>,
    capacity: usize,
}

impl<T> Clone for IdlePool<T> {
    fn clone(&self) -> Self {
        Self { entries: self.entries.clone(), capacity: self.capacity }
    }
}

impl<T> IdlePool<T> {
    /// A pool that keeps up to `most` connections; with 0, each is closed after its use.
    pub(crate) fn with_capacity(capacity: usize) -> Self {
        Self { entries: Arc::default(), capacity }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<(FileId, T)>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a connection for a file. Connections to another file of the same name are closed.
    pub(crate) fn take(&self, file: &FileId) -> Option<T> {
        let mut kept = self.lock();
        kept.retain(|(id, _)| id.path != file.path || id == file);
        let at = kept.iter().rposition(|(id, _)| id == file)?;
        Some(kept.remove(at).1)
    }

    /// Closes the connections to other files.
    pub(crate) fn keep_only(&self, file: &FileId) {
        self.lock().retain(|(id, _)| id == file);
    }

    /// Keeps a connection for the next call; the oldest makes room.
    pub(crate) fn give_back(&self, file: FileId, open: T) {
        let mut kept = self.lock();
        kept.push((file, open));
        if kept.len() > self.capacity {
            kept.remove(0);
        }
    }

    /// Closes all connections, because their files will be replaced.
    pub(crate) fn clear(&self) {
        self.lock().clear();
    }
}

impl IdlePool<Connection> {
    /// Lends a connection that reads a file as of now. Returns whether it was open before.
    pub(crate) fn checkout(
        &self,
        file: FileId,
        open: impl FnOnce(&Path) -> Result<Connection>,
    ) -> Result<(PooledConnection, bool)> {
        let idle = self.take(&file);
        let was_open = idle.is_some();
        let conn = idle.map_or_else(|| open(&file.path), Ok)?;
        let mut lent = PooledConnection::unpooled(conn)?;
        lent.pool = Some((self.clone(), file));
        Ok((lent, was_open))
    }
}

/// A lent connection that reads as of one moment. It returns to its pool when it is dropped.
#[derive(Debug)]
pub struct PooledConnection {
    conn: Option<Connection>,
    pool: Option<(IdlePool<Connection>, FileId)>,
}

impl PooledConnection {
    /// A connection that belongs to no pool.
    pub(crate) fn unpooled(conn: Connection) -> Result<Self> {
        conn.execute_batch(BEGIN_READ).map_err(store::sqlite_problem("read a store"))?;
        Ok(Self { conn: Some(conn), pool: None })
    }
}

impl PooledConnection {
    /// The file that it reads; `None` if it is in memory.
    pub(crate) fn file_text(&self) -> Option<String> {
        self.pool.as_ref().map(|(_, file)| file.path_and_id())
    }
}

impl Deref for PooledConnection {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        self.conn.as_ref().expect("it is only taken when dropped")
    }
}

impl Drop for PooledConnection {
    fn drop(&mut self) {
        // A connection to a file that was not writable would not see later writes to it.
        let is_still = |conn: &Connection| conn.is_readonly("main").unwrap_or(true);
        if let (Some(conn), Some((home, file))) = (self.conn.take(), self.pool.take())
            && conn.execute_batch(END_READ).is_ok()
            && !is_still(&conn)
        {
            home.give_back(file, conn);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_lent_comes_back_unless_its_file_was_replaced() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.sqlite");
        let make = || store::open(&path, store::Durability::Derived).unwrap();
        drop(make());
        let pool = IdlePool::with_capacity(2);
        let lend = |pool: &IdlePool<Connection>| {
            let file = FileId::with_state(&path).unwrap();
            pool.checkout(file, store::open_read_only).unwrap().1
        };
        assert_eq!((lend(&pool), lend(&pool)), (false, true));
        fs::remove_file(&path).unwrap();
        drop(make());
        assert!(!lend(&pool), "another file has its name now");
        pool.clear();
        assert!(!lend(&pool));
    }
}
