//! The substance of a text that tree-sitter parses: its tree, with the words at its leaves.

use tree_sitter::{Node, TreeCursor};

use super::literals::{LITERALS, NEIGHBOURS, joined_literal};
use super::{ReadAs, Selection, push_token};
use crate::treesitter::{self, LanguageFn, NodeExt, children, named_children, span};

/// Nodes that do not change the meaning of their content: the shape of the tree already says what
/// belongs together.
const TRANSPARENT: [&str; 2] = ["parenthesized_expression", "parenthesized_statements"];

/// Nodes of Python with optional parentheses: the kind with parentheses, then the kind without.
const PARENTHESES_OPTIONAL: [(&str, &str); 2] =
    [("tuple", "expression_list"), ("tuple_pattern", "pattern_list")];

/// A list of context managers in Python, which a formatter may put into parentheses.
const CONTEXT_MANAGERS: &str = "with_clause";

/// A type annotation of Python. Its tree depends on whether it stands in parentheses, so its words
/// count alone.
const ANNOTATION: &str = "type";

/// Nodes in which a formatter puts braces around a single expression, or takes them away.
const BRACE_OPTIONAL: [&str; 2] = ["match_arm", "closure_expression"];

/// The substance; `None` if the text cannot be parsed.
pub(super) fn substance(
    grammar: LanguageFn,
    text: &str,
    selection: &Selection<'_>,
) -> Option<String> {
    let tree = treesitter::parse(text, grammar).ok()?;
    let mut reader = TreeReader { grammar, text, selection, out: String::new() };
    reader.read_all(&mut tree.walk(), None);
    Some(reader.out)
}

struct TreeReader<'t, 's> {
    grammar: LanguageFn,
    text: &'t str,
    selection: &'s Selection<'t>,
    out: String,
}

/// A node that is being read.
#[derive(Clone, Copy)]
struct OpenNode<'n> {
    /// Whether it was written down
    is_shown: bool,
    /// The field that what is in it has, because the node itself is left out
    inner_field: Option<&'n str>,
    /// Whether only the words in it count
    is_flat: bool,
}

impl TreeReader<'_, '_> {
    /// Walks the tree without recursion, so that deep trees need no stack. `outer` is the node that
    /// the whole tree stands in.
    fn read_all<'n>(&mut self, cursor: &mut TreeCursor<'n>, outer: Option<OpenNode<'n>>) {
        let mut open: Vec<OpenNode<'n>> = Vec::new();
        loop {
            let started = self.start(cursor, open.last().copied().or(outer));
            match started {
                Some(node) if cursor.goto_first_child() => {
                    open.push(node);
                    continue;
                }
                Some(node) if node.is_shown => push_token(&mut self.out, ")"),
                _ => {}
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return;
                }
                if open.pop().is_some_and(|node| node.is_shown) {
                    push_token(&mut self.out, ")");
                }
            }
        }
    }

    /// Reads the start of a node; `None` if there is nothing to go into.
    fn start<'n>(
        &mut self,
        cursor: &TreeCursor<'n>,
        outer: Option<OpenNode<'n>>,
    ) -> Option<OpenNode<'n>> {
        let node = cursor.node();
        let at = span(node);
        if !self.selection.overlaps(at) || (is_comment(node) && at.end > at.start) {
            return None;
        }
        match self.selection.reading(at) {
            ReadAs::Unchanged => {}
            ReadAs::LeftOut => return None,
            ReadAs::Replaced(text) => {
                push_token(&mut self.out, text);
                return None;
            }
        }
        if node.child_count() == 0 {
            self.leaf(node);
            return None;
        }
        // Whether the whole file is read depends on what is around a symbol.
        let is_part = node.parent().is_some() && self.selection.contains(at);
        let is_transparent = is_transparent(node);
        let is_flat = outer.is_some_and(|outer| outer.is_flat);
        let is_shown = is_part && node.is_named() && !is_transparent && !is_flat;
        let field = cursor.field_name().or(outer.and_then(|outer| outer.inner_field));
        if node.kind() == NEIGHBOURS
            && is_part
            && self.read_joined(node, OpenNode { is_shown: false, inner_field: field, is_flat })
        {
            return None;
        }
        if is_shown {
            push_token(&mut self.out, &format!("({} {}", kind(node), field.unwrap_or_default()));
        }
        self.hidden_text(node);
        let inner_field = field.filter(|_| is_transparent);
        Some(OpenNode { is_shown, inner_field, is_flat: is_flat || node.kind() == ANNOTATION })
    }

    /// Reads neighbouring literals as the one that they mean; `false` if there is none.
    fn read_joined(&mut self, node: Node<'_>, outer: OpenNode<'_>) -> bool {
        let Some(joined) = joined_literal(node, self.text) else { return false };
        let text = format!("{joined};");
        let parsed = treesitter::parse(&text, self.grammar).ok();
        let Some((tree, selection)) = parsed.zip(self.selection.of_all(&text)) else {
            return false;
        };
        let mut literal = tree.root_node();
        while !LITERALS.contains(&literal.kind()) {
            let Some(inner) = literal.named_child(0) else { return false };
            literal = inner;
        }
        let out = std::mem::take(&mut self.out);
        let mut reader =
            TreeReader { grammar: self.grammar, text: &text, selection: &selection, out };
        reader.read_all(&mut literal.walk(), Some(outer));
        self.out = reader.out;
        true
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
            _ => push_token(&mut self.out, &self.selection.name(text)),
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

pub(super) fn is_comment(node: Node<'_>) -> bool {
    node.kind().contains("comment") || (node.is_extra() && node.kind() == "text_interpolation")
}

/// The kind of a node, which is the same with and without optional parentheses.
fn kind(node: Node<'_>) -> &str {
    let own = node.kind();
    PARENTHESES_OPTIONAL.iter().find(|(_, without)| *without == own).map_or(own, |(with, _)| *with)
}

fn is_transparent(node: Node<'_>) -> bool {
    TRANSPARENT.contains(&node.kind())
        || is_single_expression_block(node)
        || is_parenthesized_pattern(node)
}

/// `(a)` as a pattern, which is the same as `a`; `(a,)` is not.
fn is_parenthesized_pattern(node: Node<'_>) -> bool {
    node.kind() == "tuple_pattern"
        && !node.has_token(",")
        && named_children(node).into_iter().filter(|inner| !is_comment(*inner)).count() == 1
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
    let has_optional = |parent: Node<'_>| {
        parent.kind() == CONTEXT_MANAGERS
            || PARENTHESES_OPTIONAL.iter().any(|(with, _)| *with == parent.kind())
    };
    let is_round = matches!(node.kind(), "(" | ")");
    (is_round && node.parent().is_some_and(has_optional))
        || (matches!(node.kind(), "{" | "}") || is_round)
            && node.parent().is_some_and(is_transparent)
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
