//! Where git looks for hooks.

use std::path::{Component, Path, PathBuf};

use base::{Call, Result};

use crate::command::HooksPath;
use crate::repo::Repo;

/// The folder whose hooks git runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HooksDir {
    /// In the worktree or in the git folder, so that it belongs to this repository
    Inside(PathBuf),
    /// Elsewhere, so that other repositories may use it too
    Outside(PathBuf),
}

impl Repo {
    /// The folder that git uses for hooks, absolute. It need not exist.
    pub fn hooks_dir(&self, call: &Call) -> Result<HooksDir> {
        let git = self.git_with_hooks_path(HooksPath::Configured, "rev-parse")?;
        let mut output = git.args(["--git-path", "hooks"]).run(call)?.output()?;
        output.pop_if(|byte| *byte == b'\n');
        let dir = self.layout().root.join(platform::path_from_bytes(output));
        let homes = [&self.layout().root, &self.layout().common_dir, &self.layout().git_dir];
        let inside =
            resolved(&dir).is_some_and(|dir| homes.iter().any(|home| dir.starts_with(home)));
        Ok(if inside { HooksDir::Inside(dir) } else { HooksDir::Outside(dir) })
    }
}

impl HooksDir {
    /// The path of the folder.
    pub fn path(&self) -> &Path {
        match self {
            Self::Inside(path) | Self::Outside(path) => path,
        }
    }
}

/// The path with links resolved as far as it exists; `None` if the rest contains `..`.
fn resolved(path: &Path) -> Option<PathBuf> {
    let there = path.ancestors().find(|folder| folder.symlink_metadata().is_ok())?;
    let rest = path.strip_prefix(there).ok()?;
    let plain = rest.components().all(|part| matches!(part, Component::Normal(_)));
    let there = platform::canonicalize(there).ok()?;
    plain.then(|| there.join(rest))
}
