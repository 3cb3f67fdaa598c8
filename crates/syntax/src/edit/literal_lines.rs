//! Lines that start inside a text literal, which must not be indented anew.

use std::collections::HashSet;
use std::ops::Range;

use oxc_ast::ast::TemplateLiteral;
use oxc_ast_visit::{Visit, walk};

use crate::line_index::LineIndex;
use crate::treesitter::{LanguageFn, Node, children};
use crate::{Language, javascript, treesitter};

/// The lines, from 1, that start inside a literal of more than one line. Docstrings are prose.
pub(super) fn lines_inside_literals(language: Language, text: &str) -> HashSet<u32> {
    let index = LineIndex::new(text);
    let rows = |range: &Range<u32>| index.line(range.start) + 1..=index.line(range.end);
    literal_ranges(language, text).iter().flat_map(rows).collect()
}

fn literal_ranges(language: Language, text: &str) -> Vec<Range<u32>> {
    if let Some(grammar) = grammar(language) {
        let mut found = Vec::new();
        if let Ok(tree) = treesitter::parse(text, grammar) {
            collect_literals(tree.root_node(), &mut found);
        }
        return found;
    }
    let mut templates = TemplateLiterals(Vec::new());
    javascript::with_program(language, text, |program| templates.visit_program(program));
    templates.0
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

pub(super) fn grammar(language: Language) -> Option<LanguageFn> {
    Some(match language {
        Language::Rust => tree_sitter_rust::LANGUAGE,
        Language::Python => tree_sitter_python::LANGUAGE,
        #[cfg(feature = "go")]
        Language::Go => tree_sitter_go::LANGUAGE,
        #[cfg(feature = "java")]
        Language::Java => tree_sitter_java::LANGUAGE,
        #[cfg(feature = "c")]
        Language::C => tree_sitter_c::LANGUAGE,
        #[cfg(feature = "cpp")]
        Language::Cpp => tree_sitter_cpp::LANGUAGE,
        #[cfg(feature = "csharp")]
        Language::CSharp => tree_sitter_c_sharp::LANGUAGE,
        #[cfg(feature = "ruby")]
        Language::Ruby => tree_sitter_ruby::LANGUAGE,
        #[cfg(feature = "php")]
        Language::Php => tree_sitter_php::LANGUAGE_PHP,
        #[cfg(feature = "kotlin")]
        Language::Kotlin => tree_sitter_kotlin_ng::LANGUAGE,
        #[cfg(feature = "swift")]
        Language::Swift => tree_sitter_swift::LANGUAGE,
        #[cfg(feature = "bash")]
        Language::Bash => tree_sitter_bash::LANGUAGE,
        _ => return None,
    })
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
