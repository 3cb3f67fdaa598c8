//! Copies of a store: taken as of one moment, checked, and put back.

use std::fs;
use std::io;
use std::path::Path;

use base::{Code, Problem, Result};
use rusqlite::Connection;

use crate::failure::problem;
use crate::open::{Durability, integrity, open};
use crate::still::{self, beside};
use crate::tables;

/// Copies a store as of this moment to a new file, and checks the copy.
pub fn back_up(connection: &Connection, target: &Path) -> Result<()> {
    let failed = || Problem::io(format!("write the backup {}", target.display()));
    let temp = target.with_extension("tmp");
    remove(&temp).map_err(failed())?;
    let name = temp.to_string_lossy();
    connection.execute(tables::COPY, [&name]).map_err(problem("copy a store"))?;
    check(&temp)?;
    fs::File::open(&temp).and_then(|file| file.sync_all()).map_err(failed())?;
    fs::rename(&temp, target).and_then(|()| sync_folder(target)).map_err(failed())
}

/// Puts a copy in the place of a store. What was there is kept under the name `aside`.
///
/// The caller holds the store's lock. A reader sees the old store or the new one, and never a
/// new store beside the log of an old one.
pub fn put_back(backup: &Path, path: &Path, aside: &Path) -> Result<()> {
    let failed = || Problem::io(format!("put back {}", path.display()));
    check(backup)?;
    let temp = beside(path, ".restoring");
    fs::copy(backup, &temp).map_err(failed())?;
    fs::File::open(&temp).and_then(|file| file.sync_all()).map_err(failed())?;
    check(&temp)?;
    if path.exists() {
        // A sound store takes its log in, so that one file keeps all of it.
        if !still::is_whole(path) {
            let _ = open(path, Durability::Durable).and_then(|store| store.checkpoint());
        }
        for end in ["-wal", "-shm"] {
            keep(&beside(path, end), &beside(aside, end)).map_err(failed())?;
        }
        if fs::hard_link(path, aside).is_err() {
            fs::rename(path, aside).map_err(failed())?;
        }
    }
    fs::rename(&temp, path).and_then(|()| sync_folder(path)).map_err(failed())
}

/// Refuses a copy that is not sound.
fn check(path: &Path) -> Result<()> {
    let copy = still::open(path).map_err(problem("open a backup"))?;
    let is_empty = crate::version(&copy)? == 0;
    let finding = integrity(&copy)?.into_iter().next();
    match finding.or(is_empty.then(|| "it is empty".into())) {
        None => Ok(()),
        Some(finding) => {
            let message = format!("the backup is not sound: {finding}");
            Err(Problem::new(Code::StoreDamaged, message).hint("choose another backup"))
        }
    }
}

/// Makes the names in a file's folder durable.
pub(crate) fn sync_folder(file: &Path) -> io::Result<()> {
    fs::File::open(file.parent().unwrap_or(file))?.sync_all()
}

fn keep(from: &Path, to: &Path) -> io::Result<()> {
    match fs::rename(from, to) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        kept => kept,
    }
}

fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Migration, open_durable, open_reading};

    const STEP: Migration = Migration { name: "notes", sql: "CREATE TABLE note (text TEXT)" };

    fn notes(path: &Path) -> i64 {
        let reader = open_reading(path).unwrap();
        reader.query_row("SELECT count(*) FROM note", [], |row| row.get(0)).unwrap()
    }

    fn add(path: &Path) {
        let mut store = open_durable(path, &[STEP]).unwrap();
        let add = "INSERT INTO note VALUES ('kept')";
        store.write(|tx| tx.execute(add, []).map(drop).map_err(problem("add"))).unwrap();
    }

    #[test]
    fn a_copy_is_put_back_and_what_was_there_is_kept() {
        let dir = tempfile::tempdir().unwrap();
        let [path, copy, aside] =
            ["a.sqlite", "copy.sqlite", "old.sqlite"].map(|n| dir.path().join(n));
        add(&path);
        back_up(open_durable(&path, &[STEP]).unwrap().connection(), &copy).unwrap();
        add(&path);
        let open_since = open_durable(&path, &[STEP]).unwrap(); // its log is there
        put_back(&copy, &path, &aside).unwrap();
        drop(open_since);
        assert_eq!((notes(&path), notes(&aside)), (1, 2));
        fs::write(&copy, &fs::read(&copy).unwrap()[..5000]).unwrap();
        assert_eq!(put_back(&copy, &path, &aside).unwrap_err().code, Code::StoreDamaged);
        assert_eq!(notes(&path), 1);
    }
}
