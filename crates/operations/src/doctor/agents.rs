//! Checks for agents' programs on this machine that do not use cairn yet.

use base::{Call, NextCall, Result};

use super::DoctorFinding;
use crate::agents;
use engine::workspace::Workspace;

pub(super) fn check(workspace: &Workspace, _: &Call) -> Result<Vec<DoctorFinding>> {
    let found = agents::find(workspace);
    let (using, waiting): (Vec<_>, Vec<_>) = found.iter().partition(|agent| agent.uses_cairn);
    let names = |list: &[&agents::FoundAgent]| -> String {
        list.iter().map(|one| one.agent.as_str()).collect::<Vec<_>>().join(",")
    };
    let mut findings = Vec::new();
    if !using.is_empty() {
        findings.push(DoctorFinding::fine("agents", format!("set up: {}", names(&using))));
    }
    if !waiting.is_empty() {
        let why: Vec<String> =
            waiting.iter().map(|one| format!("{} ({})", one.agent, one.found)).collect();
        let message = format!("found, but not set up: {}", why.join(", "));
        let call = NextCall::new("init").with("agents", names(&waiting));
        findings.push(DoctorFinding::warning("agents", message, call));
    }
    if findings.is_empty() {
        findings.push(DoctorFinding::fine("agents", "none found"));
    }
    Ok(findings)
}
