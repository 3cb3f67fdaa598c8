//! Markdown with frontmatter: read with the place of every value, and edited in place so that
//! every byte stays that need not change.
//!
//! One event parser gives both the values and their byte spans, so what is read and what is
//! edited cannot differ in their idea of the text. No I/O; no idea of cards or of requirements.

mod cut;
mod data;
mod edit;
mod fault;
mod node;
mod read;
mod write;

pub use cut::Document;
pub use data::Data;
pub use edit::{Edit, Step, edit};
pub use fault::{Fault, Place};
pub use node::{Fields, Node, Style, Value};
pub use read::{LARGEST_FRONTMATTER, MOST_VALUES, yaml};
