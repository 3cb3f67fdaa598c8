//! Migrations of durable stores: numbered steps, which are never edited. The store is backed up
//! before they are applied.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use base::{NextCall, Problem, ProblemCode, Result};
use rusqlite::Connection;

use crate::backup::{BackupNotes, back_up, sync_folder};
use crate::failure::sqlite_problem;
use crate::open::{Durability, Store, open, open_read_only};
use crate::tables;

/// One step of a store's schema. A released step is never edited; a later step corrects it.
#[derive(Debug, Clone, Copy)]
pub struct Migration {
    /// What the step does, for the reader of a failure
    pub name: &'static str,
    /// The SQL
    pub sql: &'static str,
}

/// Opens a durable store, creates it if it is missing, and migrates it to the newest step.
///
/// A store that a newer cairn wrote is refused untouched. Before the first step is applied to
/// a store that holds data, a copy is put beside it. A store is created with all steps, so one
/// without any step has lost its data: it is refused too.
pub fn open_durable(path: &Path, steps: &[Migration]) -> Result<Store> {
    if !path.exists() {
        create(path, steps)?;
    }
    if fs::metadata(path).is_ok_and(|known| known.len() == 0) {
        return Err(empty_store_problem(path)); // opening it would write to it
    }
    let mut store = open(path, Durability::Durable)?;
    let newest = newest_version(steps);
    let found = schema_version(store.connection())?;
    match found {
        0 => return Err(empty_store_problem(path)),
        _ if found > newest => return Err(newer_store_problem(path, found, newest)),
        _ if found == newest => return Ok(store),
        _ => back_up(store.connection(), &backup_path(path, found), &BackupNotes::new())?,
    }
    migrate(&mut store, steps)?;
    Ok(store)
}

/// Maximum time to wait for another process that creates the same store.
const CREATE_LOCK_TIMEOUT: Duration = Duration::from_secs(30);

/// Creates a store. Only one process may do so at a time, because SQLite fails if another process
/// removes the unfinished file.
fn create(path: &Path, steps: &[Migration]) -> Result<()> {
    let lock_file = path.with_extension("making-lock");
    let lock = tree::lock_for_a_moment(&lock_file, CREATE_LOCK_TIMEOUT)?;
    if !path.exists() {
        make(path, steps)?;
    }
    // A process that still waits for the lock then finds the store.
    let _ = fs::remove_file(&lock_file);
    drop(lock);
    Ok(())
}

/// Makes a store under another name and gives it its own once it is whole.
fn make(path: &Path, steps: &[Migration]) -> Result<()> {
    let failed = || Problem::io(format!("create the store {}", path.display()));
    // If a crash left an unfinished file, it is continued.
    let unfinished = path.with_extension("making");
    let mut store = open(&unfinished, Durability::Durable)?;
    migrate(&mut store, steps)?;
    store.checkpoint()?;
    drop(store);
    match fs::hard_link(&unfinished, path) {
        Err(_) if path.exists() => {} // another process was quicker
        Err(_) => return fs::rename(&unfinished, path).map_err(failed()),
        Ok(()) => sync_folder(path).map_err(failed())?,
    }
    let _ = fs::remove_file(&unfinished); // a name that stays costs nothing
    Ok(())
}

/// Brings an open store to the newest step.
pub fn migrate(store: &mut Store, steps: &[Migration]) -> Result<()> {
    store.write(|transaction| {
        // Another process may have migrated while this one waited.
        let found = schema_version(transaction)?;
        for (number, step) in (1..).zip(steps).filter(|(number, _)| *number > found) {
            let what = format!("apply migration {number}, {}", step.name);
            transaction.execute_batch(step.sql).map_err(sqlite_problem(&what))?;
            transaction
                .execute_batch(&tables::set_version(number))
                .map_err(sqlite_problem(&what))?;
        }
        Ok(())
    })
}

/// Refuses a store, or a copy of one, that a newer cairn wrote. It is only read.
pub fn refuse_newer(path: &Path, steps: &[Migration]) -> Result<()> {
    let (found, newest) = (schema_version(&open_read_only(path)?)?, newest_version(steps));
    if found > newest { Err(newer_store_problem(path, found, newest)) } else { Ok(()) }
}

fn newest_version(steps: &[Migration]) -> u32 {
    u32::try_from(steps.len()).expect("a store has few migrations")
}

/// The copy that is taken before a migration. One that is there stays: a store that was put back
/// from a backup is migrated a second time.
fn backup_path(path: &Path, version: u32) -> PathBuf {
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let first = format!("{name}.before-migration-{}", version + 1);
    let others = (2..).map(|number| format!("{first}-{number}"));
    let mut names = std::iter::once(first.clone()).chain(others);
    let is_free = |name: &String| !path.with_file_name(format!("{name}.sqlite")).exists();
    let free = names.find(is_free).unwrap_or(first);
    path.with_file_name(format!("{free}.sqlite"))
}

/// How many steps of its schema a store has.
pub fn schema_version(connection: &Connection) -> Result<u32> {
    connection
        .query_row(tables::VERSION, [], |row| row.get(0))
        .map_err(sqlite_problem("read a store's version"))
}

fn empty_store_problem(path: &Path) -> Problem {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    Problem::new(ProblemCode::StoreDamaged, format!("{name} is empty, but held data before"))
        .hint_call("the file is kept; restore a backup with", NextCall::new("restore"))
}

fn newer_store_problem(path: &Path, found: u32, newest: u32) -> Problem {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let message =
        format!("{name} was written by a newer cairn (step {found}; this one knows {newest})");
    Problem::new(ProblemCode::Unavailable, message)
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
        store.write(|tx| tx.execute(add, []).map(drop).map_err(sqlite_problem("add"))).unwrap();
        drop(store);
        let store = open_durable(&path, &[FIRST, SECOND]).unwrap();
        assert_eq!(columns(&store), 2);
        drop(store);
        let backup = open(&dir.path().join("work.before-migration-2.sqlite"), Durability::Durable);
        assert_eq!(columns(&backup.unwrap()), 1);
        let again = dir.path().join("work.before-migration-2-2.sqlite");
        fs::copy(dir.path().join("work.before-migration-2.sqlite"), &path).unwrap();
        drop(open_durable(&path, &[FIRST, SECOND]).unwrap());
        assert!(again.is_file(), "the first copy is not replaced");
        let refused = open_durable(&path, &[FIRST]).unwrap_err();
        assert_eq!(
            (refused.code, refused.details["found"].as_u64()),
            (ProblemCode::Unavailable, Some(2))
        );
    }

    #[test]
    fn a_store_that_many_make_at_once_is_made_once() {
        const MAKERS: usize = 8;
        for _ in 0..10 {
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join("work.sqlite");
            let start = std::sync::Barrier::new(MAKERS);
            std::thread::scope(|scope| {
                for _ in 0..MAKERS {
                    scope.spawn(|| {
                        start.wait();
                        let mut store = open_durable(&path, &[FIRST, SECOND]).unwrap();
                        let add = "INSERT INTO note (text) VALUES ('kept')";
                        let add = |transaction: &rusqlite::Transaction<'_>| {
                            transaction.execute(add, []).map(drop).map_err(sqlite_problem("add"))
                        };
                        store.write(add).unwrap();
                    });
                }
            });
            let store = open_durable(&path, &[FIRST, SECOND]).unwrap();
            let count = "SELECT count(*) FROM note";
            let count: i64 = store.connection().query_row(count, [], |row| row.get(0)).unwrap();
            assert_eq!(usize::try_from(count), Ok(MAKERS));
        }
    }

    #[test]
    fn an_emptied_store_is_not_taken_for_a_new_one() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("work.sqlite");
        drop(open_durable(&path, &[FIRST]).unwrap());
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1, "nothing else is left");
        fs::write(&path, "").unwrap();
        let refused = open_durable(&path, &[FIRST]).unwrap_err();
        assert_eq!(refused.code, ProblemCode::StoreDamaged);
        assert_eq!(refused.message, "work.sqlite is empty, but held data before");
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
