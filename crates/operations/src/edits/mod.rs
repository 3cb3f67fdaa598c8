//! Edits of code as plans: whole symbols, ranges of text, and renames by what the index knows.

pub(crate) mod file_move;
pub(crate) mod index_rename;
pub(crate) mod missed_uses;
mod module_item_move;
pub(crate) mod rewrite_plan;
pub(crate) mod symbol_edit;
pub(crate) mod symbol_move;
pub(crate) mod text_edit;

use base::{EntityRef, RepoPath};

/// A symbol by its file and its path in it, such as `Session.refresh`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SymbolPath<'a> {
    /// The file that declares it
    pub path: &'a RepoPath,
    /// Its path in the file
    pub name: &'a str,
}

impl<'a> SymbolPath<'a> {
    /// The symbol that a node is; none for other nodes.
    pub(crate) fn of(node: &'a EntityRef) -> Option<Self> {
        match node {
            EntityRef::Symbol(path, name) => Some(Self { path, name: name.as_str() }),
            _ => None,
        }
    }
}
