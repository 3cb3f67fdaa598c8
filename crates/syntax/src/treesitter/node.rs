//! Nodes, with what the walks ask of them.

use base::Span;
use tree_sitter::Node;

use crate::doc_comments::DocCommentStyle;
use crate::facts_builder::FactsBuilder;
use crate::line_index::offset;

/// The span of a node.
pub(crate) fn span(node: Node<'_>) -> Span {
    Span::new(offset(node.start_byte()), offset(node.end_byte()))
}

/// All children.
pub(crate) fn children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.children(&mut cursor).collect()
}

/// The children that the grammar names.
pub(crate) fn named_children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).collect()
}

/// What walks ask of nodes.
pub(crate) trait NodeExt<'n> {
    /// The child in a field.
    fn field(self, name: &str) -> Option<Node<'n>>;
    /// The first child of one of these kinds.
    fn child_of_kind(self, kinds: &[&str]) -> Option<Node<'n>>;
    /// Its text.
    fn text<'t>(self, builder: &FactsBuilder<'t>) -> &'t str;
    /// Whether it is trailing on a line with other code; such a comment documents that code.
    #[expect(clippy::wrong_self_convention, reason = "a node is a small copy")]
    fn is_trailing(self) -> bool;
    /// Whether a child without a name, such as a keyword, has this text.
    fn has_token(self, token: &str) -> bool;
}

impl<'n> NodeExt<'n> for Node<'n> {
    fn field(self, name: &str) -> Option<Node<'n>> {
        self.child_by_field_name(name)
    }

    fn child_of_kind(self, kinds: &[&str]) -> Option<Node<'n>> {
        let mut cursor = self.walk();
        self.children(&mut cursor).find(|child| kinds.contains(&child.kind()))
    }

    fn text<'t>(self, builder: &FactsBuilder<'t>) -> &'t str {
        builder.slice(span(self))
    }

    fn is_trailing(self) -> bool {
        let (start, end) = (self.start_position().row, self.end_position().row);
        let is_before =
            |one: Node<'_>| one.end_position().row == start && one.end_position().column > 0;
        let is_after = |one: Node<'_>| one.start_position().row == end;
        self.prev_sibling().is_some_and(is_before) && !self.next_sibling().is_some_and(is_after)
    }

    fn has_token(self, token: &str) -> bool {
        let mut cursor = self.walk();
        self.children(&mut cursor).any(|child| child.kind() == token)
    }
}

/// Comments and attributes that belong to the next declaration.
#[derive(Debug, Default)]
pub(crate) struct PendingTrivia<'n> {
    /// The span and syntax of the doc comment so far
    pub doc: Option<(Span, DocCommentStyle)>,
    /// Attributes, annotations or decorators so far
    pub attributes: Vec<Node<'n>>,
}

impl<'n> PendingTrivia<'n> {
    /// Adds a line or block of a doc comment. Lines that follow each other are one comment.
    pub fn add_doc_comment(
        &mut self,
        builder: &FactsBuilder<'_>,
        node: Node<'n>,
        style: DocCommentStyle,
    ) {
        let at = without_trailing_newline(builder, span(node));
        let joined = match (self.doc, style) {
            (Some((before, DocCommentStyle::Lines(_))), DocCommentStyle::Lines(_)) => {
                let gap = builder.slice(Span::new(before.end, at.start));
                let follows = gap.trim().is_empty() && gap.matches('\n').count() <= 1;
                follows.then(|| Span::new(before.start, at.end))
            }
            _ => None,
        };
        self.doc = Some((joined.unwrap_or(at), style));
    }

    /// Drops a doc comment that a blank line separates from the declaration.
    pub fn drop_detached_doc(&mut self, builder: &FactsBuilder<'_>, start: u32) {
        let first = self.attributes.first().map_or(start, |node| span(*node).start.min(start));
        if let Some((doc, _)) = self.doc {
            let gap = builder.slice(Span::new(doc.end, first.max(doc.end)));
            let lines: Vec<&str> = gap.split('\n').collect();
            let between = lines.get(1..lines.len() - 1).unwrap_or_default();
            if between.iter().any(|line| line.trim().is_empty()) {
                self.doc = None;
            }
        }
    }

    /// Where the comments and attributes start.
    pub fn start_with_trivia(&self, start: u32) -> u32 {
        let doc = self.doc.map_or(start, |(doc, _)| doc.start);
        let attribute = self.attributes.first().map_or(start, |node| span(*node).start);
        start.min(doc).min(attribute)
    }
}

/// A span without the line break at its end.
fn without_trailing_newline(builder: &FactsBuilder<'_>, at: Span) -> Span {
    let text = builder.slice(at);
    Span::new(at.start, at.start + offset(text.trim_end().len()))
}
