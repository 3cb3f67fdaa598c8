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
