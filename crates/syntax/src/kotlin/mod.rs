//! Kotlin.

use crate::build::Draft;
use crate::model::{
    Arg, CallKind, Expr, Flags, HeritageKind, ImportKind, ImportedName, SymbolKind, Visibility,
};
use crate::tree::{
    self, Dialect, Grown, LanguageFn, Node, Rule, Walk, children, named, span, visibility_of,
    written,
};

#[cfg(test)]
mod tests;

/// The language.
pub(crate) struct Kotlin;

const TYPES: [&str; 4] = ["user_type", "nullable_type", "parenthesized_type", "function_type"];

impl Dialect for Kotlin {
    fn grammar(&self) -> LanguageFn {
        tree_sitter_kotlin_ng::LANGUAGE
    }

    fn rule(&self, walk: &Walk<'_>, node: Node<'_>) -> Rule {
        match node.kind() {
            "line_comment" | "block_comment" => Rule::Comment,
            "class_declaration" => Rule::Symbol(if node.has_token("interface") {
                SymbolKind::Interface
            } else {
                SymbolKind::Class
            }),
            "object_declaration" => Rule::Symbol(SymbolKind::Class),
            "function_declaration" => Rule::Symbol(SymbolKind::Function),
            "secondary_constructor" => Rule::Symbol(SymbolKind::Constructor),
            "property_declaration" if !walk.in_function() => Rule::Symbol(SymbolKind::Property),
            "enum_entry" => Rule::Symbol(SymbolKind::Variant),
            "type_alias" => Rule::Symbol(SymbolKind::Type),
            "lambda_literal" => Rule::Lambda("lambda"),
            "anonymous_function" => Rule::Lambda("function"),
            "identifier" => Rule::Name,
            "this_expression" => Rule::This,
            "super_expression" => Rule::Super,
            "string_literal" => Rule::Text,
            "parenthesized_expression" | "annotated_lambda" | "value_argument" => Rule::Inner,
            "assignment" => Rule::Assign("left", "right"),
            "return_expression" => Rule::Return,
            "if_expression" | "when_entry" | "catch_block" => Rule::Branch,
            "for_statement" | "while_statement" | "do_while_statement" => Rule::Loop,
            "block" => Rule::Block,
            "call_expression"
            | "navigation_expression"
            | "property_declaration"
            | "import"
            | "package_header"
            | "parameter"
            | "class_parameter" => Rule::Own,
            // `@A(b)` on a line of its own; the declaration is on the next.
            "annotated_expression" if !walk.in_function() => Rule::Attribute,
            "modifiers" | "lambda_parameters" | "user_type" | "nullable_type"
            | "type_parameters" | "type_arguments" => Rule::Skip,
            _ => Rule::Walk,
        }
    }

    fn name<'n>(&self, node: Node<'n>) -> Option<Node<'n>> {
        match node.kind() {
            "property_declaration" => {
                node.child_of(&["variable_declaration"])?.child_of(&["identifier"])
            }
            "type_alias" => node.field("type"),
            "enum_entry" => node.child_of(&["identifier"]),
            "secondary_constructor" => node.child_of(&["constructor"]),
            _ => node.field("name"),
        }
    }

    fn body<'n>(&self, node: Node<'n>) -> Option<Node<'n>> {
        node.child_of(&["class_body", "enum_class_body", "function_body", "block"])
    }

    fn describe(&self, walk: &mut Walk<'_>, node: Node<'_>, draft: &mut Draft) -> bool {
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
        draft.flags = Flags::default()
            .with(Flags::ASYNC, has("suspend"))
            .with(Flags::ABSTRACT, has("abstract") || bodiless)
            .with(Flags::OVERRIDE, has("override"));
        let declared = node.child_of(&["variable_declaration"]).unwrap_or(node);
        let ty = children(declared).into_iter().rfind(|one| TYPES.contains(&one.kind()));
        draft.ty = ty.map(|ty| written(&walk.text(ty)));
        draft.is_test = draft.decorators.iter().any(|one| one.name.ends_with("Test"));
        if node.kind() == "property_declaration" && draft.signature.len() > 100 {
            let end = span(declared).end;
            draft.signature = walk.b.fold(base::Span::new(draft.declaration.start, end));
        }
        true
    }

    fn after(&self, walk: &mut Walk<'_>, node: Node<'_>, symbol: u32) {
        for one in node.child_of(&["delegation_specifiers"]).map(named).unwrap_or_default() {
            let Some(inner) = named(one).last().copied() else { continue };
            let is_class = inner.kind() == "constructor_invocation";
            let ty = if is_class { named(inner).first().copied().unwrap_or(inner) } else { inner };
            let kind = if is_class { HeritageKind::Extends } else { HeritageKind::Implements };
            walk.heritage(symbol, kind, ty);
        }
    }

    fn params(&self, walk: &mut Walk<'_>, lambda: Node<'_>) {
        for one in lambda.child_of(&["lambda_parameters"]).map(named).unwrap_or_default() {
            walk.param(one.child_of(&["identifier"]), one.child_of(&TYPES));
        }
    }

    fn own(&self, walk: &mut Walk<'_>, node: Node<'_>) -> Expr {
        match node.kind() {
            "package_header" => {
                walk.b.facts.namespace = named(node).first().map(|name| walk.text(*name));
            }
            "import" => import(walk, node),
            "navigation_expression" => {
                let parts = named(node);
                let Some((object, rest)) = parts.split_first() else { return Expr::Unknown };
                let object = walk.expr(*object);
                let name = rest.last().map(|name| walk.text(*name));
                return name.map_or(Expr::Unknown, |name| Expr::Member(Box::new(object), name));
            }
            "call_expression" => return call(walk, node),
            "property_declaration" => {
                let declared = node.child_of(&["variable_declaration"]);
                let ty = declared.and_then(|one| one.child_of(&TYPES));
                let ty = ty.map(|ty| written(&walk.text(ty)));
                let value = named(node).into_iter().rfind(|one| {
                    let other = ["variable_declaration", "modifiers", "multi_variable_declaration"];
                    !other.contains(&one.kind()) && !TYPES.contains(&one.kind())
                });
                let value = value.map_or(Expr::Unknown, |value| walk.expr(value));
                if let Some(name) = declared.and_then(|one| one.child_of(&["identifier"])) {
                    walk.declare(name, ty, value);
                }
            }
            "parameter" => walk.param(node.child_of(&["identifier"]), node.child_of(&TYPES)),
            "class_parameter" => class_parameter(walk, node),
            _ => {}
        }
        Expr::Unknown
    }
}

/// `class A(val b: B)` declares a property.
fn class_parameter(walk: &mut Walk<'_>, node: Node<'_>) {
    let is_property = node.has_token("val") || node.has_token("var");
    let Some(name) = node.child_of(&["identifier"]).filter(|_| is_property) else { return };
    let mut draft = Draft::new(SymbolKind::Property, walk.text(name), span(node), span(name));
    draft.parent = walk.b.at.owner;
    draft.signature = walk.b.fold(span(node));
    let words = walk.modifiers(node);
    draft.visibility = visibility_of(&words).unwrap_or(Visibility::Public);
    draft.exported = draft.visibility == Visibility::Public && walk.owner_exported();
    draft.ty = node.child_of(&TYPES).map(|ty| written(&walk.text(ty)));
    walk.b.symbol(draft);
}

fn call(walk: &mut Walk<'_>, node: Node<'_>) -> Expr {
    let parts = named(node);
    let Some((callee, rest)) = parts.split_first() else { return Expr::Unknown };
    let at = named(*callee).last().map_or(span(*callee).start, |last| span(*last).start);
    let at = if callee.kind() == "navigation_expression" { at } else { span(*callee).start };
    let function = walk.expr(*callee);
    let mut args = Vec::new();
    for part in rest {
        match part.kind() {
            "value_arguments" => args.extend(walk.args(*part)),
            "annotated_lambda" => args.push(Arg::plain(walk.expr(*part))),
            _ => {}
        }
    }
    walk.b.call(CallKind::Call, function, args, span(node), at)
}

fn import(walk: &mut Walk<'_>, node: Node<'_>) {
    let Some(path) = node.child_of(&["qualified_identifier", "identifier"]) else { return };
    let text = walk.text(path);
    let alias = named(node).into_iter().rfind(|one| one.kind() == "identifier" && *one != path);
    let alias = alias.map(|alias| walk.text(alias));
    let (module, name) = if node.has_token("*") {
        (text.as_str(), "*")
    } else {
        text.rsplit_once('.').unwrap_or(("", &text))
    };
    let import = walk.b.import(ImportKind::Import, module, span(node));
    let name = ImportedName { name: name.into(), alias, is_type: false, span: span(node) };
    walk.b.facts.imports[import as usize].names.push(name);
}

/// The facts of a Kotlin file.
pub(crate) fn extract(text: &str) -> crate::FileFacts {
    tree::extract(&Kotlin, text)
}
