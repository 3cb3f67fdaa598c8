//! What only the operating system knows about a file: its identity, when it changed, and who may
//! use it.

use std::fs::Metadata;
use std::path::Path;
use std::time::SystemTime;

use cap_std::fs::Dir;

/// Enough to tell that a file did not change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileMark {
    /// When its content last changed, in nanoseconds since 1970
    pub mtime: i64,
    /// When its content or its name last changed; on Windows the time of its content
    pub ctime: i64,
    /// The inode number; 0 on Windows, where it is only available for an open file
    pub inode: u64,
    /// Whether it may be run; never on Windows, where git has no such mode
    pub executable: bool,
}

/// The metadata of `std` and of `cap_std` have the same methods, but by different traits.
#[cfg(unix)]
macro_rules! mark_of {
    ($known:expr) => {
        FileMark {
            mtime: nanoseconds($known.mtime(), $known.mtime_nsec()),
            ctime: nanoseconds($known.ctime(), $known.ctime_nsec()),
            inode: $known.ino(),
            executable: $known.mode() & 0o111 != 0,
        }
    };
}

#[cfg(unix)]
const fn nanoseconds(seconds: i64, nanoseconds: i64) -> i64 {
    seconds.saturating_mul(1_000_000_000).saturating_add(nanoseconds)
}

impl FileMark {
    /// The mark of a file that was found by its name.
    #[cfg(unix)]
    pub fn of(known: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        mark_of!(known)
    }

    /// The mark of a file below an open folder.
    #[cfg(unix)]
    pub fn of_confined(known: &cap_std::fs::Metadata) -> Self {
        use cap_std::fs::MetadataExt;
        mark_of!(known)
    }

    /// The mark of a file that was found by its name.
    #[cfg(not(unix))]
    pub fn of(known: &Metadata) -> Self {
        Self::at(known.modified().ok())
    }

    /// The mark of a file below an open folder.
    #[cfg(not(unix))]
    pub fn of_confined(known: &cap_std::fs::Metadata) -> Self {
        Self::at(known.modified().ok().map(cap_std::time::SystemTime::into_std))
    }

    #[cfg_attr(unix, expect(dead_code, reason = "for systems that report only this time"))]
    fn at(modified: Option<SystemTime>) -> Self {
        let since = modified.and_then(|time| time.duration_since(SystemTime::UNIX_EPOCH).ok());
        let time = since.map_or(0, |since| i64::try_from(since.as_nanos()).unwrap_or(i64::MAX));
        Self { mtime: time, ctime: time, inode: 0, executable: false }
    }
}

/// Text that differs if a file changed, as far as the system reports it.
pub fn change_fingerprint(known: &Metadata) -> String {
    let mark = FileMark::of(known);
    let (seconds, nanos) =
        (mark.ctime.div_euclid(1_000_000_000), mark.ctime.rem_euclid(1_000_000_000));
    format!("{}@{:?}/{seconds}.{nanos}/{}", known.len(), known.modified().ok(), mark.inode)
}

/// The number of the disk and the number of the file on it.
#[cfg(unix)]
pub fn device_and_inode(known: &Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt;
    (known.dev(), known.ino())
}

/// Zeros: on Windows a file is known by its path only.
#[cfg(not(unix))]
pub fn device_and_inode(_: &Metadata) -> (u64, u64) {
    (0, 0)
}

/// The number of the file system that holds `path`. A repository is in one file system.
pub fn device(path: &Path) -> Option<u64> {
    let known = path.metadata().ok()?;
    Some(device_and_inode(&known).0)
}

/// Whether the folder at a path is the one that was opened.
#[cfg(unix)]
pub fn is_same_folder(opened: &Dir, path: &Path) -> bool {
    use cap_std::fs::MetadataExt;
    let opened = opened.dir_metadata().map(|known| (known.dev(), known.ino()));
    let there = path.metadata().map(|known| device_and_inode(&known));
    matches!((opened, there), (Ok(opened), Ok(there)) if opened == there)
}

/// Whether the folder at a path is the one that was opened.
#[cfg(not(unix))]
pub fn is_same_folder(opened: &Dir, path: &Path) -> bool {
    let opened = opened.try_clone().map(Dir::into_std_file);
    let there = Dir::open_ambient_dir(path, cap_std::ambient_authority()).map(Dir::into_std_file);
    let (Ok(opened), Ok(there)) = (opened, there) else { return false };
    let identity = |file: &std::fs::File| {
        let known = winapi_util::file::information(file).ok()?;
        Some((known.volume_serial_number(), known.file_index()))
    };
    identity(&opened).is_some_and(|opened| Some(opened) == identity(&there))
}

/// Whether a file below an open folder has other names too.
#[cfg(unix)]
pub fn has_other_names(known: &cap_std::fs::Metadata) -> bool {
    cap_std::fs::MetadataExt::nlink(known) > 1
}

/// Not known on Windows unless the file is opened, which would cost too much for every file.
#[cfg(not(unix))]
pub fn has_other_names(_: &cap_std::fs::Metadata) -> bool {
    false
}

/// Whether a file has other names too.
#[cfg(unix)]
pub fn has_hard_links(path: &Path) -> bool {
    let known = path.symlink_metadata();
    known.is_ok_and(|known| std::os::unix::fs::MetadataExt::nlink(&known) > 1)
}

/// Whether a file has other names too.
#[cfg(not(unix))]
pub fn has_hard_links(path: &Path) -> bool {
    let Ok(file) = std::fs::File::open(path) else { return false };
    winapi_util::file::information(&file).is_ok_and(|known| known.number_of_links() > 1)
}

/// Whether anybody may run a file.
#[cfg(unix)]
pub fn is_executable(known: &Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    known.permissions().mode() & 0o111 != 0
}

/// On Windows the name alone decides.
#[cfg(not(unix))]
pub fn is_executable(_: &Metadata) -> bool {
    true
}

/// Whether it is a pipe with a name.
#[cfg(unix)]
pub fn is_pipe(known: &Metadata) -> bool {
    std::os::unix::fs::FileTypeExt::is_fifo(&known.file_type())
}

/// Windows has no pipes among files.
#[cfg(not(unix))]
pub fn is_pipe(_: &Metadata) -> bool {
    false
}

/// Why a file is not private to the current user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UserAccess {
    /// They can use it; these are its access bits
    OthersCan(u32),
    /// It belongs to one of them
    OwnedByAnother,
}

/// What other users can do with a file that is meant to be private; `None` if nothing.
#[cfg(unix)]
pub fn foreign_access(known: &Metadata) -> Option<UserAccess> {
    use std::os::unix::fs::MetadataExt;
    if known.mode() & 0o077 != 0 {
        return Some(UserAccess::OthersCan(known.mode() & 0o777));
    }
    let is_ours = known.uid() == rustix::process::geteuid().as_raw();
    (!is_ours).then_some(UserAccess::OwnedByAnother)
}

/// Not known on Windows, where a user's own folders are private.
#[cfg(not(unix))]
pub fn foreign_access(_: &Metadata) -> Option<UserAccess> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_file_has_another_mark() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("file");
        std::fs::write(&path, "1").unwrap();
        let (before, text) = {
            let known = path.metadata().unwrap();
            (FileMark::of(&known), change_fingerprint(&known))
        };
        let file = std::fs::File::options().write(true).open(&path).unwrap();
        file.set_modified(SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(7)).unwrap();
        let after = path.metadata().unwrap();
        assert_eq!(FileMark::of(&after).mtime, 7_000_000_000);
        assert_ne!(FileMark::of(&after), before);
        assert_ne!(change_fingerprint(&after), text);
    }

    #[test]
    fn folders_and_names_are_told_apart() {
        let temp = tempfile::tempdir().unwrap();
        let (one, two) = (temp.path().join("one"), temp.path().join("two"));
        std::fs::create_dir(&one).unwrap();
        std::fs::create_dir(&two).unwrap();
        let opened = Dir::open_ambient_dir(&one, cap_std::ambient_authority()).unwrap();
        assert!(is_same_folder(&opened, &one));
        assert!(!is_same_folder(&opened, &two));
        let file = one.join("file");
        std::fs::write(&file, "").unwrap();
        assert!(!has_hard_links(&file));
        std::fs::hard_link(&file, two.join("other")).unwrap();
        assert!(has_hard_links(&file));
    }
}
