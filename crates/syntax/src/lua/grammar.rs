//! The grammar rules of Lua: which nodes declare something, and under which path.
//!
//! A function `M.f` has the path `M.f` and no parent, since a table is filled anywhere in its file.

use super::values;
use crate::doc_comments::DocCommentStyle;
use crate::facts_builder::SymbolDraft;
use crate::model::{AssignTarget, BindingKind, Expr, SymbolFlags, SymbolKind, Visibility};
use crate::treesitter::{
    GrammarRules, GrammarWalker, LanguageFn, Node, NodeExt, NodeRule, named_children, span,
};

/// The rules of the language.
pub(crate) struct Lua;

impl GrammarRules for Lua {
    fn grammar(&self) -> LanguageFn {
        tree_sitter_lua::LANGUAGE
    }

    fn captures_locals(&self) -> bool {
        true
    }

    fn doc_style(&self, text: &str) -> Option<DocCommentStyle> {
        let is_tool_line = text.starts_with("--#") || text.starts_with("-- luacheck:");
        (!is_tool_line).then_some(DocCommentStyle::Lines(&["--[[", "]]", "---", "--"]))
    }

    #[expect(clippy::match_same_arms, reason = "the order of the arms decides")]
    fn rule(&self, walk: &GrammarWalker<'_>, node: Node<'_>) -> NodeRule {
        match node.kind() {
            "comment" => NodeRule::Comment,
            "function_declaration" => NodeRule::Symbol(SymbolKind::Function),
            "variable_declaration" | "assignment_statement" => declaration_rule(walk, node),
            "field" if is_listed_field(node) => NodeRule::Symbol(SymbolKind::Function),
            // The value of a variable was read together with its declaration.
            "variable_list" => NodeRule::Skip,
            "expression_list" if !is_function_value(node) => NodeRule::Skip,
            "function_definition" if named_function(node).is_some() => NodeRule::Walk,
            "function_definition" => NodeRule::Lambda("function"),
            "string" => NodeRule::Text,
            "parenthesized_expression" => NodeRule::LastChild,
            "if_statement" | "elseif_statement" | "else_statement" => NodeRule::Branch,
            "while_statement" | "repeat_statement" | "for_statement" => NodeRule::Loop,
            "do_statement" => NodeRule::Block,
            "hash_bang_line" | "attribute" | "label_statement" | "goto_statement" => NodeRule::Skip,
            "identifier"
            | "dot_index_expression"
            | "method_index_expression"
            | "bracket_index_expression"
            | "function_call"
            | "table_constructor"
            | "binary_expression"
            | "parameters"
            | "for_generic_clause"
            | "for_numeric_clause"
            | "return_statement" => NodeRule::Custom,
            _ => NodeRule::Walk,
        }
    }

    fn name<'n>(&self, node: Node<'n>) -> Option<Node<'n>> {
        let target = target(node)?;
        target.field("method").or_else(|| target.field("field")).or(Some(target))
    }

    fn body<'n>(&self, node: Node<'n>) -> Option<Node<'n>> {
        node.field("body").or_else(|| function_of(node).and_then(|function| function.field("body")))
    }

    fn complete_draft(
        &self,
        walk: &mut GrammarWalker<'_>,
        node: Node<'_>,
        draft: &mut SymbolDraft,
    ) -> bool {
        let Some(target) = target(node) else { return false };
        let path = declared_path(walk, node, target);
        let is_local = is_local(node);
        if let Some(function) = function_of(node) {
            let is_method =
                target.kind() == "method_index_expression" || has_self_parameter(walk, function);
            draft.kind = if is_method && path.contains('.') {
                SymbolKind::Method
            } else {
                SymbolKind::Function
            };
            let stop = function.field("parameters").map(|list| span(list).end);
            let head = base::Span::new(draft.declaration.start, stop.unwrap_or(span(node).end));
            draft.signature = walk.builder.one_line_signature(head);
            draft.is_test = draft.name.starts_with("test_");
            let is_value = node.kind() != "function_declaration";
            draft.flags = SymbolFlags::default().with_if(SymbolFlags::FUNCTION_VALUE, is_value);
        } else if path.contains('.') {
            draft.kind = SymbolKind::Field;
        }
        draft.visibility = if is_local { Visibility::Private } else { Visibility::Public };
        draft.exported = !is_local && !path.contains('.');
        if path.contains('.') {
            draft.parent = None;
            draft.path = Some(path);
        }
        true
    }

    fn after_symbol(&self, walk: &mut GrammarWalker<'_>, node: Node<'_>, symbol: u32) {
        if node.kind() == "field" {
            return; // the table that it is in records it
        }
        let Some(target) = target(node) else { return };
        if function_of(node).is_none() {
            values::assign(walk, node, Some(symbol));
        } else if target.kind() == "identifier" {
            walk.bind(target, BindingKind::Symbol(symbol));
        } else if let Expr::Member(table, name) = values::read_target(walk, target) {
            walk.builder.add_assignment(AssignTarget::Member(*table, name), Expr::Symbol(symbol));
        }
    }

    fn custom_expr(&self, walk: &mut GrammarWalker<'_>, node: Node<'_>) -> Expr {
        values::read(walk, node)
    }
}

/// What a declaration declares: an identifier or an index expression.
fn target(node: Node<'_>) -> Option<Node<'_>> {
    match node.kind() {
        "variable_declaration" => {
            let list = node.child_of_kind(&["assignment_statement"]).unwrap_or(node);
            target_of_list(list)
        }
        "assignment_statement" => target_of_list(node),
        _ => node.field("name"),
    }
}

fn target_of_list(node: Node<'_>) -> Option<Node<'_>> {
    node.child_of_kind(&["variable_list"])?.field("name")
}

/// The function that a declaration gives a name to.
fn function_of(node: Node<'_>) -> Option<Node<'_>> {
    match node.kind() {
        "function_declaration" => Some(node),
        "field" => node.field("value").filter(|value| value.kind() == "function_definition"),
        "variable_declaration" => function_of(node.child_of_kind(&["assignment_statement"])?),
        "assignment_statement" => {
            let values = named_children(node.child_of_kind(&["expression_list"])?);
            let function = values.first().filter(|value| value.kind() == "function_definition");
            function.filter(|_| values.len() == 1).copied()
        }
        _ => None,
    }
}

/// The declaration that gives a function its name.
fn named_function(function: Node<'_>) -> Option<Node<'_>> {
    let parent = function.parent()?;
    if parent.kind() == "field" {
        return Some(parent).filter(|field| is_listed_field(*field));
    }
    let statement = parent.parent().filter(|one| one.kind() == "assignment_statement")?;
    function_of(statement).filter(|own| *own == function).map(|_| statement)
}

/// Whether a list of values is one function that has a name.
fn is_function_value(list: Node<'_>) -> bool {
    let values = named_children(list);
    let is_assigned = list.parent().is_some_and(|parent| parent.kind() == "assignment_statement");
    !is_assigned || values.first().is_some_and(|value| named_function(*value).is_some())
}

/// Variables of functions and blocks are local; elsewhere what is declared is a symbol.
fn declaration_rule(walk: &GrammarWalker<'_>, node: Node<'_>) -> NodeRule {
    if node.parent().is_some_and(|parent| parent.kind() == "variable_declaration") {
        return NodeRule::Walk; // a part of the declaration around it
    }
    if function_of(node).is_some() {
        return NodeRule::Symbol(SymbolKind::Function);
    }
    let is_top = walk.builder.position.owner.is_none() && walk.builder.position.block.is_none();
    let names_one = target(node).is_some_and(|target| match target.kind() {
        "identifier" => !is_require(walk, node) && is_new_name(walk, node, target),
        "dot_index_expression" => is_own_table(walk, target),
        _ => false,
    });
    match is_top && names_one {
        true => NodeRule::Symbol(SymbolKind::Variable),
        false => NodeRule::Custom,
    }
}

/// Whether a variable is bound to a required module.
fn is_require(walk: &GrammarWalker<'_>, node: Node<'_>) -> bool {
    let statement = node.child_of_kind(&["assignment_statement"]).unwrap_or(node);
    let values = statement.child_of_kind(&["expression_list"]).map(named_children);
    let first = values.unwrap_or_default().first().copied();
    first.and_then(|value| value.field("name")).is_some_and(|name| {
        let name = walk.text(name);
        matches!(name.as_str(), "require" | "pcall")
    })
}

/// Whether a declaration is local, or the first assignment of a global.
fn is_new_name(walk: &GrammarWalker<'_>, node: Node<'_>, name: Node<'_>) -> bool {
    is_local(node) || {
        let name = walk.text(name);
        let known = walk.builder.facts.symbols.iter().any(|symbol| symbol.path == name);
        !known && matches!(walk.name(&name), Expr::Name(_))
    }
}

/// Whether `M.x` is a new field of a table of this file. Metamethods are no fields of their own.
fn is_own_table(walk: &GrammarWalker<'_>, target: Node<'_>) -> bool {
    let Some(table) = target.field("table").filter(|table| table.kind() == "identifier") else {
        return false;
    };
    let (table, field) = (walk.text(table), target.field("field").map(|field| walk.text(field)));
    let Some(field) = field.filter(|field| !field.starts_with("__")) else { return false };
    let Expr::Local(local) = walk.name(&table) else { return false };
    let path = format!("{table}.{field}");
    let binding = &walk.builder.facts.flow.bindings[local as usize];
    !matches!(binding.kind, BindingKind::Import(..))
        && walk.builder.facts.symbols.iter().all(|symbol| symbol.path != path)
}

/// Whether a field of a table is a function with a path of its own: `M = { f = function() end }`.
fn is_listed_field(field: Node<'_>) -> bool {
    let is_named = field.field("name").is_some_and(|name| name.kind() == "identifier");
    is_named && function_of(field).is_some() && table_name(field).is_some()
}

/// The name of the table that a field is listed in.
fn table_name(field: Node<'_>) -> Option<Node<'_>> {
    let list = field.parent()?.parent().filter(|list| list.kind() == "expression_list")?;
    let statement = list.parent().filter(|one| one.kind() == "assignment_statement")?;
    let is_one = named_children(list).len() == 1;
    let around = statement.parent()?;
    let is_top =
        around.kind() == "chunk" || around.parent().is_some_and(|one| one.kind() == "chunk");
    target_of_list(statement).filter(|_| is_one && is_top)
}

/// The path of what is declared: `M.f` for `function M:f()`.
fn declared_path(walk: &GrammarWalker<'_>, node: Node<'_>, target: Node<'_>) -> String {
    let own: String = walk.text(target).split_whitespace().collect();
    let own = own.replace(':', ".");
    match table_name(node).filter(|_| node.kind() == "field") {
        Some(table) => format!("{}.{own}", walk.text(table)),
        None => own,
    }
}

/// Whether a name is visible in its file only.
fn is_local(node: Node<'_>) -> bool {
    node.has_token("local")
}

fn has_self_parameter(walk: &GrammarWalker<'_>, function: Node<'_>) -> bool {
    let first = function.field("parameters").and_then(|list| list.field("name"));
    first.is_some_and(|first| walk.text(first) == "self")
}
