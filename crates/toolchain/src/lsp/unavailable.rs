//! Why there is no answer of a language server, so that nothing found and nothing asked differ.

use std::fmt;
use std::time::Duration;

use base::Problem;

use crate::program_failure::ProgramFailure;

/// Why no server could be asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServerUnavailable {
    /// cairn knows no server for the language
    NoKnownServer,
    /// None of the servers that would do is installed
    NotInstalled {
        /// The programs that were looked for
        programs: Vec<String>,
        /// What installs the preferred one
        install: String,
    },
    /// It does not work, and will be tried again
    Failing {
        /// Its program
        program: String,
        /// What happened
        failure: ProgramFailure,
        /// When it is tried again, if not with the next question
        retry_after: Option<Duration>,
    },
    /// It reads the project, and would answer as if what it has not read were not there
    Loading {
        /// Its program
        program: String,
        /// What it says about how far it is
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
                write!(f, "{program} does not work: {dead}; it is tried again in {seconds} s")
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

/// Why one request has no answer.
#[derive(Debug)]
pub enum RequestFailure {
    /// The server ended
    ServerEnded(ProgramFailure),
    /// It did not answer in time; the request was taken back
    TimedOut(Duration),
    /// It answered that it cannot
    Refused(String),
    /// It never said that it can
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
            Self::Unsupported => write!(f, "it does not offer this"),
            Self::Interrupted(problem) => write!(f, "{problem}"),
        }
    }
}
