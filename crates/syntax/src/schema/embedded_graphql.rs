//! The names of a GraphQL document in a text literal.

use super::{GRAPHQL, key};

/// One sign or word of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DocumentToken<'t> {
    Word(&'t str),
    Sign(char),
    Spread,
}

/// Calls `see` with the offset and the key of each name that a schema may declare: root fields,
/// types of variables and conditions, fragments. The names that the document declares itself count
/// too, since a file of operations may declare the same ones for a generator.
pub(super) fn names(text: &str, mut see: impl FnMut(usize, String)) {
    if !text.contains('{') {
        return;
    }
    let tokens = tokens(text);
    let mut root = None;
    let (mut braces, mut brackets) = (0_usize, 0_usize);
    for (at, (offset, token)) in tokens.iter().enumerate() {
        let before = at.checked_sub(1).map(|before| tokens[before].1);
        let next = tokens.get(at + 1).map(|(_, token)| *token);
        match token {
            DocumentToken::Sign('{') => braces += 1,
            DocumentToken::Sign('}') => braces = braces.saturating_sub(1),
            DocumentToken::Sign('(') => brackets += 1,
            DocumentToken::Sign(')') => brackets = brackets.saturating_sub(1),
            DocumentToken::Word(word) if braces == 0 && brackets == 0 => {
                match *word {
                    "query" => root = Some("Query"),
                    "mutation" => root = Some("Mutation"),
                    "subscription" => root = Some("Subscription"),
                    "fragment" => root = None,
                    _ => {}
                }
                let declares = matches!(
                    before,
                    Some(DocumentToken::Word(
                        "query" | "mutation" | "subscription" | "fragment" | "on"
                    ))
                );
                if declares {
                    see(*offset, key(GRAPHQL, word));
                }
            }
            DocumentToken::Word(word) if braces == 0 => {
                let is_type = matches!(before, Some(DocumentToken::Sign(':' | '[')));
                if is_type && word.starts_with(|c: char| c.is_ascii_uppercase()) {
                    see(*offset, key(GRAPHQL, word));
                }
            }
            DocumentToken::Word("on") if before == Some(DocumentToken::Spread) => {}
            DocumentToken::Word(word)
                if matches!(before, Some(DocumentToken::Spread | DocumentToken::Word("on"))) =>
            {
                see(*offset, key(GRAPHQL, word));
            }
            // `alias: field` has the field second.
            DocumentToken::Word(word)
                if braces == 1 && brackets == 0 && next != Some(DocumentToken::Sign(':')) =>
            {
                if let Some(root) = root {
                    see(*offset, format!("{GRAPHQL} {root}:{word}"));
                }
            }
            _ => {}
        }
    }
}

fn tokens(text: &str) -> Vec<(usize, DocumentToken<'_>)> {
    let bytes = text.as_bytes();
    let mut all = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        match bytes[at] {
            b'#' => at += text[at..].find('\n').unwrap_or(text.len() - at),
            b'"' => at += 1 + text[at + 1..].find('"').map_or(text.len() - at - 1, |end| end + 1),
            // What a template puts in is not known.
            b'$' if bytes.get(at + 1) == Some(&b'{') => {
                at += text[at..].find('}').map_or(text.len() - at, |end| end + 1);
            }
            b'.' if text[at..].starts_with("...") => {
                all.push((start, DocumentToken::Spread));
                at += 3;
            }
            b'$' | b'@' => {
                at += 1;
                at += word_length(&bytes[at..]);
            }
            byte if byte.is_ascii_alphabetic() || byte == b'_' => {
                at += word_length(&bytes[at..]);
                all.push((start, DocumentToken::Word(&text[start..at])));
            }
            byte if byte.is_ascii_punctuation() => {
                all.push((start, DocumentToken::Sign(char::from(byte))));
                at += 1;
            }
            _ => at += 1,
        }
    }
    all
}

fn word_length(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count()
}
