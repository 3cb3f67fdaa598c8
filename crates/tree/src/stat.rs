//! Metadata of files: what the file system reports without reading them.

use platform::FileMark;
use serde::{Deserialize, Serialize};

/// A point in time, in nanoseconds since 1970, by the file system's own clock.
pub type FileTime = i64;

/// Resolution of file times in nanoseconds, which is one tick of the kernel's clock. Two writes
/// within one tick have the same time.
const CLOCK_TICK_NANOS: FileTime = 20_000_000;

/// Size, times and identity of a file, which together show whether it changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stat {
    /// Its kind
    pub kind: FileKind,
    /// Its size in bytes
    pub size: u64,
    /// When its content last changed
    pub mtime: FileTime,
    /// When its content or its name last changed
    pub ctime: FileTime,
    /// Its inode number
    pub inode: u64,
    /// Whether it is executable
    pub executable: bool,
}

/// The kinds of file system entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum FileKind {
    /// A regular file
    File,
    /// A folder
    Dir,
    /// A symbolic link
    Link,
    /// A socket, pipe or device
    Other,
}

impl Stat {
    /// Whether a file that was read at `read_at` may have changed since without showing it.
    ///
    /// As in git's index: a write in the same tick as the reading leaves no trace in the times.
    pub const fn is_racy(&self, read_at: FileTime) -> bool {
        let latest = if self.mtime > self.ctime { self.mtime } else { self.ctime };
        latest.saturating_add(CLOCK_TICK_NANOS) >= read_at
    }

    /// Whether the entry is a regular file.
    pub const fn is_file(&self) -> bool {
        matches!(self.kind, FileKind::File)
    }

    /// Whether the entry is a folder.
    pub const fn is_dir(&self) -> bool {
        matches!(self.kind, FileKind::Dir)
    }

    /// Whether the entry is a symbolic link.
    pub const fn is_link(&self) -> bool {
        matches!(self.kind, FileKind::Link)
    }

    pub(crate) fn of_confined(known: &cap_std::fs::Metadata) -> Self {
        let kind = file_kind(known.is_file(), known.is_dir(), known.is_symlink());
        Self::new(kind, known.len(), FileMark::of_confined(known))
    }

    pub(crate) fn of(known: &std::fs::Metadata) -> Self {
        let kind = file_kind(known.is_file(), known.is_dir(), known.is_symlink());
        Self::new(kind, known.len(), FileMark::of(known))
    }

    const fn new(kind: FileKind, size: u64, mark: FileMark) -> Self {
        let FileMark { mtime, ctime, inode, executable } = mark;
        Self { kind, size, mtime, ctime, inode, executable }
    }
}

const fn file_kind(file: bool, dir: bool, link: bool) -> FileKind {
    match (file, dir, link) {
        (_, _, true) => FileKind::Link,
        (true, ..) => FileKind::File,
        (_, true, _) => FileKind::Dir,
        _ => FileKind::Other,
    }
}
