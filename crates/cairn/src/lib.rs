//! The doors (command line, MCP and HTTP) and the page. They only translate requests; no operation
//! is named here.
//!
//! Only this crate reads the environment, the current directory and the clock, prints, and chooses
//! exit codes. It is also a library, so that the conformance example can extend its MCP server.

mod background;
pub mod cli;
pub mod http;
pub mod mcp;
mod perform;
mod session;
mod ui;
