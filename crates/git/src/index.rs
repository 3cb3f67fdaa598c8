//! The index: what is staged, which tracked files are ignored, where submodules are.

use base::{Call, RepoPath, Result};

use crate::failure;
use crate::listing::{Listing, TreeEntry, TreeEntryKind, TreeObject, records, split_record};
use crate::repo::Repo;

/// A file in the index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexEntry {
    /// Where and what it is
    pub entry: TreeEntry,
    /// 0, or in a conflict 1 for the base, 2 for ours, 3 for theirs
    pub stage: u8,
}

impl Repo {
    /// Every file in the index.
    pub fn staged(&self, call: &Call) -> Result<Listing<IndexEntry>> {
        let output = self.git("ls-files")?.args(["-z", "-s", "--full-name"]).run(call)?.output()?;
        let mut listing = Listing::new();
        for record in records(&output) {
            let ([mode, digits, stage], path) = split_record("ls-files", record)?;
            let leaf = TreeObject::parse(mode, digits).zip(parse_stage(stage));
            let (leaf, stage) =
                leaf.ok_or_else(|| failure::unexpected_output("ls-files", record))?;
            listing.add(path, |path| IndexEntry { entry: TreeEntry { path, object: leaf }, stage });
        }
        Ok(listing)
    }

    /// Where submodules are, as the index has them.
    pub fn submodules(&self, call: &Call) -> Result<Listing<RepoPath>> {
        let staged = self.staged(call)?;
        let entries = staged.items.into_iter().map(|staged| staged.entry);
        let submodules = entries.filter(|entry| entry.object.kind == TreeEntryKind::Submodule);
        let mut items: Vec<_> = submodules.map(|entry| entry.path).collect();
        items.dedup();
        Ok(Listing { items, invalid_paths: staged.invalid_paths })
    }

    /// Tracked files that a sparse checkout leaves out of the working tree.
    pub fn sparse_excluded(&self, call: &Call) -> Result<Listing<RepoPath>> {
        let mut listing = Listing::new();
        if !self.layout().git_dir.join("info/sparse-checkout").is_file() {
            return Ok(listing);
        }
        let output = self.git("ls-files")?.args(["-z", "-t", "--full-name"]).run(call)?.output()?;
        let left_out = records(&output).filter_map(|record| record.strip_prefix(b"S "));
        left_out.for_each(|path| listing.add(path, |path| path));
        Ok(listing)
    }

    /// Tracked files, without those that a sparse checkout leaves out of the working tree.
    pub fn tracked(&self, call: &Call) -> Result<Listing<RepoPath>> {
        let output = self.git("ls-files")?.args(["-z", "-t", "--full-name"]).run(call)?.output()?;
        let mut listing = Listing::new();
        // Each record starts with a letter and a space; `S` is for what is left out.
        let there = records(&output).filter(|record| !record.starts_with(b"S "));
        there.filter_map(|record| record.get(2..)).for_each(|path| listing.add(path, |path| path));
        listing.items.dedup();
        Ok(listing)
    }
}

fn parse_stage(word: &[u8]) -> Option<u8> {
    match word {
        [digit @ b'0'..=b'3'] => Some(digit - b'0'),
        _ => None,
    }
}
