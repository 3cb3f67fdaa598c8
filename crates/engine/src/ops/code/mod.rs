//! Operations on code: what is where, and what it says.

pub(super) mod grep;
pub(super) mod list;
