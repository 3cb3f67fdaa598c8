//! Rust: braces and semicolons that rustfmt adds and takes away, and the arguments of macros.

use tree_sitter::Node;

use super::tree::is_layout;
use crate::treesitter::{NodeExt, named_children};

/// Nodes in which a formatter puts braces around a single expression, or takes them away.
const BRACE_OPTIONAL: [&str; 2] = ["match_arm", "closure_expression"];

/// Expressions that never have a value, so that a semicolon after them means nothing.
const LEAVING: [&str; 3] = ["return_expression", "break_expression", "continue_expression"];

/// Expressions that are statements without a semicolon.
const WITH_BLOCK: [&str; 8] = [
    "match_expression",
    "if_expression",
    "loop_expression",
    "while_expression",
    "for_expression",
    "unsafe_block",
    "const_block",
    "async_block",
];

/// Whether a node only stands for braces, or for the semicolon of a statement, that make no
/// difference.
pub(super) fn is_optional(node: Node<'_>) -> bool {
    is_bare_statement(node) || is_single_expression_block(node)
}

/// `return a;` for `return a`, or `match a {}` as the last statement of a block.
pub(super) fn is_bare_statement(node: Node<'_>) -> bool {
    if node.kind() != "expression_statement" {
        return false;
    }
    let inner = meaningful_children(node);
    let [only] = inner.as_slice() else { return false };
    LEAVING.contains(&only.kind()) || (WITH_BLOCK.contains(&only.kind()) && !node.has_token(";"))
}

/// `{ a }` as the value of a match arm or closure, which is the same as `a`.
fn is_single_expression_block(node: Node<'_>) -> bool {
    let has_optional = |parent: Node<'_>| BRACE_OPTIONAL.contains(&parent.kind());
    if node.kind() != "block" || !node.parent().is_some_and(has_optional) {
        return false;
    }
    let is_statement = |inner: Node<'_>| {
        let kind = inner.kind();
        let ends = ["_statement", "_item", "_declaration"];
        ends.iter().any(|end| kind.ends_with(end)) && !is_bare_statement(inner)
    };
    matches!(meaningful_children(node).as_slice(), [only] if !is_statement(*only))
        && !node.has_token("unsafe")
        && node.child_of_kind(&["label"]).is_none()
}

/// The arguments of a macro call as those of a function, which rustfmt formats alike; `None` if
/// they are written in braces, which it leaves alone.
pub(super) fn macro_call(node: Node<'_>, text: &str) -> Option<String> {
    let is_call = node.kind() == "token_tree" && node.parent()?.kind() == "macro_invocation";
    let tokens = &text[node.byte_range()];
    let inner = tokens.get(1..tokens.len().checked_sub(1)?)?;
    (is_call && tokens.starts_with(['(', '[']) && !inner.trim().is_empty())
        .then(|| format!("fn m() {{ f({inner}\n); }}"))
}

/// The arguments in the tree of such a call; `None` if the macro reads something else.
pub(super) fn arguments(root: Node<'_>) -> Option<Node<'_>> {
    if root.has_error() {
        return None;
    }
    let function = root.named_child(0)?;
    let body = function.child_by_field_name("body")?;
    let mut inner = named_children(body).into_iter();
    let (statement, rest) = (inner.next()?, inner.next());
    let call = statement.named_child(0).filter(|call| call.kind() == "call_expression")?;
    let is_only = rest.is_none() && root.named_child_count() == 1;
    call.child_by_field_name("arguments").filter(|_| is_only)
}

fn meaningful_children(node: Node<'_>) -> Vec<Node<'_>> {
    named_children(node).into_iter().filter(|inner| !is_layout(*inner)).collect()
}
