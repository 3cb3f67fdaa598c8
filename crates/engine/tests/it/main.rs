//! The engine, asked through its operations on real repositories.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod answers;
mod cards;
mod code;
mod contract;
mod damage;
mod day;
mod edits;
mod freshness;
mod hardening;
mod history;
mod imports;
mod kb;
mod killed;
mod locate;
mod plans;
mod setup;
mod shared_facts;
mod soak;
mod verify;
mod work;
