//! Checks that `cairn.jsonc` has no mistakes.

use base::{Call, Result};

use super::DoctorFinding;
use engine::workspace::Workspace;

pub(super) fn check(workspace: &Workspace, _: &Call) -> Result<Vec<DoctorFinding>> {
    let settings = workspace.settings()?;
    if settings.findings.is_empty() {
        return Ok(vec![DoctorFinding::fine("config", "cairn.jsonc has no mistakes")]);
    }
    let finding = |found: &config::ConfigFinding| {
        let place = format!("cairn.jsonc:{}:{}", found.line, found.column);
        let fix = found.hint.clone().unwrap_or_else(|| format!("edit {place}"));
        DoctorFinding::error("config", format!("{place}: {}", found.message), fix)
    };
    Ok(settings.findings.iter().map(finding).collect())
}
