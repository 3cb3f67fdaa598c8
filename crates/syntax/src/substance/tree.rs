//! The substance of a text that tree-sitter parses: its tree, with the words at its leaves.

use tree_sitter::{Node, TreeCursor};

use super::{Reading, Selection, push_token};
use crate::treesitter::{self, LanguageFn, NodeExt, children, named_children, span};

/// Nodes around something that is the same without them: the tree itself says what belongs together.
const TRANSPARENT: [&str; 2] = ["parenthesized_expression", "parenthesized_statements"];

/// Nodes in which a formatter puts braces around a single expression, or takes them away.
const BRACE_OPTIONAL: [&str; 2] = ["match_arm", "closure_expression"];

/// The substance; `None` if the text cannot be parsed.
pub(super) fn substance(
    grammar: LanguageFn,
    text: &str,
    selection: &Selection<'_>,
) -> Option<String> {
    let tree = treesitter::parse(text, grammar).ok()?;
    let mut reader = TreeReader { text, selection, out: String::new() };
    let mut cursor = tree.walk();
    reader.read_all(&mut cursor);
    Some(reader.out)
}

struct TreeReader<'t, 's> {
    text: &'t str,
    selection: &'s Selection<'t>,
    out: String,
}

impl TreeReader<'_, '_> {
    /// Walks the tree without recursion, so that deep trees need no stack.
    fn read_all(&mut self, cursor: &mut TreeCursor<'_>) {
        let mut open: Vec<bool> = Vec::new();
        loop {
            let (enter, is_shown) = self.start(cursor);
            if enter && cursor.goto_first_child() {
                open.push(is_shown);
                continue;
            }
            if enter && is_shown {
                push_token(&mut self.out, ")");
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return;
                }
                if open.pop().unwrap_or_default() {
                    push_token(&mut self.out, ")");
                }
            }
        }
    }

    /// Reads the start of a node. Says whether to go into it, and whether it was written down.
    fn start(&mut self, cursor: &TreeCursor<'_>) -> (bool, bool) {
        let node = cursor.node();
        let at = span(node);
        if !self.selection.overlaps(at) || (is_comment(node) && at.end > at.start) {
            return (false, false);
        }
        match self.selection.reading(at) {
            Reading::AsIs => {}
            Reading::LeftOut => return (false, false),
            Reading::Replaced(text) => {
                push_token(&mut self.out, text);
                return (false, false);
            }
        }
        if node.child_count() == 0 {
            self.leaf(node);
            return (false, false);
        }
        // Whether the whole file is read depends on what is around a symbol.
        let is_part = node.parent().is_some() && self.selection.contains(at);
        let is_shown = is_part && node.is_named() && !is_transparent(node);
        if is_shown {
            let field = cursor.field_name().unwrap_or_default();
            push_token(&mut self.out, &format!("({} {field}", node.kind()));
        }
        self.hidden_text(node);
        (true, is_shown)
    }

    fn leaf(&mut self, node: Node<'_>) {
        let text = &self.text[node.byte_range()];
        if text.trim().is_empty() || is_optional_punctuation(node, text) || is_optional_brace(node)
        {
            return;
        }
        match node.kind() {
            "string_start" | "string_end" => push_token(&mut self.out, &python_quote(text)),
            "string_content" => {
                push_token(&mut self.out, &text.replace("\\'", "'").replace("\\\"", "\""));
            }
            _ => push_token(&mut self.out, self.selection.name(text)),
        }
    }

    /// Some grammars have no node for the content of a literal. What is between two children and is
    /// not white space belongs to the node itself.
    fn hidden_text(&mut self, node: Node<'_>) {
        let mut end = node.start_byte();
        let mut gaps = Vec::new();
        for child in children(node) {
            gaps.push(end..child.start_byte().max(end));
            end = child.end_byte();
        }
        gaps.push(end..node.end_byte().max(end));
        for gap in gaps {
            let text = &self.text[gap];
            if !text.trim().is_empty() && node.is_named() {
                push_token(&mut self.out, text);
            }
        }
    }
}

fn is_comment(node: Node<'_>) -> bool {
    node.kind().contains("comment") || (node.is_extra() && node.kind() == "text_interpolation")
}

fn is_transparent(node: Node<'_>) -> bool {
    TRANSPARENT.contains(&node.kind()) || is_single_expression_block(node)
}

/// `{ a }` as the value of a match arm or closure, which is the same as `a`.
fn is_single_expression_block(node: Node<'_>) -> bool {
    let is_optional = |parent: Node<'_>| BRACE_OPTIONAL.contains(&parent.kind());
    if node.kind() != "block" || !node.parent().is_some_and(is_optional) {
        return false;
    }
    let inner: Vec<Node<'_>> =
        named_children(node).into_iter().filter(|n| !is_comment(*n)).collect();
    let is_statement = |kind: &str| {
        kind.ends_with("_statement") || kind.ends_with("_item") || kind.ends_with("_declaration")
    };
    matches!(inner.as_slice(), [only] if !is_statement(only.kind()))
        && !node.has_token("unsafe")
        && node.child_of_kind(&["label"]).is_none()
}

/// A brace of such a block, or a parenthesis around an expression.
fn is_optional_brace(node: Node<'_>) -> bool {
    matches!(node.kind(), "{" | "}" | "(" | ")") && node.parent().is_some_and(is_transparent)
}

/// A comma or semicolon at the end of a list or statement.
fn is_optional_punctuation(node: Node<'_>, text: &str) -> bool {
    if !matches!(text, "," | ";") {
        return false;
    }
    let mut next = node.next_sibling();
    while let Some(comment) = next.filter(|next| is_comment(*next)) {
        next = comment.next_sibling();
    }
    next.is_none_or(|next| matches!(next.kind(), ")" | "]" | "}" | ">" | "|"))
}

/// The quotes of a Python string in one form: prefixes in small letters, double quotes.
fn python_quote(text: &str) -> String {
    text.to_lowercase().replace('u', "").replace('\'', "\"")
}
