//! Reading git's own small files. They may be damaged or planted, so reads are bounded.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use base::{Code, Problem, Result};

use crate::platform;

/// No file that git keeps for itself and that we read is larger, not even `packed-refs`.
const MOST_BYTES: u64 = 256 << 20;

/// The bytes of a regular file; `None` when there is none. A pipe or device counts as none.
pub(crate) fn read(path: &Path) -> Result<Option<Vec<u8>>> {
    if !path.is_file() {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    match File::open(path).and_then(|file| file.take(MOST_BYTES).read_to_end(&mut bytes)) {
        Ok(_) if bytes.len() as u64 == MOST_BYTES => Err(too_large(path)),
        Ok(_) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Problem::io(format!("read {}", path.display()))(error)),
    }
}

/// One line, without its end.
pub(crate) fn read_line(path: &Path) -> Result<Option<Vec<u8>>> {
    let line = |bytes: Vec<u8>| bytes.trim_ascii_end().to_vec();
    Ok(read(path)?.map(line))
}

/// A path that a file holds, relative to `folder`, with its links resolved.
///
/// `None` when nothing is there, or the file is not.
pub(crate) fn read_path(file: &Path, folder: &Path) -> Result<Option<PathBuf>> {
    let line = read_line(file)?.filter(|line| !line.is_empty());
    Ok(line.and_then(|line| folder.join(platform::path_of(line)).canonicalize().ok()))
}

fn too_large(path: &Path) -> Problem {
    let most = MOST_BYTES >> 20;
    Problem::new(Code::Unavailable, format!("{} is larger than {most} MiB", path.display()))
        .hint("git keeps small files there; look at what it is")
        .detail("limit_bytes", MOST_BYTES)
}
