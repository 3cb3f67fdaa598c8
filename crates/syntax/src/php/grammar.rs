//! The grammar rules of PHP.

use crate::facts_builder::SymbolDraft;
use crate::model::{
    CallKind, Expr, HeritageKind, ImportKind, ImportedName, SymbolFlags, SymbolKind, Visibility,
};
use crate::treesitter::{
    GrammarRules, GrammarWalker, LanguageFn, Node, NodeExt, NodeRule, named_children,
    parse_type_text, span, visibility_of,
};

/// The rules of the language.
pub(crate) struct Php;

impl GrammarRules for Php {
    fn grammar(&self) -> LanguageFn {
        tree_sitter_php::LANGUAGE_PHP
    }

    fn rule(&self, _walk: &GrammarWalker<'_>, node: Node<'_>) -> NodeRule {
        match node.kind() {
            "comment" => NodeRule::Comment,
            "class_declaration" => NodeRule::Symbol(SymbolKind::Class),
            "interface_declaration" => NodeRule::Symbol(SymbolKind::Interface),
            "trait_declaration" => NodeRule::Symbol(SymbolKind::Trait),
            "enum_declaration" => NodeRule::Symbol(SymbolKind::Enum),
            "enum_case" => NodeRule::Symbol(SymbolKind::Variant),
            "function_definition" => NodeRule::Symbol(SymbolKind::Function),
            "method_declaration" => NodeRule::Symbol(SymbolKind::Method),
            "property_declaration" | "const_declaration" => NodeRule::Wrap,
            "property_element" => NodeRule::Symbol(SymbolKind::Property),
            "const_element" => NodeRule::Symbol(SymbolKind::Constant),
            "function_call_expression" => NodeRule::Call("function", "arguments"),
            "member_call_expression" | "nullsafe_member_call_expression" => {
                NodeRule::Method("object", "name", "arguments")
            }
            "scoped_call_expression" => NodeRule::Method("scope", "name", "arguments"),
            "member_access_expression" | "nullsafe_member_access_expression" => {
                NodeRule::Member("object", "name")
            }
            "anonymous_function" => NodeRule::Lambda("function"),
            "arrow_function" => NodeRule::Lambda("arrow"),
            "simple_parameter" | "variadic_parameter" | "property_promotion_parameter" => {
                NodeRule::Param("name", "type")
            }
            "string" | "encapsed_string" => NodeRule::Text,
            "parenthesized_expression" | "argument" | "cast_expression" => NodeRule::LastChild,
            "variable_name"
            | "name"
            | "qualified_name"
            | "relative_scope"
            | "assignment_expression"
            | "namespace_definition"
            | "namespace_use_declaration"
            | "object_creation_expression"
            | "use_declaration"
            | "include_expression"
            | "include_once_expression"
            | "require_expression"
            | "require_once_expression" => NodeRule::Custom,
            "return_statement" => NodeRule::Return,
            "if_statement" | "case_statement" | "catch_clause" => NodeRule::Branch,
            "for_statement" | "while_statement" | "foreach_statement" => NodeRule::Loop,
            "attribute_list"
            | "base_clause"
            | "class_interface_clause"
            | "named_type"
            | "primitive_type"
            | "php_tag"
            | "text" => NodeRule::Skip,
            _ => NodeRule::Walk,
        }
    }

    fn name<'n>(&self, node: Node<'n>) -> Option<Node<'n>> {
        node.field("name").or_else(|| named_children(node).first().copied())
    }

    fn complete_draft(
        &self,
        walk: &mut GrammarWalker<'_>,
        node: Node<'_>,
        draft: &mut SymbolDraft,
    ) -> bool {
        let is_element = matches!(node.kind(), "property_element" | "const_element");
        let holder = if is_element { node.parent().unwrap_or(node) } else { node };
        let words = walk.modifiers(holder);
        let has = |word: &str| words.iter().any(|one| one == word);
        draft.name = draft.name.trim_start_matches('$').to_owned();
        if draft.name == "__construct" {
            draft.kind = SymbolKind::Constructor;
        }
        draft.visibility = visibility_of(&words).unwrap_or(Visibility::Public);
        draft.exported = draft.visibility == Visibility::Public && walk.owner_exported();
        let is_method = node.kind() == "method_declaration";
        draft.flags = SymbolFlags::default()
            .with_if(SymbolFlags::STATIC, has("static"))
            .with_if(SymbolFlags::READONLY, has("readonly"))
            .with_if(SymbolFlags::ABSTRACT, has("abstract") || (is_method && draft.body.is_none()));
        let ty = holder.field("return_type").or_else(|| holder.field("type"));
        draft.ty = ty.map(|ty| parse_type_text(&walk.text(ty)));
        draft.is_test = is_method && draft.name.starts_with("test");
        true
    }

    fn after_symbol(&self, walk: &mut GrammarWalker<'_>, node: Node<'_>, symbol: u32) {
        let lists = [
            ("base_clause", HeritageKind::Extends),
            ("class_interface_clause", HeritageKind::Implements),
        ];
        for (list, kind) in lists {
            for one in node.child_of_kind(&[list]).map(named_children).unwrap_or_default() {
                walk.add_heritage(symbol, kind, one);
            }
        }
    }

    fn custom_expr(&self, walk: &mut GrammarWalker<'_>, node: Node<'_>) -> Expr {
        match node.kind() {
            "variable_name" => match walk.name_without_type_args(node).as_str() {
                "this" => return Expr::This,
                name => return walk.name(name),
            },
            "relative_scope" => match walk.text(node).as_str() {
                "parent" => return Expr::Super,
                name => return Expr::Name(name.into()),
            },
            "name" | "qualified_name" => return walk.type_value(node),
            "assignment_expression" => {
                let value = node.field("right").map_or(Expr::Unknown, |right| walk.expr(right));
                match node.field("left") {
                    Some(left) if left.kind() == "variable_name" => {
                        walk.declare(left, None, value.clone());
                    }
                    Some(left) => walk.assign_to(left, value.clone()),
                    None => {}
                }
                return value;
            }
            "object_creation_expression" => {
                let class = node.child_of_kind(&["name", "qualified_name", "relative_scope"]);
                let callee = class.map_or(Expr::Unknown, |class| walk.expr(class));
                let list = node.child_of_kind(&["arguments"]);
                let args = list.map(|list| walk.args(list)).unwrap_or_default();
                if let Some(body) = node.child_of_kind(&["anonymous_class"]) {
                    walk.walk_children(body);
                }
                let at = class.map_or(span(node).start, |class| span(class).start);
                return walk.builder.add_call(CallKind::New, callee, args, span(node), at);
            }
            "namespace_definition" => {
                let name = node.field("name").map(|name| walk.text(name));
                walk.builder.facts.namespace = name;
                if let Some(body) = node.field("body") {
                    walk.walk_children(body);
                }
            }
            "namespace_use_declaration" => uses(walk, node),
            "use_declaration" => {
                if let Some(symbol) = walk.builder.position.owner {
                    for one in
                        named_children(node).into_iter().filter(|one| one.kind().ends_with("name"))
                    {
                        walk.add_heritage(symbol, HeritageKind::Mixin, one);
                    }
                }
            }
            _ => include(walk, node),
        }
        Expr::Unknown
    }
}

/// `use A\B as C;` and `use A\{B, C};`.
fn uses(walk: &mut GrammarWalker<'_>, node: Node<'_>) {
    let before = node.child_of_kind(&["namespace_name"]).map(|name| walk.text(name));
    let group = node.field("body").unwrap_or(node);
    for clause in
        named_children(group).into_iter().filter(|one| one.kind() == "namespace_use_clause")
    {
        let path = named_children(clause).first().map(|path| walk.text(*path)).unwrap_or_default();
        let path = match &before {
            Some(before) => format!("{before}\\{path}"),
            None => path,
        };
        let alias = clause.field("alias").map(|alias| walk.text(alias));
        let path = path.trim_start_matches('\\');
        let (module, name) = path.rsplit_once('\\').unwrap_or(("", path));
        let import = walk.builder.add_import(ImportKind::Use, module, span(node));
        let name = ImportedName { name: name.into(), alias, is_type: false, span: span(clause) };
        walk.builder.facts.imports[import as usize].names.push(name);
    }
}

fn include(walk: &mut GrammarWalker<'_>, node: Node<'_>) {
    let Some(path) = named_children(node).last().copied() else { return };
    if let Expr::Text(path) = walk.expr(path) {
        let import = walk.builder.add_import(ImportKind::Include, path, span(node));
        walk.builder.facts.imports[import as usize].is_path = true;
    }
}
