//! Fixture repositories, a fixed clock, and drivers for tests.
//!
//! A fixture is text: a line `//- path` starts a file. Author, committer and time are fixed, so
//! commits have the same names everywhere. Failures here are failures of a test, so they panic.

pub mod child;
mod fixture;
pub mod freshness;
mod index_equality;
mod invoke;
pub mod kills;
mod ledger;
pub mod limits;
mod mcp;
pub mod merges;
pub mod postgres;
mod postgres_tables;
pub mod proxy;
mod repo;
mod sandbox;
pub mod soak;
mod soak_work;
pub mod team_proof;
pub mod writers;

pub use fixture::parse_fixture;
pub use index_equality::assert_incremental_equals_full;
pub use invoke::{call, call_by, check, operation_of, text_of};
pub use ledger::{LEDGER, WITH_LEDGER, add_line, lines};
pub use mcp::McpClient;
pub use repo::TestRepo;

/// How many cases of a property are tried: `usual`, multiplied if `PROPTEST_CASES` is a multiple of
/// the number that the test command sets.
#[must_use]
#[expect(clippy::disallowed_methods, reason = "the number of cases is the test command's to set")]
pub fn property_cases(usual: u32) -> u32 {
    const TEST_COMMAND_CASES: u32 = 64;
    let asked = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok());
    usual.saturating_mul(asked.unwrap_or(0_u32).div_ceil(TEST_COMMAND_CASES).max(1))
}
