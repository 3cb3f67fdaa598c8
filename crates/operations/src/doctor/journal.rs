//! Checks that no change to files was interrupted.

use base::{Call, Result};

use super::DoctorFinding;
use engine::workspace::Workspace;

pub(super) fn check(workspace: &Workspace, _: &Call) -> Result<Vec<DoctorFinding>> {
    Ok(vec![match workspace.journal().is_unfinished() {
        false => DoctorFinding::fine("journal", "no change is half done"),
        true => DoctorFinding::warning(
            "journal",
            "a change is being made, or was cut off while another process holds the lock",
            "run any command again when the other process is done",
        ),
    }])
}
