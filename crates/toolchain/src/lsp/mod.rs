//! Long-running language servers: requests, synchronisation with the files on disk, and shutdown.
//!
//! `connection` is the transport: one thread reads, one writes, and callers wait. `notifications`
//! stores messages that a server sends without a request, `reply` answers its requests. `session`
//! is one server from `initialize` to `exit`, `documents` tracks which files it has open, and
//! `pool` lists the running sessions.

mod connection;
mod documents;
mod notifications;
mod pool;
mod position;
mod reply;
mod session;
mod unavailable;

pub use documents::{FileUpdate, FileUpdateKind};
pub use notifications::DiagnosticsReport;
pub use pool::{ServerCandidate, ServerPool, StoppedServer};
pub use position::{
    LspPosition, PositionEncoding, offset_at, path_from_uri, position_at, uri_from_path,
};
pub use session::LspSession;
pub use unavailable::{RequestFailure, ServerUnavailable};
