//! A background process that answers the command line of one working tree, so that language servers and indexes
//! stay loaded between commands.
//!
//! It starts by itself in trusted repositories and in clones that have joined a team, never in CI
//! and never from hooks, and answers questions. Commands write by themselves, so that after a
//! broken connection it is always clear whether a write was made. It ends when it was idle for a
//! while, when the program was replaced, and when the repository was deleted or is no longer
//! trusted.

#[cfg_attr(not(unix), path = "unavailable.rs")]
mod client;
#[cfg(unix)]
mod protocol;
#[cfg(unix)]
mod server;
#[cfg(unix)]
mod socket;

#[cfg(not(unix))]
pub(crate) use client::serve;
pub(crate) use client::{answer, build_index, start, status, stop, switch};
#[cfg(unix)]
pub(crate) use server::serve;

use base::{Call, RepoPath};
use engine::{ColorMode, JsonObject, OpSpec, Workspace};
use serde::{Deserialize, Serialize};

use crate::cli::env_var;
use crate::perform::now;

/// The name of the command that controls it.
pub(crate) const COMMAND: &str = "background";

/// The word after the command that runs the process itself; not shown in help.
pub(crate) const SERVE: &str = "serve";

/// The word after the command that builds the index and ends; not shown in help.
pub(crate) const INDEX: &str = "index";

/// Environment variable that switches the background process off, with any of `off`, `0`, `false` and `no`.
const SWITCH_VARIABLE: &str = "CAIRN_BACKGROUND";

/// Variables that CI systems set for the programs that they start, and git for its hooks.
const CI_AND_HOOK_VARIABLES: [&str; 3] = ["CI", "GIT_DIR", "GIT_INDEX_FILE"];

/// A command that could be answered in the background.
#[cfg_attr(not(unix), expect(dead_code, reason = "nothing is asked there"))]
pub(crate) struct BackgroundCall<'a> {
    pub op: &'static OpSpec,
    pub args: &'a JsonObject,
    pub workspace: &'a Workspace,
    pub actor: &'a str,
    pub session: &'a str,
    pub folder: &'a RepoPath,
    /// The colours of the answer; none for JSON
    pub colors: Option<ColorMode>,
}

/// The state of a background process.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct BackgroundStatus {
    /// The number of the process
    pub process: u32,
    /// Seconds since its start
    pub seconds: u64,
    /// How many calls it answered
    pub answered: u64,
    /// Minutes without a call after which it ends
    pub idle_minutes: u64,
}

/// Whether a process may run for a working tree: the user trusts the repository, or has joined a
/// team with it, whose server every question would otherwise wait for. Code that runs programs of
/// the project checks trust by itself.
#[cfg_attr(not(unix), expect(dead_code, reason = "none runs there"))]
pub(crate) fn may_run_in(workspace: &Workspace) -> bool {
    let is_member = || workspace.stores().team().membership().is_ok_and(|team| team.is_some());
    workspace.is_trusted(&Call::new("background", now())).unwrap_or(false) || is_member()
}

/// Why no background process may be started or asked from here.
pub(crate) fn refusal() -> Option<String> {
    if !cfg!(unix) {
        return Some("this system has no Unix sockets".into());
    }
    let switch = env_var(SWITCH_VARIABLE).map(|value| value.to_string_lossy().to_lowercase());
    if switch.is_some_and(|value| ["off", "0", "false", "no"].contains(&value.trim())) {
        return Some(format!("{SWITCH_VARIABLE} switches it off"));
    }
    let foreign = CI_AND_HOOK_VARIABLES.iter().find(|name| env_var(name).is_some());
    foreign.map(|name| {
        format!("{name} is set: the background process is not used in CI and in git's hooks")
    })
}
