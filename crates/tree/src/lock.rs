//! Locks between processes: locked files, which the operating system releases when their holder
//! ends.

use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;
use std::thread;
use std::time::Duration;

use base::{Call, Problem, ProblemCode, Result};
use cap_std::fs::OpenOptions;

use crate::disk::DirHandle;
use crate::regular_file::{open_regular_for_write, open_regular_for_write_in};

/// Interval at which a waiting process tries again.
const RETRY_INTERVAL: Duration = Duration::from_millis(10);

/// The progress message of a caller that waits for a lock.
pub const WAITING_FOR_LOCK: &str = "waiting for another process";

/// A held lock. It is released when this value is dropped.
#[derive(Debug)]
pub struct FileLock {
    _held: File,
}

/// Takes the lock if no process holds it. The folder of `file` must exist.
pub fn try_lock(file: &Path) -> io::Result<Option<FileLock>> {
    let mut options = File::options();
    try_acquire(open_regular_for_write(file, options.write(true).create(true).truncate(false))?)
}

/// Waits for the lock at most `patience`, then fails with `BUSY`.
pub fn lock(file: &Path, patience: Duration, call: &Call) -> Result<FileLock> {
    acquire(|| try_lock(file), patience, || call.step(WAITING_FOR_LOCK, 0, 0))
}

/// Waits for a lock that is held for a moment only. No call can stop the wait.
pub fn lock_for_a_moment(file: &Path, patience: Duration) -> Result<FileLock> {
    acquire(|| try_lock(file), patience, || Ok(()))
}

/// Waits for the lock in a file below a folder. A link that leads out of that folder is not
/// followed.
pub fn lock_in(
    folder: &DirHandle,
    name: &str,
    patience: Duration,
    call: &Call,
) -> Result<FileLock> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    let open = || open_regular_for_write_in(folder, Path::new(name), &mut options.clone());
    acquire(|| try_acquire(open()?.into_std()), patience, || call.step(WAITING_FOR_LOCK, 0, 0))
}

fn try_acquire(held: File) -> io::Result<Option<FileLock>> {
    match held.try_lock() {
        Ok(()) => Ok(Some(FileLock { _held: held })),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

fn acquire(
    attempt: impl Fn() -> io::Result<Option<FileLock>>,
    patience: Duration,
    check_stopped: impl Fn() -> Result<()>,
) -> Result<FileLock> {
    let mut rounds = patience.as_millis() / RETRY_INTERVAL.as_millis();
    loop {
        if let Some(lock) = attempt().map_err(Problem::io("take a lock"))? {
            return Ok(lock);
        }
        check_stopped()?;
        if rounds == 0 {
            return Err(Problem::new(
                ProblemCode::Busy,
                "another process is writing to this repository",
            )
            .hint("nothing was changed; repeat the request in a moment"));
        }
        rounds -= 1;
        thread::sleep(RETRY_INTERVAL);
    }
}
