//! Stand-in for systems without Unix sockets, where commands never use a background process.

use std::sync::Arc;

use base::{Problem, Result};
use engine::Workspace;

use super::{BackgroundCall, BackgroundStatus};

/// Always `None`: the command computes its own answer.
pub(crate) fn answer(_: &BackgroundCall<'_>) -> Option<(String, u8)> {
    None
}

/// No process runs.
pub(crate) fn status(_: &Workspace) -> Option<BackgroundStatus> {
    None
}

/// No process runs.
pub(crate) fn stop(_: &Workspace) -> bool {
    false
}

/// Starts nothing.
pub(crate) fn start(_: &Workspace) {}

/// Builds nothing: every command waits for its index.
pub(crate) fn build_index(_: &Workspace) {}

/// There is nothing to switch.
pub(crate) fn switch(_: &Workspace, _: bool) -> std::io::Result<()> {
    Err(std::io::ErrorKind::Unsupported.into())
}

/// Refuses to run.
pub(crate) fn serve(_: Arc<Workspace>) -> Result<()> {
    Err(Problem::invalid("this system has no Unix sockets"))
}
