//! Language servers that stay: asked, kept in step with the disk, and never outliving us.
//!
//! `link` is the wire: one thread listens, one writes, callers wait. `inbox` holds what a server
//! says unasked, `reply` what it is answered. `session` is one server from its greeting to its
//! farewell, `documents` what it was told of files, `pool` which sessions there are.

mod documents;
mod inbox;
mod lack;
mod link;
mod place;
mod pool;
mod reply;
mod session;

pub use documents::{Change, News};
pub use inbox::Report;
pub use lack::{Failure, Lack};
pub use place::{Encoding, Position, offset_at, path_of, position_at, uri_of};
pub use pool::{Candidate, Servers, Stopped};
pub use session::Session;
