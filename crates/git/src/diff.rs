//! What differs between two commits.

use base::entity::CommitId;
use base::{Call, RepoPath, Result};

use crate::failure;
use crate::listing::{Leaf, Listing};
use crate::oid::Oid;
use crate::repo::Repo;

/// One path that differs. Renames are not guessed: they are a deletion and an addition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Where it is
    pub path: RepoPath,
    /// What happened to it
    pub status: Status,
    /// What was there; `None` when it was added
    pub old: Option<Leaf>,
    /// What is there; `None` when it was deleted
    pub new: Option<Leaf>,
}

/// What happened to a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Status {
    /// It is new
    Added,
    /// It is gone
    Deleted,
    /// Its content or mode is another
    Modified,
    /// It became another sort of thing, such as a link
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
    /// What differs from `old` to `new`; all of `new` when there is no `old`.
    pub fn diff_trees(
        &self,
        call: &Call,
        old: Option<&CommitId>,
        new: &CommitId,
    ) -> Result<Listing<Change>> {
        let empty = self.format().empty_tree().to_commit();
        let sides = [old.unwrap_or(&empty).as_str(), new.as_str()];
        let output = self.git("diff-tree")?.args(FLAGS).args(sides).run(call)?.output()?;
        parse(&output)
    }
}

/// Reads `:mode mode name name S NUL path NUL`, again and again.
pub(crate) fn parse(output: &[u8]) -> Result<Listing<Change>> {
    let mut listing = Listing::new();
    let mut fields = output.split(|byte| *byte == 0);
    while let Some(words) = fields.next().filter(|words| !words.is_empty()) {
        let refused = || failure::not_understood("diff-tree", words);
        let path = fields.next().ok_or_else(refused)?;
        let (status, old, new) = parse_words(words).ok_or_else(refused)?;
        listing.add(path, |path| Change { path, status, old, new });
    }
    listing.items.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    Ok(listing)
}

fn parse_words(words: &[u8]) -> Option<(Status, Option<Leaf>, Option<Leaf>)> {
    let words: Vec<_> = words.strip_prefix(b":")?.split(|byte| *byte == b' ').collect();
    let [old_mode, new_mode, old, new, status] = words.try_into().ok()?;
    let status = match status.first()? {
        b'A' => Status::Added,
        b'D' => Status::Deleted,
        b'M' => Status::Modified,
        b'T' => Status::TypeChanged,
        _ => return None,
    };
    Some((status, side(old_mode, old)?, side(new_mode, new)?))
}

/// One side; the outer `None` is what we cannot read, the inner one nothing at all.
#[expect(clippy::option_option, reason = "unreadable and absent are different answers")]
fn side(mode: &[u8], digits: &[u8]) -> Option<Option<Leaf>> {
    if Oid::from_digits(digits)?.is_null() {
        return Some(None);
    }
    Leaf::parse(mode, digits).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_that_git_does_not_write_is_refused() {
        for output in [&b":100644\0a\0"[..], b"rubbish\0a\0", b":1 2 3 4 M\0a\0", b":\0"] {
            assert!(parse(output).is_err(), "{}", output.escape_ascii());
        }
        assert_eq!(parse(b"").unwrap().items, []);
    }
}
