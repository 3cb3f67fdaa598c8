//! Rust.
//!
//! `item` reads declarations, `uses` expands `use` trees, `expr` follows values, `pattern` takes
//! patterns apart, `tokens` finds calls in the arguments of macros, `types` reads types.

mod expr;
mod item;
mod pattern;
mod tokens;
mod types;
mod uses;

#[cfg(test)]
mod tests;

use crate::build::Builder;
use crate::fold::Comments;
use crate::model::FileFacts;
use crate::tree::{self, Node};

/// The facts of a Rust file.
pub(crate) fn extract(text: &str) -> FileFacts {
    tree::read(text, tree_sitter_rust::LANGUAGE, Comments::Slashes, |builder, root| {
        let mut walk = Walk { b: builder, names: Vec::new(), in_test: false };
        walk.items(root);
        walk.b.finish()
    })
}

/// A walk over one file.
struct Walk<'t> {
    b: Builder<'t>,
    /// Local names, innermost last
    names: Vec<(String, u32)>,
    in_test: bool,
}

impl Walk<'_> {
    fn text(&self, node: Node<'_>) -> String {
        self.b.slice(tree::span(node)).to_owned()
    }
}
