//! The grammar rules of Java.

use crate::facts_builder::SymbolDraft;
use crate::model::{
    CallKind, Expr, HeritageKind, ImportKind, ImportedName, ParamKind, SymbolFlags, SymbolKind,
    Visibility,
};
use crate::treesitter::{
    GrammarRules, GrammarWalker, LanguageFn, Node, NodeExt, NodeRule, named_children,
    parse_type_text, span, visibility_of,
};

/// The rules of the language.
pub(crate) struct Java;

impl GrammarRules for Java {
    fn grammar(&self) -> LanguageFn {
        tree_sitter_java::LANGUAGE
    }

    fn rule(&self, walk: &GrammarWalker<'_>, node: Node<'_>) -> NodeRule {
        match node.kind() {
            "line_comment" | "block_comment" => NodeRule::Comment,
            "class_declaration" | "record_declaration" => NodeRule::Symbol(SymbolKind::Class),
            "interface_declaration" | "annotation_type_declaration" => {
                NodeRule::Symbol(SymbolKind::Interface)
            }
            "enum_declaration" => NodeRule::Symbol(SymbolKind::Enum),
            "enum_constant" => NodeRule::Symbol(SymbolKind::Variant),
            "method_declaration" => NodeRule::Symbol(SymbolKind::Method),
            "constructor_declaration" | "compact_constructor_declaration" => {
                NodeRule::Symbol(SymbolKind::Constructor)
            }
            "field_declaration" | "constant_declaration" => NodeRule::Wrap,
            "variable_declarator" if !walk.in_function() => NodeRule::Symbol(SymbolKind::Field),
            "method_invocation" => NodeRule::Method("object", "name", "arguments"),
            "object_creation_expression" => NodeRule::New("type", "arguments"),
            "field_access" => NodeRule::Member("object", "field"),
            "lambda_expression" => NodeRule::Lambda("lambda"),
            "formal_parameter" | "catch_formal_parameter" | "resource" => {
                NodeRule::Param("name", "type")
            }
            "identifier" => NodeRule::Name,
            "this" => NodeRule::This,
            "super" => NodeRule::Super,
            "string_literal" => NodeRule::Text,
            "parenthesized_expression" | "cast_expression" => NodeRule::LastChild,
            "assignment_expression" => NodeRule::Assign("left", "right"),
            "return_statement" => NodeRule::Return,
            "if_statement" | "switch_block_statement_group" | "catch_clause" => NodeRule::Branch,
            "for_statement" | "while_statement" | "do_statement" => NodeRule::Loop,
            "block" => NodeRule::Block,
            "package_declaration"
            | "import_declaration"
            | "local_variable_declaration"
            | "enhanced_for_statement"
            | "explicit_constructor_invocation"
            | "method_reference"
            | "spread_parameter" => NodeRule::Custom,
            "modifiers"
            | "type_parameters"
            | "superclass"
            | "super_interfaces"
            | "marker_annotation"
            | "type_identifier"
            | "scoped_type_identifier"
            | "generic_type" => NodeRule::Skip,
            _ => NodeRule::Walk,
        }
    }

    fn complete_draft(
        &self,
        walk: &mut GrammarWalker<'_>,
        node: Node<'_>,
        draft: &mut SymbolDraft,
    ) -> bool {
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
        draft.flags = SymbolFlags::default()
            .with_if(SymbolFlags::STATIC, has("static"))
            .with_if(
                SymbolFlags::ABSTRACT,
                has("abstract") || (draft.kind.is_callable() && open && draft.body.is_none()),
            )
            .with_if(SymbolFlags::READONLY, has("final"));
        draft.ty = holder.field("type").map(|ty| parse_type_text(&walk.text(ty)));
        draft.is_test = draft.decorators.iter().any(|one| one.name.ends_with("Test"));
        if has("static") && has("final") && draft.kind == SymbolKind::Field {
            draft.kind = SymbolKind::Constant;
        }
        true
    }

    fn after_symbol(&self, walk: &mut GrammarWalker<'_>, node: Node<'_>, symbol: u32) {
        if let Some(parent) =
            node.field("superclass").and_then(|one| named_children(one).first().copied())
        {
            walk.add_heritage(symbol, HeritageKind::Extends, parent);
        }
        let lists = [
            (node.field("interfaces"), HeritageKind::Implements),
            (node.child_of_kind(&["extends_interfaces"]), HeritageKind::Extends),
        ];
        for (list, kind) in lists {
            let types = list.and_then(|list| list.child_of_kind(&["type_list"]));
            for one in types.map(named_children).unwrap_or_default() {
                walk.add_heritage(symbol, kind, one);
            }
        }
    }

    fn lambda_params(&self, walk: &mut GrammarWalker<'_>, lambda: Node<'_>) {
        match lambda.field("parameters") {
            Some(one) if one.kind() == "identifier" => walk.param(Some(one), None),
            Some(list) if list.kind() == "inferred_parameters" => {
                for one in named_children(list) {
                    walk.param(Some(one), None);
                }
            }
            _ => {}
        }
    }

    fn custom_expr(&self, walk: &mut GrammarWalker<'_>, node: Node<'_>) -> Expr {
        match node.kind() {
            "spread_parameter" => {
                let name =
                    node.child_of_kind(&["variable_declarator"]).and_then(|one| one.field("name"));
                let ty = named_children(node).into_iter().find(|one| one.kind().contains("type"));
                walk.param_with_kind(ParamKind::Rest, name, ty);
            }
            "package_declaration" => {
                let name = node.child_of_kind(&["identifier", "scoped_identifier"]);
                walk.builder.facts.namespace = name.map(|name| walk.text(name));
            }
            "import_declaration" => import(walk, node),
            "local_variable_declaration" => {
                let ty = node.field("type").map(|ty| parse_type_text(&walk.text(ty)));
                for one in named_children(node)
                    .into_iter()
                    .filter(|one| one.kind() == "variable_declarator")
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
                let ty = node.field("type").map(|ty| parse_type_text(&walk.text(ty)));
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
                return walk.builder.add_call(
                    CallKind::New,
                    callee,
                    args,
                    span(node),
                    span(node).start,
                );
            }
            "method_reference" => {
                let parts = named_children(node);
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

fn import(walk: &mut GrammarWalker<'_>, node: Node<'_>) {
    let Some(path) = node.child_of_kind(&["identifier", "scoped_identifier"]) else { return };
    let path = walk.text(path);
    let (module, name) = match node.child_of_kind(&["asterisk"]) {
        Some(_) => (path.as_str(), "*"),
        None => path.rsplit_once('.').unwrap_or(("", &path)),
    };
    let import = walk.builder.add_import(ImportKind::Import, module, span(node));
    let name = ImportedName { name: name.into(), alias: None, is_type: false, span: span(node) };
    walk.builder.facts.imports[import as usize].names.push(name);
}
