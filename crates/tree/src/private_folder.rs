//! Folders that cairn keeps for itself: in the repository, or in git's folder.
//!
//! A repository may contain `.cairn`, an archive may contain `.git`, and either can contain links.
//! cairn never reads, writes or removes its files through one: each part of the way has to be a
//! real folder.

use std::io;
use std::path::{Component, Path, PathBuf};

use base::{Problem, ProblemCode, Result};

use crate::confined::WorkingTree;
use crate::disk::{DirHandle, DiskWriter, open_folder};

/// A folder of cairn's own below a folder that cairn did not create.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrivateFolder {
    anchor: PathBuf,
    inner: PathBuf,
}

impl PrivateFolder {
    /// The folder `inner` below `anchor`; only links below `anchor` are refused.
    pub fn below(anchor: &Path, inner: impl Into<PathBuf>) -> Self {
        Self { anchor: anchor.to_path_buf(), inner: inner.into() }
    }

    /// A folder inside this one.
    #[must_use]
    pub fn join(&self, name: &str) -> Self {
        Self { anchor: self.anchor.clone(), inner: self.inner.join(name) }
    }

    /// The path of the folder.
    pub fn path(&self) -> PathBuf {
        self.anchor.join(&self.inner)
    }

    /// Fails if a component of the path exists and is not a real folder.
    pub fn check(&self) -> Result<()> {
        let mut way = self.anchor.clone();
        for part in self.inner.components() {
            way.push(part);
            match way.symlink_metadata() {
                Ok(known) if known.is_dir() => {}
                Ok(_) => return Err(not_a_folder(&way)),
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
                Err(error) => return Err(Problem::io(format!("look at {}", way.display()))(error)),
            }
        }
        Ok(())
    }

    /// Opens the folder; `None` if it does not exist.
    pub fn open(&self) -> Result<Option<DirHandle>> {
        self.check()?;
        let failed = || Problem::io(format!("open the folder {}", self.path().display()));
        let mut folder = match open_folder(&self.anchor) {
            Ok(folder) => folder,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(failed()(error)),
        };
        for part in self.inner.components() {
            folder = match open_no_follow(&folder, Path::new(&part)) {
                Ok(folder) => folder,
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
                Err(error) => return Err(failed()(error)),
            };
        }
        Ok(Some(folder))
    }

    /// Opens the folder and creates it if necessary.
    pub fn create(&self, disk: &DiskWriter) -> Result<DirHandle> {
        if let Some(folder) = self.open()? {
            return Ok(folder);
        }
        let failed = || Problem::io(format!("make the folder {}", self.path().display()));
        let anchor = open_folder(&self.anchor).map_err(failed())?;
        disk.make_dir(&anchor, &self.inner).map_err(failed())?;
        let missing = || failed()(io::ErrorKind::NotFound.into());
        self.open()?.ok_or_else(missing)
    }
}

/// Opens a folder of cairn's own below the root and creates it if necessary. Fails if a component
/// of the path is a link.
pub fn open_private_folder(tree: &WorkingTree, path: &str) -> Result<DirHandle> {
    let failed = || Problem::io(format!("make the folder {path}"));
    let mut folder = tree.dir().try_clone().map_err(failed())?;
    let mut walked = PathBuf::new();
    for part in path.split('/') {
        walked.push(part);
        match folder.symlink_metadata(part) {
            Ok(known) if known.is_dir() => {}
            Ok(_) => return Err(not_a_folder(&walked)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                create_dir_if_missing(&folder, part).map_err(failed())?;
            }
            Err(error) => return Err(failed()(error)),
        }
        folder = open_no_follow(&folder, Path::new(part)).map_err(failed())?;
    }
    Ok(folder)
}

/// Whether all existing components of the path of a folder of cairn's own are real folders.
pub fn is_link_free(root: &Path, folder: &Path) -> bool {
    let Ok(inner) = folder.strip_prefix(root) else { return true };
    PrivateFolder::below(root, inner).check().is_ok()
}

/// Opens a folder by a single name. A link is not followed.
fn open_no_follow(folder: &DirHandle, name: &Path) -> io::Result<DirHandle> {
    let plain = name.components().all(|part| matches!(part, Component::Normal(_)));
    if !plain {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    platform::open_folder_no_follow(folder, name)
}

fn create_dir_if_missing(folder: &DirHandle, part: &str) -> io::Result<()> {
    match folder.create_dir(part) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        made => made,
    }
}

fn not_a_folder(path: &Path) -> Problem {
    let name = path.display();
    Problem::new(
        ProblemCode::InvalidOperation,
        format!("`{name}` is not a folder; cairn stores its data there"),
    )
    .hint(format!("look where it leads, then remove it: {name}"))
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    #[test]
    fn a_link_on_the_way_is_refused() {
        let (inside, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let tree = WorkingTree::open(inside.path()).unwrap();
        assert!(open_private_folder(&tree, ".cairn/cache/fence").is_ok());
        assert!(is_link_free(tree.root(), &tree.root().join(".cairn/cache/fence/deeper")));
        std::fs::remove_dir(inside.path().join(".cairn/cache/fence")).unwrap();
        for (link, target) in
            [(".cairn/cache/fence", outside.path()), (".cairn/near", Path::new("cache"))]
        {
            std::os::unix::fs::symlink(target, inside.path().join(link)).unwrap();
            assert_eq!(
                open_private_folder(&tree, link).unwrap_err().code,
                ProblemCode::InvalidOperation
            );
            assert!(!is_link_free(tree.root(), &tree.root().join(link)));
            let own = PrivateFolder::below(tree.root(), link).join("deeper");
            assert_eq!(own.open().unwrap_err().code, ProblemCode::InvalidOperation);
            assert_eq!(
                own.create(&DiskWriter::default()).unwrap_err().code,
                ProblemCode::InvalidOperation
            );
        }
        assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_folder_below_an_anchor_is_made_when_it_is_asked_for() {
        let dir = tempfile::tempdir().unwrap();
        let own = PrivateFolder::below(dir.path(), "cairn").join("journal");
        assert!(own.open().unwrap().is_none());
        own.create(&DiskWriter::default()).unwrap();
        assert!(own.open().unwrap().is_some());
        assert_eq!(own.path(), dir.path().join("cairn/journal"));
    }
}
