//! What is wrong with a `cairn.jsonc`, and where.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The kinds of mistakes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum FindingCode {
    /// No such key
    UnknownKey,
    /// A value of the wrong type, such as a string in place of a list
    WrongType,
    /// A value of the right type that the key does not take
    InvalidValue,
    /// Not JSON with comments; the whole file is ignored
    Syntax,
}

/// One mistake. The key keeps its default value, the rest of the file applies.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ConfigFinding {
    /// What kind of mistake it is
    pub code: FindingCode,
    /// The key as it is written, such as `history.stop_tag`; empty for the file as a whole
    pub key: String,
    /// Line, from 1
    pub line: u32,
    /// Column in characters, from 1
    pub column: u32,
    /// What is wrong, naming the key
    pub message: String,
    /// The name that was probably meant, or what to write
    pub hint: Option<String>,
}

impl fmt::Display for ConfigFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)?;
        self.hint.iter().try_for_each(|hint| write!(f, "; {hint}"))
    }
}
