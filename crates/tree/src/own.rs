//! Folders that cairn keeps for itself below the root.
//!
//! A repository may bring `.cairn` along, and links in it. Nothing of ours is ever read or written
//! through one: each part of the way has to be a real folder.

use std::io;
use std::path::{Path, PathBuf};

use base::{Code, Problem, Result};

use crate::confined::Tree;
use crate::disk::Folder;

/// Opens a folder of our own, made if it is missing. A link on the way is refused.
pub fn own_folder(tree: &Tree, path: &str) -> Result<Folder> {
    let failed = || Problem::io(format!("make the folder {path}"));
    let mut folder = tree.dir().try_clone().map_err(failed())?;
    let mut walked = PathBuf::new();
    for part in path.split('/') {
        walked.push(part);
        match folder.symlink_metadata(part) {
            Ok(known) if known.is_dir() => {}
            Ok(_) => return Err(not_ours(&walked)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                make(&folder, part).map_err(failed())?;
            }
            Err(error) => return Err(failed()(error)),
        }
        folder = folder.open_dir(part).map_err(failed())?;
    }
    Ok(folder)
}

/// Whether everything that is there on the way to a folder of our own is a real folder.
pub fn is_own(root: &Path, folder: &Path) -> bool {
    let Ok(inner) = folder.strip_prefix(root) else { return true };
    let ways = inner.components().scan(root.to_path_buf(), |walked, part| {
        walked.push(part);
        Some(walked.clone())
    });
    ways.into_iter().all(|way| match way.symlink_metadata() {
        Ok(known) => known.is_dir(),
        Err(error) => error.kind() == io::ErrorKind::NotFound,
    })
}

fn make(folder: &Folder, part: &str) -> io::Result<()> {
    match folder.create_dir(part) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        made => made,
    }
}

fn not_ours(path: &Path) -> Problem {
    let name = path.display();
    Problem::new(
        Code::InvalidOperation,
        format!("`{name}` is not a folder, and cairn keeps its own there"),
    )
    .hint(format!("look where it leads, then remove it: {name}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_on_the_way_is_refused() {
        let (inside, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let tree = Tree::open(inside.path()).unwrap();
        assert!(own_folder(&tree, ".cairn/cache/fence").is_ok());
        assert!(is_own(tree.root(), &tree.root().join(".cairn/cache/fence/deeper")));
        std::fs::remove_dir(inside.path().join(".cairn/cache/fence")).unwrap();
        for (link, target) in
            [(".cairn/cache/fence", outside.path()), (".cairn/near", Path::new("cache"))]
        {
            std::os::unix::fs::symlink(target, inside.path().join(link)).unwrap();
            assert_eq!(own_folder(&tree, link).unwrap_err().code, Code::InvalidOperation);
            assert!(!is_own(tree.root(), &tree.root().join(link)));
        }
    }
}
