//! Real language servers and linters, asked through the operations. `cargo xtask test` fetches
//! them and names their folder in `CAIRN_SERVERS`. One server a test, all questions to one process.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod place;
mod python;
mod rust;
mod typescript;
