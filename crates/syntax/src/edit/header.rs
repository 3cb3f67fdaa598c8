//! Where a comment about the whole file goes: after what has to be first, before the rest.

use super::Splice;
use super::comment::Form;
use super::style::{line_end, mark, past_newline};
use crate::{Language, docs};

/// The ways to give a file a comment, best first.
pub(super) fn create(language: Language, text: &str, said: &str, newline: &str) -> Vec<Splice> {
    let comment = Form::of_module(language).line(said);
    let Some((mut at, opened)) = room(language, text) else { return Vec::new() };
    if at == text.len() {
        let unfinished = at > 0 && !text.ends_with('\n') && at > mark(text);
        let whole = if unfinished { [newline, &comment] } else { [comment.as_str(), newline] };
        return vec![Splice::insert(at, whole.concat())];
    }
    if language == Language::Go {
        // What stands right above `package` is its documentation.
        at = text.len() - text[at..].trim_start().len();
        return vec![Splice::insert(at, [comment.as_str(), newline].concat())];
    }
    let apart = [comment.as_str(), newline, newline].concat();
    if !opened {
        return vec![Splice::insert(at, apart)];
    }
    if let Some(next) = past_newline(text, at) {
        return vec![Splice::insert(next, apart)];
    }
    let close = [comment.as_str(), newline].concat();
    let tries = [close.clone(), [newline, &close].concat(), [newline, newline, &apart].concat()];
    tries.into_iter().map(|text| Splice::insert(at, text)).collect()
}

/// The first offset that is free, and whether something had to come before it.
fn room(language: Language, text: &str) -> Option<(usize, bool)> {
    let start = mark(text);
    let mut at = start;
    if text[at..].starts_with("#!") && !text[at..].starts_with("#![") {
        at = next_line(text, at);
    }
    if language == Language::Php {
        at += text[at..].find("<?php")?;
        at = next_line(text, at);
    }
    while let Some(end) = notice(language, text, at) {
        at = end;
    }
    Some((at, at > start))
}

fn next_line(text: &str, at: usize) -> usize {
    let end = line_end(text, at);
    past_newline(text, end).unwrap_or(end)
}

/// Where a licence or a line for tools ends that comes next, empty lines before it left out.
fn notice(language: Language, text: &str, from: usize) -> Option<usize> {
    let rest = text[from..].trim_start();
    let at = text.len() - rest.len();
    let mark = match language {
        Language::Python | Language::Ruby | Language::Bash => "#",
        _ => "//",
    };
    let end = if rest.starts_with("/*") && mark == "//" {
        at + rest.find("*/")? + 2
    } else {
        let lines = rest.split_inclusive('\n').take_while(|line| is_plain(language, line, mark));
        at + lines.map(str::len).sum::<usize>()
    };
    if end == at || !docs::is_notice(&text[at..end]) {
        return None;
    }
    if text[..end].ends_with('\n') {
        return Some(end);
    }
    text[end..line_end(text, end)].trim().is_empty().then(|| next_line(text, end))
}

/// Whether a line is a comment that documents nothing.
fn is_plain(language: Language, line: &str, mark: &str) -> bool {
    let line = line.trim_start();
    let scripts = [Language::JavaScript, Language::TypeScript, Language::Tsx];
    // In scripts `///` is for the compiler.
    let is_doc = line.starts_with("///") && !scripts.contains(&language);
    line.starts_with(mark) && !is_doc && !line.starts_with("//!")
}
