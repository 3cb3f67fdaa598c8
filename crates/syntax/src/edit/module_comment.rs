//! Where a comment about the whole file goes: after what has to be first, before the rest.

use super::TextSplice;
use super::doc_comment::DocCommentForm;
use super::text_layout::{after_newline, byte_order_mark_len, line_end};
use crate::{Language, doc_comments};

/// The ways to give a file a comment, best first.
pub(super) fn module_comment_candidates(
    language: Language,
    text: &str,
    said: &str,
    newline: &str,
) -> Vec<TextSplice> {
    let comment = DocCommentForm::for_module(language).one_line_comment(said);
    let Some((mut at, opened)) = first_free_offset(language, text) else { return Vec::new() };
    if at == text.len() {
        let unfinished = at > 0 && !text.ends_with('\n') && at > byte_order_mark_len(text);
        let whole = if unfinished { [newline, &comment] } else { [comment.as_str(), newline] };
        return vec![TextSplice::insert(at, whole.concat())];
    }
    if language == Language::Go {
        // What stands right above `package` is its documentation.
        at = text.len() - text[at..].trim_start().len();
        return vec![TextSplice::insert(at, [comment.as_str(), newline].concat())];
    }
    let apart = [comment.as_str(), newline, newline].concat();
    if !opened {
        return vec![TextSplice::insert(at, apart)];
    }
    if let Some(next) = after_newline(text, at) {
        return vec![TextSplice::insert(next, apart)];
    }
    let close = [comment.as_str(), newline].concat();
    let tries = [close.clone(), [newline, &close].concat(), [newline, newline, &apart].concat()];
    tries.into_iter().map(|text| TextSplice::insert(at, text)).collect()
}

/// The first offset that is free, and whether something had to come before it.
fn first_free_offset(language: Language, text: &str) -> Option<(usize, bool)> {
    let start = byte_order_mark_len(text);
    let mut at = start;
    if text[at..].starts_with("#!") && !text[at..].starts_with("#![") {
        at = next_line(text, at);
    }
    if language == Language::Php {
        at += text[at..].find("<?php")?;
        at = next_line(text, at);
    }
    while let Some(end) = notice_end(language, text, at) {
        at = end;
    }
    Some((at, at > start))
}

fn next_line(text: &str, at: usize) -> usize {
    let end = line_end(text, at);
    after_newline(text, end).unwrap_or(end)
}

/// Where a licence or a line for tools ends that comes next, empty lines before it left out.
fn notice_end(language: Language, text: &str, from: usize) -> Option<usize> {
    let rest = text[from..].trim_start();
    let at = text.len() - rest.len();
    let mark = match language {
        Language::Python | Language::Ruby | Language::Bash => "#",
        _ => "//",
    };
    let end = if rest.starts_with("/*") && mark == "//" {
        at + rest.find("*/")? + 2
    } else {
        let lines =
            rest.split_inclusive('\n').take_while(|line| is_plain_comment(language, line, mark));
        at + lines.map(str::len).sum::<usize>()
    };
    if end == at || !doc_comments::is_notice(&text[at..end]) {
        return None;
    }
    if text[..end].ends_with('\n') {
        return Some(end);
    }
    text[end..line_end(text, end)].trim().is_empty().then(|| next_line(text, end))
}

/// Whether a line is a comment that documents nothing.
fn is_plain_comment(language: Language, line: &str, mark: &str) -> bool {
    let line = line.trim_start();
    let scripts = [Language::JavaScript, Language::TypeScript, Language::Tsx];
    // In scripts `///` is for the compiler.
    let is_doc = line.starts_with("///") && !scripts.contains(&language);
    line.starts_with(mark) && !is_doc && !line.starts_with("//!")
}
