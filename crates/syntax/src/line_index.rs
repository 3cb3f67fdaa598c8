//! Lines and columns of offsets.

use base::Span;

/// Where each line of a text starts.
pub(crate) struct LineIndex {
    starts: Vec<u32>,
}

impl LineIndex {
    /// Finds the lines of a text.
    pub fn new(text: &str) -> Self {
        let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let starts = breaks.map(|(at, _)| offset(at + 1));
        Self { starts: std::iter::once(0).chain(starts).collect() }
    }

    /// The line of an offset, from 1.
    pub fn line(&self, at: u32) -> u32 {
        offset(self.starts.partition_point(|start| *start <= at))
    }

    /// The line and the column of an offset, both from 1, the column in characters.
    pub fn line_and_column(&self, text: &str, at: u32) -> (u32, u32) {
        let line = self.line(at);
        let start = self.starts[(line - 1) as usize];
        let before = text.get(Span::new(start, at.max(start)).range()).unwrap_or_default();
        (line, offset(before.chars().count()) + 1)
    }
}

/// An offset as the facts keep it. Texts over 4 GiB are never read.
pub(crate) fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}
