//! The commits between two others with their messages, for release notes.

use base::entity::CommitId;
use base::{Call, Result};
use jiff::Timestamp;

use crate::failure;
use crate::repo::Repo;

/// Name, time, author's name and email, message; the fields and commits end in NUL.
const FORMAT: &str = "--format=%H%x00%ct%x00%an%x00%ae%x00%B";

/// How many fields a commit has in [`FORMAT`].
const FIELDS: usize = 5;

/// A commit of a range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RangeCommit {
    /// The commit's id
    pub id: CommitId,
    /// When it was committed
    pub at: Timestamp,
    /// The name of who wrote it
    pub author: String,
    /// The email of who wrote it
    pub email: String,
    /// Subject and body
    pub message: String,
}

impl Repo {
    /// The commits that are reachable from `new` and not from `old`, newest first and without
    /// merges; without `old`, all that are reachable from `new`. At most `limit` of them.
    pub fn commits_between(
        &self,
        call: &Call,
        old: Option<&CommitId>,
        new: &CommitId,
        limit: usize,
    ) -> Result<Vec<RangeCommit>> {
        let git = self.git("log")?.args(["-z", "--no-merges", "--no-color", FORMAT]);
        let git = git.args([format!("--max-count={limit}")]);
        let left_out = old.map(|old| format!("^{}", old.as_str()));
        // A name that starts with `^` is not an option, and it comes from a commit that was
        // resolved.
        let git = git.args(left_out).args(["--end-of-options", new.as_str(), "--"]);
        let output = git.run(call)?.output()?;
        let fields: Vec<&[u8]> = output.split(|byte| *byte == 0).collect();
        let commits = fields.chunks_exact(FIELDS);
        commits
            .map(|fields| {
                parse_commit(fields).ok_or_else(|| failure::unexpected_output("log", fields[0]))
            })
            .collect()
    }

    /// The newest tag that is reachable from a commit.
    pub fn last_tag(&self, call: &Call, commit: &CommitId) -> Result<Option<String>> {
        let git = self.git("describe")?.args(["--tags", "--abbrev=0"]);
        let output = git.args(["--end-of-options", commit.as_str()]).run(call)?;
        // Git fails if there is no tag, which is not an error here.
        let Ok(output) = output.output() else { return Ok(None) };
        let name = String::from_utf8_lossy(output.trim_ascii()).into_owned();
        Ok(Some(name).filter(|name| !name.is_empty()))
    }
}

fn parse_commit(fields: &[&[u8]]) -> Option<RangeCommit> {
    let text = |at: usize| fields.get(at).map(|field| String::from_utf8_lossy(field).into_owned());
    Some(RangeCommit {
        id: text(0)?.trim().parse().ok()?,
        at: Timestamp::from_second(text(1)?.parse().ok()?).ok()?,
        author: text(2)?,
        email: text(3)?,
        message: text(4)?,
    })
}
