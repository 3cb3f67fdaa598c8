//! POSIX shell and Bash.

use crate::build::Draft;
use crate::docs::Style;
use crate::fold::Comments;
use crate::model::{Arg, CallKind, Expr, ImportKind, SymbolKind, Visibility};
use crate::tree::{self, Dialect, Grown, LanguageFn, Node, Rule, Walk, children, hash_doc, span};

#[cfg(test)]
mod tests;

/// The language.
pub(crate) struct Bash;

impl Dialect for Bash {
    fn grammar(&self) -> LanguageFn {
        tree_sitter_bash::LANGUAGE
    }

    fn comments(&self) -> Comments {
        Comments::Hash
    }

    fn doc(&self, text: &str) -> Option<Style> {
        hash_doc(text)
    }

    fn rule(&self, walk: &Walk<'_>, node: Node<'_>) -> Rule {
        match node.kind() {
            "comment" => Rule::Comment,
            "function_definition" => Rule::Symbol(SymbolKind::Function),
            "variable_assignment" if !walk.in_function() && walk.b.at.block.is_none() => {
                Rule::Symbol(SymbolKind::Variable)
            }
            "command" => Rule::Own,
            "if_statement" | "case_item" | "elif_clause" | "else_clause" => Rule::Branch,
            "for_statement" | "while_statement" | "c_style_for_statement" => Rule::Loop,
            "word" | "raw_string" => Rule::Text,
            "declaration_command" => Rule::Wrap,
            _ => Rule::Walk,
        }
    }

    fn describe(&self, walk: &mut Walk<'_>, node: Node<'_>, draft: &mut Draft) -> bool {
        if node.kind() == "variable_assignment" {
            let known = walk.b.facts.symbols.iter().any(|one| one.name == draft.name);
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
            draft.signature = walk.b.fold(head);
        }
        draft.visibility = Visibility::Public;
        true
    }

    fn own(&self, walk: &mut Walk<'_>, node: Node<'_>) -> Expr {
        let Some(name) = node.field("name") else {
            walk.inside(node);
            return Expr::Unknown;
        };
        let text = walk.text(name);
        walk.inside(name);
        let args: Vec<_> =
            children(node).into_iter().filter(|one| *one != name && one.is_named()).collect();
        let values: Vec<_> = args.iter().map(|arg| Arg::plain(walk.expr(*arg))).collect();
        if matches!(text.as_str(), "source" | ".") {
            if let Some(path) = args.first() {
                let specifier = walk.text(*path).trim_matches(['"', '\'']).to_owned();
                let import = walk.b.import(ImportKind::Include, specifier, span(node));
                walk.b.facts.imports[import as usize].is_path = true;
            }
            return Expr::Unknown;
        }
        let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':' | '/');
        if !text.chars().all(is_name) {
            return Expr::Unknown;
        }
        walk.b.call(CallKind::Call, Expr::Name(text), values, span(node), span(name).start)
    }
}

/// The facts of a shell script.
pub(crate) fn extract(text: &str) -> crate::FileFacts {
    tree::extract(&Bash, text)
}
