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
    /// A text where a list belongs, and the like
    WrongType,
    /// The right type, but not a value the key takes
    InvalidValue,
    /// Not JSON with comments; nothing of the file is in force
    Syntax,
}

/// One mistake. The key keeps its default, the rest of the file is in force.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ConfigFinding {
    /// What kind of mistake it is
    pub code: FindingCode,
    /// The key as it is written, such as `history.stop_tag`; empty for the file as a whole
    pub key: String,
    /// Line, from 1
    pub line: usize,
    /// Column in characters, from 1
    pub column: usize,
    /// What is wrong, naming the key
    pub message: String,
    /// The name that was probably meant, or what to write instead
    pub hint: Option<String>,
}

impl fmt::Display for ConfigFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)?;
        self.hint.iter().try_for_each(|hint| write!(f, "; {hint}"))
    }
}

/// Line and column of a byte, both from 1.
pub(crate) fn line_and_column(text: &str, offset: usize) -> (usize, usize) {
    let before = &text[..text.floor_char_boundary(offset)];
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let line = before.matches('\n').count() + 1;
    (line, before[line_start..].chars().count() + 1)
}
