//! Checks that the installed hooks are those that `init` writes.

use base::{Call, Hint, NextCall, Result};
use git::HooksDir;
use setup::GitHook;

use super::DoctorFinding;
use engine::workspace::Workspace;

/// A larger hook is not read and is left alone, in bytes.
pub(crate) const MAX_HOOK_BYTES: u64 = 64 * 1024 * 1024;

pub(super) fn check(workspace: &Workspace, call: &Call) -> Result<Vec<DoctorFinding>> {
    let Some(git) = &workspace.git else { return Ok(Vec::new()) };
    let folder = match git.hooks_dir(call)? {
        HooksDir::Inside(folder) => folder,
        HooksDir::Outside(folder) => {
            let message = format!("git takes its hooks from {}, outside", folder.display());
            let fix = Hint::call("the lines to add there are printed by", NextCall::new("init"));
            return Ok(vec![DoctorFinding::warning("hooks", message, fix)]);
        }
    };
    let read = |hook: GitHook| tree::read_regular(&folder.join(hook.name()), MAX_HOOK_BYTES).ok();
    let is_missing = |hook: &&GitHook| {
        let text = read(**hook);
        hook.install(text.as_deref()).map_or(true, |after| Some(after) != text)
    };
    let missing: Vec<&str> =
        GitHook::ALL.iter().filter(is_missing).map(|hook| hook.name()).collect();
    let is_off = |hook: &&GitHook| {
        let known = folder.join(hook.name()).metadata();
        !is_missing(hook) && known.is_ok_and(|known| !platform::is_executable(&known))
    };
    let off: Vec<String> = GitHook::ALL
        .iter()
        .filter(is_off)
        .map(|hook| folder.join(hook.name()).display().to_string())
        .collect();
    let mut findings = Vec::new();
    if !missing.is_empty() {
        let message = format!("not installed: {}", missing.join(", "));
        findings.push(DoctorFinding::warning("hooks", message, NextCall::new("init")));
    }
    if !off.is_empty() {
        let message = format!("not executable, so that git does not run them: {}", off.join(", "));
        findings.push(DoctorFinding::warning(
            "hooks",
            message,
            format!("chmod +x {}", off.join(" ")),
        ));
    }
    if findings.is_empty() {
        findings.push(DoctorFinding::fine("hooks", "installed"));
    }
    Ok(findings)
}
