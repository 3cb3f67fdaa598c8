//! What cairn wrote into the repository is of a version that this cairn knows.

use base::{Call, NextCall, Result};

use super::Finding;
use crate::layout::{FILE, LayoutVersion};
use crate::workspace::Workspace;

pub(super) fn check(workspace: &Workspace, _: &Call) -> Result<Vec<Finding>> {
    Ok(vec![match LayoutVersion::of(&workspace.tree)? {
        LayoutVersion::Missing => {
            Finding::warning("layout", "cairn is not set up here", NextCall::to("init"))
        }
        LayoutVersion::Newer(found) => {
            let message = format!(
                "{FILE} says {found}; this cairn knows {}, and writes nothing",
                setup::FORMAT_VERSION
            );
            Finding::error("layout", message, "update cairn")
        }
        LayoutVersion::Known(found) => Finding::fine("layout", format!("version {found}")),
        LayoutVersion::Unreadable => {
            let message = format!("{FILE} holds no version");
            Finding::error("layout", message, format!("restore it with  git checkout -- {FILE}"))
        }
    }])
}
