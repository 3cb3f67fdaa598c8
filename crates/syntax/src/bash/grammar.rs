//! The grammar rules of POSIX shell and Bash.

use crate::doc_comments::DocCommentStyle;
use crate::facts_builder::SymbolDraft;
use crate::model::{Arg, CallKind, Expr, ImportKind, SymbolKind, Visibility};
use crate::treesitter::{
    GrammarRules, GrammarWalker, LanguageFn, Node, NodeExt, NodeRule, children, hash_doc_style,
    span,
};

/// The rules of the language.
pub(crate) struct Bash;

impl GrammarRules for Bash {
    fn grammar(&self) -> LanguageFn {
        tree_sitter_bash::LANGUAGE
    }

    fn doc_style(&self, text: &str) -> Option<DocCommentStyle> {
        hash_doc_style(text)
    }

    fn rule(&self, walk: &GrammarWalker<'_>, node: Node<'_>) -> NodeRule {
        match node.kind() {
            "comment" => NodeRule::Comment,
            "function_definition" => NodeRule::Symbol(SymbolKind::Function),
            "variable_assignment"
                if !walk.in_function() && walk.builder.position.block.is_none() =>
            {
                NodeRule::Symbol(SymbolKind::Variable)
            }
            "command" => NodeRule::Custom,
            "if_statement" | "case_item" | "elif_clause" | "else_clause" => NodeRule::Branch,
            "for_statement" | "while_statement" | "c_style_for_statement" => NodeRule::Loop,
            "word" | "raw_string" => NodeRule::Text,
            "declaration_command" => NodeRule::Wrap,
            _ => NodeRule::Walk,
        }
    }

    fn complete_draft(
        &self,
        walk: &mut GrammarWalker<'_>,
        node: Node<'_>,
        draft: &mut SymbolDraft,
    ) -> bool {
        if node.kind() == "variable_assignment" {
            let known = walk.builder.facts.symbols.iter().any(|one| one.name == draft.name);
            if known || node.parent().is_some_and(|parent| parent.kind() == "command") {
                return false;
            }
            let around = node.parent().filter(|one| one.kind() == "declaration_command");
            let is_fixed = around.is_some_and(|one| one.has_token("readonly"));
            draft.exported = around.is_some_and(|one| one.has_token("export"));
            if is_fixed {
                draft.kind = SymbolKind::Constant;
            }
            draft.body = node.field("value").map(span);
        } else {
            draft.exported = true;
            let body = node.field("body").map_or(span(node).end, |body| span(body).start);
            let head = base::Span::new(span(node).start, body);
            draft.signature = walk.builder.one_line_signature(head);
        }
        draft.visibility = Visibility::Public;
        true
    }

    fn custom_expr(&self, walk: &mut GrammarWalker<'_>, node: Node<'_>) -> Expr {
        let Some(name) = node.field("name") else {
            walk.walk_children(node);
            return Expr::Unknown;
        };
        let text = walk.text(name);
        walk.walk_children(name);
        let args: Vec<_> =
            children(node).into_iter().filter(|one| *one != name && one.is_named()).collect();
        let values: Vec<_> = args.iter().map(|arg| Arg::positional(walk.expr(*arg))).collect();
        if matches!(text.as_str(), "source" | ".") {
            if let Some(path) = args.first() {
                let specifier = walk.text(*path).trim_matches(['"', '\'']).to_owned();
                let import = walk.builder.add_import(ImportKind::Include, specifier, span(node));
                walk.builder.facts.imports[import as usize].is_path = true;
            }
            return Expr::Unknown;
        }
        let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':' | '/');
        if !text.chars().all(is_name) {
            return Expr::Unknown;
        }
        walk.builder.add_call(
            CallKind::Call,
            Expr::Name(text),
            values,
            span(node),
            span(name).start,
        )
    }
}
