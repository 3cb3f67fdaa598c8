//! Operations on the knowledge base: queries, changes, and the stores of branches.

pub(super) mod adopt;
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
pub(crate) mod schema;
pub(super) mod upsert;
mod vocabulary;
