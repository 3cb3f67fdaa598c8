//! The newest commits, read while git still lists the others.
//!
//! A history that nobody knows is listed whole before its first commit can be replayed, on one
//! processor. Another one reads the end of it meanwhile.

use std::collections::{HashMap, HashSet};
use std::thread::{Scope, ScopedJoinHandle};

use base::entity::CommitId;
use base::{Call, Problem, Result};
use git::{CommitParents, CommitReader, GitCommit, Oid, Repo};

/// So many are read early: about what is read while five times as many are listed.
const MAX_EARLY_COMMITS: usize = 2048;

/// The newest commits of a history that nobody knows.
pub(super) struct EarlyCommits<'scope, 'env> {
    scope: &'scope Scope<'scope, 'env>,
    repo: &'env Repo,
    call: &'env Call,
    /// Whether nothing is known yet
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

    /// Every commit that leads to `head`; the newest are read from now on, if that is wanted.
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
        // What cannot be read now is read in its turn, and then says why.
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
            let broke = |_| Problem::internal("reading the newest commits broke off");
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
