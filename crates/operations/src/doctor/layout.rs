//! Checks that this version of cairn can read the files that cairn wrote into the repository.

use base::{Call, NextCall, Result};

use super::DoctorFinding;
use engine::layout_version::{FILE, LayoutVersion};
use engine::workspace::Workspace;

pub(super) fn check(workspace: &Workspace, _: &Call) -> Result<Vec<DoctorFinding>> {
    Ok(vec![match LayoutVersion::of(&workspace.tree)? {
        LayoutVersion::Missing => {
            DoctorFinding::warning("layout", "cairn is not set up here", NextCall::new("init"))
        }
        LayoutVersion::Newer(found) => {
            let message = format!(
                "{FILE} has layout {found}; this cairn supports up to {} and writes nothing",
                setup::FORMAT_VERSION
            );
            DoctorFinding::error("layout", message, "update cairn")
        }
        LayoutVersion::Supported(found) => {
            DoctorFinding::fine("layout", format!("version {found}"))
        }
        LayoutVersion::Unreadable => {
            let message = format!("{FILE} contains no version");
            DoctorFinding::error(
                "layout",
                message,
                format!("restore it with  git checkout -- {FILE}"),
            )
        }
    }])
}
