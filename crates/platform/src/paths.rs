//! Paths as bytes, as addresses and in their real form.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

/// A path from bytes that git wrote.
#[cfg(unix)]
pub fn path_from_bytes(bytes: Vec<u8>) -> PathBuf {
    use std::os::unix::ffi::OsStringExt;
    OsString::from_vec(bytes).into()
}

/// A path from bytes that git wrote, which are UTF-8 there.
#[cfg(not(unix))]
pub fn path_from_bytes(bytes: Vec<u8>) -> PathBuf {
    OsString::from(String::from_utf8_lossy(&bytes).into_owned()).into()
}

/// The path of a `file:` address, decoded.
pub fn path_from_uri_bytes(mut bytes: Vec<u8>) -> PathBuf {
    // There is a slash before a drive letter.
    if cfg!(windows) && bytes.starts_with(b"/") {
        bytes.remove(0);
    }
    path_from_bytes(bytes)
}

/// The bytes of a path as a `file:` address has them, with `/` between its parts and before it.
pub fn uri_path_bytes(path: &Path) -> Vec<u8> {
    let mut bytes = path.as_os_str().as_encoded_bytes().to_vec();
    if cfg!(windows) {
        bytes = path.to_string_lossy().replace('\\', "/").into_bytes();
    }
    if !bytes.starts_with(b"/") {
        bytes.insert(0, b'/');
    }
    bytes
}

/// The real path, with all links resolved.
///
/// On Windows the system answers with a form (`\\?\C:\…`) that git and other programs do not
/// accept, so a path on a drive is returned in its usual form.
pub fn canonicalize(path: &Path) -> io::Result<PathBuf> {
    path.canonicalize().map(|real| if cfg!(windows) { usual_form(real) } else { real })
}

fn usual_form(real: PathBuf) -> PathBuf {
    let text = real.to_string_lossy();
    let on_drive = text.strip_prefix(r"\\?\").filter(|rest| rest.as_bytes().get(1) == Some(&b':'));
    // The usual form is limited to 260 characters.
    match on_drive.filter(|rest| rest.len() < 250) {
        Some(rest) => PathBuf::from(rest.to_owned()),
        None => real,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_paths_lead_to_each_other() {
        let path = if cfg!(windows) { r"C:\a b\c" } else { "/a b/c" };
        let bytes = uri_path_bytes(Path::new(path));
        assert!(bytes.starts_with(b"/") && bytes.ends_with(b"a b/c"), "{bytes:?}");
        assert_eq!(
            path_from_uri_bytes(bytes).components().count(),
            Path::new(path).components().count()
        );
    }

    #[test]
    fn only_paths_on_a_drive_get_their_usual_form() {
        let usual = |text: &str| usual_form(text.into()).to_string_lossy().into_owned();
        assert_eq!(usual(r"\\?\C:\repo"), r"C:\repo");
        assert_eq!(usual(r"\\?\UNC\server\share"), r"\\?\UNC\server\share");
        assert_eq!(usual("/repo"), "/repo");
    }
}
