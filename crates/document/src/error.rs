//! What is wrong with a text, and where.

use std::error::Error;
use std::fmt;

use base::TextPosition;

/// Why a text cannot be read, or not be edited in place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentError {
    /// What is wrong, a lowercase fragment
    pub message: String,
    /// Where
    pub position: TextPosition,
}

impl DocumentError {
    /// An error at a position.
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
