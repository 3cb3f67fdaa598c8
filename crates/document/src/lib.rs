//! Markdown with frontmatter: read with the place of every value, and edited in place so that
//! every byte stays that need not change.
//!
//! One event parser gives both the values and their byte spans, so what is read and what is
//! edited cannot differ in their idea of the text. No I/O; no idea of cards or of requirements.

mod edit;
mod error;
mod frontmatter;
mod new_value;
mod node;
mod read;
mod write;

pub use edit::{DocumentEdit, FieldPathSegment, edit};
pub use error::{DocumentError, TextPosition};
pub use frontmatter::Document;
pub use new_value::NewValue;
pub use node::{YamlMap, YamlNode, YamlStyle, YamlValue};
pub use read::{MAX_FRONTMATTER_BYTES, MAX_VALUES, parse_yaml};
