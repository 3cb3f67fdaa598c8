//! What cairn wrote into the repository is of a version that this cairn knows.

use base::{Call, RepoPath, Result};

use super::Finding;
use crate::workspace::Workspace;

/// Where the version is written down.
const FILE: &str = ".cairn/schema/version";

pub(super) fn check(workspace: &Workspace, _: &Call) -> Result<Vec<Finding>> {
    let path: RepoPath = FILE.parse().expect("the name is plain");
    let Some(blob) = workspace.tree.read(&path)? else {
        return Ok(vec![Finding::warning("layout", "cairn is not set up here", "cairn init")]);
    };
    let text = String::from_utf8_lossy(&blob.bytes).trim().to_owned();
    Ok(vec![match text.parse::<u32>() {
        Ok(found) if found > setup::FORMAT_VERSION => {
            let message =
                format!("{FILE} says {found}; this cairn knows {}", setup::FORMAT_VERSION);
            Finding::error("layout", message, "update cairn")
        }
        Ok(found) => Finding::fine("layout", format!("version {found}")),
        Err(_) => {
            let message = format!("{FILE} holds no version");
            Finding::error("layout", message, format!("restore it with  git checkout -- {FILE}"))
        }
    }])
}
