//! Stores where nothing is written beside them: a file on a disk that takes no writes, and one
//! that is in memory only.

use std::path::{Path, PathBuf};

use base::{Problem, Result};
use rusqlite::{Connection, OpenFlags};

use crate::failure::{is_unwritable, problem};
use crate::open::{Store, prepare};
use crate::tables;

const FLAGS: OpenFlags = OpenFlags::SQLITE_OPEN_URI
    .union(OpenFlags::SQLITE_OPEN_NOFOLLOW)
    .union(OpenFlags::SQLITE_OPEN_NO_MUTEX);

/// Whether a file holds all of its store: nothing of it is still in the log.
pub(crate) fn is_whole(path: &Path) -> bool {
    let log = beside(path, "-wal");
    std::fs::metadata(log).map_or(true, |known| known.len() == 0)
}

/// Opens a file that nobody writes. SQLite takes no lock and makes no log.
pub(crate) fn open(path: &Path) -> rusqlite::Result<Connection> {
    let flags = FLAGS.union(OpenFlags::SQLITE_OPEN_READ_ONLY);
    let uri = format!("file:{}?mode=ro&immutable=1", escaped(path));
    let connection = Connection::open_with_flags(uri, flags)?;
    prepare(&connection)?;
    connection.query_row(tables::VERSION, [], |_| Ok(()))?;
    Ok(connection)
}

/// A store in this process's memory, which all connections of the same name share.
#[derive(Debug, Clone)]
pub struct Memory {
    uri: String,
}

impl Memory {
    /// The store of this name. It lasts as long as one connection to it does.
    pub fn named(name: &str) -> Self {
        Self { uri: format!("file:/{}?vfs=memdb", escaped(Path::new(name))) }
    }

    /// Opens it for reading and writing.
    pub fn open(&self) -> Result<Store> {
        let flags =
            FLAGS.union(OpenFlags::SQLITE_OPEN_READ_WRITE).union(OpenFlags::SQLITE_OPEN_CREATE);
        let what = "open a store in memory";
        let connection = Connection::open_with_flags(&self.uri, flags).map_err(problem(what))?;
        prepare(&connection).map_err(problem(what))?;
        Ok(Store::new(connection, Path::new(&self.uri)))
    }

    /// Opens it for reading only.
    pub fn open_reading(&self) -> Result<Connection> {
        let connection = self.open()?.into_connection();
        connection.execute_batch(tables::READ_ONLY).map_err(problem("open a store in memory"))?;
        Ok(connection)
    }

    /// Fills it with what a store holds that others may write to meanwhile, as of one moment.
    pub fn copy_from(&self, path: &Path) -> Result<()> {
        // A reader of a write-ahead log writes its shared memory.
        let flags = FLAGS.union(OpenFlags::SQLITE_OPEN_READ_WRITE);
        let copied = Connection::open_with_flags(path, flags).and_then(|source| {
            prepare(&source)?;
            source.execute(tables::COPY, [&self.uri])
        });
        match copied {
            Err(error) if is_unwritable(&error) => self.fill_from(path),
            copied => copied.map(drop).map_err(problem("copy a store")),
        }
    }

    /// Fills it with what a file holds, if that file holds a whole store.
    pub fn fill_from(&self, path: &Path) -> Result<()> {
        if !is_whole(path) {
            return Err(Problem::internal("a part of the store is in its log"));
        }
        let source = open(path).map_err(problem("read a store"))?;
        source.execute(tables::COPY, [&self.uri]).map(drop).map_err(problem("copy a store"))
    }
}

pub(crate) fn beside(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    name.into()
}

/// A path inside of a URI.
fn escaped(path: &Path) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-".contains(&byte);
    let bytes = path.as_os_str().as_encoded_bytes().iter();
    bytes
        .map(|byte| match plain(*byte) {
            true => char::from(*byte).to_string(),
            false => format!("%{byte:02X}"),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Durability, integrity};

    fn count(connection: &Connection) -> i64 {
        connection.query_row("SELECT count(*) FROM t", [], |row| row.get(0)).unwrap()
    }

    fn store_in(dir: &Path) -> PathBuf {
        let path = dir.join("odd %#? name.sqlite");
        let mut store = crate::open(&path, Durability::Durable).unwrap();
        let make = "CREATE TABLE t (x); INSERT INTO t VALUES (1)";
        store.write(|tx| tx.execute_batch(make).map_err(problem("make"))).unwrap();
        path
    }

    #[test]
    fn a_store_in_memory_is_shared_by_name_and_can_be_filled() {
        let dir = tempfile::tempdir().unwrap();
        let path = store_in(dir.path());
        let memory = Memory::named("a test");
        let mut store = memory.open().unwrap();
        memory.fill_from(&path).unwrap();
        assert_eq!(count(store.connection()), 1);
        let reader = memory.open_reading().unwrap();
        assert!(reader.execute("INSERT INTO t VALUES (2)", []).is_err());
        let add = "INSERT INTO t VALUES (2)";
        store.write(|tx| tx.execute(add, []).map(drop).map_err(problem("add"))).unwrap();
        assert_eq!(count(&reader), 2);
        assert!(integrity(&reader).unwrap().is_empty());
    }

    #[test]
    fn a_file_is_still_when_its_log_is_empty() {
        let dir = tempfile::tempdir().unwrap();
        let path = store_in(dir.path());
        assert!(is_whole(&path));
        assert_eq!(count(&open(&path).unwrap()), 1);
        let mut writer = crate::open(&path, Durability::Durable).unwrap();
        let add = "INSERT INTO t VALUES (2)";
        writer.write(|tx| tx.execute(add, []).map(drop).map_err(problem("add"))).unwrap();
        assert!(!is_whole(&path), "the log holds a commit that the file does not");
        let memory = Memory::named("a copy of a store that is being written");
        let copy = memory.open().unwrap();
        memory.copy_from(&path).unwrap();
        assert_eq!(count(copy.connection()), 2);
    }
}
