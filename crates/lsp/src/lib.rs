//! `cairn lsp`: a language server that shows editors what cairn knows.
//!
//! An editor asks about a place in a file; this crate turns the place into a handle, asks an
//! operation, and turns the answer into the protocol's form. It computes nothing of its own: what
//! it says is what the command line says. `server` reads and answers messages, `documents` finds
//! handles at places, and each file in `features` is one feature of an editor.
//!
//! The files are read as they are on disk, like everywhere else in cairn: what is typed and not
//! saved does not count yet.

mod documents;
mod features;
mod operation_client;
mod server;

pub use operation_client::EditorAuthor;
pub use server::{EditorServer, ServerStart};
