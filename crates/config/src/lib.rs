//! `cairn.jsonc`: the settings of a repository. Reads the file and edits single keys.
//!
//! Pure: bytes in, bytes out. A file with mistakes still gives a [`Config`]: each mistake is
//! reported as a [`ConfigFinding`], and its key keeps the default. The caller decides how to show
//! findings.

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
