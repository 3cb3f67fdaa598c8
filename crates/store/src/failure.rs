//! Translates SQLite's errors into problems.

use base::{NextCall, Problem, ProblemCode};
use rusqlite::{Error, ErrorCode};

/// For `map_err`: a failure of SQLite while doing `what`.
pub fn sqlite_problem(what: &str) -> impl FnOnce(Error) -> Problem {
    move |error| {
        let (code, hint) = match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
                (ProblemCode::Busy, "another process is writing; repeat the request in a moment")
            }
            Some(ErrorCode::DiskFull) => disk_full(),
            // The log's index is a file too, and has no code of its own for a full disk.
            Some(ErrorCode::SystemIoFailure) if is_shared_memory_full(&error) => disk_full(),
            Some(ErrorCode::ReadOnly) => {
                (ProblemCode::Io, "the store cannot be written; check the disk and permissions")
            }
            Some(ErrorCode::OperationInterrupted) => {
                (ProblemCode::Timeout, "narrow the request or allow more time")
            }
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                return Problem::new(ProblemCode::StoreDamaged, format!("cannot {what}"))
                    .hint_call("restore a backup with", NextCall::new("restore"))
                    .hint_call("all stores are checked by", NextCall::new("doctor"))
                    .with_source(error);
            }
            Some(
                ErrorCode::SystemIoFailure | ErrorCode::CannotOpen | ErrorCode::PermissionDenied,
            ) => (ProblemCode::Io, "check the disk and the permissions of the store's folder"),
            _ => (ProblemCode::Internal, "this is a bug in cairn; please report it"),
        };
        Problem::new(code, format!("cannot {what}")).hint(hint).with_source(error)
    }
}

const fn disk_full() -> (ProblemCode, &'static str) {
    (ProblemCode::Io, "the disk is full; nothing was lost; free some space")
}

fn is_shared_memory_full(error: &Error) -> bool {
    let code = error.sqlite_error().map(|error| error.extended_code);
    code == Some(rusqlite::ffi::SQLITE_IOERR_SHMSIZE)
}

/// Whether a failure means that the file itself is not a sound store.
pub fn is_corrupt(error: &Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase))
}

/// Whether a failure means that the disk takes no writes, whatever the file holds.
pub fn is_unwritable(error: &Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(
            ErrorCode::ReadOnly
                | ErrorCode::CannotOpen
                | ErrorCode::PermissionDenied
                | ErrorCode::DiskFull
                | ErrorCode::SystemIoFailure
        )
    )
}
