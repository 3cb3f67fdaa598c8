//! The hooks that `init` writes are there and as it writes them.

use base::{Call, Result};
use git::HooksDir;
use setup::Hook;

use super::Finding;
use crate::ops::install::LARGEST_HOOK;
use crate::workspace::Workspace;

pub(super) fn check(workspace: &Workspace, call: &Call) -> Result<Vec<Finding>> {
    let Some(git) = &workspace.git else { return Ok(Vec::new()) };
    let folder = match git.hooks_dir(call)? {
        HooksDir::Inside(folder) => folder,
        HooksDir::Outside(folder) => {
            let message = format!("git takes its hooks from {}, outside", folder.display());
            let fix = "cairn init  prints the lines to add there";
            return Ok(vec![Finding::warning("hooks", message, fix)]);
        }
    };
    let read = |hook: Hook| tree::read_regular(&folder.join(hook.name()), LARGEST_HOOK).ok();
    let is_missing = |hook: &&Hook| {
        let text = read(**hook);
        hook.install(text.as_deref()).map_or(true, |after| Some(after) != text)
    };
    let missing: Vec<&str> = Hook::ALL.iter().filter(is_missing).map(|hook| hook.name()).collect();
    Ok(vec![match missing.as_slice() {
        [] => Finding::fine("hooks", "installed"),
        missing => Finding::warning(
            "hooks",
            format!("not installed: {}", missing.join(", ")),
            "cairn init",
        ),
    }])
}
