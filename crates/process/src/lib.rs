//! The only crate that starts a program. (`cairn` starts itself, as its background process.)
//!
//! A program gets a cleared environment, its output is read by threads into a bounded queue while
//! the caller waits, and it does not outlive the [`Process`] that stands for it. Which program
//! runs, with which variables, and how long it may take is for `git` and `toolchain` to decide.

mod command;
pub mod environment;
mod running;

pub use command::ProcessCommand;
pub use running::{Process, ProcessEvent, ProcessOutput};
