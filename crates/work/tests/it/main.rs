//! The rules of work, on a store of their own.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod examples;
mod killed;
mod plans;
mod several;
mod stored;
mod trackers;
