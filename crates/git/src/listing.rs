//! What lists of files have in common: entries of trees and of the index.

use base::{RepoPath, Result};

use crate::failure;
use crate::oid::Oid;

/// A list from git, sorted by path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listing<T> {
    /// The entries whose paths are valid
    pub items: Vec<T>,
    /// The paths of the other entries, in printable form: they are below `.git` or in a folder that
    /// cairn keeps for itself
    pub invalid_paths: Vec<String>,
}

/// A file of a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeEntry {
    /// Where it is
    pub path: RepoPath,
    /// What it is
    pub object: TreeObject,
}

/// What a tree or the index holds at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TreeObject {
    /// What sort of thing it is
    pub kind: TreeEntryKind,
    /// Git's mode, such as `0o100644`
    pub mode: u32,
    /// The object with its content; for a submodule, a commit of another repository
    pub oid: Oid,
}

/// What sort of thing is at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TreeEntryKind {
    /// A file
    File,
    /// A file that can be executed
    Executable,
    /// A symbolic link; its content is the target
    Symlink,
    /// A submodule
    Submodule,
}

impl TreeObject {
    /// From the mode and name that git wrote; `None` when they are neither.
    pub(crate) fn parse(mode: &[u8], digits: &[u8]) -> Option<Self> {
        let mode = u32::from_str_radix(std::str::from_utf8(mode).ok()?, 8).ok()?;
        let kind = match mode {
            0o120_000 => TreeEntryKind::Symlink,
            0o160_000 => TreeEntryKind::Submodule,
            mode if mode & 0o170_000 == 0o100_000 && mode & 0o111 != 0 => TreeEntryKind::Executable,
            mode if mode & 0o170_000 == 0o100_000 => TreeEntryKind::File,
            _ => return None,
        };
        Some(Self { kind, mode, oid: Oid::from_hex(digits)? })
    }
}

impl<T> Listing<T> {
    pub(crate) fn new() -> Self {
        Self { items: Vec::new(), invalid_paths: Vec::new() }
    }

    /// Adds what is at `path`, or notes that the path is invalid.
    pub(crate) fn add(&mut self, path: &[u8], item: impl FnOnce(RepoPath) -> T) {
        match RepoPath::from_bytes(path) {
            Ok(path) => self.items.push(item(path)),
            Err(_) => self.invalid_paths.push(path.escape_ascii().to_string()),
        }
    }
}

/// The records of output that ends each of them with NUL.
pub(crate) fn records(output: &[u8]) -> impl Iterator<Item = &[u8]> {
    output.split(|byte| *byte == 0).filter(|record| !record.is_empty())
}

/// The words before the tab and the path after it.
pub(crate) fn split_record<'a, const N: usize>(
    verb: &str,
    record: &'a [u8],
) -> Result<([&'a [u8]; N], &'a [u8])> {
    let refused = || failure::unexpected_output(verb, record);
    let tab = record.iter().position(|byte| *byte == b'\t').ok_or_else(refused)?;
    let words: Vec<_> = record[..tab].split(|byte| *byte == b' ').collect();
    let words = words.try_into().map_err(|_| refused())?;
    Ok((words, &record[tab + 1..]))
}
