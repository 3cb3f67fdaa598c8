//! The grammar rules of Kotlin.

use crate::facts_builder::SymbolDraft;
use crate::model::{
    Arg, CallKind, Expr, HeritageKind, ImportKind, ImportedName, SymbolFlags, SymbolKind,
    Visibility,
};
use crate::treesitter::{
    GrammarRules, GrammarWalker, LanguageFn, Node, NodeExt, NodeRule, children, named_children,
    parse_type_text, span, visibility_of,
};

/// The rules of the language.
pub(crate) struct Kotlin;

const TYPES: [&str; 4] = ["user_type", "nullable_type", "parenthesized_type", "function_type"];

impl GrammarRules for Kotlin {
    fn grammar(&self) -> LanguageFn {
        tree_sitter_kotlin_ng::LANGUAGE
    }

    fn rule(&self, walk: &GrammarWalker<'_>, node: Node<'_>) -> NodeRule {
        match node.kind() {
            "line_comment" | "block_comment" => NodeRule::Comment,
            "class_declaration" => NodeRule::Symbol(if node.has_token("interface") {
                SymbolKind::Interface
            } else {
                SymbolKind::Class
            }),
            "object_declaration" => NodeRule::Symbol(SymbolKind::Class),
            "function_declaration" => NodeRule::Symbol(SymbolKind::Function),
            "secondary_constructor" => NodeRule::Symbol(SymbolKind::Constructor),
            "property_declaration" if !walk.in_function() => NodeRule::Symbol(SymbolKind::Property),
            "enum_entry" => NodeRule::Symbol(SymbolKind::Variant),
            "type_alias" => NodeRule::Symbol(SymbolKind::Type),
            "lambda_literal" => NodeRule::Lambda("lambda"),
            "anonymous_function" => NodeRule::Lambda("function"),
            "identifier" => NodeRule::Name,
            "this_expression" => NodeRule::This,
            "super_expression" => NodeRule::Super,
            "string_literal" => NodeRule::Text,
            "parenthesized_expression" | "annotated_lambda" | "value_argument" => {
                NodeRule::LastChild
            }
            "assignment" => NodeRule::Assign("left", "right"),
            "return_expression" => NodeRule::Return,
            "if_expression" | "when_entry" | "catch_block" => NodeRule::Branch,
            "for_statement" | "while_statement" | "do_while_statement" => NodeRule::Loop,
            "block" => NodeRule::Block,
            "call_expression"
            | "navigation_expression"
            | "property_declaration"
            | "import"
            | "package_header"
            | "parameter"
            | "class_parameter" => NodeRule::Custom,
            // `@A(b)` on a line of its own; the declaration is on the next.
            "annotated_expression" if !walk.in_function() => NodeRule::Attribute,
            "modifiers" | "lambda_parameters" | "user_type" | "nullable_type"
            | "type_parameters" | "type_arguments" => NodeRule::Skip,
            _ => NodeRule::Walk,
        }
    }

    fn name<'n>(&self, node: Node<'n>) -> Option<Node<'n>> {
        match node.kind() {
            "property_declaration" => {
                node.child_of_kind(&["variable_declaration"])?.child_of_kind(&["identifier"])
            }
            "type_alias" => node.field("type"),
            "enum_entry" => node.child_of_kind(&["identifier"]),
            "secondary_constructor" => node.child_of_kind(&["constructor"]),
            _ => node.field("name"),
        }
    }

    fn body<'n>(&self, node: Node<'n>) -> Option<Node<'n>> {
        node.child_of_kind(&["class_body", "enum_class_body", "function_body", "block"])
    }

    fn complete_draft(
        &self,
        walk: &mut GrammarWalker<'_>,
        node: Node<'_>,
        draft: &mut SymbolDraft,
    ) -> bool {
        let words = walk.modifiers(node);
        let has = |word: &str| words.iter().any(|one| one == word);
        let in_type = walk.owner_kind().is_some_and(SymbolKind::is_type);
        draft.kind = match draft.kind {
            SymbolKind::Class if has("enum") => SymbolKind::Enum,
            SymbolKind::Function if in_type => SymbolKind::Method,
            SymbolKind::Property if has("const") => SymbolKind::Constant,
            kind => kind,
        };
        draft.visibility = visibility_of(&words).unwrap_or(Visibility::Public);
        let open = draft.visibility != Visibility::Private && !walk.in_function();
        draft.exported = open && walk.owner_exported();
        let around = walk.owner_kind();
        let bodiless = draft.kind == SymbolKind::Method
            && around == Some(SymbolKind::Interface)
            && draft.body.is_none();
        draft.flags = SymbolFlags::default()
            .with_if(SymbolFlags::ASYNC, has("suspend"))
            .with_if(SymbolFlags::ABSTRACT, has("abstract") || bodiless)
            .with_if(SymbolFlags::OVERRIDE, has("override"));
        let declared = node.child_of_kind(&["variable_declaration"]).unwrap_or(node);
        let ty = children(declared).into_iter().rfind(|one| TYPES.contains(&one.kind()));
        draft.ty = ty.map(|ty| parse_type_text(&walk.text(ty)));
        draft.is_test = draft.decorators.iter().any(|one| one.name.ends_with("Test"));
        if node.kind() == "property_declaration" && draft.signature.len() > 100 {
            let end = span(declared).end;
            draft.signature =
                walk.builder.one_line_signature(base::Span::new(draft.declaration.start, end));
        }
        true
    }

    fn after_symbol(&self, walk: &mut GrammarWalker<'_>, node: Node<'_>, symbol: u32) {
        for one in
            node.child_of_kind(&["delegation_specifiers"]).map(named_children).unwrap_or_default()
        {
            let Some(inner) = named_children(one).last().copied() else { continue };
            let is_class = inner.kind() == "constructor_invocation";
            let ty = if is_class {
                named_children(inner).first().copied().unwrap_or(inner)
            } else {
                inner
            };
            let kind = if is_class { HeritageKind::Extends } else { HeritageKind::Implements };
            walk.add_heritage(symbol, kind, ty);
        }
    }

    fn lambda_params(&self, walk: &mut GrammarWalker<'_>, lambda: Node<'_>) {
        for one in
            lambda.child_of_kind(&["lambda_parameters"]).map(named_children).unwrap_or_default()
        {
            walk.param(one.child_of_kind(&["identifier"]), one.child_of_kind(&TYPES));
        }
    }

    fn custom_expr(&self, walk: &mut GrammarWalker<'_>, node: Node<'_>) -> Expr {
        match node.kind() {
            "package_header" => {
                walk.builder.facts.namespace =
                    named_children(node).first().map(|name| walk.text(*name));
            }
            "import" => import(walk, node),
            "navigation_expression" => {
                let parts = named_children(node);
                let Some((object, rest)) = parts.split_first() else { return Expr::Unknown };
                let object = walk.expr(*object);
                let name = rest.last().map(|name| walk.text(*name));
                return name.map_or(Expr::Unknown, |name| Expr::Member(Box::new(object), name));
            }
            "call_expression" => return call(walk, node),
            "property_declaration" => {
                let declared = node.child_of_kind(&["variable_declaration"]);
                let ty = declared.and_then(|one| one.child_of_kind(&TYPES));
                let ty = ty.map(|ty| parse_type_text(&walk.text(ty)));
                let value = named_children(node).into_iter().rfind(|one| {
                    let other = ["variable_declaration", "modifiers", "multi_variable_declaration"];
                    !other.contains(&one.kind()) && !TYPES.contains(&one.kind())
                });
                let value = value.map_or(Expr::Unknown, |value| walk.expr(value));
                if let Some(name) = declared.and_then(|one| one.child_of_kind(&["identifier"])) {
                    walk.declare(name, ty, value);
                }
            }
            "parameter" => {
                walk.param(node.child_of_kind(&["identifier"]), node.child_of_kind(&TYPES));
            }
            "class_parameter" => class_parameter(walk, node),
            _ => {}
        }
        Expr::Unknown
    }
}

/// `class A(val b: B)` declares a property.
fn class_parameter(walk: &mut GrammarWalker<'_>, node: Node<'_>) {
    let is_property = node.has_token("val") || node.has_token("var");
    let Some(name) = node.child_of_kind(&["identifier"]).filter(|_| is_property) else { return };
    let mut draft = SymbolDraft::new(SymbolKind::Property, walk.text(name), span(node), span(name));
    draft.parent = walk.builder.position.owner;
    draft.signature = walk.builder.one_line_signature(span(node));
    let words = walk.modifiers(node);
    draft.visibility = visibility_of(&words).unwrap_or(Visibility::Public);
    draft.exported = draft.visibility == Visibility::Public && walk.owner_exported();
    draft.ty = node.child_of_kind(&TYPES).map(|ty| parse_type_text(&walk.text(ty)));
    walk.builder.add_symbol(draft);
}

fn call(walk: &mut GrammarWalker<'_>, node: Node<'_>) -> Expr {
    let parts = named_children(node);
    let Some((callee, rest)) = parts.split_first() else { return Expr::Unknown };
    let at = named_children(*callee).last().map_or(span(*callee).start, |last| span(*last).start);
    let at = if callee.kind() == "navigation_expression" { at } else { span(*callee).start };
    let function = walk.expr(*callee);
    let mut args = Vec::new();
    for part in rest {
        match part.kind() {
            "value_arguments" => args.extend(walk.args(*part)),
            "annotated_lambda" => args.push(Arg::positional(walk.expr(*part))),
            _ => {}
        }
    }
    walk.builder.add_call(CallKind::Call, function, args, span(node), at)
}

fn import(walk: &mut GrammarWalker<'_>, node: Node<'_>) {
    let Some(path) = node.child_of_kind(&["qualified_identifier", "identifier"]) else { return };
    let text = walk.text(path);
    let alias =
        named_children(node).into_iter().rfind(|one| one.kind() == "identifier" && *one != path);
    let alias = alias.map(|alias| walk.text(alias));
    let (module, name) = if node.has_token("*") {
        (text.as_str(), "*")
    } else {
        text.rsplit_once('.').unwrap_or(("", &text))
    };
    let import = walk.builder.add_import(ImportKind::Import, module, span(node));
    let name = ImportedName { name: name.into(), alias, is_type: false, span: span(node) };
    walk.builder.facts.imports[import as usize].names.push(name);
}
