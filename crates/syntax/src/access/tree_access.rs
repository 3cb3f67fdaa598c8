//! The use of a name in a tree-sitter tree, by the forms that grammars share.

use base::Span;

use super::AccessKind;
use crate::treesitter::{Node, Tree};

/// What is done with the name at a place.
pub(super) fn kind_at(tree: &Tree, span: Span) -> AccessKind {
    let root = tree.root_node();
    let (start, end) = (span.start as usize, span.end as usize);
    let Some(name) = root.descendant_for_byte_range(start, end) else { return AccessKind::Read };
    if is_in_import(name) {
        return AccessKind::Import;
    }
    let mut node = name;
    while let Some(parent) = node.parent() {
        if let Some(kind) = kind_in_parent(node, parent) {
            return kind;
        }
        if !continues_in(node, parent) {
            break;
        }
        node = parent;
    }
    AccessKind::Read
}

fn is_in_import(node: Node<'_>) -> bool {
    let mut open = node.parent();
    for _ in 0..6 {
        let Some(one) = open else { return false };
        let kind = one.kind();
        if kind.starts_with("import_")
            || kind.contains("use_declaration")
            || kind == "preproc_include"
        {
            return true;
        }
        open = one.parent();
    }
    false
}

/// Whether the expression around a node stands for the same value: `a.name` for `name`.
fn continues_in(node: Node<'_>, parent: Node<'_>) -> bool {
    let kind = parent.kind();
    let is_access = ["member", "field_expression", "selector", "attribute", "navigation", "scoped"]
        .iter()
        .any(|part| kind.contains(part))
        || matches!(
            kind,
            "call"
                | "qualified_identifier"
                | "directly_assignable_expression"
                | "postfix_expression"
                | "expression_list"
                | "variable_list"
                | "dot_index_expression"
                | "generic_function"
                | "parenthesized_expression"
                | "variable"
                | "value_argument"
                | "class_constant_access_expression"
                | "instance_variable"
                | "generic_type"
                | "qualified_type"
                | "field_access"
                | "method_index_expression"
                | "template_function"
                | "qualified_name"
        );
    // In `name.other` it is the other name that is called or read.
    is_access && node.end_byte() == parent.end_byte()
        || matches!(kind, "expression_list" | "variable_list")
        || matches!(kind, "generic_function" | "generic_type" | "template_function")
            && node.start_byte() == parent.start_byte()
}

/// The name of the field that a node fills in its parent.
fn field_of<'t>(parent: Node<'t>, node: Node<'t>) -> Option<&'t str> {
    let is_node = |at: &u32| parent.child(*at).is_some_and(|child| child.id() == node.id());
    let at = (0..parent.child_count()).find(is_node)?;
    parent.field_name_for_child(at)
}

/// The use of a child node, if its parent decides it.
fn kind_in_parent(node: Node<'_>, parent: Node<'_>) -> Option<AccessKind> {
    let kind = parent.kind();
    let field = field_of(parent, node).unwrap_or_default();
    let is_first = parent.named_child(0).is_some_and(|first| first.id() == node.id());
    if is_assignment(kind) {
        let is_target = matches!(field, "left" | "target" | "variable" | "variables") || is_first;
        return Some(if is_target { AccessKind::Write } else { AccessKind::Read });
    }
    if changes_in_place(parent) {
        return Some(AccessKind::Write);
    }
    if is_initialiser(kind) && (matches!(field, "name" | "key" | "field") || is_first) {
        return Some(AccessKind::Write);
    }
    if is_construction(kind) && (matches!(field, "name" | "type" | "constructor") || is_first) {
        return Some(AccessKind::Construct);
    }
    if is_setter_call(node, parent) {
        return Some(AccessKind::Write);
    }
    if is_call(kind) && (matches!(field, "function" | "name" | "method" | "macro") || is_first) {
        return Some(AccessKind::Call);
    }
    if is_declaration(kind) && matches!(field, "name" | "declarator" | "pattern") {
        return Some(AccessKind::Declaration);
    }
    let is_type = node.kind() == "type_identifier"
        || matches!(field, "type" | "return_type" | "trait" | "superclass" | "interfaces")
        || kind == "type";
    is_type.then_some(AccessKind::Type).filter(|_| !continues_as_value(parent))
}

fn is_assignment(kind: &str) -> bool {
    kind.contains("assign") && kind != "directly_assignable_expression"
}

/// `user.name = 1` where members are calls without arguments (Ruby).
fn is_setter_call(node: Node<'_>, parent: Node<'_>) -> bool {
    let up = parent.parent().filter(|up| is_assignment(up.kind()));
    let is_target = up.is_some_and(|up| field_of(up, parent) == Some("left"));
    is_target && parent.kind() == "call" && node.end_byte() == parent.end_byte()
}

/// `a++`, `--a`, `&mut a`.
fn changes_in_place(node: Node<'_>) -> bool {
    let kind = node.kind();
    if matches!(kind, "update_expression" | "inc_statement" | "dec_statement") {
        return true;
    }
    let is_unary = kind.contains("prefix") || kind.contains("postfix") || kind.contains("unary");
    let mut parts = (0..node.child_count()).filter_map(|at| node.child(at));
    if kind == "reference_expression" {
        return parts.any(|part| part.kind() == "mutable_specifier");
    }
    is_unary && parts.any(|part| matches!(part.kind(), "++" | "--"))
}

/// One entry of a literal with named fields, or an argument by name.
fn is_initialiser(kind: &str) -> bool {
    matches!(
        kind,
        "field_initializer"
            | "shorthand_field_initializer"
            | "keyed_element"
            | "literal_element"
            | "keyword_argument"
            | "initializer_pair"
            | "field_designator"
            | "designator"
    )
}

fn is_construction(kind: &str) -> bool {
    kind.contains("object_creation")
        || matches!(
            kind,
            "new_expression"
                | "struct_expression"
                | "composite_literal"
                | "compound_literal_expression"
        )
}

fn is_call(kind: &str) -> bool {
    matches!(kind, "call" | "macro_invocation" | "constructor_invocation" | "method_call")
        || kind.contains("call_expression")
        || kind.contains("invocation_expression")
        || kind.contains("method_invocation")
        || kind.contains("function_call")
        || kind.contains("command")
}

fn is_declaration(kind: &str) -> bool {
    [
        "declaration",
        "definition",
        "_item",
        "declarator",
        "parameter",
        "_spec",
        "let_",
        "property_element",
    ]
    .iter()
    .any(|part| kind.contains(part))
}

/// The type that a literal with named fields makes a value of: `User` for `name` in
/// `User { name: 1 }`.
pub(super) fn constructed_type(tree: &Tree, text: &str, span: Span) -> Option<String> {
    let (start, end) = (span.start as usize, span.end as usize);
    let mut open = tree.root_node().descendant_for_byte_range(start, end);
    for _ in 0..MAX_LITERAL_LEVELS {
        let node = open?.parent()?;
        if matches!(node.kind(), "struct_expression" | "composite_literal") {
            let name = ["name", "type"].iter().find_map(|field| node.child_by_field_name(field))?;
            return text.get(name.byte_range()).map(str::to_owned);
        }
        open = Some(node);
    }
    None
}

/// Nodes between the name of a field and the literal that it is in.
const MAX_LITERAL_LEVELS: usize = 5;

/// Whether a node with a type in it makes a value of that type.
fn continues_as_value(parent: Node<'_>) -> bool {
    let up = parent.parent();
    matches!(parent.kind(), "generic_type" | "qualified_type" | "scoped_type_identifier")
        && up.is_some_and(|up| is_construction(up.kind()))
}
