//! Go.

use crate::build::Draft;
use crate::docs::Style;
use crate::model::{
    CallKind, Expr, Flags, HeritageKind, ImportKind, ImportedName, ParamKind, SymbolKind,
    Visibility,
};
use crate::tree::{self, Dialect, Grown, LanguageFn, Node, Rule, Walk, named, span, written};

#[cfg(test)]
mod tests;

/// The language.
pub(crate) struct Go;

impl Dialect for Go {
    fn grammar(&self) -> LanguageFn {
        tree_sitter_go::LANGUAGE
    }

    fn doc(&self, text: &str) -> Option<Style> {
        if text.starts_with("//go:") {
            return None;
        }
        Some(if text.starts_with("/*") { Style::Block } else { Style::Lines(&["//"]) })
    }

    fn rule(&self, walk: &Walk<'_>, node: Node<'_>) -> Rule {
        match node.kind() {
            "comment" => Rule::Comment,
            "type_declaration" => Rule::Wrap,
            "const_declaration" | "var_declaration" | "var_spec_list" if !walk.in_function() => {
                Rule::Wrap
            }
            "function_declaration" => Rule::Symbol(SymbolKind::Function),
            "method_declaration" | "method_elem" => Rule::Symbol(SymbolKind::Method),
            "type_spec" => match node.field("type").map(|ty| ty.kind()) {
                Some("struct_type") => Rule::Symbol(SymbolKind::Struct),
                Some("interface_type") => Rule::Symbol(SymbolKind::Interface),
                _ => Rule::Symbol(SymbolKind::Type),
            },
            "type_alias" => Rule::Symbol(SymbolKind::Type),
            "field_declaration" if node.field("name").is_some() => Rule::Symbol(SymbolKind::Field),
            "const_spec" if !walk.in_function() => Rule::Symbol(SymbolKind::Constant),
            "var_spec" if !walk.in_function() => Rule::Symbol(SymbolKind::Variable),
            "var_spec" | "const_spec" => Rule::Local("name", "type", "value"),
            "call_expression" => Rule::Call("function", "arguments"),
            "selector_expression" => Rule::Member("operand", "field"),
            "func_literal" => Rule::Lambda("func"),
            "identifier" => Rule::Name,
            "parenthesized_expression" | "expression_list" | "literal_element" => Rule::Inner,
            "return_statement" => Rule::Return,
            "if_statement" | "expression_case" | "type_case" | "communication_case"
            | "default_case" => Rule::Branch,
            "for_statement" => Rule::Loop,
            "block" => Rule::Block,
            "interpreted_string_literal" | "raw_string_literal" => Rule::Text,
            "parameter_declaration"
            | "package_clause"
            | "import_spec"
            | "composite_literal"
            | "short_var_declaration"
            | "unary_expression"
            | "type_elem"
            | "range_clause"
            | "assignment_statement" => Rule::Own,
            _ => Rule::Walk,
        }
    }

    fn more<'n>(&self, node: Node<'n>) -> Vec<Node<'n>> {
        let mut cursor = node.walk();
        let names = node.children_by_field_name("name", &mut cursor);
        names.filter(Node::is_named).skip(1).collect()
    }

    fn body<'n>(&self, node: Node<'n>) -> Option<Node<'n>> {
        let ty = node.field("type").filter(|_| node.kind() == "type_spec");
        let members = ty.and_then(|ty| ty.child_of(&["field_declaration_list", "{"]));
        node.field("body").or(members)
    }

    fn describe(&self, walk: &mut Walk<'_>, node: Node<'_>, draft: &mut Draft) -> bool {
        let is_public = draft.name.starts_with(char::is_uppercase);
        draft.visibility =
            if is_public { Visibility::Public } else { Visibility::Restricted("package".into()) };
        draft.exported = is_public && !walk.in_function();
        draft.ty = node.field("result").map(|result| written(&walk.text(result)));
        if !draft.kind.is_callable() {
            draft.ty = node.field("type").map(|ty| written(&walk.text(ty)));
        }
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
        draft.flags = draft.flags.with(Flags::ABSTRACT, node.kind() == "method_elem");
        true
    }

    fn after(&self, walk: &mut Walk<'_>, node: Node<'_>, symbol: u32) {
        let Some(ty) = node.field("type").filter(|_| node.kind() == "type_spec") else { return };
        let list = if ty.kind() == "struct_type" { named(ty).first().copied() } else { Some(ty) };
        for member in list.map(named).unwrap_or_default() {
            let embedded = match member.kind() {
                "field_declaration" if member.field("name").is_none() => member.field("type"),
                "type_elem" => named(member).first().copied(),
                _ => None,
            };
            if let Some(embedded) = embedded {
                walk.heritage(symbol, HeritageKind::Extends, embedded);
            }
        }
    }

    fn own(&self, walk: &mut Walk<'_>, node: Node<'_>) -> Expr {
        match node.kind() {
            "package_clause" => {
                walk.b.facts.namespace = named(node).first().map(|name| walk.text(*name));
            }
            "import_spec" => import(walk, node),
            "parameter_declaration" => param(walk, node),
            "range_clause" => {
                let over = node.field("right").map_or(Expr::Unknown, |over| walk.expr(over));
                let names = node.field("left").map(named).unwrap_or_default();
                for (at, name) in names.into_iter().enumerate() {
                    let value = if at == 1 { over.clone().each() } else { Expr::Unknown };
                    walk.declare(name, None, value);
                }
            }
            "composite_literal" => {
                let callee = node.field("type").map_or(Expr::Unknown, |ty| walk.type_value(ty));
                if let Some(body) = node.field("body") {
                    walk.inside(body);
                }
                let at = span(node);
                if callee != Expr::Unknown {
                    return walk.b.call(CallKind::New, callee, Vec::new(), at, at.start);
                }
            }
            "unary_expression" => {
                let operand = node.field("operand");
                return operand.map_or(Expr::Unknown, |operand| walk.expr(operand));
            }
            "short_var_declaration" | "assignment_statement" => assign(walk, node),
            _ => {}
        }
        Expr::Unknown
    }
}

/// The type that a method belongs to.
fn receiver(node: Node<'_>) -> Option<Node<'_>> {
    let list = node.field("receiver")?;
    named(list).first()?.field("type")
}

/// The names of a parameter; what a function returns has no parameters.
fn param(walk: &mut Walk<'_>, node: Node<'_>) {
    let list = node.parent();
    let function = list.and_then(|list| list.parent());
    let Some((list, function)) = list.zip(function) else { return };
    if function.field("result") == Some(list) {
        return;
    }
    let is_receiver = function.field("receiver") == Some(list);
    let kind = if is_receiver { ParamKind::Receiver } else { ParamKind::Plain };
    let names = named(node).into_iter().filter(|one| one.kind() == "identifier");
    let names: Vec<_> = names.collect();
    for name in &names {
        walk.param_as(kind, Some(*name), node.field("type"));
    }
    if names.is_empty() {
        walk.param_as(kind, None, node.field("type"));
    }
}

fn import(walk: &mut Walk<'_>, node: Node<'_>) {
    let Some(path) = node.field("path") else { return };
    let specifier = walk.text(path).trim_matches(['"', '`']).to_owned();
    let import = walk.b.import(ImportKind::Import, specifier, span(node));
    let alias = node.field("name").map(|name| walk.text(name));
    if alias.as_deref() != Some("_") {
        let alias = alias.filter(|alias| alias != ".");
        let name = ImportedName { name: "*".into(), alias, is_type: false, span: span(node) };
        walk.b.facts.imports[import as usize].names.push(name);
    }
}

/// `a, b := f()` and `a, b = c, d`.
fn assign(walk: &mut Walk<'_>, node: Node<'_>) {
    let left = node.field("left").map(named).unwrap_or_default();
    let right = node.field("right").map(named).unwrap_or_default();
    let values: Vec<_> = right.into_iter().map(|value| walk.expr(value)).collect();
    for (at, target) in left.iter().enumerate() {
        let value = match values.as_slice() {
            [one] if left.len() == 1 => one.clone(),
            [one] => one.clone().index(Expr::Number(i64::try_from(at).unwrap_or_default())),
            several => several.get(at).cloned().unwrap_or_default(),
        };
        if node.kind() == "short_var_declaration" {
            walk.declare(*target, None, value);
        } else {
            walk.assign_to(*target, value);
        }
    }
}

/// The facts of a Go file.
pub(crate) fn extract(text: &str) -> crate::FileFacts {
    tree::extract(&Go, text)
}
