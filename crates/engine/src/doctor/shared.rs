//! Every file of the shared knowledge can be taken over.

use std::sync::Arc;

use base::shared::{SharedProblem, SharedProblemKind};
use base::{Call, Result};

use super::Finding;
use crate::rules::{shared_fix, shared_problems};
use crate::workspace::Workspace;

pub(super) fn check(workspace: &Workspace, call: &Call) -> Result<Vec<Finding>> {
    let view = workspace.view(Arc::new(call.child(|| None)))?;
    let problems = shared_problems(&view)?;
    if problems.is_empty() {
        return Ok(vec![Finding::fine("shared", "every shared record can be read")]);
    }
    let finding = |problem: &SharedProblem| {
        let message = format!("{}: {}", problem.path, problem.why);
        match problem.kind {
            SharedProblemKind::Conflict => {
                Finding::warning("shared", message, shared_fix(problem.kind))
            }
            kind => Finding::error("shared", message, shared_fix(kind)),
        }
    };
    Ok(problems.iter().map(finding).collect())
}
