//! The crate against real processes: fakes that misbehave, and the servers this machine has.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

mod answers;
mod fixture;
mod real;
mod remains;
mod servers;
