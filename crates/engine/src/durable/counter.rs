//! The numbers of changes: one counter for files and stores, all branches and all worktrees.
//!
//! A number is given once. The counter is on the disk before a number is used, so a process that
//! dies may lose a number but never causes it to be given twice. A higher number is therefore a
//! later change, whatever the clock says, and a number means the same change everywhere.

use std::fs::{self, File, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use base::{Call, Problem, Result};
use tree::{Journal, PrivateFolder};

use super::tables;
use crate::backup;

/// Name of the file with the highest number given, in the folder that all worktrees share.
const FILE: &str = "change-number";

/// Number of digits in the file. It never changes, so that one write of one disk sector replaces
/// the number.
const DIGITS: usize = 20;

/// Maximum time to wait for another process that takes a number.
const LOCK_TIMEOUT: Duration = Duration::from_secs(5);

/// The counter of one repository's changes.
#[derive(Debug, Clone)]
pub(crate) struct ChangeCounter {
    shared: PathBuf,
}

impl ChangeCounter {
    /// The counter in the folder that all worktrees share. Its file need not exist yet.
    pub(crate) fn at(shared: &Path) -> Self {
        Self { shared: shared.to_path_buf() }
    }

    /// The first of `count` numbers in a row, all higher than every number given before and than
    /// `above`.
    pub(crate) fn reserve(&self, above: u64, count: u64, call: &Call) -> Result<u64> {
        let failed = || Problem::io("reserve the number of a change");
        fs::create_dir_all(&self.shared).map_err(failed())?;
        let _lock = tree::lock(&self.shared.join(format!("{FILE}.lock")), LOCK_TIMEOUT, call)?;
        let known = self.read().unwrap_or_else(|| self.highest_used());
        let first = known.max(above).saturating_add(1);
        self.write(first.saturating_add(count.saturating_sub(1))).map_err(failed())?;
        Ok(first)
    }

    /// The highest number given; `None` if the file is missing or damaged.
    fn read(&self) -> Option<u64> {
        let bytes = tree::read_regular(&self.shared.join(FILE), DIGITS as u64 + 1).ok()?;
        let text = String::from_utf8(bytes).ok().filter(|text| text.len() == DIGITS + 1)?;
        text.trim_end().parse().ok()
    }

    fn write(&self, number: u64) -> std::io::Result<()> {
        let path = self.shared.join(FILE);
        let is_new = !path.exists();
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(false);
        let mut file = tree::open_regular_for_write(&path, &mut options)?;
        file.seek(SeekFrom::Start(0))?;
        file.write_all(format!("{number:0DIGITS$}\n").as_bytes())?;
        file.sync_data()?;
        if is_new {
            File::open(&self.shared)?.sync_all()?;
        }
        Ok(())
    }

    /// The highest number in use, with which a new or lost counter starts. In older versions each
    /// worktree and store counted its changes separately.
    fn highest_used(&self) -> u64 {
        let stores = backup::stores(&self.shared).into_iter();
        let stores = stores.map(|store| self.shared.join(format!("{store}.sqlite")));
        let in_stores = stores.map(|file| {
            store::open_read_only(&file).and_then(|conn| tables::highest_number(&conn)).unwrap_or(0)
        });
        let journals = journals(&self.shared).into_iter().map(|journal| journal.highest_number());
        in_stores.chain(journals).max().unwrap_or(0)
    }
}

/// The journals of all worktrees that share a folder.
fn journals(shared: &Path) -> Vec<Journal> {
    let Some(common) = shared.parent() else { return Vec::new() };
    let linked = fs::read_dir(common.join("worktrees")).into_iter().flatten().flatten();
    let git_dirs = linked.map(|entry| entry.path()).chain([common.to_path_buf()]);
    // Without git the folder has another name.
    let name = shared.file_name().unwrap_or_default().to_string_lossy().into_owned();
    git_dirs.map(|dir| Journal::new(PrivateFolder::below(&dir, &name).join("journal"))).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn call() -> Call {
        Call::new("ada", jiff::Timestamp::UNIX_EPOCH)
    }

    #[test]
    fn numbers_rise_and_none_is_given_twice() {
        let folder = tempfile::tempdir().unwrap();
        let counter = ChangeCounter::at(&folder.path().join("cairn"));
        assert_eq!(counter.reserve(0, 1, &call()).unwrap(), 1);
        assert_eq!(counter.reserve(0, 3, &call()).unwrap(), 2);
        assert_eq!(counter.reserve(0, 1, &call()).unwrap(), 5);
        assert_eq!(counter.reserve(40, 1, &call()).unwrap(), 41);
        assert_eq!(counter.reserve(0, 1, &call()).unwrap(), 42);
        let taken: BTreeSet<u64> = std::thread::scope(|scope| {
            let take =
                || (0..25).map(|_| counter.reserve(0, 1, &call()).unwrap()).collect::<Vec<_>>();
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(take)).collect();
            threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
        });
        assert_eq!((taken.len(), taken.first(), taken.last()), (100, Some(&43), Some(&142)));
    }

    #[test]
    fn a_counter_that_was_lost_or_torn_starts_above_what_is_used() {
        let folder = tempfile::tempdir().unwrap();
        let shared = folder.path().join("cairn");
        for used in ["cairn/journal/done-7", "worktrees/w/cairn/journal/pending-12"] {
            fs::create_dir_all(folder.path().join(used)).unwrap();
        }
        let counter = ChangeCounter::at(&shared);
        for damage in ["", "12", "0000000000000000000x\n"] {
            assert_eq!(counter.reserve(0, 1, &call()).unwrap(), 13, "{damage:?}");
            fs::write(shared.join(FILE), damage).unwrap();
        }
    }
}
