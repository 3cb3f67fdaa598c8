//! Doc comments as text: how each language writes one, and how a line is put into one.
//!
//! Putting a line in is injective: no two comments become the same one, so that taking the line
//! out again can give back exactly what was there. That is why a closing mark stays on the line it
//! is on, and why an empty line comes before a first tag even where there is one already.

use base::Span;

use super::TextSplice;
use super::text_layout::{indent_at, line_end, line_start};
use crate::Language;
use crate::descriptor::DocCommentForm;

impl DocCommentForm {
    /// How an existing comment is written.
    fn detect(language: Language, raw: &str) -> Self {
        if raw.starts_with("/*") {
            return Self::Block("/**");
        }
        let last = raw.lines().last().unwrap_or_default().trim_start();
        let mut markers = language.descriptor().doc_forms.line_markers.iter();
        let marker = markers.find(|marker| last.starts_with(**marker));
        marker.map_or(Self::Docstring, |marker| Self::Lines(marker))
    }

    /// A new comment of one line.
    pub fn one_line_comment(self, said: &str) -> String {
        match self {
            Self::Block(mark) => format!("{mark} {said} */"),
            Self::Lines(mark) => format!("{mark} {said}"),
            Self::Docstring => format!("\"\"\"{said}\"\"\""),
        }
    }
}

/// The ways to put a line into a comment, best first.
pub(super) fn line_insertion_candidates(
    language: Language,
    text: &str,
    comment: Span,
    said: &str,
    newline: &str,
) -> Vec<TextSplice> {
    let raw = &text[comment.range()];
    match DocCommentForm::detect(language, raw) {
        DocCommentForm::Block(_) => insert_into_block_comment(text, comment, said, newline),
        DocCommentForm::Lines(mark) => insert_into_line_comment(text, comment, mark, said, newline),
        DocCommentForm::Docstring => insert_into_docstring(text, comment, said, newline),
    }
}

fn insert_into_line_comment(
    text: &str,
    comment: Span,
    mark: &str,
    said: &str,
    newline: &str,
) -> Vec<TextSplice> {
    let (start, end) = (comment.start as usize, line_end(text, comment.end as usize));
    let indent = indent_at(text, end);
    let last = text[line_start(text, end)..end].trim();
    let gap = if is_tag(last.trim_start_matches(mark)) {
        String::new()
    } else {
        format!("{newline}{indent}{mark}")
    };
    let after = TextSplice::insert(end, format!("{gap}{newline}{indent}{mark} {said}"));
    // A comment that ends within a code block has room for a tag only above that.
    let above = TextSplice::insert(start, format!("{mark} {said}{newline}{indent}"));
    vec![after, above]
}

fn insert_into_block_comment(
    text: &str,
    comment: Span,
    said: &str,
    newline: &str,
) -> Vec<TextSplice> {
    let (start, raw) = (comment.start as usize, &text[comment.range()]);
    let inner = raw.strip_suffix('/').unwrap_or(raw).trim_end_matches('*');
    let content = inner.trim_end();
    let closing = &inner[content.len()..];
    let last = content.rsplit('\n').next().unwrap_or_default();
    let bare = last.trim().trim_start_matches('/').trim_start_matches(['*', '!']);
    let is_first = !content.contains('\n');
    let lead = block_line_prefix(text, comment, content, closing);
    let gap = if is_tag(bare) || (is_first && bare.trim().is_empty()) {
        String::new()
    } else {
        format!("{}{newline}", lead.trim_end())
    };
    if let Some(newline_at) = closing.rfind('\n') {
        let at = start + content.len() + newline_at + 1;
        return vec![TextSplice::insert(at, format!("{gap}{lead}{said}{newline}"))];
    }
    vec![TextSplice::insert(start + content.len(), format!("{newline}{gap}{lead}{said}"))]
}

/// What the lines of a block comment start with.
fn block_line_prefix(text: &str, comment: Span, content: &str, closing: &str) -> String {
    if let Some((_, last)) = content.rsplit_once('\n') {
        let blank = &last[..last.len() - last.trim_start().len()];
        let star = if last.trim_start().starts_with('*') { "* " } else { "" };
        return format!("{blank}{star}");
    }
    match closing.rsplit_once('\n') {
        Some((_, blank)) => format!("{blank}* "),
        None => format!("{} * ", indent_at(text, comment.start as usize)),
    }
}

fn insert_into_docstring(text: &str, comment: Span, said: &str, newline: &str) -> Vec<TextSplice> {
    let Some(parts) = PythonDocstring::parse(&text[comment.range()]) else { return Vec::new() };
    let start = comment.start as usize;
    let indent = indent_at(text, start);
    if !parts.is_triple_quoted() {
        let long = parts.quote.repeat(3);
        let gap = if parts.content.is_empty() { newline } else { &[newline, newline].concat() };
        let whole = format!("{}{long}{said}{gap}{indent}{}{long}", parts.prefix, parts.content);
        return vec![TextSplice { span: comment, text: whole }];
    }
    let content = parts.content.trim_end();
    let closing = &parts.content[content.len()..];
    let begin = start + parts.prefix.len() + parts.quote.len();
    let last = content.rsplit('\n').next().unwrap_or_default();
    let gap = if is_tag(last) || content.trim().is_empty() { "" } else { newline };
    if let Some(newline_at) = closing.rfind('\n') {
        let indent = &closing[newline_at + 1..];
        let at = begin + content.len() + newline_at + 1;
        return vec![TextSplice::insert(at, format!("{gap}{indent}{said}{newline}"))];
    }
    vec![TextSplice::insert(begin + content.len(), format!("{newline}{gap}{indent}{said}"))]
}

/// A Python string, taken apart.
pub(super) struct PythonDocstring<'t> {
    /// `r`, `u`
    pub prefix: &'t str,
    /// One or three quotes
    pub quote: &'t str,
    /// What is between them
    pub content: &'t str,
}

impl<'t> PythonDocstring<'t> {
    /// Takes a string literal apart.
    pub fn parse(raw: &'t str) -> Option<Self> {
        let begin = raw.find(['"', '\''])?;
        let (prefix, rest) = raw.split_at(begin);
        let is_long = rest.starts_with("\"\"\"") || rest.starts_with("'''");
        let quote = &rest[..if is_long { 3 } else { 1 }];
        let content = rest.strip_prefix(quote)?.strip_suffix(quote)?;
        Some(Self { prefix, quote, content })
    }

    /// Whether it may go over several lines.
    pub const fn is_triple_quoted(&self) -> bool {
        self.quote.len() == 3
    }
}

/// Whether a line of a comment, without its marks, is a tag.
fn is_tag(line: &str) -> bool {
    line.trim_start().starts_with(['@', '\\'])
}
