//! The version of the files that cairn wrote into the repository: `.cairn/schema/version`.

use base::{Problem, ProblemCode, RepoPath, Result};
use tree::WorkingTree;

/// The file of the version.
pub const FILE: &str = ".cairn/schema/version";

/// The maximum size of the file, in bytes.
const MAX_FILE_BYTES: u64 = 1024;

/// The content of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LayoutVersion {
    /// The file is missing: cairn is not set up here
    Missing,
    /// A version that this cairn knows
    Supported(u32),
    /// A version that only a newer cairn knows
    Newer(u32),
    /// The content is not a version
    Unreadable,
}

impl LayoutVersion {
    /// Reads the file.
    pub fn of(tree: &WorkingTree) -> Result<Self> {
        let path: RepoPath = FILE.parse().expect("the name is plain");
        let Some(read) = tree.read_at_most(&path, MAX_FILE_BYTES)? else {
            return Ok(Self::Missing);
        };
        let Ok(blob) = read else { return Ok(Self::Unreadable) };
        let text = String::from_utf8_lossy(&blob.bytes).trim().to_owned();
        Ok(match text.parse::<u32>() {
            Ok(found) if found > setup::FORMAT_VERSION => Self::Newer(found),
            Ok(found) => Self::Supported(found),
            Err(_) => Self::Unreadable,
        })
    }
}

/// Refuses to write where a newer cairn has written: this one would not understand it.
pub fn refuse_newer(tree: &WorkingTree) -> Result<()> {
    match LayoutVersion::of(tree)? {
        LayoutVersion::Newer(found) => {
            let known = setup::FORMAT_VERSION;
            let message = format!("{FILE} has layout {found}; this cairn supports up to {known}");
            Err(Problem::new(ProblemCode::InvalidOperation, message)
                .detail("found", found)
                .detail("known", known)
                .hint("nothing was written; update cairn. Reading still works"))
        }
        _ => Ok(()),
    }
}
