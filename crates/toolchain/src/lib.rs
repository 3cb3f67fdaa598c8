//! Language servers, formatters and linters: where a program is found, whether it really starts,
//! and how it is run. Which programs serve a language is said by `syntax::tools`.
//!
//! The only crate besides `git` that starts processes: `process` cleans the environment, gives
//! each program a process group of its own, and takes the whole group down with it. Nothing here
//! prints, reads the environment, or decides about trust: [`Found::origin`] says what needs it.

mod find;
mod frame;
mod host;
pub mod lsp;
mod platform;
mod probe;
mod process;
mod program_failure;
mod run;
pub mod tools;

pub use find::{ProgramFile, ProgramOrigin, find_program};
pub use host::ToolHost;
pub use probe::{ServerInfo, probe};
pub use program_failure::ProgramFailure;
pub use run::{ProgramOutput, run_program};
