//! Options for opening files.

use std::fs::OpenOptions;

/// Open flags that prevent blocking on a named pipe.
#[cfg(unix)]
fn nonblocking_flags() -> i32 {
    use rustix::fs::OFlags;
    (OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed()
}

/// Opening the file never waits, whatever is at its name.
#[cfg(unix)]
pub fn set_nonblocking(options: &mut OpenOptions) {
    std::os::unix::fs::OpenOptionsExt::custom_flags(options, nonblocking_flags());
}

/// Windows has no pipes among files.
#[cfg(not(unix))]
pub fn set_nonblocking(_: &mut OpenOptions) {}

/// The same for a file below an open folder.
#[cfg(unix)]
pub fn set_nonblocking_in(options: &mut cap_std::fs::OpenOptions) {
    cap_std::fs::OpenOptionsExt::custom_flags(options, nonblocking_flags());
}

/// The same for a file below an open folder.
#[cfg(not(unix))]
pub fn set_nonblocking_in(_: &mut cap_std::fs::OpenOptions) {}

/// A file that is created can be read by its owner only.
#[cfg(unix)]
pub fn set_owner_only(options: &mut OpenOptions) {
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
}

/// On Windows a file has the access rights of its folder; a user's own folders are private.
#[cfg(not(unix))]
pub fn set_owner_only(_: &mut OpenOptions) {}
