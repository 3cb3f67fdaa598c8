//! Backups of a store: consistent copies, their verification, and their restoration.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use base::{Problem, ProblemCode, Result};
use rusqlite::Connection;

use crate::failure::sqlite_problem;
use crate::immutable::{self, with_suffix};
use crate::open::{Durability, check_integrity, open, require_regular};
use crate::tables;

/// Extension of an unfinished copy.
const UNFINISHED_EXTENSION: &str = "tmp";

/// Suffixes of the files that SQLite keeps beside a store.
const SIDE_FILE_SUFFIXES: [&str; 3] = ["-journal", "-wal", "-shm"];

/// Metadata stored in a backup: its repository and its store.
pub type BackupNotes = BTreeMap<String, String>;

/// Copies a store as of this moment to a new file, and checks the copy. A file that already has
/// that name stays, and the copy is refused.
pub fn back_up(connection: &Connection, target: &Path, notes: &BackupNotes) -> Result<()> {
    let failed = || Problem::io(format!("write the backup {}", target.display()));
    // A name of this call's own: another process may be copying to the same target.
    let temp = target.with_extension(format!(
        "{}-{}.{UNFINISHED_EXTENSION}",
        std::process::id(),
        next_attempt()
    ));
    remove_with_side_files(&temp).map_err(failed())?;
    let name = temp.to_string_lossy();
    connection.execute(tables::VACUUM_INTO, [&name]).map_err(sqlite_problem("copy a store"))?;
    let finished = write_notes(&temp, notes)
        .and_then(|()| check_backup(&temp))
        .and_then(|()| sync(&temp).map_err(failed()))
        .and_then(|()| publish(&temp, target));
    if finished.is_err() {
        let _ = remove_with_side_files(&temp); // the failure itself is what the caller has to know
    }
    finished
}

/// Removes leftovers of unfinished backups from a folder. The caller ensures that no backup is in
/// progress there.
pub fn remove_unfinished(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)?.flatten() {
        let path = entry.path();
        let is_unfinished = path.extension() == Some(UNFINISHED_EXTENSION.as_ref());
        let is_log = SIDE_FILE_SUFFIXES.iter().any(|log| {
            entry.file_name().to_string_lossy().ends_with(&format!(".{UNFINISHED_EXTENSION}{log}"))
        });
        if is_unfinished || is_log {
            remove_if_exists(&path)?;
        }
    }
    Ok(())
}

/// What a copy says about itself; nothing if it was taken without notes.
pub fn backup_notes(path: &Path) -> Result<BackupNotes> {
    let failed = || sqlite_problem("read the notes of a backup");
    let copy = immutable::open_immutable(path).map_err(failed())?;
    if !copy.table_exists(None, tables::NOTES_TABLE).map_err(failed())? {
        return Ok(BackupNotes::new());
    }
    let pair = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
    let pairs = crate::rows(&copy, tables::READ_NOTES, "read the notes of a backup", &[], pair)?;
    Ok(pairs.into_iter().collect())
}

fn write_notes(copy: &Path, notes: &BackupNotes) -> Result<()> {
    let failed = || sqlite_problem("write the notes of a backup");
    if notes.is_empty() {
        return Ok(());
    }
    let connection = Connection::open(copy).map_err(failed())?;
    connection.execute_batch(tables::CREATE_NOTES).map_err(failed())?;
    for (key, value) in notes {
        connection.execute(tables::ADD_NOTE, [key, value]).map_err(failed())?;
    }
    connection.close().map_err(|(_, error)| failed()(error))
}

/// A number that no other call of this process has.
fn next_attempt() -> u64 {
    static ATTEMPTS: AtomicU64 = AtomicU64::new(0);
    ATTEMPTS.fetch_add(1, Ordering::Relaxed)
}

/// Gives a finished file its name, unless another file has it.
fn publish(temp: &Path, target: &Path) -> Result<()> {
    let failed = || Problem::io(format!("write {}", target.display()));
    match fs::hard_link(temp, target) {
        Ok(()) => {
            let _ = remove_if_exists(temp); // a second name costs nothing
        }
        Err(_) if target.symlink_metadata().is_ok() => return Err(name_taken_problem(target)),
        // Not every file system has links.
        Err(_) => fs::rename(temp, target).map_err(failed())?,
    }
    sync_folder(target).map_err(failed())
}

fn name_taken_problem(target: &Path) -> Problem {
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    Problem::new(ProblemCode::Conflict, format!("a backup called {name} already exists"))
        .hint("nothing was replaced; repeat the request")
}

/// Puts a copy in the place of a store. What was there is kept under the name `aside`, which no
/// other file may have.
///
/// The caller holds the store's lock. A reader sees the old store or the new one, and never a
/// new store beside the log of an old one.
pub fn restore(backup: &Path, path: &Path, aside: &Path) -> Result<()> {
    let failed = || Problem::io(format!("put back {}", path.display()));
    check_backup(backup)?;
    let temp = with_suffix(path, ".restoring");
    tree::require_regular(&temp).map_err(failed())?;
    // Removes what a killed process left: its journal would be rolled back into this copy.
    remove_with_side_files(&temp).map_err(failed())?;
    fs::copy(backup, &temp).map_err(failed())?;
    drop_notes(&temp)?;
    sync(&temp).map_err(failed())?;
    check_backup(&temp)?;
    if path.exists() {
        if aside.symlink_metadata().is_ok() {
            return Err(name_taken_problem(aside));
        }
        // A sound store first merges its log, so that one file holds everything.
        if !immutable::has_empty_wal(path) {
            let _ = open(path, Durability::Durable).and_then(|store| store.checkpoint());
        }
        for end in ["-wal", "-shm"] {
            rename_if_exists(&with_suffix(path, end), &with_suffix(aside, end)).map_err(failed())?;
        }
        if fs::hard_link(path, aside).is_err() {
            fs::rename(path, aside).map_err(failed())?;
        }
    }
    fs::rename(&temp, path).and_then(|()| sync_folder(path)).map_err(failed())
}

/// A store holds no notes: they are about the copy.
fn drop_notes(copy: &Path) -> Result<()> {
    let failed = || sqlite_problem("put a backup back");
    let connection = Connection::open(copy).map_err(failed())?;
    connection.execute_batch(tables::DROP_NOTES).map_err(failed())?;
    connection.close().map_err(|(_, error)| failed()(error))
}

fn sync(file: &Path) -> io::Result<()> {
    fs::File::open(file)?.sync_all()
}

/// Refuses a copy that is not sound.
fn check_backup(path: &Path) -> Result<()> {
    require_regular(path)?;
    let copy = immutable::open_immutable(path).map_err(sqlite_problem("open a backup"))?;
    let is_empty = crate::schema_version(&copy)? == 0;
    let finding = check_integrity(&copy)?.into_iter().next();
    match finding.or(is_empty.then(|| "it is empty".into())) {
        None => Ok(()),
        Some(finding) => {
            let message = format!("the backup is damaged: {finding}");
            Err(Problem::new(ProblemCode::StoreDamaged, message).hint("choose another backup"))
        }
    }
}

/// Makes the names in a file's folder durable.
pub(crate) fn sync_folder(file: &Path) -> io::Result<()> {
    fs::File::open(file.parent().unwrap_or(file))?.sync_all()
}

fn rename_if_exists(from: &Path, to: &Path) -> io::Result<()> {
    match fs::rename(from, to) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        kept => kept,
    }
}

/// Removes a store of ours together with what SQLite keeps beside it.
fn remove_with_side_files(path: &Path) -> io::Result<()> {
    SIDE_FILE_SUFFIXES
        .iter()
        .try_for_each(|end| remove_if_exists(&with_suffix(path, end)))
        .and_then(|()| remove_if_exists(path))
}

fn remove_if_exists(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Migration, open_durable, open_read_only};

    const STEP: Migration = Migration { name: "notes", sql: "CREATE TABLE note (text TEXT)" };

    fn count(path: &Path) -> i64 {
        let reader = open_read_only(path).unwrap();
        reader.query_row("SELECT count(*) FROM note", [], |row| row.get(0)).unwrap()
    }

    fn add(path: &Path) {
        let mut store = open_durable(path, &[STEP]).unwrap();
        let add = "INSERT INTO note VALUES ('kept')";
        store.write(|tx| tx.execute(add, []).map(drop).map_err(sqlite_problem("add"))).unwrap();
    }

    #[test]
    fn a_copy_is_put_back_and_what_was_there_is_kept() {
        let dir = tempfile::tempdir().unwrap();
        let [path, copy, aside] =
            ["a.sqlite", "copy.sqlite", "old.sqlite"].map(|n| dir.path().join(n));
        add(&path);
        let notes = BackupNotes::from([("repository".into(), "one".into())]);
        back_up(open_durable(&path, &[STEP]).unwrap().connection(), &copy, &notes).unwrap();
        assert_eq!(backup_notes(&copy).unwrap(), notes);
        add(&path);
        let open_since = open_durable(&path, &[STEP]).unwrap(); // its log is there
        restore(&copy, &path, &aside).unwrap();
        drop(open_since);
        assert_eq!((count(&path), count(&aside)), (1, 2));
        assert!(backup_notes(&path).unwrap().is_empty(), "a store holds no notes");
        fs::write(&copy, &fs::read(&copy).unwrap()[..5000]).unwrap();
        assert_eq!(restore(&copy, &path, &aside).unwrap_err().code, ProblemCode::StoreDamaged);
        assert_eq!(count(&path), 1);
    }

    /// The journal of a change to a copy of `store` that a process did not live to finish.
    fn journal_of_a_killed_process(store: &Path) -> Vec<u8> {
        let copy = with_suffix(store, ".killed");
        fs::copy(store, &copy).unwrap();
        let connection = Connection::open(&copy).unwrap();
        // One page of cache: the change reaches the disk before it is committed.
        connection
            .execute_batch(
                "PRAGMA journal_mode = DELETE; PRAGMA cache_size = 1; BEGIN;
                 UPDATE note SET text = text || 'x'; UPDATE note SET text = text || 'y';",
            )
            .unwrap();
        fs::read(with_suffix(&copy, "-journal")).unwrap()
    }

    #[test]
    fn a_copy_is_put_back_whole_after_another_that_was_killed() {
        let dir = tempfile::tempdir().unwrap();
        let [path, copy, aside, other] =
            ["a.sqlite", "copy.sqlite", "old.sqlite", "other.sqlite"].map(|n| dir.path().join(n));
        let fill = |path: &Path, text: &str| {
            let mut store = open_durable(path, &[STEP]).unwrap();
            let add = "INSERT INTO note SELECT printf('%0500d %s', value, ?1) FROM json_each(?2)";
            let rows = format!("[{}]", ["7"; 400].join(","));
            store
                .write(|tx| tx.execute(add, [text, &rows]).map(drop).map_err(sqlite_problem("add")))
                .unwrap();
            store.checkpoint().unwrap();
        };
        fill(&path, "wanted");
        fill(&other, "unwanted");
        let take = open_durable(&path, &[STEP]).unwrap();
        back_up(take.connection(), &copy, &BackupNotes::new()).unwrap();
        drop(take);
        fs::write(with_suffix(&path, ".restoring-journal"), journal_of_a_killed_process(&other))
            .unwrap();
        restore(&copy, &path, &aside).unwrap();
        let reader = open_read_only(&path).unwrap();
        let wanted = "SELECT count(*) FROM note WHERE text LIKE '% wanted'";
        let found: i64 = reader.query_row(wanted, [], |row| row.get(0)).unwrap();
        assert_eq!(found, 400);
    }

    #[test]
    fn copies_that_were_never_finished_are_removed_and_others_stay() {
        let dir = tempfile::tempdir().unwrap();
        let names = ["a@1.7-0.tmp", "a@1.7-0.tmp-journal", "a@1.sqlite", "b.tmp.sqlite", ".lock"];
        for name in &names {
            fs::write(dir.path().join(name), "").unwrap();
        }
        remove_unfinished(dir.path()).unwrap();
        let left = names.map(|name| dir.path().join(name).exists());
        assert_eq!(left, [false, false, true, true, true]);
    }

    #[test]
    fn nothing_that_is_kept_is_replaced() {
        let dir = tempfile::tempdir().unwrap();
        let [path, copy, aside] =
            ["a.sqlite", "copy.sqlite", "old.sqlite"].map(|n| dir.path().join(n));
        add(&path);
        let take = || {
            let store = open_durable(&path, &[STEP]).unwrap();
            back_up(store.connection(), &copy, &BackupNotes::new())
        };
        take().unwrap();
        restore(&copy, &path, &aside).unwrap();
        add(&path);
        assert_eq!(take().unwrap_err().code, ProblemCode::Conflict);
        assert_eq!(restore(&copy, &path, &aside).unwrap_err().code, ProblemCode::Conflict);
        assert_eq!((count(&path), count(&copy), count(&aside)), (2, 1, 1));
        let left = fs::read_dir(dir.path()).unwrap().flatten();
        let temps = left.filter(|entry| entry.path().extension() == Some("tmp".as_ref()));
        assert_eq!(temps.count(), 0);
    }
}
