//! The per-language rules of the shared tree-sitter walker.

use super::{GrammarWalker, LanguageFn, Node, NodeExt, children};
use crate::doc_comments::DocCommentStyle;
use crate::facts_builder::SymbolDraft;
use crate::model::{Expr, FileFacts, SymbolKind, Visibility};

/// How a syntax node is interpreted. String arguments are field names of the grammar.
#[derive(Debug, Clone, Copy)]
pub(crate) enum NodeRule {
    /// Only its children are visited
    Walk,
    /// It is ignored
    Skip,
    /// A declaration
    Symbol(SymbolKind),
    /// A wrapper of declarations; its doc comment belongs to them
    Wrap,
    /// A comment
    Comment,
    /// An attribute of the declaration that follows, which the grammar keeps apart from it
    Attribute,
    /// A name
    Name,
    /// Names joined by `::`
    Path,
    /// The receiver
    This,
    /// The receiver's parent
    Super,
    /// A text literal
    Text,
    /// A member: object, name
    Member(&'static str, &'static str),
    /// A call: callee, arguments
    Call(&'static str, &'static str),
    /// A call: object, name, arguments
    Method(&'static str, &'static str, &'static str),
    /// A construction: type, arguments
    New(&'static str, &'static str),
    /// A function that is a value
    Lambda(&'static str),
    /// A parameter: name, type
    Param(&'static str, &'static str),
    /// Evaluates to its last child: parentheses, `await`
    LastChild,
    /// Target, value
    Assign(&'static str, &'static str),
    /// The result of a function
    Return,
    /// A block that may be skipped
    Branch,
    /// A block that may be repeated
    Loop,
    /// Opens a scope
    Block,
    /// Handled by [`GrammarRules::custom_expr`]
    Custom,
}

/// How the shared walker reads the syntax trees of a language.
pub(crate) trait GrammarRules: Sync {
    /// Its grammar.
    fn grammar(&self) -> LanguageFn;

    /// How a node is read.
    fn rule(&self, walk: &GrammarWalker<'_>, node: Node<'_>) -> NodeRule;

    /// How a comment is marked, if it is a doc comment.
    fn doc_style(&self, text: &str) -> Option<DocCommentStyle> {
        c_doc_style(text)
    }

    /// The name of a declaration.
    fn name<'n>(&self, node: Node<'n>) -> Option<Node<'n>> {
        node.field("name")
    }

    /// Further names that the same declaration declares.
    fn further_names<'n>(&self, _node: Node<'n>) -> Vec<Node<'n>> {
        Vec::new()
    }

    /// The body of a declaration.
    fn body<'n>(&self, node: Node<'n>) -> Option<Node<'n>> {
        node.field("body")
    }

    /// Adds the language-specific parts of a declaration; returns `false` if the node is not a
    /// declaration.
    fn complete_draft(
        &self,
        walk: &mut GrammarWalker<'_>,
        node: Node<'_>,
        draft: &mut SymbolDraft,
    ) -> bool;

    /// Adds what follows from a declaration, such as its heritage.
    fn after_symbol(&self, _walk: &mut GrammarWalker<'_>, _node: Node<'_>, _symbol: u32) {}

    /// Declares the parameters of a lambda that have no nodes of their own.
    fn lambda_params(&self, _walk: &mut GrammarWalker<'_>, _lambda: Node<'_>) {}

    /// Whether a function sees the local names around it.
    fn captures_locals(&self) -> bool {
        false
    }

    /// Adds what follows from the file as a whole.
    fn complete_file(&self, _text: &str, _facts: &mut FileFacts) {}

    /// Reads a node that has a rule of its own.
    fn custom_expr(&self, walk: &mut GrammarWalker<'_>, node: Node<'_>) -> Expr {
        walk.walk_children(node);
        Expr::Unknown
    }
}

/// `/** */`, `/*! */`, `///` and `//!` are doc comments.
fn c_doc_style(text: &str) -> Option<DocCommentStyle> {
    let is_block = text.starts_with("/**") || text.starts_with("/*!");
    if is_block && text.len() > 4 {
        return Some(DocCommentStyle::Block);
    }
    let is_line = (text.starts_with("///") && !text.starts_with("////")) || text.starts_with("//!");
    is_line.then_some(DocCommentStyle::Lines(&["///<", "///", "//!"]))
}

/// `#` above a declaration is a doc comment.
pub(crate) fn hash_doc_style(text: &str) -> Option<DocCommentStyle> {
    (text.starts_with('#') && !text.starts_with("#!")).then_some(DocCommentStyle::Lines(&["#"]))
}

/// The visibility that one of the modifiers says.
pub(crate) fn visibility_of(words: &[String]) -> Option<Visibility> {
    let word = words.iter().find(|word| {
        let first = word.split('(').next().unwrap_or_default();
        ["public", "private", "protected", "internal", "fileprivate", "open"].contains(&first)
    })?;
    Some(match word.as_str() {
        "public" | "open" => Visibility::Public,
        "private" | "fileprivate" => Visibility::Private,
        other => Visibility::Restricted(other.into()),
    })
}

impl GrammarWalker<'_> {
    /// The modifiers of a declaration, as words.
    pub(crate) fn modifiers(&self, node: Node<'_>) -> Vec<String> {
        let mut words = Vec::new();
        for child in children(node) {
            match child.kind() {
                "modifiers" => {
                    let inner = children(child).into_iter().filter(|one| !is_annotation(*one));
                    words.extend(inner.map(|one| self.text(one)));
                }
                kind if kind.ends_with("modifier") || kind == "storage_class_specifier" => {
                    words.push(self.text(child));
                }
                _ => {}
            }
        }
        words
    }
}

/// The annotations that the grammar puts inside a declaration.
pub(crate) fn annotations(node: Node<'_>) -> Vec<Node<'_>> {
    let mut found = Vec::new();
    for child in children(node) {
        match child.kind() {
            "modifiers" => {
                found.extend(children(child).into_iter().filter(|one| is_annotation(*one)));
            }
            "attribute_list" | "attribute" => found.push(child),
            _ if is_annotation(child) => found.push(child),
            _ => {}
        }
    }
    found
}

fn is_annotation(node: Node<'_>) -> bool {
    matches!(node.kind(), "annotation" | "marker_annotation" | "attribute")
}
