//! Ways in: the command line, MCP and HTTP. They translate; no operation is named here.
//!
//! This crate alone reads the environment, the current directory and the clock, prints, and
//! decides exit codes. It is a library besides so that tests can serve its doors with more
//! behind them.

pub mod cli;
pub mod http;
pub mod mcp;
mod perform;
mod session;
