//! Python.
//!
//! `scope` says what a name is, `item` reads definitions and imports, `statement` what runs,
//! `expr` follows values, `types` reads annotations.

mod expr;
mod import;
mod item;
mod scope;
mod statement;
mod types;

#[cfg(test)]
mod tests;

use std::collections::HashSet;

use crate::build::Builder;
use crate::fold::Comments;
use crate::model::{FileFacts, Owner};
use crate::tree::{self, Node};

use scope::Scope;

/// The facts of a Python file.
pub(crate) fn extract(text: &str) -> FileFacts {
    tree::read(text, tree_sitter_python::LANGUAGE, Comments::Hash, |builder, root| {
        let mut walk = Walk {
            b: builder,
            scopes: Vec::new(),
            touched: HashSet::new(),
            declared: HashSet::new(),
            in_test: false,
            types_only: false,
        };
        walk.module(root);
        walk.b.finish()
    })
}

/// A walk over one file.
struct Walk<'t> {
    b: Builder<'t>,
    /// Scopes, innermost last
    scopes: Vec<Scope>,
    /// Bindings that have had a value
    touched: HashSet<u32>,
    /// Variables, functions and classes that are symbols already
    declared: HashSet<(Owner, String)>,
    in_test: bool,
    /// Inside `if TYPE_CHECKING:`
    types_only: bool,
}

impl Walk<'_> {
    fn text(&self, node: Node<'_>) -> String {
        self.b.slice(tree::span(node)).to_owned()
    }
}
