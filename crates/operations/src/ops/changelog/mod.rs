//! The changelog of atoms and molecules, one operation per file.

pub(super) mod append;
pub(super) mod search;
