//! C++.

use crate::build::Draft;
use crate::c;
use crate::model::{Expr, Flags, HeritageKind, ImportKind, ImportedName, SymbolKind, Visibility};
use crate::tree::{self, Dialect, Grown, LanguageFn, Node, Rule, Walk, named, span};

#[cfg(test)]
mod tests;

/// The language.
pub(crate) struct Cpp;

impl Dialect for Cpp {
    fn grammar(&self) -> LanguageFn {
        tree_sitter_cpp::LANGUAGE
    }

    fn rule(&self, walk: &Walk<'_>, node: Node<'_>) -> Rule {
        match node.kind() {
            "class_specifier" if node.field("body").is_some() => Rule::Symbol(SymbolKind::Class),
            "namespace_definition" if node.field("name").is_some() => {
                Rule::Symbol(SymbolKind::Namespace)
            }
            "alias_declaration" | "concept_definition" => Rule::Symbol(SymbolKind::Type),
            "template_declaration" => Rule::Wrap,
            "qualified_identifier" | "template_function" | "template_type" => Rule::Path,
            "lambda_expression" => Rule::Lambda("lambda"),
            "new_expression" => Rule::New("type", "arguments"),
            "this" => Rule::This,
            "for_range_loop"
            | "using_declaration"
            | "access_specifier"
            | "optional_parameter_declaration" => Rule::Own,
            "base_class_clause"
            | "template_parameter_list"
            | "template_argument_list"
            | "namespace_identifier" => Rule::Skip,
            _ => c::rule(walk, node),
        }
    }

    fn name<'n>(&self, node: Node<'n>) -> Option<Node<'n>> {
        c::name(node)
    }

    fn more<'n>(&self, node: Node<'n>) -> Vec<Node<'n>> {
        c::more(node)
    }

    fn describe(&self, walk: &mut Walk<'_>, node: Node<'_>, draft: &mut Draft) -> bool {
        c::describe(walk, node, draft);
        let owner = walk.owner_kind();
        if owner.is_some_and(SymbolKind::is_type) {
            member(walk, draft, owner == Some(SymbolKind::Class));
        }
        if let Some((scope, name)) = draft.name.clone().rsplit_once("::") {
            let scope = scope.split('<').next().unwrap_or_default().replace("::", ".");
            draft.parent = walk.find_type(scope.rsplit('.').next().unwrap_or_default());
            draft.path = Some(match walk.b.at.owner {
                Some(owner) => format!("{}.{scope}.{name}", walk.b.prefix(owner)),
                None => format!("{scope}.{name}"),
            });
            name.clone_into(&mut draft.name);
            if draft.kind == SymbolKind::Function {
                draft.kind = SymbolKind::Method;
            }
        }
        let test = ["TEST", "TEST_F", "TEST_P", "TEST_CASE"];
        draft.is_test = test.contains(&draft.name.as_str());
        true
    }

    fn after(&self, walk: &mut Walk<'_>, node: Node<'_>, symbol: u32) {
        for base in node.child_of(&["base_class_clause"]).map(named).unwrap_or_default() {
            if base.kind() != "access_specifier" {
                walk.heritage(symbol, HeritageKind::Extends, base);
            }
        }
    }

    fn own(&self, walk: &mut Walk<'_>, node: Node<'_>) -> Expr {
        match node.kind() {
            "access_specifier" => walk.state = Some(walk.text(node)),
            "using_declaration" => using(walk, node),
            "for_range_loop" => {
                let over = node.field("right").map_or(Expr::Unknown, |over| walk.expr(over));
                if let Some(name) = node.field("declarator").and_then(c::declared) {
                    walk.declare(name, None, over.each());
                }
                if let Some(body) = node.field("body") {
                    walk.expr(body);
                }
            }
            _ => return c::own(walk, node),
        }
        Expr::Unknown
    }
}

/// Members of a class are methods, constructors and fields of the visibility last said.
fn member(walk: &Walk<'_>, draft: &mut Draft, is_class: bool) {
    let owner = walk.b.at.owner.map(|owner| walk.b.facts.symbols[owner as usize].name.clone());
    if draft.kind == SymbolKind::Function {
        let is_constructor = owner.as_deref() == Some(draft.name.as_str());
        draft.kind = if is_constructor { SymbolKind::Constructor } else { SymbolKind::Method };
    }
    draft.visibility = match walk.state.as_deref() {
        Some("public") => Visibility::Public,
        Some("protected") => Visibility::Restricted("protected".into()),
        Some(_) => Visibility::Private,
        None if is_class => Visibility::Private,
        None => Visibility::Public,
    };
    draft.exported = draft.visibility == Visibility::Public && walk.owner_exported();
    draft.flags = draft.flags.with(Flags::ABSTRACT, draft.signature.ends_with("= 0"));
}

fn using(walk: &mut Walk<'_>, node: Node<'_>) {
    let Some(path) = named(node).last().map(|path| walk.text(*path)) else { return };
    let is_whole = node.has_token("namespace");
    let (module, name) =
        if is_whole { (path.as_str(), "*") } else { path.rsplit_once("::").unwrap_or(("", &path)) };
    let import = walk.b.import(ImportKind::Use, module, span(node));
    let name = ImportedName { name: name.into(), alias: None, is_type: false, span: span(node) };
    walk.b.facts.imports[import as usize].names.push(name);
}

/// The facts of a C++ file.
pub(crate) fn extract(text: &str) -> crate::FileFacts {
    tree::extract(&Cpp, text)
}
