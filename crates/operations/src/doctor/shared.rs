//! Checks that every file of the shared knowledge can be read into the stores.

use std::sync::Arc;

use base::shared::{SharedProblem, SharedProblemKind};
use base::{Call, Result};

use super::DoctorFinding;
use engine::rules::{shared_fix, shared_problems};
use engine::workspace::Workspace;

pub(super) fn check(workspace: &Workspace, call: &Call) -> Result<Vec<DoctorFinding>> {
    let view = workspace.view(Arc::new(call.child(|| None)))?;
    let problems = shared_problems(&view)?;
    if problems.is_empty() {
        return Ok(vec![DoctorFinding::fine("shared", "every shared record can be read")]);
    }
    let finding = |problem: &SharedProblem| {
        let message = format!("{}: {}", problem.path, problem.reason);
        match problem.kind {
            SharedProblemKind::Conflict => {
                DoctorFinding::warning("shared", message, shared_fix(problem.kind))
            }
            kind => DoctorFinding::error("shared", message, shared_fix(kind)),
        }
    };
    Ok(problems.iter().map(finding).collect())
}
