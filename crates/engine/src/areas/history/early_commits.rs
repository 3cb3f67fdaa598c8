//! The newest commits, read while git still lists the others.
//!
//! If no commit is stored yet, git lists all commits, on one thread, before the first can be
//! replayed. Meanwhile another thread reads the newest commits.

use std::collections::{HashMap, HashSet};
use std::thread::{Scope, ScopedJoinHandle};

use base::entity::CommitId;
use base::{Call, Problem, Result};
use git::{CommitParents, CommitReader, GitCommit, Oid, Repo};

/// Maximum number of commits that are read early. Reading them takes about as long as listing five
/// times as many.
const MAX_EARLY_COMMITS: usize = 2048;

/// The newest commits of a history of which no commit is stored yet.
pub(super) struct EarlyCommits<'scope, 'env> {
    scope: &'scope Scope<'scope, 'env>,
    repo: &'env Repo,
    call: &'env Call,
    /// Whether no commit is stored yet
    pub(super) is_wanted: bool,
    names: HashSet<Oid>,
    reading: Option<ScopedJoinHandle<'scope, Result<HashMap<Oid, GitCommit>>>>,
    read: HashMap<Oid, GitCommit>,
}

impl<'scope, 'env> EarlyCommits<'scope, 'env> {
    pub(super) fn new(
        scope: &'scope Scope<'scope, 'env>,
        repo: &'env Repo,
        call: &'env Call,
    ) -> Self {
        let (names, read) = (HashSet::new(), HashMap::new());
        Self { scope, repo, call, is_wanted: false, names, reading: None, read }
    }

    /// `head` and all its ancestors. Starts to read the newest of them if that is wanted.
    pub(super) fn reachable(&mut self, head: &CommitId) -> Result<Vec<CommitParents>> {
        let first = if self.is_wanted { MAX_EARLY_COMMITS } else { usize::MAX };
        let (repo, call) = (self.repo, self.call);
        let range = git::CommitRange { from: head, without: None };
        repo.reachable_with_preview(call, range, first, |links| self.start(links))
    }

    /// The call that they are read for.
    pub(super) fn call(&self) -> &'env Call {
        self.call
    }

    fn start(&mut self, links: &[CommitParents]) {
        // A commit that cannot be read now is read again in its turn, and then its failure is
        // reported.
        let Ok(commits) = self.repo.commits(links) else { return };
        self.names = links.iter().map(|link| link.oid).collect();
        let call = self.call;
        self.reading = Some(self.scope.spawn(move || all(commits, call)));
    }

    pub(super) fn has(&self, oid: &Oid) -> bool {
        self.names.contains(oid)
    }

    /// A commit that was read early.
    pub(super) fn take(&mut self, sha: &[u8]) -> Result<Option<GitCommit>> {
        let Some(oid) = Oid::from_bytes(sha).filter(|oid| self.has(oid)) else { return Ok(None) };
        if let Some(reading) = self.reading.take() {
            let broke = |_| Problem::internal("reading the newest commits was interrupted");
            self.read = reading.join().map_err(broke)??;
        }
        Ok(self.read.remove(&oid))
    }
}

fn all(mut commits: CommitReader, call: &Call) -> Result<HashMap<Oid, GitCommit>> {
    let mut read = HashMap::new();
    while let Some(commit) = commits.next(call)? {
        read.insert(commit.oid, commit);
    }
    Ok(read)
}
