//! Operations on code: what is where, what it says, and who uses it.

pub(super) mod find;
pub(super) mod grep;
pub(super) mod importers;
pub(super) mod imports;
pub(super) mod list;
mod unread;
pub(super) mod unused;
pub(super) mod zoom;
