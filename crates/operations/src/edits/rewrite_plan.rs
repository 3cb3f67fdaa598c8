//! The plan of a change that rewrites files, and the diff that shows it.

use base::RepoPath;
use similar::TextDiff;
use tree::FileEdit;

use crate::language_server::FileRewrite;
use engine::plan::PlannedChange;

/// The diff of some rewritten files, without lines around the changes.
pub(crate) fn diff_of(files: &[FileRewrite]) -> String {
    files.iter().map(|file| text_diff(&file.path, &file.before, &file.after)).collect()
}

/// The diff of one text.
pub(crate) fn text_diff(path: &RepoPath, before: &str, after: &str) -> String {
    let diff = TextDiff::from_lines(before, after);
    let (old, new) = (format!("a/{path}"), format!("b/{path}"));
    diff.unified_diff().context_radius(0).header(&old, &new).to_string()
}

/// Writes the new texts, each only if the file is still as it was read.
pub(crate) fn planned_rewrites(files: Vec<FileRewrite>) -> PlannedChange {
    let edit = |file: FileRewrite| FileEdit {
        path: file.path,
        expected: Some(file.hash),
        content: Some(file.after.into_bytes()),
    };
    let edits: Vec<FileEdit> = files.into_iter().map(edit).collect();
    if edits.is_empty() { PlannedChange::Nothing } else { PlannedChange::Files(edits) }
}
