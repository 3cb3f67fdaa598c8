//! Long-running language servers: requests, synchronisation with the files on disk, and shutdown.
//!
//! `link` is the wire: one thread listens, one writes, callers wait. `inbox` holds what a server
//! says unasked, `reply` what it is answered. `session` is one server from its greeting to its
//! farewell, `documents` what it was told of files, `pool` which sessions there are.

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
