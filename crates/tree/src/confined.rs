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

/// The bytes of a file and their hash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileContent {
    /// The bytes
    pub bytes: Vec<u8>,
    /// Their hash
    pub hash: Hash,
}

impl WorkingTree {
    /// Opens the tree below `root`. Symbolic links in the path of `root` are followed; below it,
    /// links that lead out of the tree are not.
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

    /// The path of the root.
    pub fn root(&self) -> &Path {
        &self.inner.root
    }

    /// The file with ignore rules outside of the tree, if the repository has one.
    pub fn exclude_file(&self) -> Option<&Path> {
        self.inner.exclude_file.as_deref()
    }

    /// Whether the path of the root still leads to the folder that was opened.
    pub fn is_root_unchanged(&self) -> bool {
        platform::is_same_folder(self.dir(), self.root())
    }

    /// The directory handle below which every path is resolved.
    pub fn dir(&self) -> &Dir {
        &self.inner.dir
    }

    /// Reads a file; `None` if it does not exist. Links are followed if they stay inside the tree.
    pub fn read(&self, path: &RepoPath) -> Result<Option<FileContent>> {
        self.read_at_most(path, u64::MAX).map(|read| read.and_then(std::result::Result::ok))
    }

    /// Reads a file. If it has more than `most` bytes, the inner result is an error with its size.
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

    /// The metadata of a path. A link in its last component is not followed.
    pub fn stat(&self, path: &RepoPath) -> Result<Option<Stat>> {
        match self.dir().symlink_metadata(path.to_relative()) {
            Ok(known) => Ok(Some(Stat::of_confined(&known))),
            Err(error) if is_absent(&error) => Ok(None),
            Err(error) => Err(path_problem("look at", path, error)),
        }
    }

    /// The metadata of a path that may lead out of the tree by now; such a path does not count as
    /// existing.
    pub fn stat_if_reachable(&self, path: &RepoPath) -> Option<Stat> {
        self.stat(path).ok().flatten()
    }

    /// The metadata of a path without checking that it is inside the tree. Use it only to compare
    /// with earlier metadata.
    pub fn stat_unconfined(&self, path: &RepoPath) -> Option<Stat> {
        let known = std::fs::symlink_metadata(self.root().join(path.to_relative())).ok()?;
        Some(Stat::of(&known))
    }

    /// Whether a file has more than one name.
    pub fn has_hard_links(&self, path: &RepoPath) -> bool {
        platform::has_hard_links(&self.root().join(path.to_relative()))
    }

    /// The target of a symbolic link; `None` for anything else.
    pub fn link_target(&self, path: &RepoPath) -> Option<PathBuf> {
        self.dir().read_link_contents(path.to_relative()).ok()
    }
}

/// Whether an error means that the path does not exist, for example because a parent is a file.
fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// The error of an operation on a path. A path that leads out of the repository is the caller's
/// mistake.
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
