//! C#.

use crate::build::Draft;
use crate::model::{
    CallKind, Expr, Flags, HeritageKind, ImportKind, ImportedName, SymbolKind, Visibility,
};
use crate::tree::{
    self, Dialect, Grown, LanguageFn, Node, Rule, Walk, named, span, visibility_of, written,
};

#[cfg(test)]
mod tests;

/// The language.
pub(crate) struct CSharp;

impl Dialect for CSharp {
    fn grammar(&self) -> LanguageFn {
        tree_sitter_c_sharp::LANGUAGE
    }

    fn rule(&self, walk: &Walk<'_>, node: Node<'_>) -> Rule {
        match node.kind() {
            "comment" => Rule::Comment,
            "namespace_declaration" => Rule::Symbol(SymbolKind::Namespace),
            "class_declaration" | "record_declaration" => Rule::Symbol(SymbolKind::Class),
            "interface_declaration" => Rule::Symbol(SymbolKind::Interface),
            "struct_declaration" => Rule::Symbol(SymbolKind::Struct),
            "enum_declaration" => Rule::Symbol(SymbolKind::Enum),
            "enum_member_declaration" => Rule::Symbol(SymbolKind::Variant),
            "method_declaration" => Rule::Symbol(SymbolKind::Method),
            "local_function_statement" => Rule::Symbol(SymbolKind::Function),
            "constructor_declaration" => Rule::Symbol(SymbolKind::Constructor),
            "property_declaration" => Rule::Symbol(SymbolKind::Property),
            "event_declaration" => Rule::Symbol(SymbolKind::Event),
            "delegate_declaration" => Rule::Symbol(SymbolKind::Type),
            "field_declaration" | "event_field_declaration" => Rule::Wrap,
            "variable_declaration" if !walk.in_function() => Rule::Wrap,
            "variable_declarator" if !walk.in_function() => Rule::Symbol(SymbolKind::Field),
            "invocation_expression" => Rule::Call("function", "arguments"),
            "member_access_expression" => Rule::Member("expression", "name"),
            "object_creation_expression" => Rule::New("type", "arguments"),
            "lambda_expression" | "anonymous_method_expression" => Rule::Lambda("lambda"),
            "parameter" => Rule::Param("name", "type"),
            "this" | "this_expression" => Rule::This,
            "base" | "base_expression" => Rule::Super,
            "string_literal" => Rule::Text,
            "parenthesized_expression"
            | "await_expression"
            | "cast_expression"
            | "argument"
            | "arrow_expression_clause" => Rule::Inner,
            "assignment_expression" => Rule::Assign("left", "right"),
            "return_statement" => Rule::Return,
            "if_statement" | "switch_section" | "catch_clause" => Rule::Branch,
            "for_statement" | "while_statement" | "do_statement" => Rule::Loop,
            "block" => Rule::Block,
            "variable_declaration"
            | "identifier"
            | "generic_name"
            | "using_directive"
            | "file_scoped_namespace_declaration"
            | "foreach_statement"
            | "conditional_access_expression"
            | "constructor_initializer" => Rule::Own,
            "attribute_list"
            | "base_list"
            | "modifier"
            | "type_parameter_list"
            | "predefined_type"
            | "type_argument_list" => Rule::Skip,
            _ => Rule::Walk,
        }
    }

    fn body<'n>(&self, node: Node<'n>) -> Option<Node<'n>> {
        node.field("body").or_else(|| node.field("accessors"))
    }

    fn describe(&self, walk: &mut Walk<'_>, node: Node<'_>, draft: &mut Draft) -> bool {
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
        draft.flags = Flags::default()
            .with(Flags::STATIC, has("static"))
            .with(Flags::ASYNC, has("async"))
            .with(
                Flags::ABSTRACT,
                has("abstract") || (draft.kind.is_callable() && open && draft.body.is_none()),
            )
            .with(Flags::READONLY, has("readonly") || has("const"))
            .with(Flags::OVERRIDE, has("override"));
        let declared =
            if node.kind() == "variable_declarator" { node.parent() } else { Some(node) };
        let ty = declared.and_then(|one| one.field("returns").or_else(|| one.field("type")));
        draft.ty = ty.map(|ty| written(&walk.text(ty)));
        let tests = ["Test", "Fact", "Theory", "TestMethod", "TestCase"];
        draft.is_test = draft.decorators.iter().any(|one| tests.contains(&one.name.as_str()));
        true
    }

    fn after(&self, walk: &mut Walk<'_>, node: Node<'_>, symbol: u32) {
        let bases = node.child_of(&["base_list"]).map(named).unwrap_or_default();
        for base in bases.into_iter().filter(|one| one.kind() != "argument_list") {
            // By convention an interface starts with an `I` and another capital.
            let text = walk.text(base);
            let text = text.rsplit('.').next().unwrap_or_default();
            let mut letters = text.chars();
            let is_interface =
                letters.next() == Some('I') && letters.next().is_some_and(char::is_uppercase);
            let kind = if is_interface { HeritageKind::Implements } else { HeritageKind::Extends };
            walk.heritage(symbol, kind, base);
        }
    }

    fn params(&self, walk: &mut Walk<'_>, lambda: Node<'_>) {
        if let Some(one) =
            lambda.field("parameters").filter(|one| one.kind() == "implicit_parameter")
        {
            walk.param(Some(one), None);
        }
    }

    fn own(&self, walk: &mut Walk<'_>, node: Node<'_>) -> Expr {
        match node.kind() {
            "identifier" | "generic_name" => return walk.name(&walk.plain(node)),
            "using_directive" => import(walk, node),
            "file_scoped_namespace_declaration" => {
                walk.b.facts.namespace = node.field("name").map(|name| walk.text(name));
                walk.inside(node);
            }
            "variable_declaration" => {
                let ty = node.field("type").map(|ty| written(&walk.text(ty)));
                let ty = ty.filter(|ty| *ty != crate::TypeRef::named("var"));
                for one in named(node).into_iter().filter(|one| one.kind() == "variable_declarator")
                {
                    let parts = named(one);
                    let value = parts.last().filter(|_| parts.len() > 1);
                    let value = value.map_or(Expr::Unknown, |value| walk.expr(*value));
                    if let Some(name) = one.field("name") {
                        walk.declare(name, ty.clone(), value);
                    }
                }
            }
            "foreach_statement" => {
                let over = node.field("right").map_or(Expr::Unknown, |over| walk.expr(over));
                let ty = node.field("type").map(|ty| written(&walk.text(ty)));
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
                let member = named(node).last().and_then(|one| one.field("name"));
                return member.map_or(Expr::Unknown, |name| {
                    Expr::Member(Box::new(object), walk.plain(name))
                });
            }
            "constructor_initializer" => {
                let callee = if node.has_token("base") { Expr::Super } else { Expr::This };
                let list = node.child_of(&["argument_list"]);
                let args = list.map(|list| walk.args(list)).unwrap_or_default();
                return walk.b.call(CallKind::New, callee, args, span(node), span(node).start);
            }
            _ => {}
        }
        Expr::Unknown
    }
}

fn import(walk: &mut Walk<'_>, node: Node<'_>) {
    let alias = node.field("name").map(|name| walk.text(name));
    let Some(path) = named(node).last().map(|path| walk.text(*path)) else { return };
    let import = walk.b.import(ImportKind::Import, path, span(node));
    let name = ImportedName { name: "*".into(), alias, is_type: false, span: span(node) };
    walk.b.facts.imports[import as usize].names.push(name);
}

/// The facts of a C# file.
pub(crate) fn extract(text: &str) -> crate::FileFacts {
    tree::extract(&CSharp, text)
}
