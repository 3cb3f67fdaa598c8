//! The crate against real repositories, in folders that are thrown away.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

mod branches;
mod fixture;
mod head;
mod hostile;
mod objects;
mod places;
mod revisions;
mod stopping;
