//! Facts about any text: its length, and the comment it starts with.

use crate::language::Language;
use crate::model::{FileFacts, SyntaxError};
use crate::notices;

/// How many lines of a file are searched for its opening comment.
const MAX_OPENING_COMMENT_LINE: usize = 24;

/// Comment markers of all languages, longest first.
const COMMENT_MARKERS: [&str; 9] = ["/**", "//!", "///", "\"\"\"", "/*", "//", "--", "#", "*"];

/// The facts of a text whose language is not parsed.
pub(crate) fn extract(text: &str) -> FileFacts {
    FileFacts {
        lines: count_lines(text),
        title: opening_comment_sentence(text),
        ..FileFacts::default()
    }
}

/// The facts of a text in a language whose grammar this program was built without. An answer that
/// depends on the file says so, as for any other file that could not be parsed.
pub(crate) fn extract_left_out(language: Language, text: &str) -> FileFacts {
    let message = format!("not read: {}", language.left_out_reason());
    let errors = vec![SyntaxError { line: 1, column: 1, message }];
    FileFacts { errors, ..extract(text) }
}

/// How many lines a text has; an unfinished last one counts.
pub(crate) fn count_lines(text: &str) -> u32 {
    u32::try_from(text.lines().count()).unwrap_or(u32::MAX)
}

/// The first sentence of the file's opening comment, licence headers excluded.
pub(crate) fn opening_comment_sentence(text: &str) -> Option<String> {
    let opening = text.lines().take(MAX_OPENING_COMMENT_LINE).map(str::trim);
    let mut in_block = false;
    let comments: Vec<&str> = opening.map_while(|line| comment_text(line, &mut in_block)).collect();
    let paragraphs = comments.split(|line| line.is_empty());
    let described = paragraphs.filter(|lines| !notices::is_legal(&lines.join(" ")));
    let said = described.flatten().copied().filter(|line| is_descriptive(line));
    let joined = said.take(3).collect::<Vec<_>>().join(" ");
    let sentence = joined.split_inclusive(". ").next().unwrap_or_default();
    let sentence = sentence.trim().trim_end_matches('.');
    (!sentence.is_empty()).then(|| sentence.chars().take(160).collect())
}

/// The text of a comment line; `None` where the comment ends. An asterisk continues a comment that
/// an earlier line opened, and begins none.
fn comment_text<'a>(line: &'a str, in_block: &mut bool) -> Option<&'a str> {
    if line.is_empty() {
        return Some("");
    }
    let mark = COMMENT_MARKERS.iter().find(|mark| line.starts_with(**mark))?;
    if *mark == "*" && !*in_block {
        return None;
    }
    *in_block |= mark.starts_with("/*");
    let inner = line[mark.len()..].trim();
    Some(inner.trim_end_matches("*/").trim_end_matches("\"\"\"").trim())
}

fn is_descriptive(line: &str) -> bool {
    let lower = line.to_lowercase();
    let noise = ["eslint", "-*-", "!/", "@ts-", "@generated"];
    // A tag, such as the link to a card, says nothing about the file.
    line.contains(' ') && !notices::is_noise(line) && !noise.iter().any(|word| lower.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_says_what_it_is_about() {
        let title = |text: &str| extract(text).title;
        assert_eq!(title("//! Names and spans. More.\n\nuse x;"), Some("Names and spans".into()));
        assert_eq!(title("#!/bin/sh\n# Runs the tests\n"), Some("Runs the tests".into()));
        assert_eq!(title("/**\n * Settles orders.\n */"), Some("Settles orders".into()));
        let tagged = "/** @see spec::orders/settle */\n\n// Settles orders. More.\nf()";
        assert_eq!(title(tagged), Some("Settles orders".into()));
        assert_eq!(title("// Copyright 2026 Somebody\nuse x;"), None);
        assert_eq!(title("use x; // and y"), None);
        assert_eq!(title("*.go text eol=lf\n"), None);
        assert_eq!(title("//go:build unix && !freebsd\n\npackage x"), None);
        let licence =
            "# Unless required by applicable law, this is\n# distributed as is.\n\n# Builds it.\n";
        assert_eq!(title(licence), Some("Builds it".into()));
        assert_eq!((count_lines(""), count_lines("a"), count_lines("a\nb\n")), (0, 1, 2));
    }
}
