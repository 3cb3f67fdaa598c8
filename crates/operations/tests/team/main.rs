//! Operations of a team: clones of one repository that share a real PostgreSQL server.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod access;
mod contract;
mod encryption;
mod joining;
mod listening;
mod proof;
mod sharing;
mod waiting;
