//! The grammar rules of protocol buffers: which nodes declare something, and which types they use.

use crate::doc_comments::DocCommentStyle;
use crate::facts_builder::SymbolDraft;
use crate::model::{Expr, ImportKind, SchemaUse, SymbolKind, Visibility};
use crate::schema;
use crate::treesitter::{
    GrammarRules, GrammarWalker, LanguageFn, Node, NodeExt, NodeRule, named_children, span,
};

/// The rules of the language.
pub(crate) struct Protobuf;

impl GrammarRules for Protobuf {
    fn grammar(&self) -> LanguageFn {
        tree_sitter_proto::LANGUAGE
    }

    fn doc_style(&self, text: &str) -> Option<DocCommentStyle> {
        if text.starts_with("/*") {
            Some(DocCommentStyle::Block)
        } else {
            Some(DocCommentStyle::Lines(&["///", "//"]))
        }
    }

    fn rule(&self, _walk: &GrammarWalker<'_>, node: Node<'_>) -> NodeRule {
        match node.kind() {
            "comment" => NodeRule::Comment,
            "message" | "group" => NodeRule::Symbol(SymbolKind::Struct),
            "enum" => NodeRule::Symbol(SymbolKind::Enum),
            "enum_field" => NodeRule::Symbol(SymbolKind::Variant),
            "service" => NodeRule::Symbol(SymbolKind::Interface),
            "rpc" => NodeRule::Symbol(SymbolKind::Method),
            "field" | "map_field" | "oneof_field" => NodeRule::Symbol(SymbolKind::Field),
            "message_or_enum_type" | "import" | "package" | "extend" => NodeRule::Custom,
            "option" | "field_options" | "reserved" | "extensions" | "syntax" | "edition" => {
                NodeRule::Skip
            }
            _ => NodeRule::Walk,
        }
    }

    fn name<'n>(&self, node: Node<'n>) -> Option<Node<'n>> {
        let kinds = ["message_name", "enum_name", "service_name", "rpc_name", "identifier"];
        node.child_of_kind(&kinds)
    }

    fn body<'n>(&self, node: Node<'n>) -> Option<Node<'n>> {
        node.child_of_kind(&["message_body", "enum_body"])
    }

    fn complete_draft(
        &self,
        walk: &mut GrammarWalker<'_>,
        node: Node<'_>,
        draft: &mut SymbolDraft,
    ) -> bool {
        draft.visibility = Visibility::Public;
        draft.exported = true;
        if matches!(node.kind(), "service" | "rpc") {
            let head = walk.builder.slice(draft.declaration);
            let head = head.split('{').next().unwrap_or_default().trim_end_matches(';');
            draft.signature = head.split_whitespace().collect::<Vec<_>>().join(" ");
        } else {
            draft.signature.truncate(draft.signature.trim_end_matches([';', ' ']).len());
        }
        true
    }

    fn custom_expr(&self, walk: &mut GrammarWalker<'_>, node: Node<'_>) -> Expr {
        match node.kind() {
            "import" => {
                if let Some(path) = node.field("path") {
                    let specifier = walk.text(path);
                    let specifier = specifier.trim_matches(['"', '\'']).to_owned();
                    let import =
                        walk.builder.add_import(ImportKind::Include, specifier, span(node));
                    walk.builder.facts.imports[import as usize].is_path = true;
                }
            }
            "package" => {
                walk.builder.facts.namespace =
                    node.child_of_kind(&["full_ident"]).map(|name| walk.text(name));
            }
            "extend" => {
                if let Some(name) = node.child_of_kind(&["full_ident"]) {
                    add_type_use(walk, name);
                }
                for inner in named_children(node) {
                    if inner.kind() == "message_body" {
                        walk.walk_children(inner);
                    }
                }
            }
            _ => add_type_use(walk, node),
        }
        Expr::Unknown
    }
}

/// Records a type by the last part of its name, since the parts before it may be left out.
fn add_type_use(walk: &mut GrammarWalker<'_>, node: Node<'_>) {
    let written = walk.text(node);
    let name = written.rsplit('.').next().unwrap_or_default().trim();
    let use_of_type = SchemaUse {
        owner: walk.builder.position.nearest(),
        key: schema::key(schema::PROTOBUF, name),
        is_own_language: true,
        line: walk.builder.lines.line(span(node).start),
    };
    walk.builder.facts.schema_uses.push(use_of_type);
}
