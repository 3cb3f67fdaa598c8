//! The grammar rules of C#.

use crate::facts_builder::SymbolDraft;
use crate::model::{
    CallKind, Expr, HeritageKind, ImportKind, ImportedName, SymbolFlags, SymbolKind, Visibility,
};
use crate::treesitter::{
    GrammarRules, GrammarWalker, LanguageFn, Node, NodeExt, NodeRule, named_children,
    parse_type_text, span, visibility_of,
};

/// The rules of the language.
pub(crate) struct CSharp;

impl GrammarRules for CSharp {
    fn grammar(&self) -> LanguageFn {
        tree_sitter_c_sharp::LANGUAGE
    }

    fn rule(&self, walk: &GrammarWalker<'_>, node: Node<'_>) -> NodeRule {
        match node.kind() {
            "comment" => NodeRule::Comment,
            "namespace_declaration" => NodeRule::Symbol(SymbolKind::Namespace),
            "class_declaration" | "record_declaration" => NodeRule::Symbol(SymbolKind::Class),
            "interface_declaration" => NodeRule::Symbol(SymbolKind::Interface),
            "struct_declaration" => NodeRule::Symbol(SymbolKind::Struct),
            "enum_declaration" => NodeRule::Symbol(SymbolKind::Enum),
            "enum_member_declaration" => NodeRule::Symbol(SymbolKind::Variant),
            "method_declaration" => NodeRule::Symbol(SymbolKind::Method),
            "local_function_statement" => NodeRule::Symbol(SymbolKind::Function),
            "constructor_declaration" => NodeRule::Symbol(SymbolKind::Constructor),
            "property_declaration" => NodeRule::Symbol(SymbolKind::Property),
            "event_declaration" => NodeRule::Symbol(SymbolKind::Event),
            "delegate_declaration" => NodeRule::Symbol(SymbolKind::Type),
            "field_declaration" | "event_field_declaration" => NodeRule::Wrap,
            "variable_declaration" if !walk.in_function() => NodeRule::Wrap,
            "variable_declarator" if !walk.in_function() => NodeRule::Symbol(SymbolKind::Field),
            "invocation_expression" => NodeRule::Call("function", "arguments"),
            "member_access_expression" => NodeRule::Member("expression", "name"),
            "object_creation_expression" => NodeRule::New("type", "arguments"),
            "lambda_expression" | "anonymous_method_expression" => NodeRule::Lambda("lambda"),
            "parameter" => NodeRule::Param("name", "type"),
            "this" | "this_expression" => NodeRule::This,
            "base" | "base_expression" => NodeRule::Super,
            "string_literal" => NodeRule::Text,
            "parenthesized_expression"
            | "await_expression"
            | "cast_expression"
            | "argument"
            | "arrow_expression_clause" => NodeRule::LastChild,
            "assignment_expression" => NodeRule::Assign("left", "right"),
            "return_statement" => NodeRule::Return,
            "if_statement" | "switch_section" | "catch_clause" => NodeRule::Branch,
            "for_statement" | "while_statement" | "do_statement" => NodeRule::Loop,
            "block" => NodeRule::Block,
            "variable_declaration"
            | "identifier"
            | "generic_name"
            | "using_directive"
            | "file_scoped_namespace_declaration"
            | "foreach_statement"
            | "conditional_access_expression"
            | "constructor_initializer" => NodeRule::Custom,
            "attribute_list"
            | "base_list"
            | "modifier"
            | "type_parameter_list"
            | "predefined_type"
            | "type_argument_list" => NodeRule::Skip,
            _ => NodeRule::Walk,
        }
    }

    fn body<'n>(&self, node: Node<'n>) -> Option<Node<'n>> {
        node.field("body").or_else(|| node.field("accessors"))
    }

    fn complete_draft(
        &self,
        walk: &mut GrammarWalker<'_>,
        node: Node<'_>,
        draft: &mut SymbolDraft,
    ) -> bool {
        let holder = match node.kind() {
            "variable_declarator" => node.parent().and_then(|one| one.parent()).unwrap_or(node),
            _ => node,
        };
        let words = walk.modifiers(holder);
        let has = |word: &str| words.iter().any(|one| one == word);
        let around = walk.owner_kind();
        let open = matches!(draft.kind, SymbolKind::Variant | SymbolKind::Namespace)
            || around == Some(SymbolKind::Interface);
        let in_type = around.is_some_and(SymbolKind::is_type);
        draft.visibility = visibility_of(&words).unwrap_or(match (open, in_type) {
            (true, _) => Visibility::Public,
            (_, true) => Visibility::Private,
            _ => Visibility::Restricted("internal".into()),
        });
        draft.exported = draft.visibility == Visibility::Public && walk.owner_exported();
        draft.flags = SymbolFlags::default()
            .with_if(SymbolFlags::STATIC, has("static"))
            .with_if(SymbolFlags::ASYNC, has("async"))
            .with_if(
                SymbolFlags::ABSTRACT,
                has("abstract") || (draft.kind.is_callable() && open && draft.body.is_none()),
            )
            .with_if(SymbolFlags::READONLY, has("readonly") || has("const"))
            .with_if(SymbolFlags::OVERRIDE, has("override"));
        let declared =
            if node.kind() == "variable_declarator" { node.parent() } else { Some(node) };
        let ty = declared.and_then(|one| one.field("returns").or_else(|| one.field("type")));
        draft.ty = ty.map(|ty| parse_type_text(&walk.text(ty)));
        let tests = ["Test", "Fact", "Theory", "TestMethod", "TestCase"];
        draft.is_test = draft.decorators.iter().any(|one| tests.contains(&one.name.as_str()));
        true
    }

    fn after_symbol(&self, walk: &mut GrammarWalker<'_>, node: Node<'_>, symbol: u32) {
        let bases = node.child_of_kind(&["base_list"]).map(named_children).unwrap_or_default();
        for base in bases.into_iter().filter(|one| one.kind() != "argument_list") {
            // By convention an interface starts with an `I` and another capital.
            let text = walk.text(base);
            let text = text.rsplit('.').next().unwrap_or_default();
            let mut letters = text.chars();
            let is_interface =
                letters.next() == Some('I') && letters.next().is_some_and(char::is_uppercase);
            let kind = if is_interface { HeritageKind::Implements } else { HeritageKind::Extends };
            walk.add_heritage(symbol, kind, base);
        }
    }

    fn lambda_params(&self, walk: &mut GrammarWalker<'_>, lambda: Node<'_>) {
        if let Some(one) =
            lambda.field("parameters").filter(|one| one.kind() == "implicit_parameter")
        {
            walk.param(Some(one), None);
        }
    }

    fn custom_expr(&self, walk: &mut GrammarWalker<'_>, node: Node<'_>) -> Expr {
        match node.kind() {
            "identifier" | "generic_name" => return walk.name(&walk.name_without_type_args(node)),
            "using_directive" => import(walk, node),
            "file_scoped_namespace_declaration" => {
                walk.builder.facts.namespace = node.field("name").map(|name| walk.text(name));
                walk.walk_children(node);
            }
            "variable_declaration" => {
                let ty = node.field("type").map(|ty| parse_type_text(&walk.text(ty)));
                let ty = ty.filter(|ty| *ty != crate::TypeRef::named("var"));
                for one in named_children(node)
                    .into_iter()
                    .filter(|one| one.kind() == "variable_declarator")
                {
                    let parts = named_children(one);
                    let value = parts.last().filter(|_| parts.len() > 1);
                    let value = value.map_or(Expr::Unknown, |value| walk.expr(*value));
                    if let Some(name) = one.field("name") {
                        walk.declare(name, ty.clone(), value);
                    }
                }
            }
            "foreach_statement" => {
                let over = node.field("right").map_or(Expr::Unknown, |over| walk.expr(over));
                let ty = node.field("type").map(|ty| parse_type_text(&walk.text(ty)));
                let ty = ty.filter(|ty| *ty != crate::TypeRef::named("var"));
                if let Some(name) = node.field("left") {
                    walk.declare(name, ty, over.each());
                }
                if let Some(body) = node.field("body") {
                    walk.expr(body);
                }
            }
            "conditional_access_expression" => {
                let object = node.field("condition").map_or(Expr::Unknown, |one| walk.expr(one));
                let member = named_children(node).last().and_then(|one| one.field("name"));
                return member.map_or(Expr::Unknown, |name| {
                    Expr::Member(Box::new(object), walk.name_without_type_args(name))
                });
            }
            "constructor_initializer" => {
                let callee = if node.has_token("base") { Expr::Super } else { Expr::This };
                let list = node.child_of_kind(&["argument_list"]);
                let args = list.map(|list| walk.args(list)).unwrap_or_default();
                return walk.builder.add_call(
                    CallKind::New,
                    callee,
                    args,
                    span(node),
                    span(node).start,
                );
            }
            _ => {}
        }
        Expr::Unknown
    }
}

fn import(walk: &mut GrammarWalker<'_>, node: Node<'_>) {
    let alias = node.field("name").map(|name| walk.text(name));
    let Some(path) = named_children(node).last().map(|path| walk.text(*path)) else { return };
    let import = walk.builder.add_import(ImportKind::Import, path, span(node));
    let name = ImportedName { name: "*".into(), alias, is_type: false, span: span(node) };
    walk.builder.facts.imports[import as usize].names.push(name);
}
