//! Operations below an open folder handle, so that no symbolic link can escape it.

use std::io;
use std::path::Path;

use cap_std::fs::Dir;

/// What a rename does with a file that already has the new name.
#[derive(Debug, Clone, Copy)]
pub enum RenameMode {
    /// Fail
    NoReplace,
    /// Exchange the two names
    Exchange,
}

/// A rename that plain `rename` cannot do. The names are resolved in folders that are opened
/// beneath the handles, so that no link leads out.
#[cfg(any(target_os = "linux", target_os = "macos"))]
pub fn rename_in_folders(
    from: &Dir,
    old: &Path,
    to: &Dir,
    new: &Path,
    renaming: RenameMode,
) -> io::Result<()> {
    use rustix::fs::{RenameFlags, renameat_with};
    let flags = match renaming {
        RenameMode::NoReplace => RenameFlags::NOREPLACE,
        RenameMode::Exchange => RenameFlags::EXCHANGE,
    };
    let holder = |folder: &Dir, path: &Path| match path.parent() {
        Some(above) if !above.as_os_str().is_empty() => folder.open_dir(above),
        _ => folder.try_clone(),
    };
    let name = |path: &Path| path.file_name().unwrap_or_default().to_owned();
    let (from, to) = (holder(from, old)?, holder(to, new)?);
    Ok(renameat_with(&from, name(old), &to, name(new), flags)?)
}

/// Always fails with `Unsupported`, so that the caller takes another way.
#[cfg(not(any(target_os = "linux", target_os = "macos")))]
pub fn rename_in_folders(_: &Dir, _: &Path, _: &Dir, _: &Path, _: RenameMode) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Opens a folder by one name; a link is not followed.
#[cfg(unix)]
pub fn open_folder_no_follow(folder: &Dir, name: &Path) -> io::Result<Dir> {
    use rustix::fs::OFlags;
    let mut options = cap_std::fs::OpenOptions::new();
    options.read(true);
    let flags = (OFlags::DIRECTORY | OFlags::NOFOLLOW).bits().cast_signed();
    cap_std::fs::OpenOptionsExt::custom_flags(&mut options, flags);
    Ok(Dir::from_std_file(folder.open_with(name, &options)?.into_std()))
}

/// Opens a folder by one name. A link is refused; one that is put there between the check and the
/// opening can lead to another folder below the handle, but not out of it.
#[cfg(not(unix))]
pub fn open_folder_no_follow(folder: &Dir, name: &Path) -> io::Result<Dir> {
    if !folder.symlink_metadata(name)?.is_dir() {
        return Err(io::ErrorKind::NotADirectory.into());
    }
    folder.open_dir(name)
}

/// Makes the names in a folder durable.
#[cfg(unix)]
pub fn sync_folder(folder: &Dir, path: &Path) -> io::Result<()> {
    let mut options = cap_std::fs::OpenOptions::new();
    options.read(true);
    let flags = rustix::fs::OFlags::DIRECTORY.bits().cast_signed();
    cap_std::fs::OpenOptionsExt::custom_flags(&mut options, flags);
    folder.open_with(path, &options)?.sync_all()
}

/// Windows cannot flush a folder; its file systems journal names by themselves.
#[cfg(not(unix))]
pub fn sync_folder(folder: &Dir, path: &Path) -> io::Result<()> {
    folder.metadata(path).map(|_| ())
}

/// Lets everybody who may read a file run it.
#[cfg(unix)]
pub fn make_executable(folder: &Dir, name: &Path) -> io::Result<()> {
    use cap_std::fs::{MetadataExt, Permissions, PermissionsExt};
    let mode = folder.metadata(name)?.mode();
    let readers = mode & 0o444;
    folder.set_permissions(name, Permissions::from_mode(mode | (readers >> 2)))
}

/// On Windows every file that has the right name can be run.
#[cfg(not(unix))]
pub fn make_executable(_: &Dir, _: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(path: &Path) -> Dir {
        Dir::open_ambient_dir(path, cap_std::ambient_authority()).unwrap()
    }

    #[test]
    fn a_folder_is_opened_and_a_file_is_not() {
        let temp = tempfile::tempdir().unwrap();
        std::fs::create_dir(temp.path().join("folder")).unwrap();
        std::fs::write(temp.path().join("file"), "").unwrap();
        let folder = open(temp.path());
        assert!(open_folder_no_follow(&folder, Path::new("folder")).is_ok());
        assert!(open_folder_no_follow(&folder, Path::new("file")).is_err());
        let missing = open_folder_no_follow(&folder, Path::new("missing")).unwrap_err();
        assert_eq!(missing.kind(), io::ErrorKind::NotFound);
        sync_folder(&folder, Path::new("folder")).unwrap();
    }

    #[test]
    fn a_name_that_is_taken_stays() {
        let temp = tempfile::tempdir().unwrap();
        for name in ["one", "two"] {
            std::fs::write(temp.path().join(name), name).unwrap();
        }
        let folder = open(temp.path());
        let (one, two) = (Path::new("one"), Path::new("two"));
        let moved = rename_in_folders(&folder, one, &folder, two, RenameMode::NoReplace);
        let kind = moved.unwrap_err().kind();
        assert!([io::ErrorKind::AlreadyExists, io::ErrorKind::Unsupported].contains(&kind));
        assert_eq!(std::fs::read(temp.path().join("two")).unwrap(), b"two");
    }
}
