//! The grammar rules of Go.

use crate::doc_comments::DocCommentStyle;
use crate::facts_builder::SymbolDraft;
use crate::model::{
    Expr, FileFacts, HeritageKind, ImportKind, ImportedName, ParamKind, SymbolFlags, SymbolKind,
    Visibility,
};
use crate::treesitter::{
    GrammarRules, GrammarWalker, LanguageFn, Node, NodeExt, NodeRule, named_children, span,
};

use super::{build_constraints, types, values};

/// The rules of the language.
pub(crate) struct Go;

impl GrammarRules for Go {
    fn grammar(&self) -> LanguageFn {
        tree_sitter_go::LANGUAGE
    }

    fn doc_style(&self, text: &str) -> Option<DocCommentStyle> {
        if text.starts_with("//go:") {
            return None;
        }
        Some(if text.starts_with("/*") {
            DocCommentStyle::Block
        } else {
            DocCommentStyle::Lines(&["//"])
        })
    }

    fn complete_file(&self, text: &str, facts: &mut FileFacts) {
        let mut before = text.lines().take_while(|line| !line.starts_with("package "));
        facts.build = before.find_map(build_constraints::build_condition).map(str::to_owned);
    }

    fn rule(&self, walk: &GrammarWalker<'_>, node: Node<'_>) -> NodeRule {
        match node.kind() {
            "comment" => NodeRule::Comment,
            "type_declaration" => NodeRule::Wrap,
            "const_declaration" | "var_declaration" | "var_spec_list" if !walk.in_function() => {
                NodeRule::Wrap
            }
            "function_declaration" => NodeRule::Symbol(SymbolKind::Function),
            "method_declaration" | "method_elem" => NodeRule::Symbol(SymbolKind::Method),
            "type_spec" => match node.field("type").map(|ty| ty.kind()) {
                Some("struct_type") => NodeRule::Symbol(SymbolKind::Struct),
                Some("interface_type") => NodeRule::Symbol(SymbolKind::Interface),
                _ => NodeRule::Symbol(SymbolKind::Type),
            },
            "type_alias" => NodeRule::Symbol(SymbolKind::Type),
            "field_declaration" if node.field("name").is_some() => {
                NodeRule::Symbol(SymbolKind::Field)
            }
            "const_spec" if !walk.in_function() => NodeRule::Symbol(SymbolKind::Constant),
            "var_spec" if !walk.in_function() => NodeRule::Symbol(SymbolKind::Variable),
            // Elsewhere they were read with the type that they are part of.
            "struct_type" | "interface_type" if !is_declared_type(node) => NodeRule::Skip,
            "type_parameter_list" => NodeRule::Skip,
            "func_literal" => NodeRule::Lambda("func"),
            "parenthesized_expression" | "literal_element" => NodeRule::LastChild,
            "return_statement" => NodeRule::Return,
            "if_statement" | "expression_case" | "communication_case" | "default_case" => {
                NodeRule::Branch
            }
            "for_statement" => NodeRule::Loop,
            "block" | "expression_switch_statement" | "select_statement" => NodeRule::Block,
            "interpreted_string_literal" | "raw_string_literal" => NodeRule::Text,
            "parameter_declaration"
            | "variadic_parameter_declaration"
            | "package_clause"
            | "import_spec"
            | "identifier"
            | "selector_expression"
            | "call_expression"
            | "index_expression"
            | "slice_expression"
            | "type_assertion_expression"
            | "type_conversion_expression"
            | "type_instantiation_expression"
            | "type_switch_statement"
            | "composite_literal"
            | "keyed_element"
            | "expression_list"
            | "short_var_declaration"
            | "assignment_statement"
            | "receive_statement"
            | "var_spec"
            | "const_spec"
            | "unary_expression"
            | "type_elem"
            | "range_clause" => NodeRule::Custom,
            _ => NodeRule::Walk,
        }
    }

    fn further_names<'n>(&self, node: Node<'n>) -> Vec<Node<'n>> {
        let mut cursor = node.walk();
        let names = node.children_by_field_name("name", &mut cursor);
        names.filter(Node::is_named).skip(1).collect()
    }

    fn body<'n>(&self, node: Node<'n>) -> Option<Node<'n>> {
        let ty = node.field("type").filter(|_| node.kind() == "type_spec");
        let members = ty.and_then(|ty| ty.child_of_kind(&["field_declaration_list", "{"]));
        node.field("body").or(members)
    }

    fn complete_draft(
        &self,
        walk: &mut GrammarWalker<'_>,
        node: Node<'_>,
        draft: &mut SymbolDraft,
    ) -> bool {
        let is_public = draft.name.starts_with(char::is_uppercase);
        draft.visibility =
            if is_public { Visibility::Public } else { Visibility::Restricted("package".into()) };
        draft.exported = is_public && !walk.in_function();
        if !draft.kind.is_callable() && !defers_type(walk, node) {
            draft.ty = own_type(node).map(|ty| types::read(walk, ty));
        }
        draft.flags = draft.flags.with_if(SymbolFlags::DISTINCT_TYPE, is_distinct(node));
        if let Some(receiver) = receiver(node) {
            let ty = walk.text(receiver);
            let ty = ty.trim_start_matches(['*', ' ']).split('[').next().unwrap_or_default();
            draft.parent = walk.find_type(ty);
            draft.path = Some(format!("{ty}.{}", draft.name));
        }
        let params = node.field("parameters").map(|list| walk.text(list)).unwrap_or_default();
        let is_test = ["Test", "Benchmark", "Fuzz", "Example"];
        draft.is_test = is_test.iter().any(|word| draft.name.starts_with(word))
            && (params.contains("testing.") || draft.name.starts_with("Example"));
        draft.flags = draft.flags.with_if(SymbolFlags::ABSTRACT, node.kind() == "method_elem");
        true
    }

    fn after_symbol(&self, walk: &mut GrammarWalker<'_>, node: Node<'_>, symbol: u32) {
        let back = walk.builder.enter_symbol(symbol);
        let mut generics = types::generics(walk, node);
        if let Some(receiver) = receiver(node) {
            generics.extend(types::receiver_generics(walk, receiver));
        }
        walk.builder.symbol_mut(symbol).generics = generics;
        if walk.builder.facts.symbols[symbol as usize].kind.is_callable() {
            let result = types::result(walk, node);
            walk.builder.symbol_mut(symbol).ty = result;
        } else if defers_type(walk, node) {
            let ty = own_type(node).map(|ty| types::read(walk, ty));
            walk.builder.symbol_mut(symbol).ty = ty;
        }
        walk.builder.restore_position(back);
        if let Some(ty) = node.field("type").filter(|_| node.kind() == "type_spec") {
            add_embedded(walk, ty, symbol);
        }
    }

    fn lambda_params(&self, walk: &mut GrammarWalker<'_>, lambda: Node<'_>) {
        if let Some(owner) = walk.builder.position.owner {
            let result = types::result(walk, lambda);
            walk.builder.symbol_mut(owner).ty = result;
        }
    }

    fn custom_expr(&self, walk: &mut GrammarWalker<'_>, node: Node<'_>) -> Expr {
        match node.kind() {
            "package_clause" => {
                walk.builder.facts.namespace =
                    named_children(node).first().map(|name| walk.text(*name));
            }
            "import_spec" => import(walk, node),
            "parameter_declaration" | "variadic_parameter_declaration" => param(walk, node),
            "type_elem" => {}
            _ => return values::read(walk, node),
        }
        Expr::Unknown
    }
}

/// Whether a type is what a declaration gives a name to.
fn is_declared_type(node: Node<'_>) -> bool {
    node.parent().is_some_and(|parent| parent.kind() == "type_spec")
}

/// Whether a declaration creates a new type from another one: `type A B`, not `type A = B`.
fn is_distinct(node: Node<'_>) -> bool {
    let kind = node.field("type").map(|ty| ty.kind());
    node.kind() == "type_spec" && !matches!(kind, Some("struct_type" | "interface_type"))
}

/// The type that a declaration says, or repeats from the constant before it.
fn own_type(node: Node<'_>) -> Option<Node<'_>> {
    let ty = node.field("type");
    if node.kind() == "const_spec" && node.field("value").is_none() {
        let mut before = node.prev_named_sibling();
        while let Some(one) = before.filter(|one| matches!(one.kind(), "const_spec" | "comment")) {
            if one.field("value").is_some() {
                return one.field("type");
            }
            before = one.prev_named_sibling();
        }
    }
    ty.filter(|ty| node.kind() != "type_spec" || is_distinct(node) && !ty.is_error())
}

/// Whether the type of a declaration has parts that are symbols inside of it, or names it gives
/// itself.
fn defers_type(walk: &GrammarWalker<'_>, node: Node<'_>) -> bool {
    let is_type = matches!(node.kind(), "type_spec" | "type_alias");
    is_type || Go.further_names(node).is_empty() && walk.text(node).contains("struct")
}

/// Adds the embedded types of a struct or interface.
pub(super) fn add_embedded(walk: &mut GrammarWalker<'_>, ty: Node<'_>, symbol: u32) {
    let list =
        if ty.kind() == "struct_type" { named_children(ty).first().copied() } else { Some(ty) };
    for member in list.map(named_children).unwrap_or_default() {
        let embedded = match member.kind() {
            "field_declaration" if member.field("name").is_none() => member.field("type"),
            "type_elem" if named_children(member).len() == 1 => {
                named_children(member).first().copied()
            }
            _ => None,
        };
        if let Some(embedded) = embedded.filter(|one| one.kind() != "negated_type") {
            walk.add_heritage(symbol, HeritageKind::Extends, embedded);
        }
    }
}

/// The type that a method belongs to.
fn receiver(node: Node<'_>) -> Option<Node<'_>> {
    let list = node.field("receiver")?;
    named_children(list).first()?.field("type")
}

/// The names of a parameter, or of a result.
fn param(walk: &mut GrammarWalker<'_>, node: Node<'_>) {
    let list = node.parent();
    let function = list.and_then(|list| list.parent());
    let Some((list, function)) = list.zip(function) else { return };
    let has_body = ["function_declaration", "method_declaration", "func_literal", "method_elem"];
    if !has_body.contains(&function.kind()) {
        return; // a function type
    }
    let ty = node.field("type").map(|ty| types::read(walk, ty));
    let mut cursor = node.walk();
    let names: Vec<_> =
        node.children_by_field_name("name", &mut cursor).filter(Node::is_named).collect();
    if function.field("result") == Some(list) {
        for name in names {
            walk.declare(name, ty.clone(), Expr::Unknown);
        }
        return;
    }
    let kind = match node.kind() {
        "variadic_parameter_declaration" => ParamKind::Rest,
        _ if function.field("receiver") == Some(list) => ParamKind::Receiver,
        _ => ParamKind::Plain,
    };
    for name in &names {
        walk.param_with_type(kind, Some(*name), ty.clone());
    }
    if names.is_empty() {
        walk.param_with_type(kind, None, ty);
    }
}

fn import(walk: &mut GrammarWalker<'_>, node: Node<'_>) {
    let Some(path) = node.field("path") else { return };
    let specifier = walk.text(path).trim_matches(['"', '`']).to_owned();
    let import = walk.builder.add_import(ImportKind::Import, specifier, span(node));
    let alias = node.field("name").map(|name| walk.text(name));
    if alias.as_deref() != Some("_") {
        let name = ImportedName { name: "*".into(), alias, is_type: false, span: span(node) };
        walk.builder.facts.imports[import as usize].names.push(name);
    }
}

/// Whether a name is that of an imported package.
pub(super) fn is_package(walk: &GrammarWalker<'_>, name: &str) -> bool {
    walk.builder.facts.imports.iter().any(|import| import.is_go_package_named(name))
}
