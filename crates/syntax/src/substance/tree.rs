//! The substance of a text that tree-sitter parses: its tree, with the words at its leaves.

use tree_sitter::{Node, TreeCursor};

use super::literals::{LITERALS, NEIGHBOURS, joined_literal};
use super::preprocessor::macro_text;
use super::{ReadAs, Selection, push_token, python, rust};
use crate::treesitter::{self, LanguageFn, children, span};

/// Nodes that do not change the meaning of their content: the shape of the tree already says what
/// belongs together.
const TRANSPARENT: [&str; 2] = ["parenthesized_expression", "parenthesized_statements"];

/// Nodes of Python with optional parentheses: the kind with parentheses, then the kind without.
const PARENTHESES_OPTIONAL: [(&str, &str); 2] =
    [("tuple", "expression_list"), ("tuple_pattern", "pattern_list")];

/// A list of context managers in Python, which a formatter may put into parentheses.
const CONTEXT_MANAGERS: &str = "with_clause";

/// A type annotation of Python. Its tree depends on whether it stands in parentheses, so its words
/// count alone.
const ANNOTATION: &str = "type";

/// Numbers whose letters may be large or small.
const NUMBERS: [&str; 6] =
    ["integer", "float", "integer_literal", "float_literal", "int_literal", "imaginary_literal"];

/// Blocks in which a semicolon only separates statements.
const STATEMENT_LISTS: [&str; 2] = ["block", "module"];

/// How many calls of macros in the arguments of others are read as calls. What is deeper is read as
/// tokens, because each level is parsed again.
const MAX_MACRO_DEPTH: u32 = 8;

/// The substance; `None` if the text cannot be parsed.
pub(super) fn substance(
    grammar: LanguageFn,
    text: &str,
    selection: &Selection<'_>,
) -> Option<String> {
    let tree = treesitter::parse(text, grammar).ok()?;
    let mut reader = TreeReader { grammar, text, selection, macro_depth: 0, out: String::new() };
    reader.read_all(&mut tree.walk(), None);
    Some(reader.out)
}

struct TreeReader<'t, 's> {
    grammar: LanguageFn,
    text: &'t str,
    selection: &'s Selection<'t>,
    /// How many macro calls the text stands in
    macro_depth: u32,
    out: String,
}

/// A node that is being read.
#[derive(Clone, Copy)]
struct OpenNode<'n> {
    /// Whether it was written down
    is_shown: bool,
    /// The field that what is in it has, because the node itself is left out
    inner_field: Option<&'n str>,
    /// Whether only the words in it count
    is_flat: bool,
}

impl TreeReader<'_, '_> {
    /// Walks the tree without recursion, so that deep trees need no stack. `outer` is the node that
    /// the whole tree stands in.
    fn read_all<'n>(&mut self, cursor: &mut TreeCursor<'n>, outer: Option<OpenNode<'n>>) {
        let mut open: Vec<OpenNode<'n>> = Vec::new();
        loop {
            let started = self.start(cursor, open.last().copied().or(outer));
            match started {
                Some(node) if cursor.goto_first_child() => {
                    open.push(node);
                    continue;
                }
                Some(node) if node.is_shown => push_token(&mut self.out, ")"),
                _ => {}
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return;
                }
                if open.pop().is_some_and(|node| node.is_shown) {
                    push_token(&mut self.out, ")");
                }
            }
        }
    }

    /// Reads the start of a node; `None` if there is nothing to go into.
    fn start<'n>(
        &mut self,
        cursor: &TreeCursor<'n>,
        outer: Option<OpenNode<'n>>,
    ) -> Option<OpenNode<'n>> {
        let node = cursor.node();
        let at = span(node);
        let is_left_out =
            (is_layout(node) && at.end > at.start) || python::is_empty_base_list(node);
        if !self.selection.overlaps(at) || is_left_out {
            return None;
        }
        match self.selection.reading(at) {
            ReadAs::Unchanged => {}
            ReadAs::LeftOut => return None,
            ReadAs::Replaced(text) => {
                push_token(&mut self.out, text);
                return None;
            }
        }
        if python::is_content(node) {
            push_token(&mut self.out, &python::content(node, self.text));
            return None;
        }
        if node.child_count() == 0 {
            self.leaf(node);
            return None;
        }
        // Whether the whole file is read depends on what is around a symbol.
        let is_part = node.parent().is_some() && self.selection.contains(at);
        let is_transparent = is_transparent(node);
        let is_flat = outer.is_some_and(|outer| outer.is_flat);
        let is_shown = is_part && node.is_named() && !is_transparent && !is_flat;
        let field = cursor.field_name().or(outer.and_then(|outer| outer.inner_field));
        let open = OpenNode { is_shown: false, inner_field: field, is_flat };
        if is_part && (self.read_joined(node, open) || self.read_macro(node, open)) {
            return None;
        }
        if is_shown {
            push_token(&mut self.out, &format!("({} {}", kind(node), field.unwrap_or_default()));
        }
        self.hidden_text(node);
        let inner_field = field.filter(|_| is_transparent);
        Some(OpenNode { is_shown, inner_field, is_flat: is_flat || node.kind() == ANNOTATION })
    }

    /// Reads neighbouring literals as the one that they mean; `false` if there is none.
    fn read_joined(&mut self, node: Node<'_>, outer: OpenNode<'_>) -> bool {
        if node.kind() != NEIGHBOURS {
            return false;
        }
        let Some(joined) = joined_literal(node, self.text) else { return false };
        self.read_other(&format!("{joined};"), self.macro_depth, outer, |root| {
            let mut literal = root;
            while !LITERALS.contains(&literal.kind()) {
                literal = literal.named_child(0)?;
            }
            Some(literal)
        })
    }

    /// Reads the arguments of a macro call as those of a function; `false` if it reads other tokens.
    fn read_macro(&mut self, node: Node<'_>, outer: OpenNode<'_>) -> bool {
        if self.macro_depth >= MAX_MACRO_DEPTH {
            return false;
        }
        let Some(call) = rust::macro_call(node, self.text) else { return false };
        self.read_other(&call, self.macro_depth + 1, outer, rust::arguments)
    }

    /// Reads a part of another text in the place of a node; `false` if the text has no such part.
    fn read_other(
        &mut self,
        text: &str,
        macro_depth: u32,
        outer: OpenNode<'_>,
        part: impl for<'n> FnOnce(Node<'n>) -> Option<Node<'n>>,
    ) -> bool {
        let parsed = treesitter::parse(text, self.grammar).ok();
        let Some((tree, selection)) = parsed.zip(self.selection.of_all(text)) else {
            return false;
        };
        let Some(part) = part(tree.root_node()) else { return false };
        let out = std::mem::take(&mut self.out);
        let grammar = self.grammar;
        let mut reader = TreeReader { grammar, text, selection: &selection, macro_depth, out };
        reader.read_all(&mut part.walk(), Some(outer));
        self.out = reader.out;
        true
    }

    fn leaf(&mut self, node: Node<'_>) {
        let text = &self.text[node.byte_range()];
        if text.trim().is_empty() || is_optional_punctuation(node, text) || is_optional_brace(node)
        {
            return;
        }
        match node.kind() {
            "string_start" | "string_end" => push_token(&mut self.out, &python::quote(text)),
            "string_content" => {
                push_token(&mut self.out, &text.replace("\\'", "'").replace("\\\"", "\""));
            }
            "preproc_arg" => push_token(&mut self.out, &macro_text(text)),
            kind if NUMBERS.contains(&kind) => push_token(&mut self.out, &text.to_lowercase()),
            _ => push_token(&mut self.out, &self.selection.name(text)),
        }
    }

    /// Some grammars have no node for the content of a literal. What is between two children belongs
    /// to the node itself, unless it is white space or an escaped line break.
    fn hidden_text(&mut self, node: Node<'_>) {
        let mut end = node.start_byte();
        let mut gaps = Vec::new();
        for child in children(node) {
            gaps.push(end..child.start_byte().max(end));
            end = child.end_byte();
        }
        gaps.push(end..node.end_byte().max(end));
        for gap in gaps {
            let text = &self.text[gap];
            let is_layout = text.replace("\\\r\n", "").replace("\\\n", "").trim().is_empty();
            if !is_layout && node.is_named() {
                push_token(&mut self.out, text);
            }
        }
    }
}

/// Comments, and line breaks that a language must be told to ignore.
pub(super) fn is_layout(node: Node<'_>) -> bool {
    let kind = node.kind();
    kind.contains("comment")
        || (node.is_extra() && matches!(kind, "text_interpolation" | "line_continuation"))
}

/// The kind of a node, which is the same with and without optional parentheses.
fn kind(node: Node<'_>) -> &str {
    let own = node.kind();
    PARENTHESES_OPTIONAL.iter().find(|(_, without)| *without == own).map_or(own, |(with, _)| *with)
}

fn is_transparent(node: Node<'_>) -> bool {
    TRANSPARENT.contains(&node.kind()) || rust::is_optional(node) || python::is_parentheses(node)
}

/// A brace or parenthesis that makes no difference.
fn is_optional_brace(node: Node<'_>) -> bool {
    let has_optional = |parent: Node<'_>| {
        parent.kind() == CONTEXT_MANAGERS
            || PARENTHESES_OPTIONAL.iter().any(|(with, _)| *with == parent.kind())
    };
    let is_round = matches!(node.kind(), "(" | ")");
    (is_round && node.parent().is_some_and(has_optional))
        || (matches!(node.kind(), "{" | "}") || is_round)
            && node.parent().is_some_and(is_transparent)
}

/// A comma or semicolon at the end of a list or statement, or between two statements.
fn is_optional_punctuation(node: Node<'_>, text: &str) -> bool {
    if !matches!(text, "," | ";") {
        return false;
    }
    let only_separates = |parent: Node<'_>| {
        STATEMENT_LISTS.contains(&parent.kind()) || rust::is_bare_statement(parent)
    };
    if text == ";" && node.parent().is_some_and(only_separates) {
        return true;
    }
    let mut next = node.next_sibling();
    while let Some(layout) = next.filter(|next| is_layout(*next)) {
        next = layout.next_sibling();
    }
    next.is_none_or(|next| matches!(next.kind(), ")" | "]" | "}" | ">" | "|"))
}
