//! Candidate ranges to delete when a `@see` link is removed.

use base::Span;

use super::TextSplice;
use super::doc_comment::PythonDocstring;
use super::text_layout::{
    after_newline, before_newline, indent_at, is_first_on_line, line_end, line_start,
};
use crate::line_index::offset;

/// The ranges that `add_doc_link` may have inserted.
pub(super) fn inverse_insertion_candidates(
    text: &str,
    comment: Span,
    target: Span,
) -> Vec<TextSplice> {
    let (start, end) = (comment.start as usize, comment.end as usize);
    let line = (line_start(text, target.start as usize), line_end(text, target.start as usize));
    let mut tries = Vec::new();
    if start >= line.0 && end <= line.1 {
        whole_line_candidates(text, start, end, &mut tries);
    }
    let target_end = (target.end as usize).min(line.1);
    // The line alone or with the empty comment line above it; in both cases whole or up to the
    // closing mark.
    let before = before_newline(text, line.0).map(|end| line_start(text, end));
    let begins = std::iter::once(line.0).chain(before.filter(|at| *at >= line_start(text, start)));
    for begin in begins {
        if let Some(next) = after_newline(text, line.1) {
            tries.push(TextSplice::remove(begin, next));
        }
        if let Some(above) = before_newline(text, begin) {
            tries.push(TextSplice::remove(above, line.1));
            tries.push(TextSplice::remove(above, target_end));
        }
    }
    tries.extend(short_docstring(text, comment, target));
    tries
}

/// A comment of one line with the white space that may have come with it.
fn whole_line_candidates(text: &str, start: usize, end: usize, tries: &mut Vec<TextSplice>) {
    let indent = indent_at(text, start);
    let mut ends = vec![end];
    for gap in [" ", "; "] {
        if text[end..].starts_with(gap) {
            ends.push(end + gap.len());
        }
    }
    if let Some(next) = after_newline(text, end) {
        ends.push(next);
        if text[next..].starts_with(indent) {
            ends.push(next + indent.len());
        }
        ends.extend(after_newline(text, next));
    }
    let mut starts = vec![start];
    for _ in 0..2 {
        starts.extend(before_newline(text, starts[starts.len() - 1]));
    }
    for start in starts {
        tries.extend(ends.iter().rev().map(|end| TextSplice::remove(start, *end)));
    }
}

/// A docstring of one line that was made long to hold a link.
fn short_docstring(text: &str, comment: Span, target: Span) -> Option<TextSplice> {
    let parts =
        PythonDocstring::parse(&text[comment.range()]).filter(PythonDocstring::is_triple_quoted)?;
    let quote = &parts.quote[..1];
    let (first, rest) = parts.content.split_once('\n')?;
    let is_first = target.start < comment.start + offset(parts.prefix.len() + 3 + first.len());
    let content = rest.trim_start();
    is_first
        .then(|| TextSplice { span: comment, text: [parts.prefix, quote, content, quote].concat() })
}

/// What a person would cut out: the comment that says nothing else, or the tag.
pub(super) fn line_removal_candidates(text: &str, comment: Span, target: Span) -> Vec<TextSplice> {
    let (start, end) = (comment.start as usize, comment.end as usize);
    let said = text[comment.range()].lines().filter(|line| line.contains(char::is_alphanumeric));
    let mut tries = Vec::new();
    if said.count() == 1 {
        let next = after_newline(text, end).filter(|_| is_first_on_line(text, start));
        tries.push(match next {
            Some(next) => TextSplice::remove(line_start(text, start), next),
            None => TextSplice::remove(start, end),
        });
    }
    let line = (line_start(text, target.start as usize), line_end(text, target.start as usize));
    let is_inside = line.0 > start && line.1 < end;
    if is_inside && let Some(next) = after_newline(text, line.1) {
        tries.push(TextSplice::remove(line.0, next));
    }
    // The tag alone, where it shares its line with a mark.
    let tag = text[line.0..target.start as usize].rfind(['@', '\\']).map(|at| line.0 + at);
    tries.extend(tag.map(|tag| TextSplice::remove(tag, target.end as usize)));
    tries
}
