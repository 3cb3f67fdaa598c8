//! Rust.
//!
//! `item` reads declarations, `uses` expands `use` trees, `expr` follows values, `pattern` takes
//! patterns apart, `tokens` finds calls in the arguments of macros, `made_functions` finds
//! functions that macros make, `types` reads types.

mod descriptor;
mod expr;
mod item;
mod made_functions;
mod pattern;
mod tokens;
mod types;
mod uses;

#[cfg(all(test, feature = "rust"))]
mod tests;

pub(crate) use descriptor::DESCRIPTOR;

use std::collections::HashMap;

use made_functions::MadeFunction;

use crate::descriptor::CommentSyntax;
use crate::facts_builder::FactsBuilder;
use crate::model::FileFacts;
use crate::treesitter::{self, Node};

/// The facts of a Rust file.
#[cfg(feature = "rust")]
fn extract(text: &str) -> FileFacts {
    treesitter::parse_and_walk(
        text,
        tree_sitter_rust::LANGUAGE,
        CommentSyntax::C_STYLE,
        |builder, root| {
            let mut walk = RustWalker {
                builder,
                names: Vec::new(),
                in_test: false,
                made_functions: HashMap::new(),
            };
            walk.items(root);
            walk.builder.finish()
        },
    )
}

/// Visits the syntax tree of one file.
struct RustWalker<'t> {
    builder: FactsBuilder<'t>,
    /// Local names, innermost last
    names: Vec<(String, u32)>,
    in_test: bool,
    /// The functions that macros of the file make, by the name of the macro
    made_functions: HashMap<String, MadeFunction>,
}

impl RustWalker<'_> {
    fn text(&self, node: Node<'_>) -> String {
        self.builder.slice(treesitter::span(node)).to_owned()
    }
}
