//! The commits that changed some lines of a file, traced through renames.

use base::{Problem, RepoPath, Result};
use git::{Blob, Oid};
use history::checkout::CheckoutCommit;
use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::reader::HistoryReader;
use crate::view::View;

/// Largest file that is compared, in bytes.
const MAX_COMPARED_BYTES: u64 = 4 * 1024 * 1024;

/// Maximum number of commits that are listed, newest first.
const MAX_COMMITS: usize = 50;

/// The commits of some lines.
pub struct LineHistory {
    /// The commits that changed them, newest first
    pub commits: Vec<CheckoutCommit>,
    /// How many of the lines are not committed yet
    pub uncommitted: u32,
}

/// Follows lines `first` to `last` of a file of the working tree through commits and renames.
pub fn trace_lines(
    view: &View<'_>,
    history: &HistoryReader<'_>,
    path: &RepoPath,
    first: u32,
    last: u32,
) -> Result<LineHistory> {
    let repository =
        view.git().ok_or_else(|| Problem::internal("the repository has a history but no git"))?;
    let (repo, call) = (repository.repo(), view.call());
    let Some(head) = repository.head_commit(call)? else {
        return Ok(LineHistory { commits: Vec::new(), uncommitted: last + 1 - first });
    };
    let head = head.parse::<Oid>().map_err(|_| Problem::internal("invalid commit id"))?;
    let committed = match repo.blobs(MAX_COMPARED_BYTES).read_at(call, head, None, path)? {
        Blob::Bytes(bytes) => bytes,
        _ => Vec::new(),
    };
    let current = match view.tree().read_at_most(path, MAX_COMPARED_BYTES)? {
        Some(Ok(blob)) => blob.bytes,
        _ => Vec::new(),
    };
    let mapped = map_lines(&committed, &current, first, last);
    let Some((old_first, old_last)) = mapped.range else {
        return Ok(LineHistory { commits: Vec::new(), uncommitted: mapped.uncommitted });
    };
    let ids = repo.commits_of_lines(call, path, old_first..=old_last, MAX_COMMITS)?;
    let mut commits = Vec::with_capacity(ids.len());
    for id in &ids {
        commits.extend(history.commits_with_prefix(id.as_str())?);
    }
    Ok(LineHistory { commits, uncommitted: mapped.uncommitted })
}

/// A range of lines of one text, found again in another text.
#[derive(Debug, PartialEq, Eq)]
struct MappedLines {
    /// The first and the last line in the other text; `None` if it has none of them
    range: Option<(u32, u32)>,
    /// How many of the lines the other text does not contain unchanged
    uncommitted: u32,
}

/// The lines of `old` that lines `first` to `last` of `new` come from.
fn map_lines(old: &[u8], new: &[u8], first: u32, last: u32) -> MappedLines {
    let (old, new) = (lines_of(old), lines_of(new));
    let wanted = first as usize - 1..(last as usize).min(new.len());
    let (mut range, mut uncommitted) = (None::<(usize, usize)>, 0);
    for op in capture_diff_slices(Algorithm::Patience, &old, &new) {
        let (old_lines, new_lines) = (op.old_range(), op.new_range());
        let common = new_lines.start.max(wanted.start)..new_lines.end.min(wanted.end);
        if common.is_empty() {
            continue;
        }
        let from = if let DiffOp::Equal { .. } = op {
            let start = old_lines.start + (common.start - new_lines.start);
            start..start + common.len()
        } else {
            uncommitted += common.len();
            old_lines
        };
        if !from.is_empty() {
            let (start, end) = range.unwrap_or((from.start, from.end));
            range = Some((start.min(from.start), end.max(from.end)));
        }
    }
    let number = |line: usize| u32::try_from(line).unwrap_or(u32::MAX);
    MappedLines {
        range: range.map(|(start, end)| (number(start + 1), number(end))),
        uncommitted: number(uncommitted),
    }
}

fn lines_of(text: &[u8]) -> Vec<&[u8]> {
    // A checkout may have other line ends than the commit.
    let line = |line| <[u8]>::strip_suffix(line, b"\r").unwrap_or(line);
    text.strip_suffix(b"\n").unwrap_or(text).split(|byte| *byte == b'\n').map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mapped(old: &str, new: &str, first: u32, last: u32) -> (Option<(u32, u32)>, u32) {
        let MappedLines { range, uncommitted } =
            map_lines(old.as_bytes(), new.as_bytes(), first, last);
        (range, uncommitted)
    }

    #[test]
    fn lines_are_found_where_they_were_committed() {
        assert_eq!(mapped("a\nb\nc\n", "a\nb\nc\n", 2, 3), (Some((2, 3)), 0));
        assert_eq!(mapped("a\nb\nc\n", "x\ny\na\nb\nc\n", 4, 4), (Some((2, 2)), 0));
        assert_eq!(mapped("a\r\nb\r\n", "a\nb\n", 2, 2), (Some((2, 2)), 0));
    }

    #[test]
    fn edited_lines_come_from_those_they_replaced_and_new_ones_from_nowhere() {
        assert_eq!(mapped("a\nb\nc\n", "a\nB\nc\n", 2, 2), (Some((2, 2)), 1));
        assert_eq!(mapped("a\nc\n", "a\nb\nc\n", 2, 2), (None, 1));
        assert_eq!(mapped("", "a\n", 1, 1), (Some((1, 1)), 1));
    }
}
