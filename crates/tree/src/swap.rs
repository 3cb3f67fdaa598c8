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

use crate::disk::{DirHandle, DiskWriter, parent};
use crate::regular_file::read_regular_in;

/// The result of changing one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SwapOutcome {
    /// The file is as the change wants it
    Done,
    /// The file has content of another program, which was left or restored
    Foreign,
}

/// A file of the tree, and the place in the journal for its old content.
pub(crate) struct FileSwap<'a> {
    pub(crate) disk: &'a DiskWriter,
    pub(crate) tree: &'a DirHandle,
    pub(crate) journal: &'a DirHandle,
    /// The path of the file in the tree
    pub(crate) target: &'a Path,
    /// The hash that the file must have before; `None` if it must not exist
    pub(crate) expected: Option<Hash>,
    /// The path in the journal for the replaced file
    pub(crate) replaced: &'a Path,
}

/// A file in a folder.
#[derive(Clone, Copy)]
struct FolderFile<'a> {
    folder: &'a DirHandle,
    name: &'a Path,
}

impl FolderFile<'_> {
    /// The hash of the file; `None` if it is not a regular file.
    fn hash(&self) -> Option<Hash> {
        hash_in(self.folder, self.name)
    }
}

/// The hash of a regular file in a folder.
pub(crate) fn hash_in(folder: &DirHandle, name: &Path) -> Option<Hash> {
    read_regular_in(folder, name, u64::MAX).ok().map(|bytes| Hash::of(&bytes))
}

impl FileSwap<'_> {
    /// Replaces the target with a file that is staged in the journal.
    pub(crate) fn put(&self, staged: &Path) -> io::Result<SwapOutcome> {
        self.disk.make_dir(self.tree, parent(self.target))?;
        let staged = FolderFile { folder: self.journal, name: staged };
        match self.put_from(staged, self.aside()) {
            Err(error) if error.kind() == io::ErrorKind::CrossesDevices => self.put_copy(staged),
            put => put,
        }
    }

    /// Removes the target, and the parent folders that become empty, as git does.
    pub(crate) fn remove(&self) -> io::Result<SwapOutcome> {
        let (old, aside) = (self.temporary_path("old"), self.aside());
        let removed = match self.move_aside(aside) {
            Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {
                let near = FolderFile { folder: self.tree, name: &old };
                let removed = self.move_aside(near)?;
                if removed == SwapOutcome::Done {
                    self.disk.remove(self.tree, &old)?;
                }
                removed
            }
            removed => removed?,
        };
        if removed == SwapOutcome::Done {
            self.remove_empty_folders()?;
        }
        Ok(removed)
    }

    /// Continues after a crash. Checks the file that an interrupted exchange left in the journal,
    /// and puts back a file that an interrupted change had moved aside.
    pub(crate) fn resume(&self, staged: &Path, after: Option<Hash>) -> io::Result<SwapOutcome> {
        let old = self.temporary_path("old");
        for aside in [self.aside(), FolderFile { folder: self.tree, name: &old }] {
            if after.is_some() && aside.hash().is_some() && !self.target_exists() {
                self.move_back(aside)?;
            }
        }
        let staged = FolderFile { folder: self.journal, name: staged };
        let is_exchanged = self.expected.is_some() && self.current().hash() == after;
        match staged.hash() {
            Some(hash) if is_exchanged && Some(hash) != after => {
                self.verify_replaced(staged, self.aside())
            }
            _ => Ok(SwapOutcome::Done),
        }
    }

    /// Puts the staged file in place, from wherever on the same disk it is.
    fn put_from(&self, staged: FolderFile<'_>, aside: FolderFile<'_>) -> io::Result<SwapOutcome> {
        if self.expected.is_none() {
            return self.put_new(staged);
        }
        if let Ok(known) = self.tree.metadata(self.target) {
            staged.folder.set_permissions(staged.name, known.permissions())?;
        }
        match self.disk.exchange(staged.folder, staged.name, self.tree, self.target) {
            Ok(()) => self.verify_replaced(staged, aside),
            Err(error) if error.kind() == io::ErrorKind::Unsupported => {
                match self.move_aside(aside)? {
                    SwapOutcome::Done => self.put_new(staged),
                    SwapOutcome::Foreign => Ok(SwapOutcome::Foreign),
                }
            }
            Err(error) if is_missing(&error) && !self.target_exists() => Ok(SwapOutcome::Foreign),
            Err(error) => Err(error),
        }
    }

    /// The journal is on another disk than the tree: the content is copied beside the target.
    fn put_copy(&self, staged: FolderFile<'_>) -> io::Result<SwapOutcome> {
        let (new, old) = (self.temporary_path("new"), self.temporary_path("old"));
        let bytes = read_regular_in(staged.folder, staged.name, u64::MAX)?;
        self.disk.write(self.tree, &new, &bytes)?;
        let [new, old] = [&new, &old].map(|name| FolderFile { folder: self.tree, name });
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

    fn put_new(&self, staged: FolderFile<'_>) -> io::Result<SwapOutcome> {
        match self.disk.rename_new(staged.folder, staged.name, self.tree, self.target) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(SwapOutcome::Foreign),
            put => put.map(|()| SwapOutcome::Done),
        }
    }

    /// Checks what an exchange replaced, and exchanges back if it was not the expected content.
    fn verify_replaced(
        &self,
        staged: FolderFile<'_>,
        aside: FolderFile<'_>,
    ) -> io::Result<SwapOutcome> {
        if staged.hash() == self.expected {
            // The file itself is kept, not a copy: a program that still has it open may write to
            // it.
            self.disk.rename(staged.folder, staged.name, aside.folder, aside.name)?;
            return Ok(SwapOutcome::Done);
        }
        self.disk.exchange(staged.folder, staged.name, self.tree, self.target)?;
        Ok(SwapOutcome::Foreign)
    }

    /// Moves the target out of the tree, and back again if it is not the expected content.
    fn move_aside(&self, aside: FolderFile<'_>) -> io::Result<SwapOutcome> {
        match self.disk.rename(self.tree, self.target, aside.folder, aside.name) {
            Err(error) if is_missing(&error) => return Ok(SwapOutcome::Foreign),
            moved => moved?,
        }
        if aside.hash() == self.expected {
            self.disk.sync_dir(self.tree, parent(self.target))?;
            return Ok(SwapOutcome::Done);
        }
        self.move_back(aside)?;
        Ok(SwapOutcome::Foreign)
    }

    /// Restores what was moved aside, unless the name was taken in the meantime; then both files
    /// are kept.
    fn move_back(&self, aside: FolderFile<'_>) -> io::Result<()> {
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

    fn aside(&self) -> FolderFile<'_> {
        FolderFile { folder: self.journal, name: self.replaced }
    }

    fn current(&self) -> FolderFile<'_> {
        FolderFile { folder: self.tree, name: self.target }
    }

    fn target_exists(&self) -> bool {
        self.tree.symlink_metadata(self.target).is_ok()
    }

    /// A temporary file name in the folder of the target.
    fn temporary_path(&self, what: &str) -> PathBuf {
        let name = self.target.file_name().unwrap_or_default().to_string_lossy();
        self.target.with_file_name(format!(".{name}.cairn-{what}"))
    }
}

fn is_missing(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::NotFound
}
