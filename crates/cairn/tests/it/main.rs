//! The real binary: its command line, its server, its list of tools.

mod budget;
mod hostile;
mod line;
mod server;
