//! The source of a place, with the numbers of its lines. Every answer that shows code reads it
//! here.

use std::collections::HashMap;

use base::{Problem, RepoPath, Result};
use code::SymbolRow;
use schemars::JsonSchema;
use serde::Serialize;
use syntax::{Language, Symbol};
use tree::FileContent;

use engine::index::tables;
use engine::view::View;

/// Size above which the text of a file is not read, in bytes.
const MAX_FILE_BYTES: u64 = 64 * 1024 * 1024;

/// Maximum number of comment and attribute lines above a declaration that belong to it.
const MAX_LEADING_LINES: usize = 60;

/// Prefixes of the lines above a declaration that belong to it.
const LEADING_LINE_PREFIXES: [&str; 7] = ["//", "#", "@", "/*", "*", "--", "[<"];

/// A range of a file's lines
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Excerpt {
    /// The number of the first line, from 1
    pub first_line: u32,
    /// The number of the last line
    pub last_line: u32,
    /// The lines
    pub text: String,
}

/// A file's text with the numbers of its lines.
pub(crate) struct SourceText {
    text: String,
    /// Where each line of the text starts
    starts: Vec<usize>,
    /// Where each line of the file starts; a notebook is shown without its JSON
    file_starts: Vec<usize>,
    /// The file as it was read; `None` for a text that is no file
    file: Option<FileContent>,
}

impl SourceText {
    /// Reads a file of the working tree.
    pub(crate) fn read(view: &View, path: &RepoPath) -> Result<Self> {
        match view.tree().read_at_most(path, MAX_FILE_BYTES)? {
            Some(Ok(file)) => {
                let text = String::from_utf8_lossy(&file.bytes).into_owned();
                let file_starts = line_starts(&text);
                let text = Self::new(syntax::displayed_text(path, text));
                Ok(Self { file_starts, file: Some(file), ..text })
            }
            Some(Err(size)) => Err(Problem::invalid(format!("`{path}` has {size} bytes"))
                .hint(format!("files over {MAX_FILE_BYTES} bytes are not shown"))),
            None => Err(Problem::not_found(format!("no file `{path}`"))),
        }
    }

    pub(crate) fn new(text: String) -> Self {
        let starts = line_starts(&text);
        Self { text, file_starts: starts.clone(), starts, file: None }
    }

    /// Whether the index describes this text. An answer from a stale index may read a newer file.
    pub(crate) fn is_as_indexed(&self, view: &View, path: &RepoPath) -> Result<bool> {
        let Some(file) = &self.file else { return Ok(true) };
        let indexed = tables::content_hash(view.index()?.conn(), path)?;
        Ok(indexed.is_none_or(|indexed| indexed == file.hash))
    }

    /// The symbols of the index with their places in this text. If the file has changed since it
    /// was indexed, the places come from the text, and symbols that are no longer in it are left
    /// out.
    pub(crate) fn in_place(
        &self,
        view: &View,
        path: &RepoPath,
        mut symbols: Vec<SymbolRow>,
    ) -> Result<Vec<SymbolRow>> {
        let changed = self.file.as_ref().filter(|_| !symbols.is_empty());
        let Some(file) = changed else { return Ok(symbols) };
        if self.is_as_indexed(view, path)? {
            return Ok(symbols);
        }
        let facts = syntax::extract(Language::from_path(path), &file.bytes);
        let listed = facts.symbols.iter().filter(|symbol| symbol.is_listed()).rev();
        let current: HashMap<&str, &Symbol> =
            listed.map(|symbol| (symbol.path.as_str(), symbol)).collect();
        symbols.retain_mut(|row| {
            let Some(symbol) = current.get(row.full.as_str()) else { return false };
            (row.line, row.end_line, row.span) = (symbol.line, symbol.end_line, symbol.span);
            true
        });
        Ok(symbols)
    }

    /// How many lines there are.
    pub(crate) fn line_count(&self) -> u32 {
        u32::try_from(self.starts.len()).unwrap_or(u32::MAX)
    }

    /// The number of the line that a byte is in.
    pub(crate) fn line_at(&self, byte: u32) -> u32 {
        let at = self.file_starts.partition_point(|start| *start <= byte as usize);
        u32::try_from(at).unwrap_or(u32::MAX).max(1)
    }

    /// One line, without its end.
    pub(crate) fn line(&self, number: u32) -> &str {
        self.lines(number, number).trim_end_matches(['\n', '\r'])
    }

    /// Some lines, both ends included.
    pub(crate) fn lines(&self, first: u32, last: u32) -> &str {
        let start = self.starts.get((first.max(1) - 1) as usize).copied();
        let end = self.starts.get(last as usize).copied().unwrap_or(self.text.len());
        start.filter(|start| *start <= end).map_or("", |start| &self.text[start..end])
    }

    /// All of the text.
    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    /// The first and last line of a symbol's declaration.
    pub(crate) fn lines_of(&self, symbol: &SymbolRow) -> LineRange {
        let first = self.line_at(symbol.span.start).min(symbol.line);
        LineRange { first, last: symbol.end_line.max(first).min(self.line_count()) }
    }

    /// Like [`Self::lines_of`], including the comments and attributes right above it.
    pub(crate) fn lines_with_docs(&self, symbol: &SymbolRow) -> LineRange {
        let LineRange { first, last } = self.lines_of(symbol);
        let belongs = |number: &u32| {
            let line = self.line(*number).trim_start();
            LEADING_LINE_PREFIXES.iter().any(|start| line.starts_with(start))
        };
        let above = (1..first).rev().take(MAX_LEADING_LINES).take_while(belongs).last();
        LineRange { first: above.unwrap_or(first), last }
    }

    /// Some lines as a part of an answer.
    pub(crate) fn excerpt(&self, range: LineRange) -> Excerpt {
        let LineRange { first, last } = range;
        let text = self.lines(first, last).trim_end_matches(['\n', '\r']).to_owned();
        Excerpt { first_line: first, last_line: last.min(self.line_count()), text }
    }
}

/// Where each line of a text starts.
fn line_starts(text: &str) -> Vec<usize> {
    let after = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
    let starts = std::iter::once(0).chain(after.map(|(at, _)| at + 1));
    starts.filter(|start| *start == 0 || *start < text.len()).collect()
}

/// The note on left-out lines, printed before the call that shows them.
pub(crate) fn omitted_lines_text(count: u32) -> String {
    format!("… {}", base::words::counted(count, "more line"))
}

/// The numbers of a first and a last line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct LineRange {
    pub first: u32,
    pub last: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_numbered_from_one_and_ends_are_included() {
        let text = SourceText::new("a\nb\nc\n".into());
        assert_eq!((text.line_count(), text.lines(2, 3), text.line(3)), (3, "b\nc\n", "c"));
        assert_eq!((text.line_at(0), text.line_at(2), text.line_at(5)), (1, 2, 3));
        assert_eq!((text.lines(3, 9), text.lines(7, 9)), ("c\n", ""));
        let none = SourceText::new(String::new());
        assert_eq!((none.line_count(), none.lines(1, 1)), (1, ""));
    }
}
