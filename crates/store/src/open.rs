//! Opening a store with the settings it needs.

use std::path::{Path, PathBuf};
use std::time::Duration;

use base::{Problem, ProblemCode, Result};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior};

use crate::failure::{is_unwritable, sqlite_problem};
use crate::{immutable, tables};

/// Before this release a bug of the write-ahead log could corrupt a store.
const MIN_SQLITE_VERSION: i32 = 3_051_003;

/// Statements that a connection keeps ready. A refresh runs more than a hundred in turn.
const STATEMENT_CACHE_SIZE: usize = 256;

/// How much a crash of the machine may lose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// The last writes may be lost, because they can be derived again
    Derived,
    /// No acknowledged write may be lost
    Durable,
}

/// A store that is open for reading and writing.
#[derive(Debug)]
pub struct Store {
    connection: Connection,
    path: PathBuf,
}

impl Store {
    pub(crate) fn new(connection: Connection, path: &Path) -> Self {
        Self { connection, path: path.to_path_buf() }
    }

    /// The connection, for reading.
    pub fn connection(&self) -> &Connection {
        &self.connection
    }

    pub(crate) fn into_connection(self) -> Connection {
        self.connection
    }

    /// Where the store is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Runs `work` in one transaction that starts as a writer; nothing of it stays on failure.
    pub fn write<T>(&mut self, work: impl FnOnce(&Transaction<'_>) -> Result<T>) -> Result<T> {
        let begin = self.connection.transaction_with_behavior(TransactionBehavior::Immediate);
        let transaction = begin.map_err(sqlite_problem("begin a write"))?;
        let done = work(&transaction)?;
        transaction.commit().map_err(sqlite_problem("commit a write"))?;
        Ok(done)
    }

    /// Turns on the write-ahead log, so that others can read and write the new file, and flushes it
    /// to the disk.
    pub fn finish(self) -> Result<()> {
        let Self { connection, path } = self;
        connection
            .query_row(tables::WAL, [], |_| Ok(()))
            .map_err(sqlite_problem("finish a store"))?;
        connection.close().map_err(|(_, error)| sqlite_problem("finish a store")(error))?;
        let flushed = std::fs::File::open(&path).and_then(|file| file.sync_data());
        flushed.map_err(Problem::io("flush a store"))
    }

    /// Moves the write-ahead log into the file; `false` while somebody still reads the log.
    pub fn checkpoint(&self) -> Result<bool> {
        let busy: i64 = self
            .connection
            .query_row(tables::CHECKPOINT, [], |row| row.get(0))
            .map_err(sqlite_problem("checkpoint"))?;
        Ok(busy == 0)
    }
}

/// Opens or creates a store for reading and writing.
pub fn open(path: &Path, durability: Durability) -> Result<Store> {
    require_safe_sqlite()?;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        | OpenFlags::SQLITE_OPEN_NOFOLLOW
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    require_regular(path)?;
    let what = format!("open the store {}", file_name(path));
    let connection = Connection::open_with_flags(path, flags).map_err(sqlite_problem(&what))?;
    let sync = match durability {
        Durability::Derived => tables::SYNC_NORMAL,
        Durability::Durable => tables::SYNC_FULL,
    };
    configure(&connection)
        .and_then(|()| connection.query_row(tables::WAL, [], |_| Ok(())))
        .and_then(|()| connection.execute_batch(sync))
        .map_err(sqlite_problem(&what))?;
    Ok(Store::new(connection, path))
}

/// Opens a new file that no other process uses before [`Store::finish`]. It has no write-ahead log,
/// because an unfinished file is discarded.
pub fn open_new(path: &Path) -> Result<Store> {
    let store = open(path, Durability::Derived)?;
    store
        .connection
        .query_row(tables::NO_LOG, [], |_| Ok(()))
        .and_then(|()| store.connection.execute_batch(tables::SYNC_OFF))
        .map_err(sqlite_problem("make a store"))?;
    Ok(store)
}

/// Opens an existing store for reading only, also on a disk that cannot be written.
pub fn open_read_only(path: &Path) -> Result<Connection> {
    require_safe_sqlite()?;
    require_regular(path)?;
    let what = format!("open the store {}", file_name(path));
    let opened = match open_query_only(path) {
        Err(error) if is_unwritable(&error) && immutable::has_empty_wal(path) => {
            immutable::open_immutable(path)
        }
        opened => opened,
    };
    opened.map_err(sqlite_problem(&what))
}

/// A reader of a write-ahead log writes its shared memory, so the file is opened for writing
/// and the connection forbidden to.
fn open_query_only(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_NOFOLLOW
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    configure(&connection)?;
    connection.execute_batch(tables::READ_ONLY)?;
    // SQLite opens the file only at the first read.
    connection.query_row(tables::VERSION, [], |_| Ok(()))?;
    Ok(connection)
}

/// What SQLite finds wrong with a store; nothing if it is sound.
pub fn check_integrity(connection: &Connection) -> Result<Vec<String>> {
    let failed = || sqlite_problem("check a store");
    let mut statement = connection.prepare(tables::INTEGRITY).map_err(failed())?;
    let found = statement.query_map([], |row| row.get::<_, String>(0)).map_err(failed())?;
    let mut found = found.collect::<Result<Vec<_>, _>>().map_err(failed())?;
    found.retain(|line| line != "ok");
    Ok(found)
}

/// The version of the SQLite library in this program.
pub fn sqlite_version() -> String {
    rusqlite::version().to_owned()
}

/// Refuses to work on a SQLite that is known to corrupt stores.
pub fn require_safe_sqlite() -> Result<()> {
    if rusqlite::version_number() >= MIN_SQLITE_VERSION {
        return Ok(());
    }
    let version = rusqlite::version();
    Err(Problem::new(ProblemCode::Unavailable, format!("SQLite {version} can corrupt a store"))
        .hint("build cairn with its bundled SQLite"))
}

pub(crate) fn configure(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(Duration::from_millis(tables::BUSY_TIMEOUT_MS.into()))?;
    connection.set_prepared_statement_cache_capacity(STATEMENT_CACHE_SIZE);
    // Without it a statement is planned anew each time another value is bound to it.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.execute_batch(tables::SETTINGS)
}

/// Refuses a store that SQLite would wait for: it opens its files without checking what they are.
pub(crate) fn require_regular(path: &Path) -> Result<()> {
    for end in ["", "-wal", "-shm", "-journal"] {
        let file = immutable::with_suffix(path, end);
        let failed = Problem::io(format!("open the store {}", file.display()));
        tree::require_regular(&file).map_err(failed)?;
    }
    Ok(())
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_library_is_the_one_it_says() {
        require_safe_sqlite().unwrap();
        let connection = Connection::open_in_memory().unwrap();
        let version: String =
            connection.query_row("SELECT sqlite_version()", [], |row| row.get(0)).unwrap();
        assert_eq!(version, rusqlite::version());
    }

    #[test]
    fn a_failed_write_leaves_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let mut store = open(&dir.path().join("a.sqlite"), Durability::Durable).unwrap();
        store
            .write(|tx| tx.execute_batch("CREATE TABLE t (x)").map_err(sqlite_problem("make")))
            .unwrap();
        let failed: Result<()> = store.write(|tx| {
            tx.execute("INSERT INTO t VALUES (1)", []).map_err(sqlite_problem("insert"))?;
            Err(Problem::invalid("no"))
        });
        assert_eq!(failed.unwrap_err().code, ProblemCode::ValidationError);
        let count =
            |c: &Connection| c.query_row("SELECT count(*) FROM t", [], |r| r.get::<_, i64>(0));
        assert_eq!(count(store.connection()).unwrap(), 0);
        let reader = open_read_only(store.path()).unwrap();
        assert!(reader.execute("INSERT INTO t VALUES (1)", []).is_err());
    }

    #[test]
    fn a_new_store_is_whole_once_it_is_finished() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.sqlite");
        let mut store = open_new(&path).unwrap();
        let make = "CREATE TABLE t (x); INSERT INTO t VALUES (1)";
        store.write(|tx| tx.execute_batch(make).map_err(sqlite_problem("make"))).unwrap();
        store.finish().unwrap();
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1, "no log is left");
        let mode: String = open_read_only(&path)
            .unwrap()
            .query_row("PRAGMA journal_mode", [], |row| row.get(0))
            .unwrap();
        assert_eq!(mode, "wal");
    }

    #[test]
    fn a_file_that_is_no_store_is_told_apart() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.sqlite");
        std::fs::write(&path, "this is not a database, whatever its name says").unwrap();
        let refused = open(&path, Durability::Durable).unwrap_err();
        assert_eq!(refused.code, ProblemCode::StoreDamaged);
        assert_eq!(refused.message, "cannot open the store a.sqlite");
    }
}
