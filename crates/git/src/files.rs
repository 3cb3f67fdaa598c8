//! Reading git's own small files. They may be damaged or planted, so only regular files are
//! opened, and reads are bounded.

use std::io;
use std::path::{Path, PathBuf};

use base::{Problem, ProblemCode, Result};

use crate::RepoLayout;
use crate::host::GitHost;

/// Maximum size of git's own files that are read, in bytes. Even `packed-refs` is smaller.
const MAX_FILE_BYTES: u64 = 256 << 20;

/// The bytes of a regular file; `None` if it does not exist. A pipe or device is an error.
pub(crate) fn read(path: &Path) -> Result<Option<Vec<u8>>> {
    match tree::read_regular(path, MAX_FILE_BYTES) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if is_absent(&error) => Ok(None),
        Err(error) if error.kind() == io::ErrorKind::FileTooLarge => Err(too_large(path)),
        Err(error) => Err(Problem::io(format!("read {}", path.display()))(error)),
    }
}

/// Whether an error means that the file does not exist. A folder counts as absent: if branch `a/b`
/// exists, branch `a` does not.
fn is_absent(error: &io::Error) -> bool {
    let kinds =
        [io::ErrorKind::NotFound, io::ErrorKind::NotADirectory, io::ErrorKind::IsADirectory];
    kinds.contains(&error.kind())
}

/// Reads a file of one line, without the line end.
pub(crate) fn read_line(path: &Path) -> Result<Option<Vec<u8>>> {
    let line = |bytes: Vec<u8>| bytes.trim_ascii_end().to_vec();
    Ok(read(path)?.map(line))
}

/// Reads a path from a file, relative to `folder`, with its links resolved.
///
/// `None` if the path or the file does not exist.
pub(crate) fn read_path(file: &Path, folder: &Path) -> Result<Option<PathBuf>> {
    let line = read_line(file)?.filter(|line| !line.is_empty());
    Ok(line.and_then(|line| {
        platform::canonicalize(&folder.join(platform::path_from_bytes(line))).ok()
    }))
}

/// Files in the folder of one worktree that git opens in almost every call.
const WORKTREE_FILES: [&str; 5] =
    ["HEAD", "index", "commondir", "config.worktree", "info/sparse-checkout"];

/// Files in the shared folder that git opens in almost every call.
const COMMON_FILES: [&str; 8] = [
    "config",
    "packed-refs",
    "shallow",
    "info/exclude",
    "info/attributes",
    "info/grafts",
    "objects/info/alternates",
    "objects/info/commit-graph",
];

/// Fails if git would wait forever: it opens its files without checking what they are.
///
/// These are the files of almost every call. Git opens many others, such as each reference and each
/// object; those are looked at when it is silent ([`find_blocking_file`]).
pub(crate) fn check_before_git(layout: &RepoLayout) -> Result<()> {
    let own = WORKTREE_FILES.iter().map(|name| layout.git_dir.join(name));
    let shared = COMMON_FILES.iter().map(|name| layout.common_dir.join(name));
    require_none_blocks(own.chain(shared))
}

/// The same for the user's own settings, which every call of git opens.
pub(crate) fn check_settings(host: &GitHost) -> Result<()> {
    require_none_blocks(host.settings_files().into_iter())
}

fn require_none_blocks(mut files: impl Iterator<Item = PathBuf>) -> Result<()> {
    match files.find(|path| would_block(path)) {
        None => Ok(()),
        Some(path) => Err(Problem::new(
            ProblemCode::Io,
            format!("git was not started: {} is not a regular file", path.display()),
        )
        .hint("remove or replace it: git would wait for it forever")),
    }
}

/// A file below a folder of git whose opening or reading may block: a pipe, a device, a socket, or
/// a link to one. Links to folders are not followed.
pub(crate) fn find_blocking_file(git_dir: &Path) -> Option<PathBuf> {
    let mut folders = vec![git_dir.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            match entry.file_type() {
                Ok(kind) if kind.is_file() => {}
                Ok(kind) if kind.is_dir() => folders.push(entry.path()),
                _ if would_block(&entry.path()) => return Some(entry.path()),
                _ => {}
            }
        }
    }
    None
}

/// Whether something is there that is neither a file nor a folder. The null device is as good as an
/// empty file, and people put it in place of their settings.
fn would_block(path: &Path) -> bool {
    let is_other = |known: std::fs::Metadata| !known.is_file() && !known.is_dir();
    path.metadata().is_ok_and(is_other)
        && platform::canonicalize(path).is_ok_and(|path| path != Path::new(platform::NULL_DEVICE))
}

fn too_large(path: &Path) -> Problem {
    let most = MAX_FILE_BYTES >> 20;
    Problem::new(ProblemCode::Unavailable, format!("{} is larger than {most} MiB", path.display()))
        .hint("this git file is normally small; check it")
        .detail("limit_bytes", MAX_FILE_BYTES)
}
