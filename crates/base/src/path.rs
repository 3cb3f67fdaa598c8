//! Paths in the repository: bytes, as git stores them.

use std::ffi::OsStr;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::percent;

/// A path below the repository's root, with `/` between its parts.
///
/// It may hold any bytes a file name can hold. Its text form percent-encodes `%`, `#`, control
/// and invalid bytes, so that every path has one printable name.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub struct RepoPath(Vec<u8>);

/// Why a text or some bytes are not a path in the repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InvalidPath {
    /// It has an empty, `.` or `..` part, a NUL, or starts at the file system's root
    NotNormalized,
    /// It is in a folder that is private to git or cairn
    Private,
    /// A `%` that is not followed by two hex digits
    InvalidEscape,
}

impl fmt::Display for InvalidPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotNormalized => "not a plain path below the repository's root",
            Self::Private => "a path that git or cairn keeps for itself",
            Self::InvalidEscape => "a `%` without two hex digits",
        })
    }
}

impl RepoPath {
    /// The repository's root, written `.`.
    pub const ROOT: Self = Self(Vec::new());

    /// A path from the bytes that git or the file system gave.
    pub fn from_bytes(bytes: impl Into<Vec<u8>>) -> Result<Self, InvalidPath> {
        let bytes = bytes.into();
        if bytes.is_empty() {
            return Ok(Self::ROOT);
        }
        let plain = |part: &[u8]| !matches!(part, b"" | b"." | b"..") && !part.contains(&0);
        if !bytes.split(|byte| *byte == b'/').all(plain) {
            return Err(InvalidPath::NotNormalized);
        }
        if is_private(&bytes) {
            return Err(InvalidPath::Private);
        }
        Ok(Self(bytes))
    }

    /// A path from a file system path that is already relative to the root.
    pub fn from_relative(path: &Path) -> Result<Self, InvalidPath> {
        Self::from_bytes(path_bytes(path).into_owned())
    }

    /// A path that a person typed, normalised: without `./`, `..`, doubled and trailing slashes.
    ///
    /// `None` when it climbs above the root.
    pub fn normalised(text: &str) -> Option<Result<Self, InvalidPath>> {
        let mut bytes = Vec::with_capacity(text.len());
        let mut starts = Vec::new();
        for part in text.split('/') {
            match part {
                "" | "." => {}
                ".." => bytes.truncate(starts.pop()?),
                part => {
                    starts.push(bytes.len());
                    if !bytes.is_empty() {
                        bytes.push(b'/');
                    }
                    match percent::decode(part) {
                        Some(part) => bytes.extend_from_slice(&part),
                        None => return Some(Err(InvalidPath::InvalidEscape)),
                    }
                }
            }
        }
        Some(Self::from_bytes(bytes))
    }

    /// The bytes, as git stores them.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The path for the file system, relative to the root.
    pub fn to_relative(&self) -> PathBuf {
        if self.is_root() { PathBuf::from(".") } else { path_from_bytes(&self.0) }
    }

    /// Whether this is the root itself.
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// The folder that contains it; `None` for the root.
    pub fn parent(&self) -> Option<Self> {
        if self.is_root() {
            return None;
        }
        let cut = self.0.iter().rposition(|byte| *byte == b'/').unwrap_or(0);
        Some(Self(self.0[..cut].to_vec()))
    }

    /// The last part, printable.
    pub fn name(&self) -> String {
        if self.is_root() { ".".into() } else { encode(self.name_bytes()) }
    }

    /// The bytes of the last part; `None` for the root.
    pub fn name_bytes(&self) -> &[u8] {
        let start = self.0.iter().rposition(|byte| *byte == b'/').map_or(0, |slash| slash + 1);
        &self.0[start..]
    }

    /// The text after the last dot of the name, unless the name starts with that dot.
    pub fn extension(&self) -> Option<String> {
        let name = self.name();
        let (stem, extension) = name.rsplit_once('.')?;
        (!stem.is_empty()).then(|| extension.to_owned())
    }

    /// The path of something in this folder.
    #[must_use]
    pub fn join(&self, relative: &Self) -> Self {
        match (self.is_root(), relative.is_root()) {
            (true, _) => relative.clone(),
            (_, true) => self.clone(),
            _ => Self([self.as_bytes(), relative.as_bytes()].join(&b'/')),
        }
    }

    /// Whether it is `folder` or below it.
    pub fn is_at_or_below(&self, folder: &Self) -> bool {
        folder.is_root()
            || self == folder
            || (self.0.starts_with(&folder.0) && self.0.get(folder.0.len()) == Some(&b'/'))
    }

    /// How many parts it has.
    pub fn depth(&self) -> usize {
        if self.is_root() { 0 } else { self.0.split(|byte| *byte == b'/').count() }
    }
}

/// Folders that belong to git and to cairn itself, never to the project.
fn is_private(bytes: &[u8]) -> bool {
    let mut parts = bytes.split(|byte| *byte == b'/');
    let is = |part: &[u8], name: &str| part.eq_ignore_ascii_case(name.as_bytes());
    if parts.clone().any(|part| is(part, ".git")) {
        return true;
    }
    parts.next().is_some_and(|part| is(part, ".cairn"))
        && parts.next().is_some_and(|part| is(part, "cache") || is(part, "local"))
}

impl fmt::Display for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_root() { f.write_str(".") } else { f.write_str(&encode(&self.0)) }
    }
}

impl fmt::Debug for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RepoPath({self})")
    }
}

impl FromStr for RepoPath {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "." {
            return Ok(Self::ROOT);
        }
        let refused = |error: InvalidPath| format!("`{}` is {error}", text.escape_debug());
        if text.is_empty() {
            return Err(refused(InvalidPath::NotNormalized));
        }
        let bytes = percent::decode(text).ok_or(InvalidPath::InvalidEscape).map_err(refused)?;
        Self::from_bytes(bytes.into_owned()).map_err(refused)
    }
}

impl TryFrom<String> for RepoPath {
    type Error = String;
    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<RepoPath> for String {
    fn from(path: RepoPath) -> String {
        path.to_string()
    }
}

/// The text form: `%`, `#`, control characters and bytes that are not UTF-8 are percent-encoded.
fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            if matches!(c, '%' | '#') || c.is_control() {
                let mut buffer = [0; 4];
                text.extend(c.encode_utf8(&mut buffer).bytes().map(percent::encode_byte));
            } else {
                text.push(c);
            }
        }
        text.extend(chunk.invalid().iter().map(|byte| percent::encode_byte(*byte)));
    }
    text
}

#[cfg(unix)]
fn path_bytes(path: &Path) -> std::borrow::Cow<'_, [u8]> {
    use std::os::unix::ffi::OsStrExt;
    path.as_os_str().as_bytes().into()
}

#[cfg(unix)]
fn path_from_bytes(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    PathBuf::from(OsStr::from_bytes(bytes))
}

#[cfg(not(unix))]
fn path_bytes(path: &Path) -> std::borrow::Cow<'_, [u8]> {
    path.to_string_lossy().replace('\\', "/").into_bytes().into()
}

#[cfg(not(unix))]
fn path_from_bytes(bytes: &[u8]) -> PathBuf {
    PathBuf::from(OsStr::new(&*String::from_utf8_lossy(bytes)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn paths_that_leave_the_project_are_refused() {
        for text in ["", "/etc", "a//b", "a/./b", "../a", "a/..", ".git/config", "a/.GIT/x"] {
            assert!(text.parse::<RepoPath>().is_err(), "{text}");
        }
        for text in [".cairn/cache/x", ".cairn/local", "a%2", "a%zz", "%2e%2e/x", "a%00b"] {
            assert!(text.parse::<RepoPath>().is_err(), "{text}");
        }
        assert!(".cairn/cards/a.card.md".parse::<RepoPath>().is_ok());
    }

    #[test]
    fn what_people_type_is_understood() {
        let normal = |text| RepoPath::normalised(text).map(|path| path.unwrap().to_string());
        assert_eq!(normal("./src//a/../b.rs"), Some("src/b.rs".into()));
        assert_eq!(normal("src/"), Some("src".into()));
        assert_eq!(normal("."), Some(".".into()));
        assert_eq!(normal("../a"), None);
    }

    #[test]
    fn odd_bytes_have_one_printable_name() {
        let path = RepoPath::from_bytes(b"a b/\xff#%\n.md".to_vec()).unwrap();
        assert_eq!(path.to_string(), "a b/%FF%23%25%0A.md");
        assert_eq!(path.to_string().parse(), Ok(path));
    }

    #[test]
    fn folders_hold_what_is_below_them() {
        let path = |text: &str| text.parse::<RepoPath>().unwrap();
        assert!(path("src/a.rs").is_at_or_below(&path("src")));
        assert!(!path("srcs/a.rs").is_at_or_below(&path("src")));
        assert_eq!(path("src/a.rs").parent(), Some(path("src")));
        assert_eq!(path("a.rs").parent(), Some(RepoPath::ROOT));
        assert_eq!(RepoPath::ROOT.parent(), None);
        assert_eq!(
            (path("src/a.d.ts").extension(), path(".env").extension()),
            (Some("ts".into()), None)
        );
    }

    proptest! {
        #[test]
        fn every_path_reads_back(bytes in prop::collection::vec(any::<u8>(), 1..40)) {
            if let Ok(path) = RepoPath::from_bytes(bytes) {
                prop_assert_eq!(path.to_string().parse::<RepoPath>(), Ok(path));
            }
        }
    }
}
