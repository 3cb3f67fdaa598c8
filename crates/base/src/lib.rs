//! Names, spans and problems that every part of cairn shares.
//!
//! Pure: no file, no clock, no process. What is here has no opinion about storage or doors.

pub mod call;
pub mod entity;
mod hash;
pub mod near;
mod next;
mod path;
mod problem;
pub mod shared;
mod span;
mod text;
pub mod words;

pub use call::Call;
pub use entity::EntityRef;
pub use hash::Hash;
pub use next::{Hint, NextCall};
pub use path::{InvalidPath, RepoPath};
pub use problem::{Code, Problem, Result};
pub use span::Span;
