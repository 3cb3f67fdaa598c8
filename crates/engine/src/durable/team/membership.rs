//! Which team this clone has joined. The file stays on this machine and holds no password.

use std::fs;
use std::path::{Path, PathBuf};

use base::{Problem, ProblemCode, Result};
use serde::{Deserialize, Serialize};
use team::{ChangeUid, ProjectId, TeamAddress};

use crate::workspace::Workspace;

/// The file, in the folder that all worktrees share.
const FILE: &str = "team.json";

/// The file is not longer, in bytes.
const MAX_FILE_BYTES: u64 = 64 * 1024;

/// The file with the id of a project that was not made yet: an administrator may have to make its roles first, whose
/// names come from the id. It is in the folder that all worktrees share.
const PROPOSED_FILE: &str = "team-proposed-project";

/// The id that a new project of this clone gets, the same until it is made.
pub fn proposed_project(workspace: &Workspace) -> Result<ProjectId> {
    let shared = workspace.stores().team().shared();
    let file = shared.join(PROPOSED_FILE);
    let noted = tree::read_regular(&file, MAX_FILE_BYTES).ok();
    let noted = noted.and_then(|bytes| String::from_utf8(bytes).ok()?.trim().parse().ok());
    if let Some(id) = noted {
        return Ok(id);
    }
    let id = ProjectId::random()?;
    let failed = || Problem::io("store the id of the new project");
    fs::create_dir_all(shared).map_err(failed())?;
    fs::write(file, id.as_str()).map_err(failed())?;
    Ok(id)
}

/// Forgets the id, after the configuration names it.
pub fn forget_proposed_project(workspace: &Workspace) {
    // If it stays, the configuration still decides.
    let _ = fs::remove_file(workspace.stores().team().shared().join(PROPOSED_FILE));
}

/// The team that this clone has joined.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TeamMembership {
    /// The address of the database, without a password
    pub address: String,
    /// The project
    pub project: ProjectId,
    /// Whether what was local before is on the server, or was not there
    pub is_pushed: bool,
    /// A name of this clone that no other clone has; none in one that joined before clones had names
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clone_name: Option<String>,
}

/// How many characters the name of a clone has.
const CLONE_NAME_CHARS: usize = 12;

impl TeamMembership {
    /// A new name for a clone.
    pub(crate) fn new_clone_name() -> Result<String> {
        let id = ChangeUid::random()?.to_string().replace('-', "");
        Ok(id.chars().take(CLONE_NAME_CHARS).collect())
    }

    /// What this clone has joined; none for most.
    pub fn read(shared: &Path) -> Result<Option<Self>> {
        let file = path(shared);
        if !file.exists() {
            return Ok(None);
        }
        let bytes = tree::read_regular(&file, MAX_FILE_BYTES);
        let bytes = bytes.map_err(Problem::io("read which team was joined"))?;
        serde_json::from_slice(&bytes).map(Some).map_err(|error| {
            Problem::new(ProblemCode::StoreDamaged, format!("{} cannot be read", file.display()))
                .hint("remove the file and join again; the replica stays")
                .with_source(error)
        })
    }

    /// Remembers it.
    pub(crate) fn write(&self, shared: &Path) -> Result<()> {
        let failed = || Problem::io("store which team was joined");
        fs::create_dir_all(shared).map_err(failed())?;
        let temp = shared.join(format!("{FILE}.new"));
        let text = serde_json::to_vec_pretty(self)
            .map_err(|error| Problem::internal("a membership is not JSON").with_source(error))?;
        fs::write(&temp, text).map_err(failed())?;
        fs::File::open(&temp).and_then(|file| file.sync_all()).map_err(failed())?;
        fs::rename(&temp, path(shared)).map_err(failed())
    }

    /// Forgets it.
    pub(crate) fn remove(shared: &Path) -> Result<()> {
        fs::remove_file(path(shared)).map_err(Problem::io("leave the team"))
    }

    /// The address in its parts.
    pub fn address(&self) -> Result<TeamAddress> {
        self.address.parse()
    }
}

fn path(shared: &Path) -> PathBuf {
    shared.join(FILE)
}
