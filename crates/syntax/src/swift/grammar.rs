//! The grammar rules of Swift.

use crate::facts_builder::SymbolDraft;
use crate::model::{
    Arg, CallKind, Expr, HeritageKind, ImportKind, ImportedName, SymbolFlags, SymbolKind,
    Visibility,
};
use crate::treesitter::{
    GrammarRules, GrammarWalker, LanguageFn, Node, NodeExt, NodeRule, named_children,
    parse_type_text, span, visibility_of,
};

/// The rules of the language.
pub(crate) struct Swift;

impl GrammarRules for Swift {
    fn grammar(&self) -> LanguageFn {
        tree_sitter_swift::LANGUAGE
    }

    fn rule(&self, walk: &GrammarWalker<'_>, node: Node<'_>) -> NodeRule {
        match node.kind() {
            "comment" | "multiline_comment" => NodeRule::Comment,
            "class_declaration" => {
                let kind = node.field("declaration_kind").map(|kind| walk.text(kind));
                NodeRule::Symbol(match kind.as_deref() {
                    Some("struct") => SymbolKind::Struct,
                    Some("enum") => SymbolKind::Enum,
                    Some("extension") => SymbolKind::Impl,
                    _ => SymbolKind::Class,
                })
            }
            "protocol_declaration" => NodeRule::Symbol(SymbolKind::Interface),
            "function_declaration" | "protocol_function_declaration" => {
                NodeRule::Symbol(SymbolKind::Function)
            }
            "init_declaration" => NodeRule::Symbol(SymbolKind::Constructor),
            "property_declaration" | "protocol_property_declaration" if !walk.in_function() => {
                NodeRule::Symbol(SymbolKind::Property)
            }
            "enum_entry" => NodeRule::Symbol(SymbolKind::Variant),
            "typealias_declaration" | "associatedtype_declaration" => {
                NodeRule::Symbol(SymbolKind::Type)
            }
            "lambda_literal" => NodeRule::Lambda("closure"),
            "parameter" | "lambda_parameter" => NodeRule::Param("name", "type"),
            "simple_identifier" => NodeRule::Name,
            "self_expression" => NodeRule::This,
            "super_expression" => NodeRule::Super,
            "line_string_literal" => NodeRule::Text,
            "try_expression" | "await_expression" | "tuple_expression" => NodeRule::LastChild,
            "if_statement" | "guard_statement" | "switch_entry" | "catch_block" => NodeRule::Branch,
            "for_statement" | "while_statement" | "repeat_while_statement" => NodeRule::Loop,
            "statements" => NodeRule::Block,
            "import_declaration"
            | "call_expression"
            | "navigation_expression"
            | "property_declaration"
            | "control_transfer_statement"
            | "assignment" => NodeRule::Custom,
            "modifiers"
            | "user_type"
            | "type_annotation"
            | "inheritance_specifier"
            | "attribute"
            | "type_identifier" => NodeRule::Skip,
            _ => NodeRule::Walk,
        }
    }

    fn name<'n>(&self, node: Node<'n>) -> Option<Node<'n>> {
        let name = node.field("name")?;
        Some(name.field("bound_identifier").unwrap_or(name))
    }

    fn further_names<'n>(&self, node: Node<'n>) -> Vec<Node<'n>> {
        let mut cursor = node.walk();
        let names = node.children_by_field_name("name", &mut cursor);
        names.filter(|_| node.kind() == "enum_entry").skip(1).collect()
    }

    fn complete_draft(
        &self,
        walk: &mut GrammarWalker<'_>,
        node: Node<'_>,
        draft: &mut SymbolDraft,
    ) -> bool {
        let words = walk.modifiers(node);
        let has = |word: &str| words.iter().any(|one| one == word);
        let around = walk.owner_kind();
        let in_type = around.is_some_and(SymbolKind::is_type);
        if draft.kind == SymbolKind::Function && in_type {
            draft.kind = SymbolKind::Method;
        }
        draft.name = draft.name.split(':').next().unwrap_or_default().trim().to_owned();
        if draft.kind == SymbolKind::Impl {
            let name = draft.name.split('<').next().unwrap_or_default().to_owned();
            draft.path = Some(format!("extension {name}"));
            draft.prefix = Some(name.clone());
            draft.ty = Some(parse_type_text(&name));
        }
        let default = match around {
            Some(SymbolKind::Interface | SymbolKind::Enum) => Visibility::Public,
            _ => Visibility::Restricted("internal".into()),
        };
        draft.visibility = visibility_of(&words).unwrap_or(default);
        let open = draft.visibility != Visibility::Private && !walk.in_function();
        draft.exported = open && walk.owner_exported();
        draft.flags = SymbolFlags::default()
            .with_if(SymbolFlags::STATIC, has("static") || has("class"))
            .with_if(SymbolFlags::ASYNC, node.has_token("async"))
            .with_if(SymbolFlags::ABSTRACT, node.kind().starts_with("protocol_f"))
            .with_if(SymbolFlags::OVERRIDE, has("override"));
        let ty = node
            .field("return_type")
            .or_else(|| node.child_of_kind(&["type_annotation"]).and_then(|one| one.field("type")));
        draft.ty = draft.ty.take().or_else(|| ty.map(|ty| parse_type_text(&walk.text(ty))));
        draft.is_test = draft.kind == SymbolKind::Method && draft.name.starts_with("test");
        if let Some(computed) = node.field("computed_value") {
            draft.body = Some(span(computed));
            let head = base::Span::new(draft.declaration.start, span(computed).start);
            draft.signature = walk.builder.one_line_signature(head);
        }
        true
    }

    fn after_symbol(&self, walk: &mut GrammarWalker<'_>, node: Node<'_>, symbol: u32) {
        for one in
            named_children(node).into_iter().filter(|one| one.kind() == "inheritance_specifier")
        {
            if let Some(target) = one.field("inherits_from") {
                walk.add_heritage(symbol, HeritageKind::Extends, target);
            }
        }
    }

    fn custom_expr(&self, walk: &mut GrammarWalker<'_>, node: Node<'_>) -> Expr {
        match node.kind() {
            "import_declaration" => {
                let Some(path) = node.child_of_kind(&["identifier"]) else { return Expr::Unknown };
                let import =
                    walk.builder.add_import(ImportKind::Import, walk.text(path), span(node));
                let name = ImportedName {
                    name: "*".into(),
                    alias: None,
                    is_type: false,
                    span: span(node),
                };
                walk.builder.facts.imports[import as usize].names.push(name);
            }
            "navigation_expression" => {
                let object = node.field("target").map_or(Expr::Unknown, |one| walk.expr(one));
                let suffix = node.field("suffix").and_then(|one| one.field("suffix"));
                return suffix
                    .map_or(Expr::Unknown, |name| Expr::Member(Box::new(object), walk.text(name)));
            }
            "call_expression" => return call(walk, node),
            "property_declaration" => {
                let value = node.field("value").map_or(Expr::Unknown, |value| walk.expr(value));
                let ty = node.child_of_kind(&["type_annotation"]).and_then(|one| one.field("type"));
                let ty = ty.map(|ty| parse_type_text(&walk.text(ty)));
                if let Some(name) = node.field("name") {
                    walk.declare(name, ty, value);
                }
            }
            "control_transfer_statement" => {
                let value = node.field("result").map_or(Expr::Unknown, |value| walk.expr(value));
                if node.has_token("return") && value != Expr::Unknown {
                    walk.builder.add_step(crate::model::FlowAction::Return(value));
                }
            }
            "assignment" => {
                let value = node.field("result").map_or(Expr::Unknown, |value| walk.expr(value));
                let target = node
                    .field("target")
                    .map(|one| named_children(one).first().copied().unwrap_or(one));
                if let Some(target) = target {
                    walk.assign_to(target, value);
                }
            }
            _ => {}
        }
        Expr::Unknown
    }
}

fn call(walk: &mut GrammarWalker<'_>, node: Node<'_>) -> Expr {
    let parts = named_children(node);
    let Some((callee, rest)) = parts.split_first() else { return Expr::Unknown };
    let at = callee.field("suffix").and_then(|one| one.field("suffix"));
    let at = span(at.unwrap_or(*callee)).start;
    let function = walk.expr(*callee);
    let mut args = Vec::new();
    for suffix in rest {
        for part in named_children(*suffix) {
            match part.kind() {
                "value_arguments" => args.extend(walk.args(part)),
                _ => args.push(Arg::positional(walk.expr(part))),
            }
        }
    }
    walk.builder.add_call(CallKind::Call, function, args, span(node), at)
}
