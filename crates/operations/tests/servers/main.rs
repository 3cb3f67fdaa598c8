//! Real language servers and linters, asked through the operations. `cargo xtask test` fetches them
//! and names their folder in `CAIRN_SERVERS`. One server per test; all questions go to one process.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod place;
mod python;
mod rust;
mod typescript;
