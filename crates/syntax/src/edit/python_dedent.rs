//! Lines of a new Python text that are dedented so far that they no longer belong to the edited
//! declaration.
//!
//! The grammar takes a `return` in the body of a class, and a method whose last line is at the
//! level of its class: both parse, but mean something other than what was sent.

use std::ops::Range;

use super::text_layout::line_start;
use super::{EditRefusal, literal_lines};
use crate::Language;
use crate::model::SyntaxError;
use crate::treesitter::{Node, children};

/// How definitions start.
const DEFINITION_KEYWORDS: [&str; 3] = ["def ", "async def ", "class "];

/// The first line of a new text that is dedented too far; `parent` is the symbol around the text.
pub(super) fn find_dedented_line(
    language: Language,
    text: &str,
    came: &Range<usize>,
    parent: Option<&str>,
) -> Option<EditRefusal> {
    if !language.descriptor().layout.is_indented {
        return None;
    }
    let error =
        outside_function(language, text, came).or_else(|| dedented(language, text, came, parent?));
    error.map(EditRefusal::NewSyntaxError)
}

/// A statement of the new text that needs a function around it and has none.
fn outside_function(language: Language, text: &str, came: &Range<usize>) -> Option<SyntaxError> {
    let tree = language.descriptor().parser.syntax_tree(text)?;
    let mut open = vec![tree.root_node()];
    let mut found: Option<usize> = None;
    while let Some(node) = open.pop() {
        let is_function = matches!(node.kind(), "function_definition" | "lambda");
        if is_function || node.end_byte() <= came.start || node.start_byte() >= came.end {
            continue;
        }
        if requires_function(node) && came.contains(&node.start_byte()) {
            found = Some(found.map_or(node.start_byte(), |at| at.min(node.start_byte())));
        }
        open.extend(children(node));
    }
    found.map(|at| {
        let word = text[at..].split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        error_at(text, at, format!("`{word}` outside of a function"))
    })
}

fn requires_function(node: Node<'_>) -> bool {
    match node.kind() {
        "return_statement" | "nonlocal_statement" => true,
        "yield" => node.child_count() > 0, // the word itself is of that kind too
        _ => false,
    }
}

/// A line after a definition with the same or less indentation that declares nothing. It was
/// probably intended for the body, but would belong to the enclosing scope.
fn dedented(
    language: Language,
    text: &str,
    came: &Range<usize>,
    parent: &str,
) -> Option<SyntaxError> {
    let literals = literal_lines::lines_inside_literals(language, text);
    let first = line_start(text, came.start);
    let depth = indent_width(&text[first..]);
    let mut line_number = u32::try_from(text[..first].matches('\n').count()).ok()?;
    let (mut at, mut in_body, mut after_blank, mut open) = (first, false, false, 0_i32);
    for line in text[first..came.end].split_inclusive('\n') {
        line_number += 1;
        let (start, bare) = (at, line.trim());
        at += line.len();
        if bare.is_empty() {
            after_blank = true;
            continue;
        }
        let is_inner = literals.contains(&line_number) || open > 0;
        open = (open + bracket_balance(bare)).max(0);
        if is_inner {
            continue;
        }
        let (deep, was_blank) = (indent_width(line), std::mem::take(&mut after_blank));
        if deep < depth && !bare.starts_with('#') {
            let message = format!("this line is dedented out of `{parent}`");
            return Some(error_at(text, start, message));
        }
        if deep <= depth && in_body && !declares_member(bare, was_blank) {
            let message = format!("this line is dedented out of the body, into `{parent}`");
            return Some(error_at(text, start, message));
        }
        in_body = starts_definition(bare) || (in_body && deep > depth);
    }
    None
}

/// Whether a line at the level of a member declares one. An assignment does after a blank line;
/// right below a body it is a line of that body which lost its indentation.
fn declares_member(line: &str, after_blank: bool) -> bool {
    let is_closing = line.starts_with([')', ']', '}', '"', '\'']);
    let name = line.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
    let rest = line[name.len()..].trim_start();
    let assigns = !name.is_empty()
        && (rest.starts_with(':') || (rest.starts_with('=') && !rest.starts_with("==")));
    is_closing
        || starts_definition(line)
        || line.starts_with(['@', '#'])
        || (assigns && after_blank)
}

fn starts_definition(line: &str) -> bool {
    DEFINITION_KEYWORDS.iter().any(|start| line.starts_with(start))
}

/// How far a line is indented; a tab counts as one.
fn indent_width(line: &str) -> usize {
    line.len() - line.trim_start_matches([' ', '\t']).len()
}

/// How many more brackets a line opens than it closes, texts and comments left out.
fn bracket_balance(line: &str) -> i32 {
    let (mut count, mut quote) = (0, None);
    for c in line.chars() {
        match (c, quote) {
            ('#', None) => break,
            ('"' | '\'', None) => quote = Some(c),
            (c, Some(open)) if c == open => quote = None,
            ('(' | '[' | '{', None) => count += 1,
            (')' | ']' | '}', None) => count -= 1,
            _ => {}
        }
    }
    count
}

fn error_at(text: &str, at: usize, message: String) -> SyntaxError {
    let at = at + indent_width(&text[at..]);
    let line = text[..at].matches('\n').count() + 1;
    let column = text[line_start(text, at)..at].chars().count() + 1;
    let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    SyntaxError { line: number(line), column: number(column), message }
}
