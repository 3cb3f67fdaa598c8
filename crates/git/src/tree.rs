//! The files of a commit.

use base::entity::CommitId;
use base::{Call, Result};

use crate::failure;
use crate::listing::{Entry, Leaf, Listing, records, words_and_path};
use crate::repo::Repo;

impl Repo {
    /// Every file of a commit.
    pub fn tree(&self, call: &Call, commit: &CommitId) -> Result<Listing<Entry>> {
        let git = self.git("ls-tree")?.args(["-r", "-z", "--full-tree", "--end-of-options"]);
        let output = git.args([commit.as_str()]).run(call)?.output()?;
        let mut listing = Listing::new();
        for record in records(&output) {
            let ([mode, _, digits], path) = words_and_path("ls-tree", record)?;
            let leaf = Leaf::parse(mode, digits);
            let leaf = leaf.ok_or_else(|| failure::not_understood("ls-tree", record))?;
            listing.add(path, |path| Entry { path, leaf });
        }
        listing.items.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        Ok(listing)
    }
}
