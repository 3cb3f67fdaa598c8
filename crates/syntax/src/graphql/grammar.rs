//! The grammar rules of GraphQL: which nodes declare something, and which names they use.

use base::Span;

use crate::doc_comments::DocCommentStyle;
use crate::facts_builder::SymbolDraft;
use crate::model::{Expr, SchemaUse, SymbolKind, Visibility};
use crate::schema;
use crate::treesitter::{
    GrammarRules, GrammarWalker, LanguageFn, Node, NodeExt, NodeRule, hash_doc_style, span,
};

/// The rules of the language.
pub(crate) struct GraphQl;

/// Nodes that hold what is inside of a definition.
const BODIES: [&str; 5] = [
    "fields_definition",
    "input_fields_definition",
    "enum_values_definition",
    "union_member_types",
    "selection_set",
];

impl GrammarRules for GraphQl {
    fn grammar(&self) -> LanguageFn {
        tree_sitter_graphql::LANGUAGE
    }

    fn doc_style(&self, text: &str) -> Option<DocCommentStyle> {
        hash_doc_style(text)
    }

    fn rule(&self, _walk: &GrammarWalker<'_>, node: Node<'_>) -> NodeRule {
        match node.kind() {
            "comment" => NodeRule::Comment,
            "document"
            | "definition"
            | "executable_definition"
            | "type_system_definition"
            | "type_system_extension"
            | "type_definition"
            | "type_extension" => NodeRule::Wrap,
            "object_type_definition"
            | "object_type_extension"
            | "scalar_type_definition"
            | "scalar_type_extension" => NodeRule::Symbol(SymbolKind::Type),
            "interface_type_definition" | "interface_type_extension" => {
                NodeRule::Symbol(SymbolKind::Interface)
            }
            "enum_type_definition" | "enum_type_extension" => NodeRule::Symbol(SymbolKind::Enum),
            "union_type_definition" | "union_type_extension" => NodeRule::Symbol(SymbolKind::Union),
            "input_object_type_definition" | "input_object_type_extension" => {
                NodeRule::Symbol(SymbolKind::Struct)
            }
            "directive_definition" => NodeRule::Symbol(SymbolKind::Macro),
            "operation_definition" => NodeRule::Symbol(SymbolKind::Function),
            "fragment_definition" => NodeRule::Symbol(SymbolKind::Constant),
            "field_definition" => NodeRule::Symbol(SymbolKind::Field),
            "enum_value_definition" => NodeRule::Symbol(SymbolKind::Variant),
            "input_value_definition" if !is_argument(node) => NodeRule::Symbol(SymbolKind::Field),
            "named_type" | "fragment_spread" | "directive" | "field" => NodeRule::Custom,
            "description" | "value" | "default_value" => NodeRule::Skip,
            _ => NodeRule::Walk,
        }
    }

    fn name<'n>(&self, node: Node<'n>) -> Option<Node<'n>> {
        node.child_of_kind(&["name", "fragment_name", "enum_value"])
    }

    fn body<'n>(&self, node: Node<'n>) -> Option<Node<'n>> {
        node.child_of_kind(&BODIES)
    }

    fn complete_draft(
        &self,
        walk: &mut GrammarWalker<'_>,
        node: Node<'_>,
        draft: &mut SymbolDraft,
    ) -> bool {
        draft.visibility = Visibility::Public;
        draft.exported = true;
        // The fields of `extend type Query` are fields of `Query`.
        if node.kind().ends_with("_extension") {
            draft.prefix = Some(draft.name.clone());
        }
        if let Some(description) = node.child_of_kind(&["description"]) {
            draft.doc = Some((span(description), DocCommentStyle::Docstring));
            let whole = draft.declaration;
            let end = draft.body.map_or(whole.end, |body| body.start);
            let head = Span::new(span(description).end.min(end), end);
            walk.builder.one_line_signature(head).trim().clone_into(&mut draft.signature);
        }
        true
    }

    fn custom_expr(&self, walk: &mut GrammarWalker<'_>, node: Node<'_>) -> Expr {
        let name = match node.kind() {
            "fragment_spread" => node.child_of_kind(&["fragment_name"]),
            _ => node.child_of_kind(&["name"]),
        };
        let Some(name) = name else { return Expr::Unknown };
        let written = walk.text(name);
        let key = match node.kind() {
            "field" => root_type(walk, node).map(|root| format!("{root}:{written}")),
            _ => Some(written),
        };
        if let Some(key) = key {
            let at = span(name).start;
            walk.builder.facts.schema_uses.push(SchemaUse {
                owner: walk.builder.position.nearest(),
                key: schema::key(schema::GRAPHQL, &key),
                is_own_language: true,
                line: walk.builder.lines.line(at),
            });
        }
        walk.walk_children(node);
        Expr::Unknown
    }
}

/// Whether an input value is an argument, not a field of an input type.
fn is_argument(node: Node<'_>) -> bool {
    node.parent().is_some_and(|parent| parent.kind() == "arguments_definition")
}

/// The root type that a field of an operation belongs to; nothing for fields further inside.
fn root_type(walk: &GrammarWalker<'_>, field: Node<'_>) -> Option<&'static str> {
    let set = field.parent().filter(|one| one.kind() == "selection")?.parent()?;
    let operation = set.parent().filter(|one| one.kind() == "operation_definition")?;
    let kind = operation.child_of_kind(&["operation_type"]).map(|kind| walk.text(kind));
    Some(match kind.as_deref() {
        Some("mutation") => "Mutation",
        Some("subscription") => "Subscription",
        _ => "Query",
    })
}
