//! What all languages that are read with tree-sitter share.

mod dialect;
mod node;
mod types;
mod value;
mod walk;

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};

use tree_sitter::{Language, ParseOptions, Parser, Tree};

pub(crate) use dialect::{Dialect, Rule, hash_doc, visibility_of};
pub(crate) use node::{Grown, Pending, children, named, span};
pub(crate) use tree_sitter::Node;
pub(crate) use tree_sitter_language::LanguageFn;
pub(crate) use types::written;
pub(crate) use walk::{Walk, extract};

use crate::build::Builder;
use crate::depth;
use crate::fold::Comments;
use crate::model::{FileFacts, SyntaxError};
use crate::plain;

/// Brackets beyond this make a parser that recovers from errors take all memory.
const MOST_BRACKETS: u32 = 500;

/// How many steps the parser takes between two calls back.
const STEPS_A_CALL: usize = 100;

/// How many steps it may take for a byte, on average.
const MOST_STEPS_A_BYTE: usize = 10;

/// Reads a text with a grammar and hands its tree to `walk`.
pub(crate) fn read(
    text: &str,
    grammar: LanguageFn,
    comments: Comments,
    walk: impl FnOnce(Builder<'_>, Node<'_>) -> FileFacts + Send,
) -> FileFacts {
    match parse(text, grammar).and_then(|tree| run(text, &tree, comments, walk)) {
        Ok(facts) => facts,
        Err(message) => {
            let mut facts = plain::extract(text);
            facts.errors.push(SyntaxError { line: 1, column: 1, message });
            facts
        }
    }
}

fn run(
    text: &str,
    tree: &Tree,
    comments: Comments,
    walk: impl FnOnce(Builder<'_>, Node<'_>) -> FileFacts + Send,
) -> Result<FileFacts, String> {
    let levels = deepest(tree);
    depth::with_stack(levels, || {
        let mut builder = Builder::new(text, comments);
        report(&mut builder, tree.root_node());
        walk(builder, tree.root_node())
    })
}

/// Parses, unless that takes unreasonably long.
pub(crate) fn parse(text: &str, grammar: LanguageFn) -> Result<Tree, String> {
    let failed = || "not read: its parser failed".to_owned();
    let brackets = depth::brackets(text);
    if brackets > MOST_BRACKETS {
        let limit = format!("over the limit of {MOST_BRACKETS}");
        return Err(format!("not read: brackets are nested {brackets} levels deep, {limit}"));
    }
    let mut parser = Parser::new();
    parser.set_language(&Language::new(grammar)).map_err(|_| failed())?;
    // The callback comes every hundred steps. Ordinary code takes about one step a byte.
    let mut budget = text.len() / STEPS_A_CALL * MOST_STEPS_A_BYTE + 1_000;
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

/// How deep the tree is, found without recursion.
fn deepest(tree: &Tree) -> u32 {
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

/// Reports what the grammar could not read.
fn report(builder: &mut Builder<'_>, root: Node<'_>) {
    let mut open = vec![root];
    while let Some(node) = open.pop() {
        if node.is_missing() {
            builder.error(span(node).start, format!("missing {}", node.kind()));
        } else if node.is_error() {
            let text = builder.slice(span(node)).trim();
            let first = text.lines().next().unwrap_or_default();
            let shown: String = first.chars().take(40).collect();
            builder.error(span(node).start, format!("cannot read `{shown}`"));
        } else if node.has_error() {
            open.extend(children(node).into_iter().rev());
        }
    }
}
