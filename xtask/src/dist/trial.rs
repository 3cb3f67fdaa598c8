//! Installs every package that `dist` wrote into an empty home folder and runs a command with it.
//!
//! The script is in `packaging/trial`. It uses the package managers of this machine and no network.

#![expect(clippy::disallowed_methods, reason = "a developer's tool runs Python")]

use std::path::Path;
use std::process::Command;

use super::release::Release;
use crate::run::XtaskResult;
use crate::tools;

/// Tries the packages with a clone of a repository. Failures and left-over files are printed.
pub(super) fn try_packages(release: &Release, repository: &Path) -> XtaskResult<()> {
    let tools = tools::install_validators(&release.root)?;
    let claude = tools.node.join("node_modules/@anthropic-ai/claude-code/cli-wrapper.cjs");
    let mut command = Command::new(&tools.python);
    command.arg(release.root.join("packaging/trial/try_packages.py"));
    command.arg(&release.out).arg(repository).env("CLAUDE_LAUNCHER", claude);
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err("a package does not do what it should; see above".into()),
        Err(error) => Err(format!("cannot run Python: {error}")),
    }
}
