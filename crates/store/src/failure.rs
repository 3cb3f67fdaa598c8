//! SQLite's failures in the words every door uses.

use base::{Code, NextCall, Problem};
use rusqlite::{Error, ErrorCode};

/// For `map_err`: a failure of SQLite while doing `what`.
pub fn problem(what: &str) -> impl FnOnce(Error) -> Problem {
    move |error| {
        let (code, hint) = match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
                (Code::Busy, "another process is writing; repeat the request in a moment")
            }
            Some(ErrorCode::DiskFull) => full(),
            // The log's index is a file too, and has no code of its own for a full disk.
            Some(ErrorCode::SystemIoFailure) if is_cramped(&error) => full(),
            Some(ErrorCode::ReadOnly) => {
                (Code::Io, "the store cannot be written; check the disk and permissions")
            }
            Some(ErrorCode::OperationInterrupted) => {
                (Code::Timeout, "narrow the request or allow more time")
            }
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                return Problem::new(Code::StoreDamaged, format!("cannot {what}"))
                    .hint_call("a backup is put back by", NextCall::to("restore"))
                    .hint_call("all stores are checked by", NextCall::to("doctor"))
                    .because(error);
            }
            Some(
                ErrorCode::SystemIoFailure | ErrorCode::CannotOpen | ErrorCode::PermissionDenied,
            ) => (Code::Io, "check the disk and the permissions of the store's folder"),
            _ => (Code::Internal, "this is a bug in cairn; please report it"),
        };
        Problem::new(code, format!("cannot {what}")).hint(hint).because(error)
    }
}

const fn full() -> (Code, &'static str) {
    (Code::Io, "the disk is full; nothing was lost; free some space")
}

fn is_cramped(error: &Error) -> bool {
    let code = error.sqlite_error().map(|error| error.extended_code);
    code == Some(rusqlite::ffi::SQLITE_IOERR_SHMSIZE)
}

/// Whether a failure means that the file itself is not a sound store.
pub fn damaged(error: &Error) -> bool {
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
