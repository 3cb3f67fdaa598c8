//! Why a file is left unchanged.

use std::fmt;

use base::TextPosition;

/// A file that cannot be edited safely, so it is left unchanged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MalformedFile {
    /// The line of the error, from 1
    pub line: u32,
    /// What is wrong
    pub message: String,
    /// What to change by hand
    pub hint: Option<String>,
}

impl MalformedFile {
    /// An error at a byte of a text.
    pub(crate) fn at(text: &[u8], offset: usize, message: impl Into<String>) -> Self {
        let before = String::from_utf8_lossy(&text[..offset.min(text.len())]);
        let line = TextPosition::of_byte(&before, before.len()).line;
        Self { line, message: message.into(), hint: None }
    }

    /// Adds what to change by hand.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl fmt::Display for MalformedFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for MalformedFile {}
