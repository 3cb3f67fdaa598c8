//! The grammar rules of Ruby.

use crate::doc_comments::DocCommentStyle;
use crate::facts_builder::SymbolDraft;
use crate::model::{
    CallKind, Expr, Heritage, HeritageKind, ImportKind, SymbolFlags, SymbolKind, TypeRef,
    Visibility,
};
use crate::treesitter::{
    GrammarRules, GrammarWalker, LanguageFn, Node, NodeExt, NodeRule, hash_doc_style,
    named_children, span,
};

/// The rules of the language.
pub(crate) struct Ruby;

impl GrammarRules for Ruby {
    fn grammar(&self) -> LanguageFn {
        tree_sitter_ruby::LANGUAGE
    }

    fn doc_style(&self, text: &str) -> Option<DocCommentStyle> {
        hash_doc_style(text)
    }

    fn rule(&self, walk: &GrammarWalker<'_>, node: Node<'_>) -> NodeRule {
        match node.kind() {
            "comment" => NodeRule::Comment,
            "class" => NodeRule::Symbol(SymbolKind::Class),
            "module" => NodeRule::Symbol(SymbolKind::Module),
            "method" | "singleton_method" => NodeRule::Symbol(SymbolKind::Method),
            "constant" => NodeRule::Name,
            "scope_resolution" => NodeRule::Path,
            "self" => NodeRule::This,
            "super" => NodeRule::Super,
            "string" | "simple_symbol" => NodeRule::Text,
            "lambda" => NodeRule::Lambda("lambda"),
            "block" | "do_block" => NodeRule::Lambda("block"),
            "assignment" if !walk.in_function() && is_constant(node) => {
                NodeRule::Symbol(SymbolKind::Constant)
            }
            "assignment" | "call" | "identifier" | "instance_variable" | "method_parameters"
            | "block_parameters" | "lambda_parameters" => NodeRule::Custom,
            "parenthesized_statements" => NodeRule::LastChild,
            "return" => NodeRule::Return,
            "if" | "unless" | "when" | "rescue" | "if_modifier" => NodeRule::Branch,
            "while" | "until" | "for" => NodeRule::Loop,
            "superclass" => NodeRule::Skip,
            _ => NodeRule::Walk,
        }
    }

    fn name<'n>(&self, node: Node<'n>) -> Option<Node<'n>> {
        node.field("name").or_else(|| node.field("left"))
    }

    fn complete_draft(
        &self,
        walk: &mut GrammarWalker<'_>,
        node: Node<'_>,
        draft: &mut SymbolDraft,
    ) -> bool {
        let in_type = matches!(walk.owner_kind(), Some(SymbolKind::Class | SymbolKind::Module));
        if node.kind() == "method" && !in_type {
            draft.kind = SymbolKind::Function;
        }
        if draft.name == "initialize" && in_type {
            draft.kind = SymbolKind::Constructor;
        }
        draft.visibility = match walk.modifier_state.as_deref().filter(|_| node.kind() == "method")
        {
            Some("private") => Visibility::Private,
            Some(other) => Visibility::Restricted(other.into()),
            None => Visibility::Public,
        };
        draft.exported = draft.visibility == Visibility::Public && walk.owner_exported();
        draft.flags =
            SymbolFlags::default().with_if(SymbolFlags::STATIC, node.kind() == "singleton_method");
        draft.is_test = draft.name.starts_with("test_");
        if let Some((scope, name)) = draft.name.clone().rsplit_once("::") {
            draft.path = Some(format!("{}.{name}", scope.replace("::", ".")));
            name.clone_into(&mut draft.name);
        }
        let stop = match node.kind() {
            "class" | "module" | "method" | "singleton_method" => {
                let head =
                    ["parameters", "superclass", "name"].iter().find_map(|one| node.field(one));
                head.map(|head| span(head).end)
            }
            _ => None,
        };
        if let Some(stop) = stop {
            draft.signature =
                walk.builder.one_line_signature(base::Span::new(span(node).start, stop));
        }
        true
    }

    fn after_symbol(&self, walk: &mut GrammarWalker<'_>, node: Node<'_>, symbol: u32) {
        if let Some(parent) =
            node.field("superclass").and_then(|one| named_children(one).last().copied())
        {
            walk.add_heritage(symbol, HeritageKind::Extends, parent);
        }
    }

    fn custom_expr(&self, walk: &mut GrammarWalker<'_>, node: Node<'_>) -> Expr {
        match node.kind() {
            "identifier" => {
                let name = walk.text(node);
                match walk.name(&name) {
                    // A bare name that is no variable is a call.
                    Expr::Name(name) if walk.in_function() => {
                        let at = span(node);
                        walk.builder.add_call(
                            CallKind::Call,
                            Expr::Name(name),
                            Vec::new(),
                            at,
                            at.start,
                        )
                    }
                    Expr::Name(name) => visibility(walk, name),
                    known => known,
                }
            }
            "instance_variable" => Expr::This.member(walk.text(node)),
            "call" => call(walk, node),
            "assignment" => {
                let value = node.field("right").map_or(Expr::Unknown, |right| walk.expr(right));
                match node.field("left") {
                    Some(left) if left.kind() == "identifier" => {
                        walk.declare(left, None, value.clone());
                    }
                    Some(left) if left.kind() == "instance_variable" => {
                        let name = walk.text(left);
                        let place = crate::model::AssignTarget::Member(Expr::This, name);
                        walk.builder.add_assignment(place, value.clone());
                    }
                    Some(left) => walk.assign_to(left, value.clone()),
                    None => {}
                }
                value
            }
            "method_parameters" | "block_parameters" | "lambda_parameters" => {
                for param in named_children(node) {
                    let name = param.field("name").unwrap_or(param);
                    walk.param(Some(name), None);
                    if let Some(value) = param.field("value") {
                        walk.expr(value);
                    }
                }
                Expr::Unknown
            }
            _ => Expr::Unknown,
        }
    }
}

fn is_constant(node: Node<'_>) -> bool {
    node.field("left").is_some_and(|left| left.kind() == "constant")
}

/// `private` and its like are about the methods that follow.
fn visibility(walk: &mut GrammarWalker<'_>, name: String) -> Expr {
    match name.as_str() {
        "private" | "protected" => walk.modifier_state = Some(name),
        "public" => walk.modifier_state = None,
        _ => return Expr::Name(name),
    }
    Expr::Unknown
}

fn call(walk: &mut GrammarWalker<'_>, node: Node<'_>) -> Expr {
    let receiver = node.field("receiver").map(|receiver| walk.expr(receiver));
    let Some(method) = node.field("method") else { return Expr::Unknown };
    let name = walk.text(method);
    let list = node.field("arguments");
    if receiver.is_none() && directive(walk, node, &name, list) {
        return Expr::Unknown;
    }
    let mut args = list.map(|list| walk.args(list)).unwrap_or_default();
    if let Some(block) = node.field("block") {
        args.push(crate::model::Arg::positional(walk.expr(block)));
    }
    let is_new = name == "new";
    let callee = match receiver {
        Some(receiver) if is_new => receiver,
        Some(receiver) => Expr::Member(Box::new(receiver), name),
        None if method.kind() == "super" => Expr::Super,
        None => walk.name(&name),
    };
    let kind = if is_new { CallKind::New } else { CallKind::Call };
    walk.builder.add_call(kind, callee, args, span(node), span(method).start)
}

/// Calls that say something about the file or the class: `require`, `include`, `attr_reader`.
fn directive(
    walk: &mut GrammarWalker<'_>,
    node: Node<'_>,
    name: &str,
    list: Option<Node<'_>>,
) -> bool {
    let parts = list.map(named_children).unwrap_or_default();
    match name {
        "require" | "require_relative" | "load" | "autoload" => {
            let Some(path) = parts.last() else { return false };
            let specifier = walk.text(*path).trim_matches(['"', '\'']).to_owned();
            let import = walk.builder.add_import(ImportKind::Require, specifier, span(node));
            walk.builder.facts.imports[import as usize].is_path = name == "require_relative";
            true
        }
        "include" | "extend" | "prepend" => {
            let Some(symbol) = walk.builder.position.owner else { return false };
            for part in parts {
                let at = span(part);
                walk.builder.facts.heritage.push(Heritage {
                    symbol,
                    kind: HeritageKind::Mixin,
                    target: TypeRef::named(walk.text(part)),
                    value: Expr::Unknown,
                    span: at,
                    line: walk.builder.lines.line(at.start),
                });
            }
            true
        }
        "attr_reader" | "attr_writer" | "attr_accessor" => {
            for part in parts {
                let at = span(part);
                let text = walk.text(part);
                let mut draft = SymbolDraft::new(
                    SymbolKind::Property,
                    text.trim_matches([':', '"', '\'']),
                    at,
                    at,
                );
                draft.parent = walk.builder.position.owner;
                draft.signature = format!("{name} {text}");
                draft.visibility = Visibility::Public;
                draft.exported = walk.owner_exported();
                walk.builder.add_symbol(draft);
            }
            true
        }
        _ => false,
    }
}
