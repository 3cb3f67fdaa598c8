//! Every operation of cairn: what can be asked, and what each answers.
//!
//! An operation is one file in [`ops`] and one line in [`ops::ALL`]; doors walk that table. The
//! other modules are what several operations share. The `engine` knows none of this: it has the
//! graph, the index, the stores and the contract that an operation fulfils.

mod agent_hook;
mod agents;
mod answers;
mod call_format;
mod diff;
mod doctor;
mod edits;
mod explain;
mod fix;
mod language_server;
mod locate;
pub mod ops;
mod overview;
pub mod prompts;
pub mod resources;
mod review;

pub use call_format::CallFormat;
