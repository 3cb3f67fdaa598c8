//! What the next commit would change, read from git's index instead of the working tree.

use std::collections::BTreeMap;
use std::ops::Range;

use base::{Problem, RepoPath, Result};
use git::Blob;
use similar::{Algorithm, DiffTag, capture_diff_slices};

use crate::view::View;

/// Files larger than this are not compared line by line: all their lines count as staged.
const MAX_COMPARED_BYTES: u64 = 4 * 1024 * 1024;

/// The files that the next commit would change.
#[derive(Debug, Default)]
pub struct StagedChanges {
    files: BTreeMap<RepoPath, StagedFileChange>,
}

/// A file that the next commit would change.
#[derive(Debug)]
pub struct StagedFileChange {
    /// Its content as staged; none if the commit deletes it, or it is too large
    pub content: Option<Vec<u8>>,
    /// The new or changed lines, from 1
    pub lines: Vec<Range<u32>>,
}

impl StagedChanges {
    /// Compares git's index with the checked-out commit.
    pub fn read(view: &View) -> Result<Self> {
        let none = || Problem::invalid("`staged` needs a git repository");
        let git = view.git().ok_or_else(none)?;
        let changes = git.staged_changes(view.git_index(), view.call())?;
        let oids: Vec<_> = changes.iter().flat_map(|c| [c.before, c.after]).flatten().collect();
        let mut blobs = BTreeMap::new();
        git.read_blobs(&oids, MAX_COMPARED_BYTES, view.call(), |oid, blob| {
            blobs.insert(oid.to_string(), blob);
        })?;
        let content = |oid: Option<git::Oid>| match blobs.get(&oid?.to_string()) {
            Some(Blob::Bytes(bytes)) => Some(bytes.clone()),
            _ => None,
        };
        let files = changes.into_iter().map(|change| {
            let (before, after) = (content(change.before), content(change.after));
            (
                change.path,
                StagedFileChange { lines: changed_lines(before, after.as_deref()), content: after },
            )
        });
        Ok(Self { files: files.collect() })
    }

    /// Whether the commit changes a file.
    pub fn contains(&self, path: &RepoPath) -> bool {
        self.files.contains_key(path)
    }

    /// The files, by path.
    pub fn files(&self) -> impl Iterator<Item = (&RepoPath, &StagedFileChange)> {
        self.files.iter()
    }
}

/// The lines of the newer text that are new or changed, from 1.
pub fn changed_lines(before: Option<Vec<u8>>, after: Option<&[u8]>) -> Vec<Range<u32>> {
    let lines = |bytes: &[u8]| -> Vec<Vec<u8>> {
        bytes.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect()
    };
    let (before, after) = (lines(&before.unwrap_or_default()), lines(after.unwrap_or_default()));
    let number = |at: usize| u32::try_from(at + 1).unwrap_or(u32::MAX);
    let changes = capture_diff_slices(Algorithm::Myers, &before, &after);
    let new =
        changes.iter().filter(|op| op.tag() != DiffTag::Equal).map(similar::DiffOp::new_range);
    // A deletion leaves no line, so the line that follows it counts as touched.
    new.map(|range| number(range.start)..number(range.end).max(number(range.start) + 1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_differ_are_told_and_a_deletion_touches_what_follows() {
        let check = |before: Option<&str>, after: &str, expected: (u32, u32)| {
            let found = changed_lines(before.map(Into::into), Some(after.as_bytes()));
            let found: Vec<_> = found.iter().map(|range| (range.start, range.end)).collect();
            assert_eq!(found, [expected]);
        };
        check(Some("a\nb\nc\n"), "a\nx\nc\n", (2, 3));
        check(Some("a\nb\nc\n"), "a\nc\n", (2, 3));
        check(Some("a\n"), "a\nb\nc\n", (2, 4));
        check(None, "a\nb\n", (1, 3));
    }
}
