//! Durable writes to the disk. Tests can make each step fail.

use std::fmt;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cap_std::fs::{Dir, OpenOptions};
use platform::RenameMode;

use crate::regular_file::open_regular_for_write_in;
use crate::stat::{FileTime, Stat};

/// A single step of a write, before which a test can inject a fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiskStep {
    /// A folder is created
    MakeDir,
    /// An empty file is created
    Create,
    /// Bytes are written to a file
    Write,
    /// A file is flushed to the disk
    Sync,
    /// A file is renamed
    Rename,
    /// A file or folder is removed
    Remove,
    /// A folder is flushed to the disk, so that the names in it are durable
    SyncDir,
}

/// Decides whether a step fails. In production no fault is injected.
pub type FaultInjector = dyn Fn(DiskStep) -> io::Result<()> + Send + Sync;

/// An open directory below which paths are resolved.
pub type DirHandle = Dir;

/// Opens one of cairn's own folders, such as the cache.
pub fn open_folder(path: &Path) -> io::Result<DirHandle> {
    Dir::open_ambient_dir(path, cap_std::ambient_authority())
}

/// Writes to the disk. In tests it can fail, or run code, before each step.
#[derive(Clone, Default)]
pub struct DiskWriter {
    fault_injector: Option<Arc<FaultInjector>>,
}

impl fmt::Debug for DiskWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Disk(faulty: {})", self.fault_injector.is_some())
    }
}

impl DiskWriter {
    /// A disk whose steps fail as `fault_injector` says.
    pub fn with_faults(fault: impl Fn(DiskStep) -> io::Result<()> + Send + Sync + 'static) -> Self {
        Self { fault_injector: Some(Arc::new(fault)) }
    }

    fn inject_fault(&self, step: DiskStep) -> io::Result<()> {
        self.fault_injector.as_ref().map_or(Ok(()), |fault| fault(step))
    }

    /// Replaces `target` atomically with a file of these bytes. The bytes are first written to
    /// `temp`, which must be in the same file system.
    pub fn replace(&self, folder: &DirHandle, target: &Path, bytes: &[u8]) -> io::Result<()> {
        let temp = self.write_beside(folder, target, bytes)?;
        self.rename(folder, &temp, folder, target)
    }

    /// Puts a program at `target`, whole or not at all: a new one may be run from the moment it is
    /// there, and one that was there keeps its mode.
    pub fn replace_program(
        &self,
        folder: &DirHandle,
        target: &Path,
        bytes: &[u8],
    ) -> io::Result<()> {
        let temp = self.write_beside(folder, target, bytes)?;
        if !folder.exists(target) {
            platform::make_executable(folder, &temp)?;
        }
        self.rename(folder, &temp, folder, target)
    }

    /// Writes the replacement of `target` beside it, with the same mode. Returns the name of that
    /// file.
    fn write_beside(&self, folder: &DirHandle, target: &Path, bytes: &[u8]) -> io::Result<PathBuf> {
        let name = target.file_name().unwrap_or_default().to_string_lossy();
        let temp = target.with_file_name(format!(".{name}.cairn-new"));
        self.make_dir(folder, parent(target))?;
        self.write(folder, &temp, bytes)?;
        if let Ok(known) = folder.metadata(target) {
            folder.set_permissions(&temp, known.permissions())?;
        }
        Ok(temp)
    }

    /// Writes the bytes of a file in place and flushes them.
    pub fn write(&self, folder: &DirHandle, target: &Path, bytes: &[u8]) -> io::Result<()> {
        self.inject_fault(DiskStep::Create)?;
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true);
        let mut file = open_regular_for_write_in(folder, target, &mut options)?;
        let (first, rest) = bytes.split_at(bytes.len() / 2);
        file.write_all(first)?;
        self.inject_fault(DiskStep::Write)?; // a crash here leaves a torn file
        file.write_all(rest)?;
        self.inject_fault(DiskStep::Sync)?;
        file.sync_all()
    }

    /// Renames a file durably, possibly into another directory.
    pub fn rename(
        &self,
        from: &DirHandle,
        old: &Path,
        to: &DirHandle,
        new: &Path,
    ) -> io::Result<()> {
        self.inject_fault(DiskStep::Rename)?;
        from.rename(old, to, new)?;
        self.sync_dir(to, parent(new))
    }

    /// Renames a file durably. Fails with `AlreadyExists` if the new name is taken.
    pub fn rename_new(
        &self,
        from: &DirHandle,
        old: &Path,
        to: &DirHandle,
        new: &Path,
    ) -> io::Result<()> {
        self.inject_fault(DiskStep::Rename)?;
        match platform::rename_in_folders(from, old, to, new, RenameMode::NoReplace) {
            Err(error) if is_unsupported(&error) => {
                from.hard_link(old, to, new).and_then(|()| from.remove_file(old))?;
            }
            moved => moved?,
        }
        self.sync_dir(to, parent(new))
    }

    /// Exchanges two names atomically. Fails with `Unsupported` on file systems that cannot do
    /// that.
    pub fn exchange(
        &self,
        from: &DirHandle,
        one: &Path,
        to: &DirHandle,
        other: &Path,
    ) -> io::Result<()> {
        self.inject_fault(DiskStep::Rename)?;
        match platform::rename_in_folders(from, one, to, other, RenameMode::Exchange) {
            Err(error) if is_unsupported(&error) => Err(io::ErrorKind::Unsupported.into()),
            moved => moved.and_then(|()| self.sync_dir(to, parent(other))),
        }
    }

    /// Removes a file durably.
    pub fn remove(&self, folder: &DirHandle, target: &Path) -> io::Result<()> {
        self.inject_fault(DiskStep::Remove)?;
        folder.remove_file(target)?;
        self.sync_dir(folder, parent(target))
    }

    /// Removes a folder and everything in it.
    pub fn remove_dir_all(&self, folder: &DirHandle, target: &Path) -> io::Result<()> {
        self.inject_fault(DiskStep::Remove)?;
        folder.remove_dir_all(target)
    }

    /// Removes a folder if it is empty. Returns whether it was.
    pub fn remove_if_empty(&self, folder: &DirHandle, target: &Path) -> io::Result<bool> {
        self.inject_fault(DiskStep::Remove)?;
        match folder.remove_dir(target) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => Ok(false),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(true),
            Err(error) => Err(error),
        }
    }

    /// Creates a folder and its parents durably.
    pub fn make_dir(&self, folder: &DirHandle, target: &Path) -> io::Result<()> {
        if target.as_os_str().is_empty() || folder.is_dir(target) {
            return Ok(());
        }
        self.make_dir(folder, parent(target))?;
        self.inject_fault(DiskStep::MakeDir)?;
        match folder.create_dir(target) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            made => made.and_then(|()| self.sync_dir(folder, parent(target))),
        }
    }

    /// Flushes a folder, so that the names in it are durable.
    pub fn sync_dir(&self, folder: &DirHandle, target: &Path) -> io::Result<()> {
        self.inject_fault(DiskStep::SyncDir)?;
        let target = if target.as_os_str().is_empty() { Path::new(".") } else { target };
        platform::sync_folder(folder, target)
    }

    /// The present time by the clock of the file system. It is found by writing a file.
    pub fn filesystem_time(&self, folder: &DirHandle, target: &Path) -> io::Result<FileTime> {
        self.inject_fault(DiskStep::Create)?;
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true);
        let mut file = open_regular_for_write_in(folder, target, &mut options)?;
        file.write_all(b"tick\n")?;
        Ok(Stat::of_confined(&file.metadata()?).mtime)
    }
}

/// Whether an error means that the file system does not support such a rename.
fn is_unsupported(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::Unsupported | io::ErrorKind::InvalidInput)
}

/// The folder of a relative path; empty for the directory handle itself.
pub(crate) fn parent(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new(""))
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use platform::is_executable;

    use super::*;

    #[test]
    fn a_program_may_be_run_from_the_moment_it_is_there() {
        let dir = tempfile::tempdir().unwrap();
        let folder = crate::open_folder(dir.path()).unwrap();
        // The process ends right after the name is there.
        let disk = DiskWriter::with_faults(|step| match step {
            DiskStep::SyncDir => Err(io::ErrorKind::Interrupted.into()),
            _ => Ok(()),
        });
        disk.replace_program(&folder, Path::new("hook"), b"#!/bin/sh\n").unwrap_err();
        let known = |name: &str| std::fs::metadata(dir.path().join(name)).unwrap();
        assert!(is_executable(&known("hook")));
        // What its owner switched off stays so.
        std::fs::write(dir.path().join("off"), "").unwrap();
        DiskWriter::default().replace_program(&folder, Path::new("off"), b"#!/bin/sh\n").unwrap();
        assert!(!is_executable(&known("off")));
    }
}
