//! Names, spans and problems that every part of cairn shares.
//!
//! Pure: no file, no clock, no process. What is here has no opinion about storage or doors.

pub mod call;
pub mod entity;
mod hash;
mod hint;
pub mod moment;
mod path;
mod problem;
pub mod shared;
pub mod similarity;
mod span;
mod text_type;
pub mod words;

pub use call::Call;
pub use entity::EntityRef;
pub use hash::Hash;
pub use hint::{Hint, NextCall};
pub use path::{InvalidPath, RepoPath};
pub use problem::{Problem, ProblemCode, Result};
pub use span::Span;
