//! Why a language server gave no answer, so that "nothing was found" and "nothing was asked" can be
//! told apart.

use std::fmt;
use std::time::Duration;

use base::Problem;

use crate::program_failure::ProgramFailure;

/// Why no server could be asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServerUnavailable {
    /// cairn knows no server for the language
    NoKnownServer,
    /// None of the servers for the language is installed
    NotInstalled {
        /// The programs that were looked for
        programs: Vec<String>,
        /// The command that installs the preferred one
        install: String,
    },
    /// The server fails and will be tried again
    Failing {
        /// Its program
        program: String,
        /// How it failed
        failure: ProgramFailure,
        /// When it is tried again; `None` means at the next request
        retry_after: Option<Duration>,
    },
    /// The server is still loading the project. It would answer as if the rest of the project did
    /// not exist
    Loading {
        /// Its program
        program: String,
        /// The progress that it reports
        progress: Option<String>,
    },
}

impl fmt::Display for ServerUnavailable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoKnownServer => write!(f, "no language server is known for it"),
            Self::NotInstalled { programs, .. } => {
                write!(f, "{} is not installed", programs.join(" or "))
            }
            Self::Failing { program, failure: dead, retry_after: None } => {
                write!(f, "{program} does not work: {dead}")
            }
            Self::Failing { program, failure: dead, retry_after: Some(again) } => {
                let seconds = again.as_secs().max(1);
                write!(f, "{program} does not work: {dead}; next attempt in {seconds} s")
            }
            Self::Loading { program, progress: None } => {
                write!(f, "{program} is still loading the project")
            }
            Self::Loading { program, progress: Some(progress) } => {
                write!(f, "{program} is still loading the project: {progress}")
            }
        }
    }
}

/// Why a request got no answer.
#[derive(Debug)]
pub enum RequestFailure {
    /// The server ended
    ServerEnded(ProgramFailure),
    /// The answer did not come in time, and the request was cancelled
    TimedOut(Duration),
    /// The server refused it
    Refused(String),
    /// The server did not announce the capability
    Unsupported,
    /// The caller no longer waits
    Interrupted(Problem),
}

impl fmt::Display for RequestFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ServerEnded(dead) => write!(f, "{dead}"),
            Self::TimedOut(waited) => {
                write!(f, "it did not answer within {} s", waited.as_secs_f32())
            }
            Self::Refused(why) => write!(f, "it refused: {why}"),
            Self::Unsupported => write!(f, "it does not support this request"),
            Self::Interrupted(problem) => write!(f, "{problem}"),
        }
    }
}
