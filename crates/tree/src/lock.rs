//! Locks between processes: an open file that dies with its holder.

use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;
use std::thread;
use std::time::Duration;

use base::{Call, Code, Problem, Result};
use cap_std::fs::OpenOptions;

use crate::disk::Folder;
use crate::regular::{write_regular, write_regular_in};

/// How long to wait before asking again.
const PAUSE: Duration = Duration::from_millis(10);

/// What a caller is told while it waits for a lock.
pub const WAITING: &str = "waiting for another process";

/// Proof that no other process is inside; dropping it lets the next one in.
#[derive(Debug)]
pub struct Lock {
    _held: File,
}

/// Takes the lock in `file` if nobody holds it. The folder must exist.
pub fn try_lock(file: &Path) -> io::Result<Option<Lock>> {
    let mut options = File::options();
    take(write_regular(file, options.write(true).create(true).truncate(false))?)
}

/// Waits for the lock in `file`, at most `patience`, then gives `BUSY`.
pub fn lock(file: &Path, patience: Duration, call: &Call) -> Result<Lock> {
    wait(|| try_lock(file), patience, call)
}

/// Waits for the lock in a file of a folder; a link out of that folder is not followed.
pub fn lock_in(folder: &Folder, name: &str, patience: Duration, call: &Call) -> Result<Lock> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    let open = || write_regular_in(folder, Path::new(name), &mut options.clone());
    wait(|| take(open()?.into_std()), patience, call)
}

fn take(held: File) -> io::Result<Option<Lock>> {
    match held.try_lock() {
        Ok(()) => Ok(Some(Lock { _held: held })),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

fn wait(
    attempt: impl Fn() -> io::Result<Option<Lock>>,
    patience: Duration,
    call: &Call,
) -> Result<Lock> {
    let mut rounds = patience.as_millis() / PAUSE.as_millis();
    loop {
        if let Some(lock) = attempt().map_err(Problem::io("take a lock"))? {
            return Ok(lock);
        }
        call.step(WAITING, 0, 0)?;
        if rounds == 0 {
            return Err(Problem::new(Code::Busy, "another process is at work here")
                .hint("nothing was changed; repeat the request in a moment"));
        }
        rounds -= 1;
        thread::sleep(PAUSE);
    }
}
