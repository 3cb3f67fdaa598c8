//! The history of atoms and molecules, one operation a file.

pub(super) mod append;
pub(super) mod search;
