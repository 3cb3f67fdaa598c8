//! Markdown with frontmatter: parsed with the position of every value, and edited in place so
//! that all other bytes stay the same.
//!
//! One event parser produces both the values and their byte spans, so reading and editing cannot
//! disagree about the text. No I/O, and no knowledge of cards or requirements.

mod edit;
mod error;
mod frontmatter;
mod merge;
mod new_value;
mod node;
mod read;
mod write;

pub use base::TextPosition;
pub use edit::{DocumentEdit, FieldPathSegment, edit};
pub use error::DocumentError;
pub use frontmatter::Document;
pub use merge::{MergeTexts, MergedText, merge_documents, merge_lines, merge_records};
pub use new_value::NewValue;
pub use node::{YamlMap, YamlNode, YamlStyle, YamlValue};
pub use read::{MAX_FRONTMATTER_BYTES, MAX_VALUES, parse_yaml};
