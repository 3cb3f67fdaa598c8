//! Neighbouring string literals of Python, C and C++, which mean one string: a formatter splits and
//! joins them.

use std::borrow::Cow;

use tree_sitter::Node;

use super::python;
use super::tree::is_layout;
use crate::treesitter::named_children;

/// Neighbouring literals as one node.
pub(super) const NEIGHBOURS: &str = "concatenated_string";

/// Kinds of a single literal: that of Python, that of C and C++.
pub(super) const LITERALS: [&str; 2] = [PYTHON, "string_literal"];

const PYTHON: &str = "string";

/// The source of one literal with the meaning of all; `None` if they cannot be joined without
/// changing what one of them means.
pub(super) fn joined_literal(node: Node<'_>, text: &str) -> Option<String> {
    let parts: Vec<Node<'_>> =
        named_children(node).into_iter().filter(|part| !is_layout(*part)).collect();
    let literals = parts.iter().map(|part| {
        let is_literal = LITERALS.contains(&part.kind());
        is_literal.then(|| StringLiteral::parse(&text[part.byte_range()], part.kind() == PYTHON))?
    });
    let literals: Vec<StringLiteral<'_>> = literals.collect::<Option<_>>()?;
    let prefix = common_prefix(&literals)?;
    let has_format = prefix.starts_with('f');
    let content: String = literals.iter().map(|literal| literal.content_in(has_format)).collect();
    let fits = |quote: &&str| !content.contains(*quote) && !content.ends_with(&quote[..1]);
    let quote = match parts.first()?.kind() {
        PYTHON => ["\"\"\"", "'''"].into_iter().find(fits)?,
        _ => "\"",
    };
    Some(format!("{prefix}{quote}{content}{quote}"))
}

/// A literal on one line: `rb"text"`.
struct StringLiteral<'t> {
    /// Letters before the quote; for Python small, and without the `u` that means nothing
    prefix: String,
    content: Cow<'t, str>,
}

impl<'t> StringLiteral<'t> {
    fn parse(text: &'t str, is_python: bool) -> Option<Self> {
        let at = text.find(['"', '\''])?;
        let (prefix, quoted) = text.split_at(at);
        let quote = quoted.chars().next()?;
        let content = quoted.strip_prefix(quote)?.strip_suffix(quote)?;
        if content.starts_with(quote) || ends_in_number(content, is_python) {
            return None;
        }
        if !is_python {
            return Some(Self { prefix: prefix.to_owned(), content: Cow::Borrowed(content) });
        }
        let prefix = prefix.to_lowercase().replace('u', "");
        Some(Self { content: python::plain_content(content, &prefix), prefix })
    }

    fn is_format(&self) -> bool {
        self.prefix.contains('f')
    }

    /// The content as a part of a whole that may format: there a brace is written twice.
    fn content_in(&self, has_format: bool) -> Cow<'_, str> {
        match has_format && !self.is_format() {
            true => Cow::Owned(self.content.replace('{', "{{").replace('}', "}}")),
            false => Cow::Borrowed(&self.content),
        }
    }
}

/// Whether a text ends with an escape that a following digit would belong to: `\0`, and in C `\x4`.
fn ends_in_number(content: &str, is_python: bool) -> bool {
    let digits = content.trim_end_matches(|c: char| c.is_ascii_hexdigit());
    let has_open_end = digits.ends_with('\\') || (!is_python && digits.ends_with("\\x"));
    digits.len() < content.len() && has_open_end
}

/// The prefix of the whole: all literals have the same one, but for the `f` of those that format.
fn common_prefix(literals: &[StringLiteral<'_>]) -> Option<String> {
    let without_format = |literal: &StringLiteral<'_>| literal.prefix.replace('f', "");
    let first = without_format(literals.first()?);
    let format = if literals.iter().any(StringLiteral::is_format) { "f" } else { "" };
    let has_same = |literal: &StringLiteral<'_>| without_format(literal) == first;
    literals.iter().all(has_same).then(|| format!("{format}{first}"))
}
