//! Which doc comment belongs to what.

use std::collections::HashMap;

use base::Span;
use oxc_ast::ast::{Comment, Program, Statement};
use oxc_span::GetSpan;

use super::span;

/// Doc comments by the offset of what follows them.
pub(super) struct DocCommentIndex {
    before: HashMap<u32, Span>,
    /// The doc comment of the module itself
    pub header: Option<Span>,
}

impl DocCommentIndex {
    /// Sorts the comments of a program.
    pub fn new(program: &Program<'_>, text: &str) -> Self {
        let docs = program.comments.iter().filter(|comment| comment.is_jsdoc());
        let before: HashMap<u32, Span> = docs
            .filter(|comment| comment.is_leading())
            .map(|comment| (comment.attached_to, span(comment.span)))
            .collect();
        let header = header(program, text);
        let before = before.into_iter().filter(|(_, span)| Some(*span) != header).collect();
        Self { before, header }
    }

    /// The doc comment right before one of these offsets.
    pub fn before(&self, starts: &[u32]) -> Option<Span> {
        starts.iter().find_map(|start| self.before.get(start)).copied()
    }
}

/// The first doc comment, if it is about the module and not about what follows it.
fn header(program: &Program<'_>, text: &str) -> Option<Span> {
    let mut docs = program.comments.iter().filter(|comment| comment.is_jsdoc());
    let first = docs.find(|comment| !comment.is_legal() || !is_licence(comment, text))?;
    let begins = program.directives.first().map(|directive| directive.span.start);
    let begins = begins.or_else(|| program.body.first().map(|first| first.span().start));
    if begins.is_some_and(|begins| first.span.start > begins) {
        return None;
    }
    let said = text.get(span(first.span).range()).unwrap_or_default();
    let tagged = ["@file", "@module", "@packageDocumentation", "@overview"];
    let is_tagged = tagged.iter().any(|tag| said.contains(tag));
    let another = docs.next().is_some_and(|next| begins.is_none_or(|at| next.span.start < at));
    let rest = text.get(first.span.end as usize..).unwrap_or_default();
    let gap = &rest[..rest.len() - rest.trim_start().len()];
    let apart = gap.matches('\n').count() > 1;
    let declares = program.directives.is_empty()
        && program
            .body
            .first()
            .is_some_and(|first| !matches!(first, Statement::ImportDeclaration(_)));
    (is_tagged || another || apart || !declares).then(|| span(first.span))
}

fn is_licence(comment: &Comment, text: &str) -> bool {
    let said = text.get(span(comment.span).range()).unwrap_or_default().to_lowercase();
    said.contains("@license") || said.contains("copyright")
}
