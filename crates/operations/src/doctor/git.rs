//! Checks that git is installed and new enough, and that this is a repository.

use base::{Call, Result};

use super::DoctorFinding;
use engine::durable::branches::SET_DEFAULT_BRANCH;
use engine::repository::Repository;
use engine::workspace::Workspace;

pub(super) fn check(workspace: &Workspace, call: &Call) -> Result<Vec<DoctorFinding>> {
    let Ok(host) = git::GitHost::find(workspace.env.iter().cloned()) else {
        let fix = "install git 2.45 or newer";
        return Ok(vec![DoctorFinding::error("git", "git is not installed", fix)]);
    };
    let mut findings = vec![match git::version(&host, call) {
        Err(problem) => {
            DoctorFinding::error("git", problem.to_string(), "install git 2.45 or newer")
        }
        Ok(version) => match version.check() {
            Ok(()) => DoctorFinding::fine("git", format!("git {version}")),
            Err(problem) => DoctorFinding::error("git", problem.to_string(), hints_text(&problem)),
        },
    }];
    if let Some(git) = &workspace.git {
        findings.extend(default_branch(workspace, git, call)?);
    } else {
        let message = "this is not a git repository, so there is no history";
        findings.push(DoctorFinding::warning("git", message, "git init"));
    }
    Ok(findings)
}

/// Branches without a knowledge base of their own read that of the default branch.
fn default_branch(
    workspace: &Workspace,
    git: &Repository,
    call: &Call,
) -> Result<Option<DoctorFinding>> {
    let place = workspace.store_locations(call)?;
    let Some(default) = place.default_branch() else { return Ok(None) };
    Ok(Some(match default.missing_warning(git, call)? {
        None => DoctorFinding::fine("git", format!("the default branch is {}", default.name)),
        Some(doubt) => DoctorFinding::warning("git", doubt, SET_DEFAULT_BRANCH),
    }))
}

/// All hints of a problem in one line.
fn hints_text(problem: &base::Problem) -> String {
    problem.hints.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}
