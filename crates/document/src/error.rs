//! What is wrong with a text, and where.

use std::error::Error;
use std::fmt;

/// A place in a text, both counted from 1; the column in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TextPosition {
    /// The line
    pub line: u32,
    /// The character in it
    pub column: u32,
}

impl TextPosition {
    /// The first character of a text.
    pub const START: Self = Self { line: 1, column: 1 };

    /// The place of a byte of a text.
    pub fn of_byte(text: &str, byte: usize) -> Self {
        let before = text.get(..byte).unwrap_or(text);
        let last = before.rfind('\n').map_or(0, |at| at + 1);
        let line = before.bytes().filter(|byte| *byte == b'\n').count();
        Self {
            line: saturating_u32(line) + 1,
            column: saturating_u32(before[last..].chars().count()) + 1,
        }
    }
}

/// A count as it is kept; texts are far smaller than what does not fit.
pub(crate) fn saturating_u32(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// Why a text cannot be read, or not be edited in place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentError {
    /// What is wrong, as a lowercase fragment
    pub message: String,
    /// Where
    pub position: TextPosition,
}

impl DocumentError {
    /// A fault at a place.
    pub fn new(message: impl Into<String>, position: TextPosition) -> Self {
        Self { message: message.into(), position }
    }
}

impl fmt::Display for DocumentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {}", self.position.line, self.position.column, self.message)
    }
}

impl Error for DocumentError {}
