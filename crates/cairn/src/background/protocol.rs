//! The protocol between a command and the background process: one line of JSON in each direction.

use engine::{ColorMode, JsonObject};
use serde::{Deserialize, Serialize};

use super::BackgroundStatus;

/// A request of a command.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct BackgroundRequest {
    /// Identifies the build of the asking program, see [`program_identity`]
    pub program: String,
    /// What it wants
    pub wanted: RequestKind,
}

/// The kinds of requests.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum RequestKind {
    /// The answer of an operation
    Answer(AnswerRequest),
    /// The state of the process
    Status,
    /// To end the process
    Stop,
}

/// One call of an operation.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct AnswerRequest {
    /// The operation
    pub operation: String,
    /// Its arguments
    pub args: JsonObject,
    /// Who asks
    pub actor: String,
    /// The session of the caller
    pub session: String,
    /// The caller's folder, relative to the root
    pub folder: String,
    /// The form of the answer
    pub form: AnswerForm,
}

/// The form of an answer.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum AnswerForm {
    /// JSON
    Json,
    /// Text without colours
    Plain,
    /// Text for a terminal
    Terminal,
}

impl AnswerForm {
    /// The form of a text in a colour mode.
    pub(super) const fn text(mode: ColorMode) -> Self {
        match mode {
            ColorMode::Terminal => Self::Terminal,
            ColorMode::Plain => Self::Plain,
        }
    }
}

/// What the process replies.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum BackgroundReply {
    /// The printed answer
    Answered {
        /// Its text
        text: String,
        /// The exit code of the command
        exit: u8,
    },
    /// The state of the process
    Status(BackgroundStatus),
    /// It ends
    Stopping,
    /// The process refuses this program; the command computes its own answer
    Refused,
}

/// Identifies a build of this program: the path, size and modification time of its file.
pub(super) fn program_identity() -> Option<String> {
    let file = std::env::current_exe().ok()?;
    let known = file.metadata().ok()?;
    let changed = known.modified().ok()?.duration_since(std::time::UNIX_EPOCH).ok()?;
    Some(format!("{} {} {}", file.display(), known.len(), changed.as_nanos()))
}
