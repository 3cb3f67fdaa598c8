//! Files of one working tree, for reading. Nothing outside of it can be reached.
//!
//! @see spec::workspace/confinement

use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use base::{Code, Hash, Problem, RepoPath, Result};
use cap_std::ambient_authority;
use cap_std::fs::Dir;

use crate::stat::Stat;

/// The working tree below one folder.
#[derive(Debug, Clone)]
pub struct Tree {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    root: PathBuf,
    dir: Dir,
}

/// A file's bytes and their hash, read together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blob {
    /// What the file holds
    pub bytes: Vec<u8>,
    /// The hash of that
    pub hash: Hash,
}

impl Tree {
    /// Opens the tree below `root`, following links on the way there but none afterwards.
    pub fn open(root: &Path) -> Result<Self> {
        let failed = || Problem::io(format!("open {}", root.display()));
        let root = root.canonicalize().map_err(failed())?;
        let dir = Dir::open_ambient_dir(&root, ambient_authority()).map_err(failed())?;
        Ok(Self { inner: Arc::new(Inner { root, dir }) })
    }

    /// Where the tree is on this machine.
    pub fn root(&self) -> &Path {
        &self.inner.root
    }

    /// Whether the folder at the root's path is still the one that was opened.
    pub fn is_in_place(&self) -> bool {
        use cap_std::fs::MetadataExt;
        let opened = self.dir().dir_metadata().map(|known| (known.dev(), known.ino()));
        let there = std::fs::metadata(self.root());
        let there = there.map(|known| {
            use std::os::unix::fs::MetadataExt;
            (known.dev(), known.ino())
        });
        matches!((opened, there), (Ok(opened), Ok(there)) if opened == there)
    }

    /// The handle that every path is resolved beneath.
    pub fn dir(&self) -> &Dir {
        &self.inner.dir
    }

    /// Reads a file that may be absent. Links are followed while they stay inside.
    pub fn read(&self, path: &RepoPath) -> Result<Option<Blob>> {
        self.read_at_most(path, u64::MAX).map(|read| read.and_then(std::result::Result::ok))
    }

    /// Reads a file unless it is larger than `most` bytes; then its size is the error.
    pub fn read_at_most(&self, path: &RepoPath, most: u64) -> Result<Option<Result<Blob, u64>>> {
        match self.open_and_read(path, most) {
            Ok(blob) => Ok(Some(blob)),
            Err(error) if is_absent(&error) => Ok(None),
            Err(error) => Err(refused("read", path, error)),
        }
    }

    fn open_and_read(&self, path: &RepoPath, most: u64) -> io::Result<Result<Blob, u64>> {
        let file = self.dir().open(path.to_relative())?;
        let known = file.metadata()?;
        if known.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        if !known.is_file() {
            return Err(io::Error::other("it is neither a file nor a folder"));
        }
        if known.len() > most {
            return Ok(Err(known.len()));
        }
        let mut bytes = Vec::with_capacity(usize::try_from(known.len()).unwrap_or_default());
        // The file may grow while it is read; what is beyond the limit is never taken in.
        file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
        let length = bytes.len() as u64;
        if length > most {
            return Ok(Err(length));
        }
        Ok(Ok(Blob { hash: Hash::of(&bytes), bytes }))
    }

    /// What is at a path, not following a link in its last part.
    pub fn stat(&self, path: &RepoPath) -> Result<Option<Stat>> {
        match self.dir().symlink_metadata(path.to_relative()) {
            Ok(known) => Ok(Some(Stat::of_confined(&known))),
            Err(error) if is_absent(&error) => Ok(None),
            Err(error) => Err(refused("look at", path, error)),
        }
    }

    /// What is at a path that may since lead elsewhere: what is out of reach is not there.
    pub fn stat_if_there(&self, path: &RepoPath) -> Option<Stat> {
        self.stat(path).ok().flatten()
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
pub(crate) fn refused(verb: &str, path: &RepoPath, error: io::Error) -> Problem {
    let escape = error.kind() == io::ErrorKind::PermissionDenied && error.raw_os_error().is_none();
    match error.kind() {
        _ if escape => {
            Problem::new(Code::OutsideRepository, format!("`{path}` leads out of the repository"))
                .hint("name a path inside it; a link that points outside is not followed")
        }
        io::ErrorKind::IsADirectory => {
            Problem::new(Code::InvalidOperation, format!("`{path}` is a folder"))
                .hint("name a file in it")
        }
        _ => Problem::io(format!("{verb} `{path}`"))(error),
    }
}

#[cfg(test)]
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
        let tree = Tree::open(inside.path()).unwrap();
        assert_eq!(tree.read(&path("near")).unwrap().unwrap().bytes, b"yes");
        for name in ["far/secret", "file"] {
            assert_eq!(tree.read(&path(name)).unwrap_err().code, Code::OutsideRepository, "{name}");
        }
        assert_eq!(tree.read(&path("loop")).unwrap_err().code, Code::Io);
    }

    #[test]
    fn absent_folders_and_large_files_are_told_apart() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("folder")).unwrap();
        fs::write(dir.path().join("large"), [7; 100]).unwrap();
        let tree = Tree::open(dir.path()).unwrap();
        assert!(tree.read(&path("nothing")).unwrap().is_none());
        assert!(tree.read(&path("large/below")).unwrap().is_none());
        assert_eq!(tree.read(&path("folder")).unwrap_err().code, Code::InvalidOperation);
        assert_eq!(tree.read_at_most(&path("large"), 99).unwrap(), Some(Err(100)));
        assert!(tree.read_at_most(&path("large"), 100).unwrap().unwrap().is_ok());
    }
}
