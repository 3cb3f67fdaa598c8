//! The worktrees of a repository, so that a path in another worktree is recognised. They are read
//! without running git.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use base::{Problem, Result};

use crate::config::GitConfig;
use crate::discover::inspect_folder;
use crate::{RepoLayout, RepoLocation, WorktreeKind, files};

impl RepoLayout {
    /// All worktrees that share this repository and are there, this one too; the main one first.
    ///
    /// A worktree whose folder is gone, or now belongs to something else, is left out. A main
    /// worktree whose git folder was put elsewhere (`--separate-git-dir`) is only known to itself.
    pub fn worktrees(&self) -> Result<Vec<Self>> {
        let mut linked = Vec::new();
        for git_dir in self.linked_git_dirs()? {
            let dot_git = files::read_path(&git_dir.join("gitdir"), &git_dir)?;
            linked.extend(dot_git.and_then(|file| existing_worktree(file.parent()?, &git_dir)));
        }
        linked.sort_by(|a, b| a.root.cmp(&b.root));
        let main = self.main_worktree()?;
        Ok(main.into_iter().chain(linked).collect())
    }

    fn main_worktree(&self) -> Result<Option<Self>> {
        if self.kind != WorktreeKind::Linked {
            return Ok(Some(self.clone()));
        }
        let common_dir = &self.common_dir;
        let config = GitConfig::read(common_dir, common_dir)?;
        let named =
            config.get("core.worktree").map(|path| platform::path_from_bytes(path.to_vec()));
        let root = common_dir.join(named.unwrap_or_else(|| PathBuf::from("..")));
        Ok(platform::canonicalize(&root).ok().and_then(|root| existing_worktree(&root, common_dir)))
    }

    /// The git folders of all linked worktrees, including those whose worktree does not exist.
    pub(crate) fn linked_git_dirs(&self) -> Result<Vec<PathBuf>> {
        let folder = self.common_dir.join("worktrees");
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(Problem::io(format!("read {}", folder.display()))(error)),
        };
        let paths: io::Result<_> = entries.map(|entry| entry.map(|entry| entry.path())).collect();
        paths.map_err(Problem::io(format!("read {}", folder.display())))
    }
}

/// The worktree at `root`, if its `.git` refers back to `git_dir`.
fn existing_worktree(root: &Path, git_dir: &Path) -> Option<RepoLayout> {
    match inspect_folder(root) {
        Ok(Some(RepoLocation::Worktree(layout))) if layout.git_dir == git_dir => Some(layout),
        _ => None,
    }
}
