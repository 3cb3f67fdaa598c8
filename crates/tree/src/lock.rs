//! Locks between processes: an open file that dies with its holder.

use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;
use std::thread;
use std::time::Duration;

use base::{Call, Code, Problem, Result};

/// How long to wait before asking again.
const PAUSE: Duration = Duration::from_millis(10);

/// Proof that no other process is inside; dropping it lets the next one in.
#[derive(Debug)]
pub struct Lock {
    _held: File,
}

/// Takes the lock in `file` if nobody holds it. The folder must exist.
pub fn try_lock(file: &Path) -> io::Result<Option<Lock>> {
    let held = File::options().write(true).create(true).truncate(false).open(file)?;
    match held.try_lock() {
        Ok(()) => Ok(Some(Lock { _held: held })),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Waits for the lock in `file`, at most `patience`, then gives `BUSY`.
pub fn lock(file: &Path, patience: Duration, call: &Call) -> Result<Lock> {
    let mut rounds = patience.as_millis() / PAUSE.as_millis();
    loop {
        if let Some(lock) = try_lock(file).map_err(Problem::io("take the write lock"))? {
            return Ok(lock);
        }
        call.go_on()?;
        if rounds == 0 {
            return Err(Problem::new(Code::Busy, "another writer holds the repository")
                .hint("nothing was changed; repeat the request in a moment"));
        }
        rounds -= 1;
        thread::sleep(PAUSE);
    }
}
