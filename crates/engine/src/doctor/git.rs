//! Git is there, new enough, and this is a repository.

use base::{Call, Result};

use super::Finding;
use crate::durable::branches::SET_DEFAULT_BRANCH;
use crate::repo::Repository;
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
            Err(problem) => Finding::error("git", problem.to_string(), listed(&problem)),
        },
    }];
    if let Some(git) = &workspace.git {
        findings.extend(default_branch(workspace, git, call)?);
    } else {
        let message = "this is no git repository: there is no history to ask about";
        findings.push(Finding::warning("git", message, "git init"));
    }
    Ok(findings)
}

/// Branches without a knowledge base of their own read that of the default branch.
fn default_branch(workspace: &Workspace, git: &Repository, call: &Call) -> Result<Option<Finding>> {
    let place = workspace.place(call)?;
    let Some(default) = place.default_branch() else { return Ok(None) };
    Ok(Some(match default.doubt(git, call)? {
        None => Finding::fine("git", format!("the default branch is {}", default.name)),
        Some(doubt) => Finding::warning("git", doubt, SET_DEFAULT_BRANCH),
    }))
}

/// All hints of a problem in one line.
fn listed(problem: &base::Problem) -> String {
    problem.hints.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}
