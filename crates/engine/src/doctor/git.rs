//! Git is there, new enough, and this is a repository.

use base::{Call, Result};

use super::Finding;
use crate::workspace::Workspace;

pub(super) fn check(workspace: &Workspace, call: &Call) -> Result<Vec<Finding>> {
    let Ok(host) = git::Host::find(workspace.env.iter().cloned()) else {
        let fix = "install git 2.45 or newer";
        return Ok(vec![Finding::error("git", "git is not installed", fix)]);
    };
    let mut findings = vec![match git::version(&host, call) {
        Err(problem) => Finding::error("git", problem.to_string(), "install git 2.45 or newer"),
        Ok(version) => match version.check() {
            Ok(()) => Finding::fine("git", format!("git {version}")),
            Err(problem) => Finding::error("git", problem.to_string(), problem.hints.join("; ")),
        },
    }];
    if workspace.git.is_none() {
        let message = "this is no git repository: there is no history to ask about";
        findings.push(Finding::warning("git", message, "git init"));
    }
    Ok(findings)
}
