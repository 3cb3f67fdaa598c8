//! Language servers, formatters and linters: where a program is found, whether it really starts,
//! and how it is run. `syntax::tools` defines which programs serve a language.
//!
//! Every program gets a cleaned environment and a process group of its own, which is killed with
//! it. Nothing here prints, reads the environment, or decides about trust:
//! [`ProgramFile::origin`] says which programs need it.

mod find;
mod frame;
mod host;
pub mod lsp;
mod probe;
mod program_failure;
mod run;
mod tool_process;
pub mod tools;

pub use find::{ProgramFile, ProgramOrigin, find_program};
pub use host::ToolHost;
pub use probe::{ServerInfo, probe};
pub use program_failure::ProgramFailure;
pub use run::{ProgramCall, ProgramOutput};
