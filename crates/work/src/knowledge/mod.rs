//! Knowledge about the code: molecules and atoms, matched to paths, with their changelogs.

pub(crate) mod appends;
pub mod changelog;
pub mod context;
pub mod drift;
pub mod edit;
pub mod files;
pub mod globs;
pub mod search;

pub(crate) use edit::{count_knowledge, remove_atom, remove_molecule, remove_project_knowledge};
