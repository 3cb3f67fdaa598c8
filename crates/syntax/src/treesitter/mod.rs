//! Parsing with tree-sitter, and the walker that most languages share.

mod grammar_rules;
mod node;
mod type_text;
mod value;
mod walk;

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};

use tree_sitter::{Language, ParseOptions, Parser};

pub(crate) use grammar_rules::{GrammarRules, NodeRule, hash_doc_style, visibility_of};
pub(crate) use node::{NodeExt, PendingTrivia, children, named_children, span};
pub(crate) use tree_sitter::{Node, Tree};
pub(crate) use tree_sitter_language::LanguageFn;
pub(crate) use type_text::parse_type_text;
pub(crate) use walk::{GrammarWalker, extract};

use crate::descriptor::CommentSyntax;
use crate::facts_builder::FactsBuilder;
use crate::model::{FileFacts, SyntaxError};
use crate::nesting;
use crate::plain_text;

/// Deeper bracket nesting can exhaust memory during tree-sitter's error recovery.
const MAX_BRACKET_DEPTH: u32 = 500;

/// How many steps the parser takes between two calls back.
const STEPS_PER_CALLBACK: usize = 100;

/// How many steps it may take for a byte, on average.
const MAX_STEPS_PER_BYTE: usize = 10;

/// Parses a text with a grammar and passes its tree to `walk`.
pub(crate) fn parse_and_walk(
    text: &str,
    grammar: LanguageFn,
    comments: CommentSyntax,
    walk: impl FnOnce(FactsBuilder<'_>, Node<'_>) -> FileFacts + Send,
) -> FileFacts {
    parse_and_walk_embedded(text, text, grammar, comments, walk)
}

/// The same for code that stands in a file of another format and is as long as that: lines are
/// those of the file.
pub(crate) fn parse_and_walk_embedded(
    code: &str,
    file: &str,
    grammar: LanguageFn,
    comments: CommentSyntax,
    walk: impl FnOnce(FactsBuilder<'_>, Node<'_>) -> FileFacts + Send,
) -> FileFacts {
    let walk_tree = |tree: Tree| {
        let new_builder = || FactsBuilder::with_lines_of(code, file, comments);
        walk_with_stack(new_builder, &tree, walk)
    };
    match parse(code, grammar).and_then(walk_tree) {
        Ok(facts) => facts,
        Err(message) => {
            let mut facts = plain_text::extract(file);
            facts.errors.push(SyntaxError { line: 1, column: 1, message });
            facts
        }
    }
}

fn walk_with_stack<'t>(
    new_builder: impl FnOnce() -> FactsBuilder<'t> + Send,
    tree: &Tree,
    walk: impl FnOnce(FactsBuilder<'_>, Node<'_>) -> FileFacts + Send,
) -> Result<FileFacts, String> {
    let levels = tree_depth(tree);
    nesting::with_stack_for_depth(levels, || {
        let mut builder = new_builder();
        report_errors(&mut builder, tree.root_node());
        walk(builder, tree.root_node())
    })
}

/// Parses, unless that takes unreasonably long.
pub(crate) fn parse(text: &str, grammar: LanguageFn) -> Result<Tree, String> {
    let failed = || "not read: its parser failed".to_owned();
    let brackets = nesting::bracket_depth(text);
    if brackets > MAX_BRACKET_DEPTH {
        let limit = format!("over the limit of {MAX_BRACKET_DEPTH}");
        return Err(format!("not read: brackets are nested {brackets} levels deep, {limit}"));
    }
    let mut parser = Parser::new();
    parser.set_language(&Language::new(grammar)).map_err(|_| failed())?;
    // The callback comes every hundred steps. Ordinary code takes about one step a byte.
    let mut budget = text.len() / STEPS_PER_CALLBACK * MAX_STEPS_PER_BYTE + 1_000;
    let mut progress = |_: &tree_sitter::ParseState| {
        budget = budget.saturating_sub(1);
        if budget == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let bytes = text.as_bytes();
    let mut give = |at: usize, _| bytes.get(at..).unwrap_or_default();
    let parsed = catch_unwind(AssertUnwindSafe(|| {
        parser.parse_with_options(&mut give, None, Some(options))
    }));
    parsed.map_err(|_| failed())?.ok_or_else(|| "not read: it takes too long to parse".to_owned())
}

/// The depth of the tree, computed without recursion.
fn tree_depth(tree: &Tree) -> u32 {
    let mut cursor = tree.walk();
    let (mut level, mut most) = (0_u32, 0);
    loop {
        if cursor.goto_first_child() {
            level += 1;
            most = most.max(level);
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return most;
            }
            level -= 1;
        }
    }
}

/// Adds an error for each part that the grammar cannot parse.
fn report_errors(builder: &mut FactsBuilder<'_>, root: Node<'_>) {
    let mut open = vec![root];
    while let Some(node) = open.pop() {
        if node.is_missing() {
            builder.add_error(span(node).start, format!("missing {}", node.kind()));
        } else if node.is_error() {
            let text = builder.slice(span(node)).trim();
            let first = text.lines().next().unwrap_or_default();
            let shown: String = first.chars().take(40).collect();
            builder.add_error(span(node).start, format!("cannot read `{shown}`"));
        } else if node.has_error() {
            open.extend(children(node).into_iter().rev());
        }
    }
}
