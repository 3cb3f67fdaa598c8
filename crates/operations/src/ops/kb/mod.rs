//! Operations on the knowledge base: what is known, what changes, whose branch it is.

pub(super) mod branches;
pub(super) mod check;
pub(super) mod compact;
pub(super) mod delete;
pub(super) mod gc;
pub(super) mod import;
pub(super) mod log;
pub(super) mod merge;
pub(super) mod promote;
pub(super) mod query;
pub(super) mod rollback;
pub(super) mod upsert;
