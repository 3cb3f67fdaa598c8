//! Language servers: which there are, where one is found, and whether it really starts.
//!
//! The only crate besides `git` that starts processes: `process` cleans the environment, gives
//! each program a process group of its own, and takes the whole group down with it. Nothing here
//! prints, reads the environment, or decides about trust: [`Found::origin`] says what needs it.

mod dead;
mod find;
mod frame;
mod host;
pub mod lsp;
mod platform;
mod probe;
mod process;
mod run;
mod servers;
pub mod tools;

pub use dead::Dead;
pub use find::{Found, Origin, find};
pub use host::Host;
pub use probe::{Alive, probe};
pub use run::{Ran, run};
pub use servers::{SERVERS, Server, named, servers};
