//! Checks a snapshot: replaying its commits gives the recorded digest, and git has the same
//! commits.

use std::collections::{HashMap, HashSet};

use base::{Call, NextCall, Problem, ProblemCode, Result};
use git::{Oid, Repo};
use history::snapshot::Snapshot;
use history::{HistoryCommit, sha_to_hex};
use tree::Excludes;

use super::follower::to_commit;
use super::update::{from_git_link, is_cancelled};

/// How many commits pass between two reports.
const PROGRESS_INTERVAL: usize = 128;

/// A snapshot that was checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SnapshotCheck {
    /// Commits that are in this clone and are the same there
    pub same: usize,
    /// Commits that are not in this clone and cannot be compared
    pub absent: usize,
}

/// Replays a snapshot, and compares its commits with those of git.
pub fn check_snapshot(repo: &Repo, found: &Snapshot<'_>, call: &Call) -> Result<SnapshotCheck> {
    let excludes = Excludes::new(&found.header.exclude)?;
    if found.replay(&|path| excludes.hides(path, false))? != found.header.digest {
        return Err(mismatch_problem("its commits do not match its header"));
    }
    let links = whole_links(repo, &found.header.head, call)?;
    let commits: Vec<HistoryCommit> = found.commits().collect::<Result<_>>()?;
    let here: Vec<&HistoryCommit> = commits
        .iter()
        .filter(|commit| links.contains_key(&commit.sha) && !commit.is_shallow_edge)
        .collect();
    let wanted: Vec<git::CommitParents> =
        here.iter().map(|commit| links[&commit.sha].clone()).collect();
    let mut reader = repo.commits(&wanted)?;
    for (done, (commit, link)) in here.iter().zip(&wanted).enumerate() {
        if done % PROGRESS_INTERVAL == 0 {
            call.step("comparing with git", done, here.len())?;
        }
        let read = reader.next(call)?.ok_or_else(|| Problem::internal("git stopped early"))?;
        if !say_the_same(&to_commit(read, &from_git_link(link), false), commit) {
            let sha = sha_to_hex(&commit.sha);
            return Err(mismatch_problem(&format!(
                "commit {} differs from the one in git",
                &sha[..12]
            )));
        }
    }
    Ok(SnapshotCheck { same: here.len(), absent: commits.len() - here.len() })
}

/// Whether two readings of one commit agree. If contents were missing for only one of them, their
/// file changes cannot be compared.
fn say_the_same(one: &HistoryCommit, other: &HistoryCommit) -> bool {
    if one.renames_unknown == other.renames_unknown {
        return one == other;
    }
    let without_files = |commit: &HistoryCommit| HistoryCommit {
        changes: Vec::new(),
        renames_unknown: false,
        ..commit.clone()
    };
    without_files(one) == without_files(other)
}

/// Whether the checked-out commit or one of its ancestors is in a snapshot. Fails if git knows
/// other parents of a commit.
pub fn connects_to_repository(repo: &Repo, found: &Snapshot<'_>, call: &Call) -> Result<bool> {
    let mut theirs: HashMap<Vec<u8>, Vec<Vec<u8>>> = HashMap::new();
    for commit in found.commits() {
        let commit = commit?;
        theirs.insert(commit.sha, commit.parents);
    }
    let Some(head) = repo.head(call)?.commit else { return Ok(false) };
    let edges: HashSet<Oid> = repo.shallow_commits()?.into_iter().collect();
    let mut is_joined = false;
    for link in repo.reachable(call, &head, None)? {
        let Some(parents) = theirs.get(link.oid.as_bytes()) else { continue };
        if !edges.contains(&link.oid) && from_git_link(&link).parents != *parents {
            let text = format!("commit {} has other parents in git", link.oid);
            return Err(mismatch_problem(&text));
        }
        is_joined = true;
    }
    Ok(is_joined)
}

/// The ancestors of `head` in git, or of the checked-out commit if git does not have `head`.
/// Commits at the edge of a shallow clone are left out, because their parents are not known.
fn whole_links(
    repo: &Repo,
    head: &[u8],
    call: &Call,
) -> Result<HashMap<Vec<u8>, git::CommitParents>> {
    let named = Oid::from_bytes(head).map(Oid::to_commit_id);
    let links = match named.map(|head| repo.reachable(call, &head, None)) {
        Some(Err(problem)) if is_cancelled(&problem) => return Err(problem),
        Some(Ok(links)) => links,
        // The head is not in this clone; the checked-out commit may share ancestors with it.
        _ => match repo.head(call)?.commit {
            Some(head) => repo.reachable(call, &head, None)?,
            None => Vec::new(),
        },
    };
    let edges: HashSet<Oid> = repo.shallow_commits()?.into_iter().collect();
    let whole = links.into_iter().filter(|link| !edges.contains(&link.oid));
    Ok(whole.map(|link| (link.oid.as_bytes().to_vec(), link)).collect())
}

fn mismatch_problem(why: &str) -> Problem {
    Problem::new(ProblemCode::StoreDamaged, format!("the snapshot does not match git: {why}"))
        .hint_call("take it again with", NextCall::new("history.snapshot"))
}
