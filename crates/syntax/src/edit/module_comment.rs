//! Finds the position of a file's module comment: after shebang, opening tag and licence, before
//! code.

use super::TextSplice;
use super::text_layout::{after_newline, byte_order_mark_len, line_end};
use crate::descriptor::ModuleCommentPosition;
use crate::{Language, doc_comments};

/// The ways to give a file a comment, best first.
pub(super) fn module_comment_candidates(
    language: Language,
    text: &str,
    said: &str,
    newline: &str,
) -> Vec<TextSplice> {
    let comment = language.descriptor().doc_forms.module.one_line_comment(said);
    let Some(HeaderPosition { offset: mut at, follows_prologue }) = header_position(language, text)
    else {
        return Vec::new();
    };
    if at == text.len() {
        let unfinished = at > 0 && !text.ends_with('\n') && at > byte_order_mark_len(text);
        let whole = if unfinished { [newline, &comment] } else { [comment.as_str(), newline] };
        return vec![TextSplice::insert(at, whole.concat())];
    }
    if language.descriptor().layout.module_comment == ModuleCommentPosition::AboveFirstStatement {
        at = text.len() - text[at..].trim_start().len();
        return vec![TextSplice::insert(at, [comment.as_str(), newline].concat())];
    }
    let apart = [comment.as_str(), newline, newline].concat();
    if !follows_prologue {
        return vec![TextSplice::insert(at, apart)];
    }
    if let Some(next) = after_newline(text, at) {
        return vec![TextSplice::insert(next, apart)];
    }
    let close = [comment.as_str(), newline].concat();
    let tries = [close.clone(), [newline, &close].concat(), [newline, newline, &apart].concat()];
    tries.into_iter().map(|text| TextSplice::insert(at, text)).collect()
}

/// Where the module comment of a file can start.
struct HeaderPosition {
    offset: usize,
    /// Whether a shebang, an opening tag or a licence comes before it
    follows_prologue: bool,
}

/// The first offset after the shebang, the opening tag and the licence.
fn header_position(language: Language, text: &str) -> Option<HeaderPosition> {
    let start = byte_order_mark_len(text);
    let mut at = start;
    if text[at..].starts_with("#!") && !text[at..].starts_with("#![") {
        at = next_line(text, at);
    }
    if let ModuleCommentPosition::AfterTag(tag) = language.descriptor().layout.module_comment {
        at += text[at..].find(tag)?;
        at = next_line(text, at);
    }
    while let Some(end) = notice_end(language, text, at) {
        at = end;
    }
    Some(HeaderPosition { offset: at, follows_prologue: at > start })
}

fn next_line(text: &str, at: usize) -> usize {
    let end = line_end(text, at);
    after_newline(text, end).unwrap_or(end)
}

/// The end of the licence or directive for tools that comes next, after empty lines; `None` if
/// something else does.
fn notice_end(language: Language, text: &str, from: usize) -> Option<usize> {
    let rest = text[from..].trim_start();
    let at = text.len() - rest.len();
    let comments = language.descriptor().comments;
    let block = comments.block.filter(|block| rest.starts_with(block.open));
    let end = if let Some(block) = block {
        at + rest.find(block.close)? + block.close.len()
    } else {
        let lines = rest.split_inclusive('\n');
        let comment = lines.take_while(|line| comments.is_plain_line(line.trim_start()));
        at + comment.map(str::len).sum::<usize>()
    };
    if end == at || !doc_comments::is_notice(&text[at..end]) {
        return None;
    }
    if text[..end].ends_with('\n') {
        return Some(end);
    }
    text[end..line_end(text, end)].trim().is_empty().then(|| next_line(text, end))
}
