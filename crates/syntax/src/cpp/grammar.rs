//! The grammar rules of C++.

use crate::c::grammar as c;
use crate::facts_builder::SymbolDraft;
use crate::model::{
    Expr, HeritageKind, ImportKind, ImportedName, SymbolFlags, SymbolKind, Visibility,
};
use crate::treesitter::{
    GrammarRules, GrammarWalker, LanguageFn, Node, NodeExt, NodeRule, named_children, span,
};

/// The rules of the language.
pub(crate) struct Cpp;

impl GrammarRules for Cpp {
    fn grammar(&self) -> LanguageFn {
        tree_sitter_cpp::LANGUAGE
    }

    fn rule(&self, walk: &GrammarWalker<'_>, node: Node<'_>) -> NodeRule {
        match node.kind() {
            "class_specifier" if node.field("body").is_some() => {
                NodeRule::Symbol(SymbolKind::Class)
            }
            "namespace_definition" if node.field("name").is_some() => {
                NodeRule::Symbol(SymbolKind::Namespace)
            }
            "alias_declaration" | "concept_definition" => NodeRule::Symbol(SymbolKind::Type),
            "template_declaration" => NodeRule::Wrap,
            "qualified_identifier" | "template_function" | "template_type" => NodeRule::Path,
            "lambda_expression" => NodeRule::Lambda("lambda"),
            "new_expression" => NodeRule::New("type", "arguments"),
            "this" => NodeRule::This,
            "for_range_loop"
            | "using_declaration"
            | "access_specifier"
            | "optional_parameter_declaration" => NodeRule::Custom,
            "base_class_clause"
            | "template_parameter_list"
            | "template_argument_list"
            | "namespace_identifier" => NodeRule::Skip,
            _ => c::rule(walk, node),
        }
    }

    fn name<'n>(&self, node: Node<'n>) -> Option<Node<'n>> {
        c::name(node)
    }

    fn further_names<'n>(&self, node: Node<'n>) -> Vec<Node<'n>> {
        c::further_names(node)
    }

    fn complete_draft(
        &self,
        walk: &mut GrammarWalker<'_>,
        node: Node<'_>,
        draft: &mut SymbolDraft,
    ) -> bool {
        c::complete_draft(walk, node, draft);
        let owner = walk.owner_kind();
        if owner.is_some_and(SymbolKind::is_type) {
            member(walk, draft, owner == Some(SymbolKind::Class));
        }
        if let Some((scope, name)) = draft.name.clone().rsplit_once("::") {
            let scope = scope.split('<').next().unwrap_or_default().replace("::", ".");
            draft.parent = walk.find_type(scope.rsplit('.').next().unwrap_or_default());
            draft.path = Some(match walk.builder.position.owner {
                Some(owner) => format!("{}.{scope}.{name}", walk.builder.member_prefix(owner)),
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

    fn after_symbol(&self, walk: &mut GrammarWalker<'_>, node: Node<'_>, symbol: u32) {
        for base in
            node.child_of_kind(&["base_class_clause"]).map(named_children).unwrap_or_default()
        {
            if base.kind() != "access_specifier" {
                walk.add_heritage(symbol, HeritageKind::Extends, base);
            }
        }
    }

    fn custom_expr(&self, walk: &mut GrammarWalker<'_>, node: Node<'_>) -> Expr {
        match node.kind() {
            "access_specifier" => walk.modifier_state = Some(walk.text(node)),
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
            _ => return c::custom_expr(walk, node),
        }
        Expr::Unknown
    }
}

/// Members of a class are methods, constructors and fields with the visibility of the last access
/// specifier.
fn member(walk: &GrammarWalker<'_>, draft: &mut SymbolDraft, is_class: bool) {
    let owner = walk
        .builder
        .position
        .owner
        .map(|owner| walk.builder.facts.symbols[owner as usize].name.clone());
    if draft.kind == SymbolKind::Function {
        let is_constructor = owner.as_deref() == Some(draft.name.as_str());
        draft.kind = if is_constructor { SymbolKind::Constructor } else { SymbolKind::Method };
    }
    draft.visibility = match walk.modifier_state.as_deref() {
        Some("public") => Visibility::Public,
        Some("protected") => Visibility::Restricted("protected".into()),
        Some(_) => Visibility::Private,
        None if is_class => Visibility::Private,
        None => Visibility::Public,
    };
    draft.exported = draft.visibility == Visibility::Public && walk.owner_exported();
    draft.flags = draft.flags.with_if(SymbolFlags::ABSTRACT, draft.signature.ends_with("= 0"));
}

fn using(walk: &mut GrammarWalker<'_>, node: Node<'_>) {
    let Some(path) = named_children(node).last().map(|path| walk.text(*path)) else { return };
    let is_whole = node.has_token("namespace");
    let (module, name) =
        if is_whole { (path.as_str(), "*") } else { path.rsplit_once("::").unwrap_or(("", &path)) };
    let import = walk.builder.add_import(ImportKind::Use, module, span(node));
    let name = ImportedName { name: name.into(), alias: None, is_type: false, span: span(node) };
    walk.builder.facts.imports[import as usize].names.push(name);
}
