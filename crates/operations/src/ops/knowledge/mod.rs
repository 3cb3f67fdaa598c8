//! Knowledge: atoms and molecules, one operation per file.

pub(super) mod context;
pub(super) mod create;
pub(super) mod delete;
pub(crate) mod details;
pub(super) mod drift;
pub(super) mod search;
pub(super) mod show;
pub(super) mod update;
