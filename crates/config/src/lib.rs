//! `cairn.jsonc`: what a repository may say about itself, reading it, and editing one key of it.
//!
//! Pure: bytes in, bytes out. A file with mistakes still gives a [`Config`]: what is wrong stays
//! at its default and is told as a [`ConfigFinding`]. How loudly findings are told is the caller's
//! business.

mod edit;
mod finding;
mod keys;
mod model;
mod parse;
mod schema;
mod values;

pub use edit::set;
pub use finding::{ConfigFinding, FindingCode};
pub use model::{
    CodeConfig, Config, HistoryConfig, KbConfig, LanguageConfig, McpConfig, PipelinesConfig,
    TeamConfig, WorkConfig,
};
pub use parse::{MAX_BYTES, MAX_FINDINGS, ParsedConfig, jsonc, parse};
pub use schema::schema;
pub use values::{
    BranchName, CardType, EvidenceKind, FeatureState, PathPattern, Pipeline, ProgramName,
    RuleLevel, Stage, TaskState, Toolset,
};

/// The file that `init` writes: short, with every other key as a comment that shows its default.
pub fn template() -> &'static str {
    include_str!("template.jsonc")
}
