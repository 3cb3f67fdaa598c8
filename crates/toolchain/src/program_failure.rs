//! Why a program cannot be used, with what a person can do about it.

use std::fmt;
use std::process::ExitStatus;
use std::time::Duration;

/// The most characters of a program's message that are shown.
const MAX_SHOWN_CHARS: usize = 300;

/// Why a program failed. The program's own message, if there is one, is one escaped line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProgramFailure {
    /// The system could not start it
    NotStarted {
        /// The error of the system
        reason: String,
    },
    /// It ended before it answered
    Exited {
        /// How it ended
        status: ExitStatus,
        /// The most relevant line of its output
        message: Option<String>,
    },
    /// It did not answer in time
    TimedOut {
        /// How long we waited
        waited: Duration,
        /// The most relevant line of stderr
        message: Option<String>,
    },
    /// Its output is not valid in the protocol
    InvalidOutput {
        /// The start of its output
        message: Option<String>,
    },
    /// It answered that it cannot work
    Refused {
        /// The reason it gave
        message: Option<String>,
    },
    /// It used too much memory
    MemoryExceeded {
        /// The memory that it used, in bytes
        used: u64,
        /// The limit, in bytes
        limit: u64,
    },
    /// Its output is too large
    OutputTooLarge {
        /// The limit, in bytes
        limit: usize,
    },
    /// It was stopped because it was not used or did not answer
    Stopped,
}

impl fmt::Display for ProgramFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let said = match self {
            Self::NotStarted { reason: why } => return write!(f, "it did not start: {why}"),
            Self::Exited { status, message: said } => {
                write!(f, "it ended instead of answering ({status})")?;
                said
            }
            Self::TimedOut { waited, message: said } => {
                write!(f, "it did not answer within {} s", waited.as_secs_f32())?;
                said
            }
            Self::InvalidOutput { message: said } => {
                write!(f, "it does not speak the language server protocol")?;
                said
            }
            Self::Refused { message: said } => {
                write!(f, "it refused to work")?;
                said
            }
            Self::MemoryExceeded { used, limit } => {
                let (used, limit) = (used >> 20, limit >> 20);
                return write!(
                    f,
                    "it was stopped: it used {used} MB of memory; the limit is {limit}"
                );
            }
            Self::OutputTooLarge { limit } => {
                return write!(f, "it was stopped: it wrote more than {} MB", limit >> 20);
            }
            Self::Stopped => return write!(f, "it was stopped"),
        };
        said.iter().try_for_each(|said| write!(f, ": {said}"))
    }
}

impl std::error::Error for ProgramFailure {}

/// The first line that names an error, since interpreters print where they stopped before why;
/// otherwise the first line.
pub(crate) fn most_relevant_line(output: &[u8]) -> Option<String> {
    let output = String::from_utf8_lossy(output);
    let mut lines = output.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.clone().next()?;
    Some(escape_for_display(lines.find(|line| names_error(line)).unwrap_or(first)))
}

/// Whether a line announces an error, as `Error: …`, `error TS5023: …` and `TypeError [ERR_…]: …`
/// do. A line of code that throws an error does not.
fn names_error(line: &str) -> bool {
    let head = line.split([':', '[']).next().unwrap_or_default().to_ascii_lowercase();
    head.split_whitespace().any(|word| word.ends_with("error"))
}

/// A text that is safe to show: shortened, with every invisible character escaped.
pub(crate) fn escape_for_display(text: &str) -> String {
    let mut shown = String::new();
    for (count, char) in text.chars().enumerate() {
        match char {
            _ if count == MAX_SHOWN_CHARS => {
                shown.push('…');
                break;
            }
            '\'' | '"' | '\\' => shown.push(char),
            char => shown.extend(char.escape_debug()),
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_that_tells_most_is_shown() {
        let node =
            "node:internal/loader:1228\n  throw err;\n  ^\n\nError: Cannot find module 'a'\n";
        assert_eq!(most_relevant_line(node.as_bytes()).unwrap(), "Error: Cannot find module 'a'");
        let python = "Traceback:\n  raise ValueError('a: b')\nValueError: a: b\n";
        assert_eq!(most_relevant_line(python.as_bytes()).unwrap(), "ValueError: a: b");
        assert_eq!(most_relevant_line(b"\n  usage: a\nb\n").unwrap(), "usage: a");
        assert_eq!(most_relevant_line(b" \n"), None);
    }

    #[test]
    fn what_is_not_plainly_visible_is_escaped_and_length_has_a_limit() {
        assert_eq!(
            escape_for_display("\u{1b}[31m\u{202e}né\u{7}\"\\"),
            "\\u{1b}[31m\\u{202e}né\\u{7}\"\\"
        );
        assert_eq!(escape_for_display(&"é".repeat(1000)), "é".repeat(MAX_SHOWN_CHARS) + "…");
    }

    #[test]
    fn reasons_read_as_sentences() {
        let silent =
            ProgramFailure::TimedOut { waited: Duration::from_millis(1500), message: None };
        assert_eq!(silent.to_string(), "it did not answer within 1.5 s");
        let garbage = ProgramFailure::InvalidOutput { message: Some("hello".into()) };
        assert_eq!(garbage.to_string(), "it does not speak the language server protocol: hello");
    }
}
