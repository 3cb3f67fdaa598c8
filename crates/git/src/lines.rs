//! The commits that made some lines of a file what they are.

use base::entity::CommitId;
use base::{Call, RepoPath, Result};

use crate::failure;
use crate::oid::Oid;
use crate::repo::Repo;

impl Repo {
    /// The commits that changed lines `first` to `last` of a file as `HEAD` has it, newest first,
    /// through renames. At most `limit` of them.
    pub fn commits_of_lines(
        &self,
        call: &Call,
        path: &RepoPath,
        lines: std::ops::RangeInclusive<u32>,
        limit: usize,
    ) -> Result<Vec<CommitId>> {
        let mut range = format!("-L{},{}:", lines.start(), lines.end()).into_bytes();
        range.extend_from_slice(path.as_bytes());
        let git = self.git("log")?.args([
            "--no-color",
            "--no-patch",
            "--no-ext-diff",
            "--no-textconv",
            "--format=%H",
        ]);
        let git =
            git.args([format!("--max-count={limit}")]).args([platform::path_from_bytes(range)]);
        let output = git.args(["--end-of-options", "HEAD", "--"]).run(call)?.output()?;
        let names = output.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        names
            .map(|line| {
                let oid = Oid::from_hex(line).map(Oid::to_commit_id);
                oid.ok_or_else(|| failure::unexpected_output("log", line))
            })
            .collect()
    }
}
