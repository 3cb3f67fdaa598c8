//! Failures that a caller can act on. Doors turn them into exit codes and HTTP statuses.

use std::error::Error;
use std::{fmt, io};

use serde::ser::SerializeStruct;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Map, Value};

use crate::hint::{Hint, NextCall};
use crate::similarity::near_name;

/// The result type of every fallible function of cairn.
pub type Result<T, E = Problem> = std::result::Result<T, E>;

/// The kind of a failure, the same for every door.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ProblemCode {
    /// Input that does not parse or breaks a limit; checked before anything else
    ValidationError,
    /// The thing that was named does not exist
    NotFound,
    /// The name matches several things; the candidates are in the details
    Ambiguous,
    /// It was changed meanwhile; the current version or hash is in the details
    Conflict,
    /// The change would break a rule that always holds
    InvariantViolation,
    /// Not possible in this state, or not through this door
    InvalidOperation,
    /// Something else has to be finished first
    Blocked,
    /// It still contains others
    HasChildren,
    /// The text would no longer parse
    SyntaxError,
    /// A path that leads out of the repository
    OutsideRepository,
    /// A path of another worktree of the same repository
    WrongWorktree,
    /// The repository is not trusted to run its own programs
    Untrusted,
    /// A program, store or feature that is needed is missing
    Unavailable,
    /// Another process is writing
    Busy,
    /// A store or a file of cairn is damaged; `cairn restore` restores a store from a backup
    StoreDamaged,
    /// A disk, a file or the network failed; nothing is damaged
    Io,
    /// The deadline passed
    Timeout,
    /// The caller gave up
    Cancelled,
    /// A bug in cairn
    Internal,
}

impl ProblemCode {
    /// Every code, in the order of the reference.
    pub const ALL: [Self; 19] = [
        Self::ValidationError,
        Self::NotFound,
        Self::Ambiguous,
        Self::Conflict,
        Self::InvariantViolation,
        Self::InvalidOperation,
        Self::Blocked,
        Self::HasChildren,
        Self::SyntaxError,
        Self::OutsideRepository,
        Self::WrongWorktree,
        Self::Untrusted,
        Self::Unavailable,
        Self::Busy,
        Self::StoreDamaged,
        Self::Io,
        Self::Timeout,
        Self::Cancelled,
        Self::Internal,
    ];
}

impl fmt::Display for ProblemCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

/// One failure: a lowercase message that names the thing, and hints that name the next step.
#[derive(Debug)]
pub struct Problem {
    /// What kind of failure it is
    pub code: ProblemCode,
    /// What happened, naming the thing
    pub message: String,
    /// What to do next, best first
    pub hints: Vec<Hint>,
    /// Fields a program can read, such as the current hash of a conflict
    pub details: Map<String, Value>,
    /// The error that caused it, if any
    pub source: Option<Box<dyn Error + Send + Sync>>,
}

impl Problem {
    /// A problem without hints or details yet.
    pub fn new(code: ProblemCode, message: impl Into<String>) -> Self {
        let (hints, details) = (Vec::new(), Map::new());
        Self { code, message: message.into(), hints, details, source: None }
    }

    /// Adds a next step.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<Hint>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// Adds a next step that ends in a call.
    #[must_use]
    pub fn hint_call(self, text: &str, call: NextCall) -> Self {
        self.hint(Hint::call(text, call))
    }

    /// Adds the question after an unknown name: the known name that it resembles most, if any.
    #[must_use]
    pub fn hint_near<'a>(self, wanted: &str, names: impl IntoIterator<Item = &'a str>) -> Self {
        near_name(wanted, names).into_iter().fold(self, Self::hint)
    }

    /// Adds a field that a program can read.
    #[must_use]
    pub fn detail(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.details.insert(key.into(), value.into());
        self
    }

    /// Adds the error that caused it.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// Invalid input.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(ProblemCode::ValidationError, message)
    }

    /// Something that does not exist.
    pub fn not_found(message: impl Into<String>) -> Self {
        Self::new(ProblemCode::NotFound, message)
    }

    /// A state that only a bug in cairn can lead to.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(ProblemCode::Internal, message).hint("this is a bug in cairn; please report it")
    }

    /// For `map_err`: an I/O failure while doing `what`.
    pub fn io(what: impl fmt::Display) -> impl FnOnce(io::Error) -> Self {
        move |error| {
            Self::new(ProblemCode::Io, format!("cannot {what}"))
                .hint(io_hint(&error))
                .with_source(error)
        }
    }
}

/// What a person can do about the usual failures of a disk.
fn io_hint(error: &io::Error) -> Hint {
    let text = match error.kind() {
        io::ErrorKind::PermissionDenied => "check who owns the file and its permissions",
        io::ErrorKind::ReadOnlyFilesystem => "the disk is read-only; nothing was written",
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "the disk is full; free some space and repeat the request"
        }
        io::ErrorKind::NotFound => "check that the file is there",
        _ if is_out_of_handles(error) => {
            "too many files are open; close some programs, or raise the limit with `ulimit -n`"
        }
        _ => {
            let doctor = NextCall::new("doctor");
            return Hint::call("repeat the request; files and stores are checked by", doctor);
        }
    };
    text.into()
}

/// Whether the process or the system can open no more files. `ErrorKind` has no value for it.
fn is_out_of_handles(error: &io::Error) -> bool {
    const EMFILE: i32 = 24;
    const ENFILE: i32 = 23;
    cfg!(unix) && matches!(error.raw_os_error(), Some(EMFILE | ENFILE))
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.message)?;
        self.source.iter().try_for_each(|source| write!(f, ": {source}"))
    }
}

impl Error for Problem {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}

impl Serialize for Problem {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let hints: Vec<String> = self.hints.iter().map(ToString::to_string).collect();
        let mut problem = serializer.serialize_struct("Problem", 4)?;
        problem.serialize_field("code", &self.code)?;
        problem.serialize_field("message", &self.to_string())?;
        problem.serialize_field("hints", &hints)?;
        problem.serialize_field("details", &self.details)?;
        problem.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_failure_underneath_is_told_in_text_and_json() {
        let problem = Problem::io("read a.md")(io::Error::other("torn"));
        assert_eq!(problem.to_string(), "cannot read a.md: torn");
        let json = serde_json::to_value(&problem).unwrap();
        assert_eq!(json["code"], "IO");
        assert_eq!(json["message"], "cannot read a.md: torn");
    }

    #[test]
    fn each_failure_of_a_disk_has_a_hint_that_fits_it() {
        for (errno, hint) in [
            (13, "permissions"),
            (28, "disk is full"),
            (30, "read-only"),
            (24, "too many files"),
            (23, "too many files"),
            (2, "file is there"),
        ] {
            let problem = Problem::io("read a.md")(io::Error::from_raw_os_error(errno));
            assert_eq!(problem.code, ProblemCode::Io);
            assert!(problem.hints[0].contains(hint), "{errno}: {:?}", problem.hints);
        }
    }
}
