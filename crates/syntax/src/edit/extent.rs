//! The extent of a symbol in its file: leading comments, declaration, trailing separator.

use base::Span;

use super::text_layout::{
    before_newline, byte_order_mark_len as bom, indent_at, is_first_on_line, line_end, line_start,
};
use crate::descriptor::DeclaratorLists;
use crate::line_index::offset;
use crate::model::Symbol;
use crate::{Language, doc_comments};

/// Tokens that close a list of members.
const CLOSERS: [&str; 7] = ["}", ")", "]", "end", "#endif", "#else", "#elif"];

/// A symbol and the positions around it that edits need.
#[derive(Debug, Clone, Copy)]
pub(super) struct SymbolExtent {
    /// Where the plain comments right above it start, or where it starts itself
    pub leading_start: usize,
    /// Where it starts, doc comment and decorators included
    pub start: usize,
    /// Where it ends
    pub end: usize,
    /// The end of what still belongs to it: a comma or semicolon, and a comment on its line
    pub trailing_end: usize,
    /// The comma or semicolon after it
    pub separator: Option<char>,
    /// Whether a comma precedes it
    pub after_comma: bool,
}

impl SymbolExtent {
    /// How far a symbol reaches.
    pub fn of_symbol(language: Language, text: &str, symbol: &Symbol) -> Self {
        let span = declaration_span(language, text, symbol);
        let (start, end) = (span.start as usize, span.end as usize);
        let TrailingSeparator { separator, end: past } = trailing_separator(text, end);
        let leading_start = leading_comments_start(language, text, start);
        let after_comma = text[..leading_start].trim_end().ends_with(',');
        Self {
            leading_start,
            start,
            end,
            trailing_end: trailing_comment_end(language, text, past),
            separator,
            after_comma,
        }
    }

    /// Where the white space before it starts.
    pub fn gap_before(&self, text: &str) -> usize {
        text[..self.leading_start].trim_end().len().max(bom(text))
    }

    /// Where the white space after it ends.
    pub fn gap_after(&self, text: &str) -> usize {
        text.len() - text[self.trailing_end..].trim_start().len()
    }

    /// Whether nothing of its own level follows.
    pub fn is_last(&self, text: &str) -> bool {
        let next = self.gap_after(text);
        let rest = &text[next..];
        if rest.is_empty() || CLOSERS.iter().any(|closer| rest.starts_with(closer)) {
            return true;
        }
        let deeper = is_first_on_line(text, self.start) && is_first_on_line(text, next);
        deeper && indent_at(text, next).len() < indent_at(text, self.start).len()
    }
}

/// The span of the symbol itself. For one declarator of several it is that declarator.
pub(super) fn declaration_span(language: Language, text: &str, symbol: &Symbol) -> Span {
    let is_part = is_declarator(language, text, symbol);
    let whole = if is_part { symbol.declaration } else { symbol.span };
    // Some grammars count the end of the line as part of a declaration.
    let written = text[whole.range()].trim_end().len();
    Span::new(whole.start, whole.start + offset(written))
}

/// Whether a declaration is one of several after the same keyword or type.
fn is_declarator(language: Language, text: &str, symbol: &Symbol) -> bool {
    let before = symbol.doc.iter().map(|doc| doc.span.end);
    let before = before.chain(symbol.decorators.iter().map(|one| one.span.end)).max();
    let start = symbol.declaration.start;
    let head = Span::new(before.unwrap_or_default().clamp(symbol.span.start, start), start);
    let words = text[head.range()].trim();
    match language.descriptor().layout.declarator_lists {
        DeclaratorLists::None => false,
        DeclaratorLists::AfterKeyword(keywords) => {
            keywords.iter().any(|word| words.ends_with(word))
        }
        DeclaratorLists::AfterType => {
            !words.is_empty()
                && trailing_separator(text, symbol.declaration.end as usize).separator == Some(',')
        }
        // The comment above a group is read as that of its first member.
        DeclaratorLists::InParentheses => words.ends_with('('),
    }
}

/// The separator after a declaration.
struct TrailingSeparator {
    /// A comma or semicolon
    separator: Option<char>,
    /// The offset after it, or after the declaration if there is none
    end: usize,
}

/// The comma or semicolon that follows an offset.
fn trailing_separator(text: &str, end: usize) -> TrailingSeparator {
    let rest = text[end..].trim_start_matches([' ', '\t']);
    match rest.chars().next() {
        Some(mark @ (',' | ';')) => {
            TrailingSeparator { separator: Some(mark), end: text.len() - rest.len() + 1 }
        }
        _ => TrailingSeparator { separator: None, end },
    }
}

/// The end of a comment that is the rest of the line, or the offset itself.
fn trailing_comment_end(language: Language, text: &str, at: usize) -> usize {
    let end = line_end(text, at);
    let rest = text[at..end].trim();
    let comments = language.descriptor().comments;
    // `///<` documents what is before it, `///` what is after it.
    let marker_len = comments.doc_marker_len(rest);
    let documents_next = marker_len > 0 && !rest[marker_len..].starts_with('<');
    let is_comment = !documents_next && comments.comment_len(rest) == rest.len();
    if is_comment { at + text[at..end].trim_end().len() } else { at }
}

/// The start of the plain comments on the lines right above.
fn leading_comments_start(language: Language, text: &str, start: usize) -> usize {
    if !is_first_on_line(text, start) {
        return start;
    }
    let mut at = start;
    while let Some(above) = before_newline(text, line_start(text, at)) {
        let begin = line_start(text, above);
        let line = text[begin..above].trim();
        let comments = language.descriptor().comments;
        let is_comment = comments.is_leading_line(line);
        if !is_comment || doc_comments::is_notice(line) {
            break;
        }
        at = begin + indent_at(text, begin).len();
    }
    at
}

/// The number of line breaks in a text.
pub(super) fn count_newlines(text: &str) -> usize {
    text.matches('\n').count()
}
