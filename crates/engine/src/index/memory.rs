//! The index of a repository whose cache folder is not writable. It is kept in the memory of this
//! process.
//!
//! It is refreshed like an index on disk. It starts as a copy of the index on disk if there is a
//! sound one, so that a read-only checkout is not parsed again.

use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use base::{Problem, Result};
use store::{MemoryStore, Store};

use super::Index;
use super::read::check_watermark;

/// Counter that gives each in-memory index of this process a name of its own.
static NEXT: AtomicU64 = AtomicU64::new(0);

/// An index in memory, created at its first use.
#[derive(Debug)]
pub(super) struct MemoryIndex {
    home: MemoryStore,
    /// The only writing connection. The database exists as long as it is open
    writer: Mutex<Option<Store>>,
}

impl Default for MemoryIndex {
    fn default() -> Self {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let home = MemoryStore::named(&format!("cairn-index-{number}"));
        Self { home, writer: Mutex::default() }
    }
}

impl MemoryIndex {
    /// Refreshes the index and opens it for reading. `refresh` is called with the store and whether
    /// the store is empty.
    pub(super) fn open_fresh(
        &self,
        on_disk: Option<&Path>,
        refresh: impl FnOnce(&mut Store, bool) -> Result<()>,
    ) -> Result<Index> {
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let mut store = match writer.take() {
            Some(store) => store,
            None => self.home.open()?,
        };
        let is_filled = super::tables::has_tables(store.connection())?
            || on_disk.is_some_and(|path| self.copy_from_disk(&store, path));
        // A store whose refresh failed is not kept: the next call creates a new one.
        refresh(&mut store, !is_filled)?;
        let index = Index::in_memory(self.home.open_read_only()?)?;
        *writer = Some(store);
        Ok(index)
    }

    /// Deletes the in-memory index.
    pub(super) fn clear(&self) {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner).take();
    }

    /// Copies the index on disk. Returns whether that was possible.
    fn copy_from_disk(&self, store: &Store, path: &Path) -> bool {
        let sound = store::open_read_only(path).and_then(|conn| check_watermark(&conn, path));
        let filled = sound.and_then(|()| self.home.copy_from_immutable(path));
        filled.is_ok() && super::tables::has_tables(store.connection()).unwrap_or(false)
    }
}

/// Whether an error means that the cache folder is not writable.
pub(super) fn is_unwritable(problem: &Problem) -> bool {
    let Some(source) = &problem.source else { return false };
    let by_disk = source.downcast_ref::<io::Error>().is_some_and(|error| {
        use io::ErrorKind::{PermissionDenied, QuotaExceeded, ReadOnlyFilesystem, StorageFull};
        let kinds = [PermissionDenied, QuotaExceeded, ReadOnlyFilesystem, StorageFull];
        kinds.contains(&error.kind()) || error.raw_os_error() == Some(EIO)
    });
    by_disk || source.downcast_ref().is_some_and(store::is_unwritable)
}

/// `EIO`, the error number of a disk failure. The standard library has no `ErrorKind` for it.
const EIO: i32 = 5;
