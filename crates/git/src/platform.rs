//! What differs between operating systems. Only Linux is tested.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// A file that is always empty.
pub(crate) const NULL_DEVICE: &str = if cfg!(windows) { "NUL" } else { "/dev/null" };

/// The name of git's program file.
pub(crate) const GIT: &str = if cfg!(windows) { "git.exe" } else { "git" };

/// The file system that holds `path`; repositories do not reach across.
#[cfg(unix)]
pub(crate) fn device(path: &Path) -> Option<u64> {
    use std::os::unix::fs::MetadataExt;
    path.metadata().ok().map(|metadata| metadata.dev())
}

#[cfg(not(unix))]
pub(crate) fn device(_path: &Path) -> Option<u64> {
    None
}

/// A path from the bytes that git wrote.
#[cfg(unix)]
pub(crate) fn path_from_bytes(bytes: Vec<u8>) -> PathBuf {
    use std::os::unix::ffi::OsStringExt;
    OsString::from_vec(bytes).into()
}

#[cfg(not(unix))]
pub(crate) fn path_from_bytes(bytes: Vec<u8>) -> PathBuf {
    OsString::from(String::from_utf8_lossy(&bytes).into_owned()).into()
}
