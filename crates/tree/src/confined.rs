//! Files of one working tree, for reading. Nothing outside of it can be reached.
//!
//! @see spec::workspace/confinement

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use base::{Hash, Problem, ProblemCode, RepoPath, Result};
use cap_std::ambient_authority;
use cap_std::fs::Dir;

use crate::regular_file::{open_regular_in, read_at_most};
use crate::stat::Stat;

/// The working tree below one folder.
#[derive(Debug, Clone)]
pub struct WorkingTree {
    inner: Arc<WorkingTreeInner>,
}

#[derive(Debug)]
struct WorkingTreeInner {
    root: PathBuf,
    dir: Dir,
    exclude_file: Option<PathBuf>,
}

/// A file's bytes and their hash, read together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileContent {
    /// What the file holds
    pub bytes: Vec<u8>,
    /// The hash of that
    pub hash: Hash,
}

impl WorkingTree {
    /// Opens the tree below `root`, following links on the way there but none afterwards.
    pub fn open(root: &Path) -> Result<Self> {
        Self::open_with_exclude_file(root, None)
    }

    /// Opens the tree below `root`. `exclude_file` are ignore rules that the repository keeps
    /// outside of the tree: git's `info/exclude`.
    pub fn open_with_exclude_file(root: &Path, private_rules: Option<PathBuf>) -> Result<Self> {
        let failed = || Problem::io(format!("open {}", root.display()));
        let root = platform::canonicalize(root).map_err(failed())?;
        let dir = Dir::open_ambient_dir(&root, ambient_authority()).map_err(failed())?;
        Ok(Self { inner: Arc::new(WorkingTreeInner { root, dir, exclude_file: private_rules }) })
    }

    /// Where the tree is on this machine.
    pub fn root(&self) -> &Path {
        &self.inner.root
    }

    /// The file with ignore rules that is outside of the tree, if there can be one.
    pub fn exclude_file(&self) -> Option<&Path> {
        self.inner.exclude_file.as_deref()
    }

    /// Whether the folder at the root's path is still the one that was opened.
    pub fn is_root_unchanged(&self) -> bool {
        platform::is_same_folder(self.dir(), self.root())
    }

    /// The handle that every path is resolved beneath.
    pub fn dir(&self) -> &Dir {
        &self.inner.dir
    }

    /// Reads a file that may be absent. Links are followed while they stay inside.
    pub fn read(&self, path: &RepoPath) -> Result<Option<FileContent>> {
        self.read_at_most(path, u64::MAX).map(|read| read.and_then(std::result::Result::ok))
    }

    /// Reads a file unless it is larger than `most` bytes; then its size is the error.
    pub fn read_at_most(
        &self,
        path: &RepoPath,
        most: u64,
    ) -> Result<Option<Result<FileContent, u64>>> {
        match self.open_and_read(path, most) {
            Ok(blob) => Ok(Some(blob)),
            Err(error) if is_absent(&error) => Ok(None),
            Err(error) => Err(path_problem("read", path, error)),
        }
    }

    fn open_and_read(&self, path: &RepoPath, most: u64) -> io::Result<Result<FileContent, u64>> {
        let file = open_regular_in(self.dir(), &path.to_relative())?;
        let length = file.metadata()?.len();
        match read_at_most(file, most) {
            Ok(bytes) => Ok(Ok(FileContent { hash: Hash::of(&bytes), bytes })),
            Err(error) if error.kind() == io::ErrorKind::FileTooLarge => {
                Ok(Err(length.max(most.saturating_add(1))))
            }
            Err(error) => Err(error),
        }
    }

    /// What is at a path, not following a link in its last part.
    pub fn stat(&self, path: &RepoPath) -> Result<Option<Stat>> {
        match self.dir().symlink_metadata(path.to_relative()) {
            Ok(known) => Ok(Some(Stat::of_confined(&known))),
            Err(error) if is_absent(&error) => Ok(None),
            Err(error) => Err(path_problem("look at", path, error)),
        }
    }

    /// What is at a path that may since lead elsewhere: what is out of reach is not there.
    pub fn stat_if_reachable(&self, path: &RepoPath) -> Option<Stat> {
        self.stat(path).ok().flatten()
    }

    /// What the system says of a path by its name, without making sure that it is inside. For
    /// comparing it with what was said before, and for nothing else.
    pub fn stat_unconfined(&self, path: &RepoPath) -> Option<Stat> {
        let known = std::fs::symlink_metadata(self.root().join(path.to_relative())).ok()?;
        Some(Stat::of(&known))
    }

    /// Whether a file has other names too.
    pub fn has_hard_links(&self, path: &RepoPath) -> bool {
        platform::has_hard_links(&self.root().join(path.to_relative()))
    }

    /// Where a path leads, if it is a link.
    pub fn link_target(&self, path: &RepoPath) -> Option<PathBuf> {
        self.dir().read_link_contents(path.to_relative()).ok()
    }
}

/// Whether nothing is there, also because a part of the way is a file.
fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// A failure at a path, told apart: leading out of the repository is the caller's mistake.
pub(crate) fn path_problem(verb: &str, path: &RepoPath, error: io::Error) -> Problem {
    let escape = error.kind() == io::ErrorKind::PermissionDenied && error.raw_os_error().is_none();
    match error.kind() {
        _ if escape => Problem::new(
            ProblemCode::OutsideRepository,
            format!("`{path}` leads out of the repository"),
        )
        .hint("name a path inside it; a link that points outside is not followed"),
        io::ErrorKind::IsADirectory => {
            Problem::new(ProblemCode::InvalidOperation, format!("`{path}` is a folder"))
                .hint("name a file in it")
        }
        _ => Problem::io(format!("{verb} `{path}`"))(error),
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    fn path(text: &str) -> RepoPath {
        text.parse().unwrap()
    }

    #[test]
    fn links_inside_are_followed_and_links_outside_refused() {
        let (inside, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::write(outside.path().join("secret"), "no").unwrap();
        fs::write(inside.path().join("real"), "yes").unwrap();
        symlink("real", inside.path().join("near")).unwrap();
        symlink(outside.path(), inside.path().join("far")).unwrap();
        symlink(outside.path().join("secret"), inside.path().join("file")).unwrap();
        symlink("loop", inside.path().join("loop")).unwrap();
        let tree = WorkingTree::open(inside.path()).unwrap();
        assert_eq!(tree.read(&path("near")).unwrap().unwrap().bytes, b"yes");
        for name in ["far/secret", "file"] {
            assert_eq!(
                tree.read(&path(name)).unwrap_err().code,
                ProblemCode::OutsideRepository,
                "{name}"
            );
        }
        assert_eq!(tree.read(&path("loop")).unwrap_err().code, ProblemCode::Io);
    }

    #[test]
    fn absent_folders_and_large_files_are_told_apart() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("folder")).unwrap();
        fs::write(dir.path().join("large"), [7; 100]).unwrap();
        let tree = WorkingTree::open(dir.path()).unwrap();
        assert!(tree.read(&path("nothing")).unwrap().is_none());
        assert!(tree.read(&path("large/below")).unwrap().is_none());
        assert_eq!(tree.read(&path("folder")).unwrap_err().code, ProblemCode::InvalidOperation);
        assert_eq!(tree.read_at_most(&path("large"), 99).unwrap(), Some(Err(100)));
        assert!(tree.read_at_most(&path("large"), 100).unwrap().unwrap().is_ok());
    }
}
