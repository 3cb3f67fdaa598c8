//! The team that shares durable records through a PostgreSQL database.

pub(super) mod join;
pub(super) mod leave;
pub(super) mod log;
pub(super) mod push;
pub(super) mod status;
