//! Opening files that must be regular files.
//!
//! A pipe, a socket or a device can be put at any path that is read. Opening a pipe waits for
//! whoever holds its other end, possibly forever, so nothing is opened in a way that can wait,
//! and what was opened is looked at before it is read. Reads are bounded by a size that the
//! caller chooses.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use cap_std::fs::OpenOptions;

use crate::disk::DirHandle;

/// Opens a regular file for reading. Links are followed; anything else is refused at once.
pub fn open_regular(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.read(true);
    platform::set_nonblocking(&mut options);
    ensure_regular(options.open(path)?)
}

/// Reads a regular file of at most `limit` bytes; a larger one is `FileTooLarge`.
pub fn read_regular(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    read_at_most(open_regular(path)?, limit)
}

/// Opens a regular file below a folder for reading. No link leads out of that folder.
pub fn open_regular_in(folder: &DirHandle, path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    platform::set_nonblocking_in(&mut options);
    ensure_regular(folder.open_with(path, &options)?.into_std())
}

/// Reads a regular file below a folder; a larger one than `limit` bytes is `FileTooLarge`.
pub fn read_regular_in(folder: &DirHandle, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    read_at_most(open_regular_in(folder, path)?, limit)
}

/// Opens a regular file for writing with these options, which decide whether it is made. A link
/// at its name is refused.
pub fn open_regular_for_write(path: &Path, options: &mut std::fs::OpenOptions) -> io::Result<File> {
    require_regular(path)?;
    platform::set_nonblocking(options);
    ensure_regular(options.open(path)?)
}

/// Fails if there is anything but a regular file at a path, such as a link. It is fine if nothing
/// is there.
///
/// For files that a library opens by name. Somebody who swaps the file between this check and the
/// open needs write access, and achieves only that the open waits.
pub fn require_regular(path: &Path) -> io::Result<()> {
    match path.symlink_metadata() {
        Ok(known) if known.is_file() => Ok(()),
        Ok(_) => Err(not_regular()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

/// Opens a file for writing below a folder, made or emptied as `options` say.
pub(crate) fn open_regular_for_write_in(
    folder: &DirHandle,
    path: &Path,
    options: &mut OpenOptions,
) -> io::Result<cap_std::fs::File> {
    platform::set_nonblocking_in(options);
    let file = folder.open_with(path, options).map_err(|error| match folder.metadata(path) {
        // A pipe without a reader is "no such device", which helps nobody.
        Ok(known) if !known.is_file() && !known.is_dir() => not_regular(),
        _ => error,
    })?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(not_regular()) }
}

fn ensure_regular(file: File) -> io::Result<File> {
    let known = file.metadata()?;
    if known.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if known.is_file() { Ok(file) } else { Err(not_regular()) }
}

pub(crate) fn read_at_most(file: File, limit: u64) -> io::Result<Vec<u8>> {
    let length = file.metadata()?.len();
    if length > limit {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or_default());
    // The file may grow while it is read; what is beyond the limit is never taken in.
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    Ok(bytes)
}

pub(crate) fn not_regular() -> io::Error {
    io::Error::other("it is not a regular file")
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn only_regular_files_of_the_right_size_are_read() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        fs::write(at("file"), "12345").unwrap();
        fs::create_dir(at("folder")).unwrap();
        std::os::unix::fs::symlink("file", at("link")).unwrap();
        std::os::unix::fs::symlink("pipe", at("pipe link")).unwrap();
        make_pipe(&at("pipe"));
        let _socket = std::os::unix::net::UnixListener::bind(at("socket")).unwrap();
        assert_eq!(read_regular(&at("file"), 5).unwrap(), b"12345");
        assert_eq!(read_regular(&at("link"), 5).unwrap(), b"12345");
        let kind = |name: &str| read_regular(&at(name), 4).unwrap_err().kind();
        assert_eq!(kind("file"), io::ErrorKind::FileTooLarge);
        assert_eq!(kind("folder"), io::ErrorKind::IsADirectory);
        assert_eq!(kind("nothing"), io::ErrorKind::NotFound);
        for name in ["pipe", "socket", "pipe link"] {
            read_regular(&at(name), 4).unwrap_err();
            require_regular(&at(name)).unwrap_err();
            let mut options = File::options();
            open_regular_for_write(&at(name), options.write(true).create(true)).unwrap_err();
        }
        let folder = crate::open_folder(dir.path()).unwrap();
        assert_eq!(read_regular_in(&folder, Path::new("link"), 9).unwrap(), b"12345");
        read_regular_in(&folder, Path::new("pipe"), 9).unwrap_err();
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true);
        open_regular_for_write_in(&folder, Path::new("pipe"), &mut options).unwrap_err();
        open_regular_for_write_in(&folder, Path::new("new"), &mut options).unwrap();
        require_regular(&at("link")).unwrap_err();
        require_regular(&at("nothing")).unwrap();
        require_regular(&at("new")).unwrap();
    }

    fn make_pipe(path: &Path) {
        let mode = rustix::fs::Mode::from_raw_mode(0o600);
        let made = rustix::fs::mknodat(rustix::fs::CWD, path, rustix::fs::FileType::Fifo, mode, 0);
        made.expect("a pipe can be made in a folder of the test");
    }
}
