//! Python.
//!
//! `scope` resolves names, `item` reads definitions and imports, `statement` reads statements,
//! `expr` follows values, `types` reads annotations.

mod descriptor;
mod expr;
mod import;
mod item;
mod scope;
mod statement;
mod types;

#[cfg(all(test, feature = "python"))]
mod tests;

pub(crate) use descriptor::{COMMENTS, DESCRIPTOR, LAYOUT, LEXICAL, SEMANTICS};

use std::collections::HashSet;

use crate::descriptor::CommentSyntax;
use crate::facts_builder::FactsBuilder;
use crate::model::{FileFacts, SymbolOwner};
use crate::treesitter::{self, Node};

use scope::PythonScope;

/// The facts of a Python file.
#[cfg(feature = "python")]
fn extract(text: &str) -> FileFacts {
    extract_embedded(text, text)
}

/// The facts of Python code that stands in a file of another format; `code` is as long as the file
/// and blank where the file holds something else. Lines are those of the file.
#[cfg(feature = "python")]
pub(crate) fn extract_embedded(code: &str, file: &str) -> FileFacts {
    treesitter::parse_and_walk_embedded(
        code,
        file,
        tree_sitter_python::LANGUAGE,
        CommentSyntax::HASH,
        |builder, root| {
            let mut walk = PythonWalker {
                builder,
                scopes: Vec::new(),
                touched: HashSet::new(),
                declared: HashSet::new(),
                in_test: false,
                types_only: false,
            };
            walk.module(root);
            walk.builder.finish()
        },
    )
}

/// Visits the syntax tree of one file.
struct PythonWalker<'t> {
    builder: FactsBuilder<'t>,
    /// Scopes, innermost last
    scopes: Vec<PythonScope>,
    /// Bindings that have had a value
    touched: HashSet<u32>,
    /// Variables, functions and classes that are symbols already
    declared: HashSet<(SymbolOwner, String)>,
    in_test: bool,
    /// Inside `if TYPE_CHECKING:`
    types_only: bool,
}

impl PythonWalker<'_> {
    fn text(&self, node: Node<'_>) -> String {
        self.builder.slice(treesitter::span(node)).to_owned()
    }
}
