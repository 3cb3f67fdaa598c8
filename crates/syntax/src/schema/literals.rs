//! Text literals that hold SQL or GraphQL, or name a schema file.
//!
//! Literals are found by their quotes alone, in any language, so a quote in a comment may start
//! one. What such a text names counts only if a schema declares it.

use std::ops::Range;

use super::{UseCollector, embedded_graphql, file_key, sql_key};
use crate::model::FileFacts;
use crate::sql;

/// The longest literal that is read, in bytes.
const MAX_LITERAL_BYTES: usize = 20_000;

/// Words that statements of SQL start with, and parts of statements that are written in several
/// literals.
const SQL_STARTS: [&str; 14] = [
    "select", "insert", "update", "delete", "with", "from", "join", "left", "inner", "create",
    "alter", "drop", "truncate", "merge",
];

/// Words that documents of GraphQL start with.
const GRAPHQL_STARTS: [&str; 4] = ["query", "mutation", "subscription", "fragment"];

/// Adds what literals name.
pub(super) fn collect(facts: &FileFacts, uses: &mut UseCollector<'_>) {
    let text = uses.text;
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(found) = bytes[at..].iter().position(|byte| matches!(byte, b'"' | b'\'' | b'`'))
    {
        let quote = at + found;
        at = quote + 1;
        let opening = quote_length(bytes, quote);
        let first = first_word(bytes, quote + opening).unwrap_or(quote..quote);
        let word = &text[first];
        let is_one_case = word.bytes().all(|byte| byte.is_ascii_uppercase())
            || word.bytes().all(|byte| byte.is_ascii_lowercase());
        let starts = |words: &[&str]| words.iter().any(|start| word.eq_ignore_ascii_case(start));
        if starts(&GRAPHQL_STARTS) {
            let inside = literal(text, quote, opening);
            embedded_graphql::names(&text[inside.clone()], |offset, key| {
                uses.add_at(facts, inside.start + offset, key);
            });
            at = inside.end.max(at);
        } else if is_one_case && starts(&SQL_STARTS) {
            let inside = literal(text, quote, opening);
            for name in sql::used_names(&text[inside.clone()]) {
                uses.add_at(facts, inside.start + name.at, sql_key(&name.text));
            }
            at = inside.end.max(at);
        } else if let Some(name) = schema_file(text, quote) {
            uses.add_at(facts, quote, name);
        }
    }
}

/// Three quotes in a row open a longer text.
fn quote_length(bytes: &[u8], at: usize) -> usize {
    let quote = bytes[at];
    if bytes.get(at + 1) == Some(&quote) && bytes.get(at + 2) == Some(&quote) { 3 } else { 1 }
}

/// The word at the start of a literal, after white space and comments of GraphQL.
fn first_word(bytes: &[u8], from: usize) -> Option<Range<usize>> {
    let is_space = |byte: &u8| byte.is_ascii_whitespace() || *byte == b'\\';
    let start = from + bytes.get(from..)?.iter().position(|byte| !is_space(byte))?;
    let is_letter = |byte: &u8| byte.is_ascii_alphabetic();
    let length = bytes[start..].iter().take(14).take_while(|byte| is_letter(byte)).count();
    (length > 2).then_some(start..start + length)
}

/// The inside of a literal.
fn literal(text: &str, quote: usize, opening: usize) -> Range<usize> {
    let bytes = text.as_bytes();
    let start = quote + opening;
    let mark = &bytes[quote..start];
    let mut at = start;
    let mut limit = text.len().min(start + MAX_LITERAL_BYTES);
    while !text.is_char_boundary(limit) {
        limit -= 1;
    }
    while at < limit {
        if bytes[at] == b'\\' {
            at += 2;
        } else if bytes[at..].starts_with(mark) {
            return start..at;
        } else {
            at += 1;
        }
    }
    start..limit
}

/// The key of a schema file that a literal names: `"../queries/user.sql"`.
fn schema_file(text: &str, quote: usize) -> Option<String> {
    let mark = text.as_bytes()[quote];
    let rest = text.as_bytes().get(quote + 1..)?;
    let length = rest.iter().take(200).position(|byte| *byte == mark || *byte == b'\n')?;
    let path = text.get(quote + 1..quote + 1 + length)?;
    let name = path.rsplit('/').next()?;
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    (name.contains('.') && name.chars().all(is_name)).then(|| file_key(name)).flatten()
}
