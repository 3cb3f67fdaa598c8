//! Changing one file so that nothing anybody else writes is ever lost.
//!
//! Between the last look at a file and the rename that replaces it, an editor may save. So the new
//! content and the old file change places in one step, and the old file is looked at afterwards,
//! when nobody can put another one in its place. If it is not what was expected, both change back.
//! Where the file system cannot exchange names, the old file is moved aside first and the new
//! one only put at a free name.

use std::io;
use std::path::{Path, PathBuf};

use base::Hash;

use crate::disk::{Disk, Folder, parent};
use crate::regular::read_regular_in;

/// What became of one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Swapped {
    /// It is as the change wants it
    Done,
    /// Somebody else's content is there, and was left or put back
    Foreign,
}

/// One file of the tree, and where the journal keeps what was replaced.
pub(crate) struct Swap<'a> {
    pub(crate) disk: &'a Disk,
    pub(crate) tree: &'a Folder,
    pub(crate) journal: &'a Folder,
    /// The file, in the tree
    pub(crate) target: &'a Path,
    /// What the file holds before; none if it is not there
    pub(crate) expected: Option<Hash>,
    /// Where the replaced file goes, in the journal
    pub(crate) replaced: &'a Path,
}

/// A file in a folder.
#[derive(Clone, Copy)]
struct StagedFile<'a> {
    folder: &'a Folder,
    name: &'a Path,
}

impl StagedFile<'_> {
    /// The hash of the file; none where there is no regular file.
    fn hash(&self) -> Option<Hash> {
        hash_in(self.folder, self.name)
    }
}

/// The hash of a regular file in a folder.
pub(crate) fn hash_in(folder: &Folder, name: &Path) -> Option<Hash> {
    read_regular_in(folder, name, u64::MAX).ok().map(|bytes| Hash::of(&bytes))
}

impl Swap<'_> {
    /// Puts a file that is staged in the journal at the target.
    pub(crate) fn put(&self, staged: &Path) -> io::Result<Swapped> {
        self.disk.make_dir(self.tree, parent(self.target))?;
        let staged = StagedFile { folder: self.journal, name: staged };
        match self.put_from(staged, self.aside()) {
            Err(error) if error.kind() == io::ErrorKind::CrossesDevices => self.put_copy(staged),
            put => put,
        }
    }

    /// Removes the target, and the folders that only held it, as git does.
    pub(crate) fn remove(&self) -> io::Result<Swapped> {
        let (old, aside) = (self.beside("old"), self.aside());
        let removed = match self.move_aside(aside) {
            Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {
                let near = StagedFile { folder: self.tree, name: &old };
                let removed = self.move_aside(near)?;
                if removed == Swapped::Done {
                    self.disk.remove(self.tree, &old)?;
                }
                removed
            }
            removed => removed?,
        };
        if removed == Swapped::Done {
            self.remove_empty_folders()?;
        }
        Ok(removed)
    }

    /// Looks at what an exchange left in the journal that was cut off before it could be looked
    /// at, and puts back what was moved aside by a change that went no further.
    pub(crate) fn resume(&self, staged: &Path, after: Option<Hash>) -> io::Result<Swapped> {
        let old = self.beside("old");
        for aside in [self.aside(), StagedFile { folder: self.tree, name: &old }] {
            if after.is_some() && aside.hash().is_some() && !self.is_there() {
                self.give_back(aside)?;
            }
        }
        let staged = StagedFile { folder: self.journal, name: staged };
        let is_exchanged = self.expected.is_some() && self.current().hash() == after;
        match staged.hash() {
            Some(hash) if is_exchanged && Some(hash) != after => self.look_at(staged, self.aside()),
            _ => Ok(Swapped::Done),
        }
    }

    /// Puts the staged file in place, from wherever on the same disk it is.
    fn put_from(&self, staged: StagedFile<'_>, aside: StagedFile<'_>) -> io::Result<Swapped> {
        if self.expected.is_none() {
            return self.put_new(staged);
        }
        if let Ok(known) = self.tree.metadata(self.target) {
            staged.folder.set_permissions(staged.name, known.permissions())?;
        }
        match self.disk.exchange(staged.folder, staged.name, self.tree, self.target) {
            Ok(()) => self.look_at(staged, aside),
            Err(error) if error.kind() == io::ErrorKind::Unsupported => {
                match self.move_aside(aside)? {
                    Swapped::Done => self.put_new(staged),
                    Swapped::Foreign => Ok(Swapped::Foreign),
                }
            }
            Err(error) if is_missing(&error) && !self.is_there() => Ok(Swapped::Foreign),
            Err(error) => Err(error),
        }
    }

    /// The journal is on another disk than the tree: the content is copied beside the target.
    fn put_copy(&self, staged: StagedFile<'_>) -> io::Result<Swapped> {
        let (new, old) = (self.beside("new"), self.beside("old"));
        let bytes = read_regular_in(staged.folder, staged.name, u64::MAX)?;
        self.disk.write(self.tree, &new, &bytes)?;
        let [new, old] = [&new, &old].map(|name| StagedFile { folder: self.tree, name });
        let put = self.put_from(new, old)?;
        for left in [new, old] {
            // What is neither the new content nor the old one is somebody's, and stays.
            let known = [Some(Hash::of(&bytes)), self.expected];
            if left.hash().is_some_and(|hash| known.contains(&Some(hash))) {
                self.disk.remove(left.folder, left.name)?;
            }
        }
        Ok(put)
    }

    fn put_new(&self, staged: StagedFile<'_>) -> io::Result<Swapped> {
        match self.disk.rename_new(staged.folder, staged.name, self.tree, self.target) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(Swapped::Foreign),
            put => put.map(|()| Swapped::Done),
        }
    }

    /// Looks at what an exchange replaced, and changes back unless it was expected.
    fn look_at(&self, staged: StagedFile<'_>, aside: StagedFile<'_>) -> io::Result<Swapped> {
        if staged.hash() == self.expected {
            // Kept as it is: whoever still has it open may write to it.
            self.disk.rename(staged.folder, staged.name, aside.folder, aside.name)?;
            return Ok(Swapped::Done);
        }
        self.disk.exchange(staged.folder, staged.name, self.tree, self.target)?;
        Ok(Swapped::Foreign)
    }

    /// Moves the target out of the tree, and back again unless it is what was expected.
    fn move_aside(&self, aside: StagedFile<'_>) -> io::Result<Swapped> {
        match self.disk.rename(self.tree, self.target, aside.folder, aside.name) {
            Err(error) if is_missing(&error) => return Ok(Swapped::Foreign),
            moved => moved?,
        }
        if aside.hash() == self.expected {
            self.disk.sync_dir(self.tree, parent(self.target))?;
            return Ok(Swapped::Done);
        }
        self.give_back(aside)?;
        Ok(Swapped::Foreign)
    }

    /// Puts back what was moved aside, unless the name was taken meanwhile: then both are kept.
    fn give_back(&self, aside: StagedFile<'_>) -> io::Result<()> {
        match self.disk.rename_new(aside.folder, aside.name, self.tree, self.target) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            given => given,
        }
    }

    fn remove_empty_folders(&self) -> io::Result<()> {
        let mut folder = parent(self.target);
        while !folder.as_os_str().is_empty() && self.disk.remove_if_empty(self.tree, folder)? {
            folder = parent(folder);
        }
        Ok(())
    }

    fn aside(&self) -> StagedFile<'_> {
        StagedFile { folder: self.journal, name: self.replaced }
    }

    fn current(&self) -> StagedFile<'_> {
        StagedFile { folder: self.tree, name: self.target }
    }

    fn is_there(&self) -> bool {
        self.tree.symlink_metadata(self.target).is_ok()
    }

    /// A name beside the target for a file of ours.
    fn beside(&self, what: &str) -> PathBuf {
        let name = self.target.file_name().unwrap_or_default().to_string_lossy();
        self.target.with_file_name(format!(".{name}.cairn-{what}"))
    }
}

fn is_missing(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::NotFound
}
