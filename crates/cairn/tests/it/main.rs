//! The real binary: its command line, its server, its list of tools.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod background;
mod budget;
mod clients;
mod command_line;
mod documentation;
mod faults;
mod freshness;
mod gate;
mod git_calls;
mod hostile;
mod http;
mod kills;
mod limits;
mod lsp;
mod pipes;
mod read_only;
mod server;
mod team;
mod watch;
