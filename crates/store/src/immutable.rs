//! Stores where nothing is written beside them: a file on a disk that takes no writes, and one
//! that is in memory only.

use std::path::{Path, PathBuf};

use base::{Problem, Result};
use rusqlite::{Connection, OpenFlags};

use crate::failure::{is_unwritable, sqlite_problem};
use crate::open::{Store, configure};
use crate::tables;

const FLAGS: OpenFlags = OpenFlags::SQLITE_OPEN_URI
    .union(OpenFlags::SQLITE_OPEN_NOFOLLOW)
    .union(OpenFlags::SQLITE_OPEN_NO_MUTEX);

/// Whether the file alone contains the whole store, because its write-ahead log is empty.
pub(crate) fn has_empty_wal(path: &Path) -> bool {
    let log = with_suffix(path, "-wal");
    std::fs::metadata(log).map_or(true, |known| known.len() == 0)
}

/// Opens a file that no process writes to, without locks and without a write-ahead log.
pub(crate) fn open_immutable(path: &Path) -> rusqlite::Result<Connection> {
    let flags = FLAGS.union(OpenFlags::SQLITE_OPEN_READ_ONLY);
    let uri = format!("file:{}?mode=ro&immutable=1", escape_for_uri(path));
    let connection = Connection::open_with_flags(uri, flags)?;
    configure(&connection)?;
    connection.query_row(tables::VERSION, [], |_| Ok(()))?;
    Ok(connection)
}

/// A store in this process's memory, which all connections of the same name share.
#[derive(Debug, Clone)]
pub struct MemoryStore {
    uri: String,
}

impl MemoryStore {
    /// The store of this name. It lasts as long as one connection to it does.
    pub fn named(name: &str) -> Self {
        Self { uri: format!("file:/{}?vfs=memdb", escape_for_uri(Path::new(name))) }
    }

    /// Opens it for reading and writing.
    pub fn open(&self) -> Result<Store> {
        let flags =
            FLAGS.union(OpenFlags::SQLITE_OPEN_READ_WRITE).union(OpenFlags::SQLITE_OPEN_CREATE);
        let what = "open a store in memory";
        let connection =
            Connection::open_with_flags(&self.uri, flags).map_err(sqlite_problem(what))?;
        configure(&connection).map_err(sqlite_problem(what))?;
        Ok(Store::new(connection, Path::new(&self.uri)))
    }

    /// Opens it for reading only.
    pub fn open_read_only(&self) -> Result<Connection> {
        let connection = self.open()?.into_connection();
        connection
            .execute_batch(tables::READ_ONLY)
            .map_err(sqlite_problem("open a store in memory"))?;
        Ok(connection)
    }

    /// Fills it with the content of a store as of one moment. Others may write to the store
    /// meanwhile.
    pub fn copy_from(&self, path: &Path) -> Result<()> {
        // A reader of a write-ahead log writes its shared memory.
        let flags = FLAGS.union(OpenFlags::SQLITE_OPEN_READ_WRITE);
        let copied = Connection::open_with_flags(path, flags).and_then(|source| {
            configure(&source)?;
            source.execute(tables::VACUUM_INTO, [&self.uri])
        });
        match copied {
            Err(error) if is_unwritable(&error) => self.copy_from_immutable(path),
            copied => copied.map(drop).map_err(sqlite_problem("copy a store")),
        }
    }

    /// Copies the content of a file into it, if the file contains a whole store.
    pub fn copy_from_immutable(&self, path: &Path) -> Result<()> {
        if !has_empty_wal(path) {
            return Err(Problem::internal("a part of the store is only in its write-ahead log"));
        }
        let source = open_immutable(path).map_err(sqlite_problem("read a store"))?;
        source
            .execute(tables::VACUUM_INTO, [&self.uri])
            .map(drop)
            .map_err(sqlite_problem("copy a store"))
    }
}

pub(crate) fn with_suffix(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    name.into()
}

/// A path inside of a URI.
fn escape_for_uri(path: &Path) -> String {
    base::percent::encode_uri_path(path.as_os_str().as_encoded_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Durability, check_integrity};

    fn count(connection: &Connection) -> i64 {
        connection.query_row("SELECT count(*) FROM t", [], |row| row.get(0)).unwrap()
    }

    fn store_in(dir: &Path) -> PathBuf {
        let path = dir.join("odd %#? name.sqlite");
        let mut store = crate::open(&path, Durability::Durable).unwrap();
        let make = "CREATE TABLE t (x); INSERT INTO t VALUES (1)";
        store.write(|tx| tx.execute_batch(make).map_err(sqlite_problem("make"))).unwrap();
        path
    }

    #[test]
    fn a_store_in_memory_is_shared_by_name_and_can_be_filled() {
        let dir = tempfile::tempdir().unwrap();
        let path = store_in(dir.path());
        let memory = MemoryStore::named("a test");
        let mut store = memory.open().unwrap();
        memory.copy_from_immutable(&path).unwrap();
        assert_eq!(count(store.connection()), 1);
        let reader = memory.open_read_only().unwrap();
        assert!(reader.execute("INSERT INTO t VALUES (2)", []).is_err());
        let add = "INSERT INTO t VALUES (2)";
        store.write(|tx| tx.execute(add, []).map(drop).map_err(sqlite_problem("add"))).unwrap();
        assert_eq!(count(&reader), 2);
        assert!(check_integrity(&reader).unwrap().is_empty());
    }

    #[test]
    fn a_file_is_still_when_its_log_is_empty() {
        let dir = tempfile::tempdir().unwrap();
        let path = store_in(dir.path());
        assert!(has_empty_wal(&path));
        assert_eq!(count(&open_immutable(&path).unwrap()), 1);
        let mut writer = crate::open(&path, Durability::Durable).unwrap();
        let add = "INSERT INTO t VALUES (2)";
        writer.write(|tx| tx.execute(add, []).map(drop).map_err(sqlite_problem("add"))).unwrap();
        assert!(!has_empty_wal(&path), "the log holds a commit that the file does not");
        let memory = MemoryStore::named("a copy of a store that is being written");
        let copy = memory.open().unwrap();
        memory.copy_from(&path).unwrap();
        assert_eq!(count(copy.connection()), 2);
    }
}
