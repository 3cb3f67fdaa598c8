//! Operations on code: what is where, what it says, and who uses it.

pub(super) mod delete;
pub(super) mod find;
pub(super) mod grep;
pub(super) mod importers;
pub(super) mod imports;
pub(super) mod insert_after;
pub(super) mod insert_before;
pub(super) mod list;
pub(super) mod replace;
mod unread;
pub(super) mod unused;
pub(super) mod zoom;
