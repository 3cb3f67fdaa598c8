//! Why a file is left alone.

use std::fmt;

/// A file that cannot be edited safely, so it is not edited at all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MalformedFile {
    /// Line of the trouble, from 1
    pub line: usize,
    /// What is wrong
    pub message: String,
    /// What to do by hand
    pub hint: Option<String>,
}

impl MalformedFile {
    /// Trouble at a byte of a text.
    pub(crate) fn at(text: &[u8], offset: usize, message: impl Into<String>) -> Self {
        let before = &text[..offset.min(text.len())];
        let line = before.split(|byte| *byte == b'\n').count();
        Self { line, message: message.into(), hint: None }
    }

    /// Says what to do by hand.
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
