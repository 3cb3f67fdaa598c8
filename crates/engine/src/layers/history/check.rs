//! Whether a snapshot is true: its commits add up to what it says, and say what git says.

use std::collections::{HashMap, HashSet};

use base::{Call, Code, NextCall, Problem, Result};
use git::{Oid, Repo};
use history::snapshot::Snapshot;
use history::{Commit, hex};
use tree::Excludes;

use super::follow::taken;
use super::route::{given_up, ours};

/// How many commits pass between two reports.
const STEP: usize = 128;

/// A snapshot that was checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Checked {
    /// Commits that are in this clone, and say the same there
    pub same: usize,
    /// Commits that are not, and cannot be compared
    pub absent: usize,
}

/// Replays a snapshot, and reads from git again what it says.
pub(crate) fn check(repo: &Repo, found: &Snapshot<'_>, call: &Call) -> Result<Checked> {
    let excludes = Excludes::new(&found.about.exclude)?;
    if found.replay(&|path| excludes.hide(path, false))? != found.about.digest {
        return Err(untrue("its commits do not add up to what it says"));
    }
    let links = whole_links(repo, &found.about.head, call)?;
    let commits: Vec<Commit> = found.commits().collect::<Result<_>>()?;
    let here: Vec<&Commit> = commits
        .iter()
        .filter(|commit| links.contains_key(&commit.sha) && !commit.is_edge)
        .collect();
    let wanted: Vec<git::Link> = here.iter().map(|commit| links[&commit.sha].clone()).collect();
    let mut reader = repo.commits(&wanted)?;
    for (done, (commit, link)) in here.iter().zip(&wanted).enumerate() {
        if done % STEP == 0 {
            call.step("comparing with git", done, here.len())?;
        }
        let read = reader.next(call)?.ok_or_else(|| Problem::internal("git stopped early"))?;
        if !agree(&taken(read, &ours(link), false), commit) {
            let sha = hex(&commit.sha);
            return Err(untrue(&format!("git says something else of commit {}", &sha[..12])));
        }
    }
    Ok(Checked { same: here.len(), absent: commits.len() - here.len() })
}

/// Whether two readings of one commit say the same. Where contents were missing for only one of
/// them, what they say of files cannot be compared.
fn agree(one: &Commit, other: &Commit) -> bool {
    if one.renames_unknown == other.renames_unknown {
        return one == other;
    }
    let without_files =
        |commit: &Commit| Commit { changes: Vec::new(), renames_unknown: false, ..commit.clone() };
    without_files(one) == without_files(other)
}

/// Whether anything that is here leads to a commit of a snapshot, and git agrees on its parents.
pub(crate) fn joins(repo: &Repo, found: &Snapshot<'_>, call: &Call) -> Result<bool> {
    let mut theirs: HashMap<Vec<u8>, Vec<Vec<u8>>> = HashMap::new();
    for commit in found.commits() {
        let commit = commit?;
        theirs.insert(commit.sha, commit.parents);
    }
    let Some(head) = repo.head(call)?.commit else { return Ok(false) };
    let edges: HashSet<Oid> = repo.shallow()?.into_iter().collect();
    let mut is_joined = false;
    for link in repo.reachable(call, &head, None)? {
        let Some(parents) = theirs.get(link.oid.as_bytes()) else { continue };
        if !edges.contains(&link.oid) && ours(&link).parents != *parents {
            let text = format!("git knows other parents of commit {}", link.oid);
            return Err(untrue(&text));
        }
        is_joined = true;
    }
    Ok(is_joined)
}

/// The commits that git has, and all that changed them: those of the head, else of what is
/// checked out, without the edge of a shallow clone.
fn whole_links(repo: &Repo, head: &[u8], call: &Call) -> Result<HashMap<Vec<u8>, git::Link>> {
    let named = Oid::from_bytes(head).map(Oid::to_commit);
    let links = match named.map(|head| repo.reachable(call, &head, None)) {
        Some(Err(problem)) if given_up(&problem) => return Err(problem),
        Some(Ok(links)) => links,
        // The head is not here; what is checked out may share commits with it.
        _ => match repo.head(call)?.commit {
            Some(head) => repo.reachable(call, &head, None)?,
            None => Vec::new(),
        },
    };
    let edges: HashSet<Oid> = repo.shallow()?.into_iter().collect();
    let whole = links.into_iter().filter(|link| !edges.contains(&link.oid));
    Ok(whole.map(|link| (link.oid.as_bytes().to_vec(), link)).collect())
}

fn untrue(why: &str) -> Problem {
    Problem::new(Code::StoreDamaged, format!("the snapshot is not true: {why}"))
        .hint_call("take it again with", NextCall::to("history.snapshot"))
}
