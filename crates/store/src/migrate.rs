//! Durable stores grow by numbered steps, each backed up beforehand and never edited.

use std::fs;
use std::path::{Path, PathBuf};

use base::{Code, Problem, Result};
use rusqlite::Connection;

use crate::failure::problem;
use crate::open::{Durability, Store, integrity, open};
use crate::tables;

/// One step of a store's schema. Once landed it is never edited; the next step mends it.
#[derive(Debug, Clone, Copy)]
pub struct Migration {
    /// What the step does, for the reader of a failure
    pub name: &'static str,
    /// The SQL
    pub sql: &'static str,
}

/// Opens a durable store and brings it to the newest step.
///
/// A store that a newer cairn wrote is refused untouched. Before the first step is applied to
/// a store that holds data, a copy is put beside it.
pub fn open_durable(path: &Path, steps: &[Migration]) -> Result<Store> {
    let mut store = open(path, Durability::Durable)?;
    let newest = u32::try_from(steps.len()).expect("a store has few migrations");
    let found = version(store.connection())?;
    if found > newest {
        return Err(newer(path, found, newest));
    }
    if found == newest {
        return Ok(store);
    }
    if found > 0 {
        back_up(store.connection(), &beside(path, found))?;
    }
    store.write(|transaction| {
        // Another process may have migrated while this one waited.
        let found = version(transaction)?;
        for (number, step) in (1..).zip(steps).filter(|(number, _)| *number > found) {
            let what = format!("apply migration {number}, {}", step.name);
            transaction.execute_batch(step.sql).map_err(problem(&what))?;
            transaction.execute_batch(&tables::set_version(number)).map_err(problem(&what))?;
        }
        Ok(())
    })?;
    Ok(store)
}

/// Copies a store as of this moment to a new file, and checks the copy.
pub fn back_up(connection: &Connection, target: &Path) -> Result<()> {
    let failed = || Problem::io(format!("write the backup {}", target.display()));
    let temp = target.with_extension("tmp");
    match fs::remove_file(&temp) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(failed()(error)),
        _ => {}
    }
    let name = temp.to_string_lossy();
    connection.execute(tables::COPY, [&name]).map_err(problem("copy a store"))?;
    let copy = Connection::open(&temp).map_err(problem("open a backup"))?;
    if let Some(finding) = integrity(&copy)?.first() {
        return Err(Problem::new(
            Code::StoreDamaged,
            format!("the backup is not sound: {finding}"),
        ));
    }
    drop(copy);
    fs::File::open(&temp).and_then(|file| file.sync_all()).map_err(failed())?;
    fs::rename(&temp, target).map_err(failed())
}

fn beside(path: &Path, version: u32) -> PathBuf {
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!("{name}.before-migration-{}.sqlite", version + 1))
}

/// How many steps of its schema a store has.
pub fn version(connection: &Connection) -> Result<u32> {
    connection
        .query_row(tables::VERSION, [], |row| row.get(0))
        .map_err(problem("read a store's version"))
}

fn newer(path: &Path, found: u32, newest: u32) -> Problem {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let message =
        format!("{name} was written by a newer cairn (step {found}; this one knows {newest})");
    Problem::new(Code::Unavailable, message)
        .hint("update cairn; the store was not touched")
        .detail("found", found)
        .detail("known", newest)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: Migration = Migration { name: "notes", sql: "CREATE TABLE note (text TEXT)" };
    const SECOND: Migration =
        Migration { name: "authors", sql: "ALTER TABLE note ADD author TEXT" };
    const BROKEN: Migration = Migration { name: "broken", sql: "CREATE TABLE note (x); NONSENSE" };

    fn columns(store: &Store) -> i64 {
        let sql = "SELECT count(*) FROM pragma_table_info('note')";
        store.connection().query_row(sql, [], |row| row.get(0)).unwrap()
    }

    #[test]
    fn a_store_grows_with_a_backup_and_is_refused_when_newer() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("work.sqlite");
        let mut store = open_durable(&path, &[FIRST]).unwrap();
        let add = "INSERT INTO note VALUES ('kept')";
        store.write(|tx| tx.execute(add, []).map(drop).map_err(problem("add"))).unwrap();
        drop(store);
        let store = open_durable(&path, &[FIRST, SECOND]).unwrap();
        assert_eq!(columns(&store), 2);
        drop(store);
        let backup = open(&dir.path().join("work.before-migration-2.sqlite"), Durability::Durable);
        assert_eq!(columns(&backup.unwrap()), 1);
        let refused = open_durable(&path, &[FIRST]).unwrap_err();
        assert_eq!((refused.code, refused.details["found"].as_u64()), (Code::Unavailable, Some(2)));
    }

    #[test]
    fn a_migration_that_fails_changes_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("work.sqlite");
        drop(open_durable(&path, &[FIRST]).unwrap());
        assert!(open_durable(&path, &[FIRST, BROKEN]).is_err());
        assert_eq!(columns(&open_durable(&path, &[FIRST]).unwrap()), 1);
    }
}
