//! Checks that no change to files was interrupted.

use base::{Call, Result};

use super::DoctorFinding;
use engine::workspace::Workspace;

pub(super) fn check(workspace: &Workspace, _: &Call) -> Result<Vec<DoctorFinding>> {
    workspace.check_data_folders()?;
    Ok(vec![match workspace.journal().is_unfinished() {
        false => DoctorFinding::fine("journal", "no interrupted change"),
        true => DoctorFinding::warning(
            "journal",
            "a change is in progress, or was interrupted and another process holds the lock",
            "run any cairn command once the other process has finished",
        ),
    }])
}
