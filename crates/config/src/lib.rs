//! `cairn.jsonc`: what a repository may say about itself, reading it, and editing one key of it.
//!
//! Pure: bytes in, bytes out. A file with mistakes still gives a [`Config`]: what is wrong stays
//! at its default and is told as a [`Finding`]. How loudly findings are told is the caller's
//! business.

mod edit;
mod finding;
mod keys;
mod model;
mod parse;
mod schema;
mod values;

pub use edit::set;
pub use finding::{Finding, FindingCode};
pub use model::{Code, Config, History, Kb, Language, Mcp, Pipelines, Work};
pub use parse::{MAX_BYTES, MAX_FINDINGS, Parsed, jsonc, parse};
pub use schema::schema;
pub use values::{
    Branch, CardType, Evidence, FeatureState, Level, Pattern, Pipeline, Program, Stage, TaskState,
    Toolset,
};

/// The file that `init` writes: short, with every other key as a comment that shows its default.
pub fn template() -> &'static str {
    include_str!("template.jsonc")
}
