//! The commits since a given time.

use base::entity::CommitId;
use base::{Call, Result};
use jiff::Timestamp;

use crate::failure;
use crate::repo::Repo;

/// How many commits are looked at.
const MAX_COMMITS_FLAG: &str = "-n1000";

/// Name, first parents, time, author, trailers, subject; the fields and commits end in NUL.
const FORMAT: &str =
    "--format=%H%x00%P%x00%ct%x00%ae%x00%(trailers:key=Task,valueonly,separator=%x2C)%x00%s";

/// A commit with its author and the tasks that its message names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecentCommit {
    /// The commit's id
    pub id: CommitId,
    /// Its parent; for a merge the first one
    pub parent: Option<CommitId>,
    /// When it was committed
    pub at: Timestamp,
    /// The email of who wrote it
    pub author: String,
    /// The values of its `Task:` trailers
    pub tasks: Vec<String>,
    /// The first line of its message
    pub subject: String,
}

impl Repo {
    /// The commits of `HEAD` since a given time, newest first, without merges.
    pub fn recent_commits(&self, call: &Call, since: Timestamp) -> Result<Vec<RecentCommit>> {
        if self.head(call)?.commit.is_none() {
            return Ok(Vec::new());
        }
        let git =
            self.git("log")?.args(["-z", "--no-merges", "--no-color", MAX_COMMITS_FLAG, FORMAT]);
        let since = format!("--since=@{}", since.as_second());
        let output = git.args([since.as_str(), "--end-of-options", "HEAD", "--"]).run(call)?;
        let output = output.output()?;
        let fields: Vec<&[u8]> = output.split(|byte| *byte == 0).collect();
        let whole = fields.chunks_exact(6);
        whole
            .map(|commit| {
                parse_commit(commit).ok_or_else(|| failure::unexpected_output("log", commit[0]))
            })
            .collect()
    }
}

pub(crate) fn parse_commit(fields: &[&[u8]]) -> Option<RecentCommit> {
    let text = |at: usize| fields.get(at).map(|field| String::from_utf8_lossy(field).into_owned());
    let seconds: i64 = text(2)?.parse().ok()?;
    let tasks = text(4)?;
    let tasks = tasks.split([',', '\n']).map(str::trim).filter(|task| !task.is_empty());
    Some(RecentCommit {
        id: text(0)?.trim().parse().ok()?,
        parent: text(1)?.split(' ').next().and_then(|parent| parent.parse().ok()),
        at: Timestamp::from_second(seconds).ok()?,
        author: text(3)?,
        tasks: tasks.map(ToOwned::to_owned).collect(),
        subject: text(5)?,
    })
}
