//! Where the background process of a working tree listens: a socket in a folder that only its user can open.

use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use crate::cli::env_var;

/// The paths of one working tree's background process.
pub(super) struct BackgroundPaths {
    /// The socket
    pub socket: PathBuf,
    /// The lock that one process holds while it listens
    pub lock: PathBuf,
    /// The file whose existence switches it off for this working tree
    pub off: PathBuf,
}

impl BackgroundPaths {
    /// The paths for a root. The folder is created if it is missing, and refused if it belongs to another user or
    /// others can open it.
    pub(super) fn of(root: &Path, data: &Path) -> io::Result<Self> {
        let folder = private_folder()?;
        let name = blake3::hash(root.as_os_str().as_encoded_bytes()).to_hex()[..24].to_owned();
        Ok(Self {
            socket: folder.join(format!("{name}.sock")),
            lock: folder.join(format!("{name}.lock")),
            off: data.join("background-off"),
        })
    }
}

/// The folder for sockets: short, because the path of a socket has at most 100 bytes or so.
fn private_folder() -> io::Result<PathBuf> {
    let user = rustix::process::geteuid().as_raw();
    let runtime = env_var("XDG_RUNTIME_DIR").map(PathBuf::from).filter(|path| path.is_absolute());
    let folder = match runtime {
        Some(runtime) => runtime.join("cairn"),
        None => std::env::temp_dir().join(format!("cairn-{user}")),
    };
    match std::fs::DirBuilder::new().mode(0o700).create(&folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    let known = folder.symlink_metadata()?;
    let is_closed_to_others = (known.permissions().mode() & 0o077).count_ones() == 0;
    let is_private = known.is_dir() && known.uid() == user && is_closed_to_others;
    if is_private { Ok(folder) } else { Err(io::ErrorKind::PermissionDenied.into()) }
}
