//! Operations on code: what is where, what it says, and who uses it.

pub(super) mod actions;
pub(super) mod definition;
pub(super) mod delete;
pub(super) mod diagnostics;
pub(super) mod edit;
pub(super) mod expand_macro;
pub(super) mod find;
pub(super) mod grep;
pub(super) mod hints;
pub(super) mod implementation;
pub(super) mod importers;
pub(super) mod imports;
pub(super) mod insert_after;
pub(super) mod insert_before;
pub(super) mod list;
mod locations;
mod mentions;
pub(super) mod references;
pub(super) mod rename;
pub(super) mod replace;
pub(super) mod restart;
pub(super) mod show;
pub(super) mod symbols;
pub(super) mod type_definition;
mod unread;
pub(super) mod unused;
pub(super) mod zoom;
