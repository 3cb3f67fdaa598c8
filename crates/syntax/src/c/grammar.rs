//! The grammar rules of C, and what C++ shares with them.

use crate::facts_builder::SymbolDraft;
use crate::model::{Expr, ImportKind, SymbolFlags, SymbolKind, Visibility};
use crate::treesitter::{
    GrammarRules, GrammarWalker, LanguageFn, Node, NodeExt, NodeRule, named_children,
    parse_type_text, span,
};

/// The rules of the language.
pub(crate) struct C;

impl GrammarRules for C {
    fn grammar(&self) -> LanguageFn {
        tree_sitter_c::LANGUAGE
    }

    fn rule(&self, walk: &GrammarWalker<'_>, node: Node<'_>) -> NodeRule {
        rule(walk, node)
    }

    fn name<'n>(&self, node: Node<'n>) -> Option<Node<'n>> {
        name(node)
    }

    fn further_names<'n>(&self, node: Node<'n>) -> Vec<Node<'n>> {
        further_names(node)
    }

    fn complete_draft(
        &self,
        walk: &mut GrammarWalker<'_>,
        node: Node<'_>,
        draft: &mut SymbolDraft,
    ) -> bool {
        complete_draft(walk, node, draft)
    }

    fn custom_expr(&self, walk: &mut GrammarWalker<'_>, node: Node<'_>) -> Expr {
        custom_expr(walk, node)
    }
}

/// How a node is read.
pub(crate) fn rule(walk: &GrammarWalker<'_>, node: Node<'_>) -> NodeRule {
    match node.kind() {
        "comment" => NodeRule::Comment,
        "function_definition" => NodeRule::Symbol(SymbolKind::Function),
        "declaration" | "field_declaration" => declaration(walk, node),
        "struct_specifier" if is_defined(node) => NodeRule::Symbol(SymbolKind::Struct),
        "union_specifier" if is_defined(node) => NodeRule::Symbol(SymbolKind::Union),
        "enum_specifier" if is_defined(node) => NodeRule::Symbol(SymbolKind::Enum),
        "enumerator" => NodeRule::Symbol(SymbolKind::Variant),
        "type_definition" => NodeRule::Symbol(SymbolKind::Type),
        "preproc_def" => NodeRule::Symbol(SymbolKind::Constant),
        "preproc_function_def" => NodeRule::Symbol(SymbolKind::Macro),
        "call_expression" => NodeRule::Call("function", "arguments"),
        "field_expression" => NodeRule::Member("argument", "field"),
        "identifier" => NodeRule::Name,
        "string_literal" => NodeRule::Text,
        "parenthesized_expression" | "pointer_expression" | "cast_expression" => {
            NodeRule::LastChild
        }
        "assignment_expression" => NodeRule::Assign("left", "right"),
        "return_statement" => NodeRule::Return,
        "if_statement" | "case_statement" => NodeRule::Branch,
        "for_statement" | "while_statement" | "do_statement" => NodeRule::Loop,
        "compound_statement" => NodeRule::Block,
        "preproc_include" | "parameter_declaration" | "function_declarator" => NodeRule::Custom,
        "type_identifier" | "primitive_type" | "preproc_arg" => NodeRule::Skip,
        _ => NodeRule::Walk,
    }
}

/// Variables in functions are local; what is declared elsewhere is a symbol.
fn declaration(walk: &GrammarWalker<'_>, node: Node<'_>) -> NodeRule {
    let Some(first) = node.field("declarator") else { return NodeRule::Walk };
    if walk.in_function() && node.kind() == "declaration" {
        return NodeRule::Custom;
    }
    if is_function(first) {
        return NodeRule::Symbol(SymbolKind::Function);
    }
    let is_field = node.kind() == "field_declaration";
    NodeRule::Symbol(if is_field { SymbolKind::Field } else { SymbolKind::Variable })
}

fn is_defined(node: Node<'_>) -> bool {
    node.field("body").is_some() && node.field("name").is_some()
}

/// Whether a declarator declares a function and not a pointer to one.
fn is_function(declarator: Node<'_>) -> bool {
    match declarator.kind() {
        "function_declarator" => declarator
            .field("declarator")
            .is_some_and(|inner| inner.kind() != "parenthesized_declarator"),
        "pointer_declarator" | "reference_declarator" => {
            let inner = declarator
                .field("declarator")
                .or_else(|| named_children(declarator).last().copied());
            inner.is_some_and(is_function)
        }
        _ => false,
    }
}

/// The name of a declaration, through its declarators.
pub(crate) fn name(node: Node<'_>) -> Option<Node<'_>> {
    if let Some(name) = node.field("name") {
        return Some(name);
    }
    declared(node.field("declarator")?)
}

/// The name that a declarator declares.
pub(crate) fn declared(declarator: Node<'_>) -> Option<Node<'_>> {
    let mut at = declarator;
    for _ in 0..64 {
        let inner = at.field("declarator").or_else(|| {
            let wraps =
                ["parenthesized_declarator", "reference_declarator", "attributed_declarator"];
            wraps.contains(&at.kind()).then(|| named_children(at).last().copied()).flatten()
        });
        match inner {
            Some(inner) => at = inner,
            None => return Some(at),
        }
    }
    None
}

/// The second and further declarators.
pub(crate) fn further_names(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    let all = node.children_by_field_name("declarator", &mut cursor);
    all.skip(1).filter_map(declared).collect()
}

/// What is particular to a declaration.
pub(crate) fn complete_draft(
    walk: &mut GrammarWalker<'_>,
    node: Node<'_>,
    draft: &mut SymbolDraft,
) -> bool {
    let words = walk.modifiers(node);
    let is_static = words.iter().any(|word| word == "static");
    let in_type = walk.owner_kind().is_some_and(SymbolKind::is_type);
    draft.visibility = if is_static && !in_type { Visibility::Private } else { Visibility::Public };
    draft.exported = draft.visibility == Visibility::Public && walk.owner_exported();
    draft.flags = draft.flags.with_if(SymbolFlags::STATIC, is_static).with_if(
        SymbolFlags::DECLARATION_ONLY,
        draft.kind.is_callable() && node.field("body").is_none(),
    );
    draft.ty = node.field("type").map(|ty| parse_type_text(&walk.text(ty)));
    if matches!(node.kind(), "preproc_def" | "preproc_function_def") {
        draft.flags = SymbolFlags::default();
        let value = node.field("value").map(span);
        let end = value.map_or(draft.span.end, |value| value.start);
        if draft.signature.len() > 80 {
            draft.signature =
                walk.builder.one_line_signature(base::Span::new(draft.span.start, end));
        }
        draft.body = value;
    }
    if node.kind() == "type_definition"
        && let Some(ty) = node.field("type")
        && let Some(body) = ty.field("body")
        && ty.field("name").is_none()
    {
        draft.body = Some(span(body));
        draft.kind = match ty.kind() {
            "enum_specifier" => SymbolKind::Enum,
            "union_specifier" => SymbolKind::Union,
            _ => SymbolKind::Struct,
        };
        let whole = draft.span;
        let head = walk.builder.one_line_signature(base::Span::new(whole.start, span(body).start));
        draft.signature = format!("{head} {}", draft.name);
    }
    true
}

/// Nodes with rules of their own.
pub(crate) fn custom_expr(walk: &mut GrammarWalker<'_>, node: Node<'_>) -> Expr {
    match node.kind() {
        "preproc_include" => {
            if let Some(path) = node.field("path") {
                let text = walk.text(path);
                let specifier = text.trim_matches(['"', '<', '>']).to_owned();
                let import = walk.builder.add_import(ImportKind::Include, specifier, span(node));
                walk.builder.facts.imports[import as usize].is_path = text.starts_with('"');
            }
        }
        "parameter_declaration" | "optional_parameter_declaration" => {
            let name = node.field("declarator").and_then(declared);
            let name = name.filter(|name| name.kind().ends_with("identifier"));
            walk.param(name, node.field("type"));
        }
        "function_declarator" => {
            if let Some(params) = node.field("parameters") {
                walk.walk_children(params);
            }
        }
        "declaration" => {
            let ty = node.field("type").map(|ty| parse_type_text(&walk.text(ty)));
            let ty = ty.filter(|ty| *ty != crate::TypeRef::named("auto"));
            let mut cursor = node.walk();
            let all: Vec<_> = node.children_by_field_name("declarator", &mut cursor).collect();
            for one in all {
                let value = one.field("value").map_or(Expr::Unknown, |value| walk.expr(value));
                if let Some(name) = declared(one) {
                    walk.declare(name, ty.clone(), value);
                }
            }
        }
        _ => walk.walk_children(node),
    }
    Expr::Unknown
}
