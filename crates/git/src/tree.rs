//! The files of a commit.

use base::entity::CommitId;
use base::{Call, RepoPath, Result};

use crate::failure;
use crate::listing::{Listing, TreeEntry, TreeObject, records, split_record};
use crate::repo::Repo;

impl Repo {
    /// All files of a commit.
    pub fn tree(&self, call: &Call, commit: &CommitId) -> Result<Listing<TreeEntry>> {
        let git = self.git("ls-tree")?.args(["-r", "-z", "--full-tree", "--end-of-options"]);
        parse_tree(&git.args([commit.as_str()]).run(call)?.output()?)
    }

    /// Those of the given files that a commit contains.
    pub fn tree_at<'p>(
        &self,
        call: &Call,
        commit: &CommitId,
        paths: impl Iterator<Item = &'p RepoPath>,
    ) -> Result<Listing<TreeEntry>> {
        let git = self.git("ls-tree")?.args(["-z", "--full-tree", "--end-of-options"]);
        let git = git.args([commit.as_str(), "--"]).args(paths.map(RepoPath::to_relative));
        parse_tree(&git.run(call)?.output()?)
    }
}

fn parse_tree(output: &[u8]) -> Result<Listing<TreeEntry>> {
    let mut listing = Listing::new();
    for record in records(output) {
        let ([mode, _, digits], path) = split_record("ls-tree", record)?;
        let leaf = TreeObject::parse(mode, digits);
        let leaf = leaf.ok_or_else(|| failure::unexpected_output("ls-tree", record))?;
        listing.add(path, |path| TreeEntry { path, object: leaf });
    }
    listing.items.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    Ok(listing)
}
