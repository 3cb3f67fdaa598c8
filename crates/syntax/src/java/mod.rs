//! Java.

use crate::build::Draft;
use crate::model::{
    CallKind, Expr, Flags, HeritageKind, ImportKind, ImportedName, ParamKind, SymbolKind,
    Visibility,
};
use crate::tree::{
    self, Dialect, Grown, LanguageFn, Node, Rule, Walk, named, span, visibility_of, written,
};

#[cfg(test)]
mod tests;

/// The language.
pub(crate) struct Java;

impl Dialect for Java {
    fn grammar(&self) -> LanguageFn {
        tree_sitter_java::LANGUAGE
    }

    fn rule(&self, walk: &Walk<'_>, node: Node<'_>) -> Rule {
        match node.kind() {
            "line_comment" | "block_comment" => Rule::Comment,
            "class_declaration" | "record_declaration" => Rule::Symbol(SymbolKind::Class),
            "interface_declaration" | "annotation_type_declaration" => {
                Rule::Symbol(SymbolKind::Interface)
            }
            "enum_declaration" => Rule::Symbol(SymbolKind::Enum),
            "enum_constant" => Rule::Symbol(SymbolKind::Variant),
            "method_declaration" => Rule::Symbol(SymbolKind::Method),
            "constructor_declaration" | "compact_constructor_declaration" => {
                Rule::Symbol(SymbolKind::Constructor)
            }
            "field_declaration" | "constant_declaration" => Rule::Wrap,
            "variable_declarator" if !walk.in_function() => Rule::Symbol(SymbolKind::Field),
            "method_invocation" => Rule::Method("object", "name", "arguments"),
            "object_creation_expression" => Rule::New("type", "arguments"),
            "field_access" => Rule::Member("object", "field"),
            "lambda_expression" => Rule::Lambda("lambda"),
            "formal_parameter" | "catch_formal_parameter" | "resource" => {
                Rule::Param("name", "type")
            }
            "identifier" => Rule::Name,
            "this" => Rule::This,
            "super" => Rule::Super,
            "string_literal" => Rule::Text,
            "parenthesized_expression" | "cast_expression" => Rule::Inner,
            "assignment_expression" => Rule::Assign("left", "right"),
            "return_statement" => Rule::Return,
            "if_statement" | "switch_block_statement_group" | "catch_clause" => Rule::Branch,
            "for_statement" | "while_statement" | "do_statement" => Rule::Loop,
            "block" => Rule::Block,
            "package_declaration"
            | "import_declaration"
            | "local_variable_declaration"
            | "enhanced_for_statement"
            | "explicit_constructor_invocation"
            | "method_reference"
            | "spread_parameter" => Rule::Own,
            "modifiers"
            | "type_parameters"
            | "superclass"
            | "super_interfaces"
            | "marker_annotation"
            | "type_identifier"
            | "scoped_type_identifier"
            | "generic_type" => Rule::Skip,
            _ => Rule::Walk,
        }
    }

    fn describe(&self, walk: &mut Walk<'_>, node: Node<'_>, draft: &mut Draft) -> bool {
        let holder = match node.kind() {
            "variable_declarator" => node.parent().unwrap_or(node),
            _ => node,
        };
        let words = walk.modifiers(holder);
        let has = |word: &str| words.iter().any(|one| one == word);
        let around = walk.owner_kind();
        let open = draft.kind == SymbolKind::Variant || around == Some(SymbolKind::Interface);
        draft.visibility = visibility_of(&words).unwrap_or(if open {
            Visibility::Public
        } else {
            Visibility::Restricted("package".into())
        });
        draft.exported = draft.visibility == Visibility::Public && walk.owner_exported();
        draft.flags = Flags::default()
            .with(Flags::STATIC, has("static"))
            .with(
                Flags::ABSTRACT,
                has("abstract") || (draft.kind.is_callable() && open && draft.body.is_none()),
            )
            .with(Flags::READONLY, has("final"));
        draft.ty = holder.field("type").map(|ty| written(&walk.text(ty)));
        draft.is_test = draft.decorators.iter().any(|one| one.name.ends_with("Test"));
        if has("static") && has("final") && draft.kind == SymbolKind::Field {
            draft.kind = SymbolKind::Constant;
        }
        true
    }

    fn after(&self, walk: &mut Walk<'_>, node: Node<'_>, symbol: u32) {
        if let Some(parent) = node.field("superclass").and_then(|one| named(one).first().copied()) {
            walk.heritage(symbol, HeritageKind::Extends, parent);
        }
        let lists = [
            (node.field("interfaces"), HeritageKind::Implements),
            (node.child_of(&["extends_interfaces"]), HeritageKind::Extends),
        ];
        for (list, kind) in lists {
            let types = list.and_then(|list| list.child_of(&["type_list"]));
            for one in types.map(named).unwrap_or_default() {
                walk.heritage(symbol, kind, one);
            }
        }
    }

    fn params(&self, walk: &mut Walk<'_>, lambda: Node<'_>) {
        match lambda.field("parameters") {
            Some(one) if one.kind() == "identifier" => walk.param(Some(one), None),
            Some(list) if list.kind() == "inferred_parameters" => {
                for one in named(list) {
                    walk.param(Some(one), None);
                }
            }
            _ => {}
        }
    }

    fn own(&self, walk: &mut Walk<'_>, node: Node<'_>) -> Expr {
        match node.kind() {
            "spread_parameter" => {
                let name =
                    node.child_of(&["variable_declarator"]).and_then(|one| one.field("name"));
                let ty = named(node).into_iter().find(|one| one.kind().contains("type"));
                walk.param_as(ParamKind::Rest, name, ty);
            }
            "package_declaration" => {
                let name = node.child_of(&["identifier", "scoped_identifier"]);
                walk.b.facts.namespace = name.map(|name| walk.text(name));
            }
            "import_declaration" => import(walk, node),
            "local_variable_declaration" => {
                let ty = node.field("type").map(|ty| written(&walk.text(ty)));
                for one in named(node).into_iter().filter(|one| one.kind() == "variable_declarator")
                {
                    let value = one.field("value").map_or(Expr::Unknown, |value| walk.expr(value));
                    if let Some(name) = one.field("name") {
                        let ty = ty.clone().filter(|ty| *ty != crate::TypeRef::named("var"));
                        walk.declare(name, ty, value);
                    }
                }
            }
            "enhanced_for_statement" => {
                let over = node.field("value").map_or(Expr::Unknown, |over| walk.expr(over));
                let ty = node.field("type").map(|ty| written(&walk.text(ty)));
                if let Some(name) = node.field("name") {
                    walk.declare(name, ty, over.each());
                }
                if let Some(body) = node.field("body") {
                    walk.expr(body);
                }
            }
            "explicit_constructor_invocation" => {
                let callee = node.field("constructor").map_or(Expr::Unknown, |one| walk.expr(one));
                let args = node.field("arguments").map(|list| walk.args(list)).unwrap_or_default();
                return walk.b.call(CallKind::New, callee, args, span(node), span(node).start);
            }
            "method_reference" => {
                let parts = named(node);
                if let [object, name] = parts.as_slice() {
                    let object = walk.expr(*object);
                    return Expr::Member(Box::new(object), walk.text(*name));
                }
            }
            _ => {}
        }
        Expr::Unknown
    }
}

fn import(walk: &mut Walk<'_>, node: Node<'_>) {
    let Some(path) = node.child_of(&["identifier", "scoped_identifier"]) else { return };
    let path = walk.text(path);
    let (module, name) = match node.child_of(&["asterisk"]) {
        Some(_) => (path.as_str(), "*"),
        None => path.rsplit_once('.').unwrap_or(("", &path)),
    };
    let import = walk.b.import(ImportKind::Import, module, span(node));
    let name = ImportedName { name: name.into(), alias: None, is_type: false, span: span(node) };
    walk.b.facts.imports[import as usize].names.push(name);
}

/// The facts of a Java file.
pub(crate) fn extract(text: &str) -> crate::FileFacts {
    tree::extract(&Java, text)
}
