//! Lines that start inside a text literal, which must not be indented anew.

use std::collections::HashSet;
use std::ops::Range;

use oxc_ast::ast::{Program, TemplateLiteral};
use oxc_ast_visit::{Visit, walk};

use crate::descriptor::LanguageParser;
use crate::line_index::LineIndex;
use crate::treesitter::{Node, children};
use crate::{Language, component, javascript, treesitter};

/// The lines, from 1, that start inside a literal of more than one line. Docstrings are prose.
pub(super) fn lines_inside_literals(language: Language, text: &str) -> HashSet<u32> {
    let index = LineIndex::new(text);
    let rows = |range: &Range<u32>| index.line(range.start) + 1..=index.line(range.end);
    literal_ranges(language, text).iter().flat_map(rows).collect()
}

fn literal_ranges(language: Language, text: &str) -> Vec<Range<u32>> {
    let parser = &language.descriptor().parser;
    if let LanguageParser::Oxc(dialect) = parser {
        let mut templates = TemplateLiterals(Vec::new());
        javascript::with_program(*dialect, text, |program| templates.visit_program(program));
        return templates.0;
    }
    if let LanguageParser::Component(format) = parser {
        let script = component::script(*format, text);
        let mut templates = TemplateLiterals(Vec::new());
        let see = |program: &Program<'_>| templates.visit_program(program);
        javascript::with_program(script.dialect, &script.text, see);
        return templates.0;
    }
    let mut found = Vec::new();
    if let Some(tree) = parser.syntax_tree(text) {
        collect_literals(tree.root_node(), &mut found);
    }
    found
}

/// Finds literals without recursion, since trees may be deep.
fn collect_literals(root: Node<'_>, found: &mut Vec<Range<u32>>) {
    let mut open = vec![root];
    while let Some(node) = open.pop() {
        if node.start_position().row == node.end_position().row {
            continue;
        }
        let kind = node.kind();
        let is_literal = ["string", "heredoc", "nowdoc"].iter().any(|part| kind.contains(part));
        if is_literal {
            let at = treesitter::span(node);
            found.extend((!is_docstring(node)).then_some(at.start..at.end));
        } else {
            open.extend(children(node));
        }
    }
}

/// Whether a string is a statement of its own, which in Python is documentation.
fn is_docstring(node: Node<'_>) -> bool {
    node.parent().is_some_and(|parent| parent.kind() == "expression_statement")
}

struct TemplateLiterals(Vec<Range<u32>>);

impl<'a> Visit<'a> for TemplateLiterals {
    fn visit_template_literal(&mut self, literal: &TemplateLiteral<'a>) {
        for part in &literal.quasis {
            self.0.push(part.span.start..part.span.end);
        }
        walk::walk_template_literal(self, literal);
    }
}
