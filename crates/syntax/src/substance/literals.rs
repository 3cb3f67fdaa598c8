//! Neighbouring string literals of Python, C and C++, which mean one string: a formatter splits and
//! joins them.

use tree_sitter::Node;

use super::tree::is_comment;
use crate::treesitter::named_children;

/// Neighbouring literals as one node.
pub(super) const NEIGHBOURS: &str = "concatenated_string";

/// Kinds of a single literal.
pub(super) const LITERALS: [&str; 2] = ["string", "string_literal"];

/// The source of one literal with the meaning of all; `None` if they cannot be joined without
/// changing what one of them means.
pub(super) fn joined_literal(node: Node<'_>, text: &str) -> Option<String> {
    let parts: Vec<Node<'_>> =
        named_children(node).into_iter().filter(|part| !is_comment(*part)).collect();
    let literals = parts.iter().map(|part| {
        let is_literal = LITERALS.contains(&part.kind());
        is_literal.then(|| StringLiteral::parse(&text[part.byte_range()]))?
    });
    let literals: Vec<StringLiteral<'_>> = literals.collect::<Option<_>>()?;
    let prefix = common_prefix(&literals)?;
    let content: String = literals.iter().map(|literal| literal.content).collect();
    let quote = ['"', '\''].into_iter().find(|quote| !content.contains(*quote))?;
    Some(format!("{prefix}{quote}{content}{quote}"))
}

/// A literal on one line: `rb"text"`.
struct StringLiteral<'t> {
    /// Letters before the quote, small, without the `u` that means nothing in Python
    prefix: String,
    content: &'t str,
}

impl<'t> StringLiteral<'t> {
    fn parse(text: &'t str) -> Option<Self> {
        let at = text.find(['"', '\''])?;
        let (prefix, quoted) = text.split_at(at);
        let quote = quoted.chars().next()?;
        let content = quoted.strip_prefix(quote)?.strip_suffix(quote)?;
        let is_plain = !content.starts_with(quote) && !ends_in_number(content);
        let prefix = if prefix == "u" { String::new() } else { prefix.to_lowercase() };
        is_plain.then_some(Self { prefix, content })
    }

    fn is_format(&self) -> bool {
        self.prefix.contains('f')
    }
}

/// Whether a text ends with an escape that a following digit would belong to: `\0`, `\x4`.
fn ends_in_number(content: &str) -> bool {
    let digits = content.trim_end_matches(|c: char| c.is_ascii_hexdigit());
    digits.len() < content.len() && (digits.ends_with('\\') || digits.ends_with("\\x"))
}

/// The prefix of the whole: all literals have the same one, but for the `f` of those that format.
fn common_prefix(literals: &[StringLiteral<'_>]) -> Option<String> {
    let without_format = |literal: &StringLiteral<'_>| literal.prefix.replace('f', "");
    let first = without_format(literals.first()?);
    let has_format = literals.iter().any(StringLiteral::is_format);
    let fits = |literal: &StringLiteral<'_>| {
        let has_braces = literal.content.contains(['{', '}']);
        without_format(literal) == first && (literal.is_format() || !has_format || !has_braces)
    };
    let format = if has_format { "f" } else { "" };
    literals.iter().all(fits).then(|| format!("{format}{first}"))
}
