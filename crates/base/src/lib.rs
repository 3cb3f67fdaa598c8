//! Names, spans and problems that every part of cairn shares.
//!
//! Pure: no files, no clock, no processes. Nothing here depends on how data is stored or shown.

pub mod call;
pub mod entity;
mod hash;
mod hint;
pub mod moment;
mod path;
pub mod percent;
mod problem;
pub mod shared;
pub mod similarity;
mod span;
pub mod text;
mod text_type;
pub mod words;

pub use call::Call;
pub use entity::EntityRef;
pub use hash::Hash;
pub use hint::{Hint, NextCall};
pub use path::{InvalidPath, RepoPath};
pub use problem::{Problem, ProblemCode, Result};
pub use span::Span;
pub use text::TextPosition;
