//! Edits of code as plans: whole symbols, ranges of text, and renames by what the index knows.

pub(crate) mod index_rename;
pub(crate) mod missed_uses;
pub(crate) mod symbol_edit;
pub(crate) mod text_edit;
