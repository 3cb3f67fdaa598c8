//! How Python's literals and statements are written: what a formatter may change in them.

use std::borrow::Cow;

use tree_sitter::Node;

use super::tree::is_layout;
use crate::treesitter::{NodeExt, named_children};

/// The content of a string.
const CONTENT: &str = "string_content";

/// The opening quote of a string, with its prefix.
const START: &str = "string_start";

/// Whether a node is the content of a Python string. Other grammars have contents without a start.
pub(super) fn is_content(node: Node<'_>) -> bool {
    node.kind() == CONTENT && opening(node).is_some()
}

fn opening(content: Node<'_>) -> Option<Node<'_>> {
    content.parent()?.child(0).filter(|first| first.kind() == START)
}

/// The content of a string with its escapes in one form.
pub(super) fn content<'t>(node: Node<'_>, text: &'t str) -> Cow<'t, str> {
    let prefix = opening(node).map_or("", |start| &text[start.byte_range()]);
    plain_content(&text[node.byte_range()], &prefix.to_lowercase())
}

/// A content with its escapes in one form: quotes without a backslash, hexadecimal digits and names
/// of characters in small letters, no escaped line breaks. Raw strings have no escapes.
pub(super) fn plain_content<'t>(text: &'t str, prefix: &str) -> Cow<'t, str> {
    if !text.contains('\\') || prefix.contains('r') {
        return Cow::Borrowed(text);
    }
    let is_bytes = prefix.contains('b');
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        let escape = &rest[at..];
        let len = escape_len(escape, is_bytes);
        match escape[1..].chars().next() {
            Some('\n') => {}
            Some(quote @ ('"' | '\'')) => out.push(quote),
            Some('x' | 'u' | 'U' | 'N') if len > 2 => {
                out.push_str(&escape[..2]);
                out.push_str(&escape[2..len].to_lowercase());
            }
            _ => out.push_str(&escape[..len]),
        }
        rest = &escape[len..];
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// The length of an escape at the start of a text, which begins with a backslash.
fn escape_len(escape: &str, is_bytes: bool) -> usize {
    let Some(letter) = escape[1..].chars().next() else { return 1 };
    let digits = match letter {
        'x' => 2,
        'u' if !is_bytes => 4,
        'U' if !is_bytes => 8,
        'N' if !is_bytes => return escape.find('}').map_or(2, |end| end + 1),
        _ => return 1 + letter.len_utf8(),
    };
    let is_whole = escape.len() >= 2 + digits
        && escape.as_bytes()[2..2 + digits].iter().all(u8::is_ascii_hexdigit);
    if is_whole { 2 + digits } else { 2 }
}

/// The quotes of a string in one form: prefixes in small letters and in one order, one double quote.
pub(super) fn quote(text: &str) -> String {
    let mut prefix: Vec<char> =
        text.to_lowercase().chars().filter(|c| !matches!(c, 'u' | '"' | '\'')).collect();
    prefix.sort_unstable();
    prefix.into_iter().chain(['"']).collect()
}

/// The empty parentheses of `class A():`.
pub(super) fn is_empty_base_list(node: Node<'_>) -> bool {
    node.kind() == "argument_list"
        && node.parent().is_some_and(|parent| parent.kind() == "class_definition")
        && meaningful_children(node).is_empty()
}

/// Whether a node only stands for the parentheses around what is in it.
pub(super) fn is_parentheses(node: Node<'_>) -> bool {
    let parent_is = |kind: &str| node.parent().is_some_and(|parent| parent.kind() == kind);
    match node.kind() {
        "tuple_pattern" => is_parenthesized_pattern(node),
        // `case (1)` is `case 1`.
        "case_pattern" => node.parent().is_some_and(is_parenthesized_pattern),
        // `except (A, B)` may be `except A, B`.
        "tuple" => parent_is("except_clause"),
        // `f((a for a in b))` is `f(a for a in b)`.
        "argument_list" => {
            let inner = meaningful_children(node);
            matches!(inner.as_slice(), [only] if only.kind() == "generator_expression")
        }
        _ => false,
    }
}

/// `(a)` as a pattern, which is the same as `a`; `(a,)` is not.
fn is_parenthesized_pattern(node: Node<'_>) -> bool {
    node.kind() == "tuple_pattern" && !node.has_token(",") && meaningful_children(node).len() == 1
}

fn meaningful_children(node: Node<'_>) -> Vec<Node<'_>> {
    named_children(node).into_iter().filter(|inner| !is_layout(*inner)).collect()
}
