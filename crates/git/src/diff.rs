//! The difference between two commits.

use base::entity::CommitId;
use base::{Call, RepoPath, Result};

use crate::failure;
use crate::listing::{Listing, TreeObject};
use crate::oid::Oid;
use crate::repo::Repo;

/// A path that differs. Renames are not detected: they are a deletion and an addition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeChange {
    /// The path
    pub path: RepoPath,
    /// How it differs
    pub status: TreeChangeStatus,
    /// The old object; `None` if the path was added
    pub old: Option<TreeObject>,
    /// The new object; `None` if the path was deleted
    pub new: Option<TreeObject>,
}

/// How a path differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TreeChangeStatus {
    /// It was added
    Added,
    /// It was deleted
    Deleted,
    /// Its content or mode changed
    Modified,
    /// It became another type of entry, such as a symbolic link
    TypeChanged,
}

/// Raw output with whole names, and nothing the repository could hide, reorder or run.
const FLAGS: [&str; 12] = [
    "-r",
    "-z",
    "--raw",
    "--no-abbrev",
    "--no-renames",
    "--no-relative",
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--ignore-submodules=none",
    "--full-index",
    "--end-of-options",
];

impl Repo {
    /// The changes from `old` to `new`; all files of `new` if `old` is `None`.
    pub fn diff_trees(
        &self,
        call: &Call,
        old: Option<&CommitId>,
        new: &CommitId,
    ) -> Result<Listing<TreeChange>> {
        let empty = self.format().empty_tree().to_commit_id();
        let sides = [old.unwrap_or(&empty).as_str(), new.as_str()];
        let output = self.git("diff-tree")?.args(FLAGS).args(sides).run(call)?.output()?;
        parse_raw_diff(&output)
    }
}

/// Parses the records `:mode mode name name S NUL path NUL` of the output.
pub(crate) fn parse_raw_diff(output: &[u8]) -> Result<Listing<TreeChange>> {
    let mut listing = Listing::new();
    let mut fields = output.split(|byte| *byte == 0);
    while let Some(words) = fields.next().filter(|words| !words.is_empty()) {
        let refused = || failure::unexpected_output("diff-tree", words);
        let path = fields.next().ok_or_else(refused)?;
        let (status, old, new) = parse_record(words).ok_or_else(refused)?;
        listing.add(path, |path| TreeChange { path, status, old, new });
    }
    listing.items.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    Ok(listing)
}

fn parse_record(
    words: &[u8],
) -> Option<(TreeChangeStatus, Option<TreeObject>, Option<TreeObject>)> {
    let words: Vec<_> = words.strip_prefix(b":")?.split(|byte| *byte == b' ').collect();
    let [old_mode, new_mode, old, new, status] = words.try_into().ok()?;
    let status = match status.first()? {
        b'A' => TreeChangeStatus::Added,
        b'D' => TreeChangeStatus::Deleted,
        b'M' => TreeChangeStatus::Modified,
        b'T' => TreeChangeStatus::TypeChanged,
        _ => return None,
    };
    Some((status, parse_side(old_mode, old)?, parse_side(new_mode, new)?))
}

/// Parses one side. The outer `None` means that it cannot be parsed, the inner one that the object
/// does not exist.
#[expect(clippy::option_option, reason = "unreadable and absent are different answers")]
fn parse_side(mode: &[u8], digits: &[u8]) -> Option<Option<TreeObject>> {
    if Oid::from_hex(digits)?.is_null() {
        return Some(None);
    }
    TreeObject::parse(mode, digits).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_that_git_does_not_write_is_refused() {
        for output in [&b":100644\0a\0"[..], b"rubbish\0a\0", b":1 2 3 4 M\0a\0", b":\0"] {
            assert!(parse_raw_diff(output).is_err(), "{}", output.escape_ascii());
        }
        assert_eq!(parse_raw_diff(b"").unwrap().items, []);
    }
}
