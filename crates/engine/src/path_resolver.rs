//! Turns paths that a caller typed into paths of the repository.

use std::path::{Component, Path, PathBuf};

use base::{Problem, ProblemCode, RepoPath, Result};

use crate::repository::Repository;

/// Resolves typed paths against the root of the working tree and the caller's folder.
#[derive(Clone, Copy)]
pub struct PathResolver<'a> {
    /// The root of the working tree
    root: &'a Path,
    /// The folder that the caller is in
    prefix: &'a RepoPath,
    /// Knows the other worktrees
    git: Option<&'a Repository>,
}

impl<'a> PathResolver<'a> {
    pub(crate) fn new(root: &'a Path, prefix: &'a RepoPath, git: Option<&'a Repository>) -> Self {
        Self { root, prefix, git }
    }

    /// The paths that a text may mean: first relative to the caller's folder, then to the root.
    /// Empty for a path outside the repository.
    pub fn candidates(&self, text: &str) -> Vec<RepoPath> {
        let path = Path::new(text);
        if path.is_absolute() {
            return self.relative_to_root(path).into_iter().collect();
        }
        let relative = text.replace('\\', "/");
        let from_here = (!self.prefix.is_root()).then(|| format!("{}/{relative}", self.prefix));
        let both = from_here.into_iter().chain([relative]);
        both.filter_map(|text| RepoPath::normalised(&text)?.ok()).collect()
    }

    /// Like [`Self::candidates`], but a path outside the repository is a problem.
    pub fn resolve(&self, text: &str) -> Result<Vec<RepoPath>> {
        self.check_inside(text)?;
        Ok(self.candidates(text))
    }

    /// Refuses a path that leads out of the repository, or into another worktree of it.
    pub fn check_inside(&self, text: &str) -> Result<()> {
        let path = Path::new(text);
        let prefix = self.prefix.to_string();
        let is_outside = if path.is_absolute() {
            self.relative_to_root(path).is_none()
        } else {
            let relative = format!("{prefix}/{}", text.replace('\\', "/"));
            RepoPath::normalised(&relative).is_none()
        };
        if !is_outside {
            return Ok(());
        }
        let absolute = without_dots(&self.root.join(prefix).join(path));
        let sibling = self.git.and_then(|git| git.sibling_worktree_containing(&absolute));
        Err(match sibling {
            Some(_) => {
                Problem::new(ProblemCode::WrongWorktree, format!("`{text}` is in another worktree"))
                    .hint("each worktree is served by its own cairn; name the file in this one")
            }
            None => Problem::new(
                ProblemCode::OutsideRepository,
                format!("`{text}` is outside the repository"),
            )
            .hint("name a path inside it, relative to its root"),
        })
    }

    /// An absolute path relative to the root, by its real path or as it is written.
    fn relative_to_root(&self, path: &Path) -> Option<RepoPath> {
        let real = platform::canonicalize(path).ok();
        let relative = real.as_deref().and_then(|real| real.strip_prefix(self.root).ok());
        let relative = relative.or_else(|| path.strip_prefix(self.root).ok())?;
        RepoPath::from_relative(relative).ok()
    }
}

/// A path with its `.` and `..` components removed without following links.
fn without_dots(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(plain.pop()),
            part => plain.push(part),
        }
    }
    plain
}
