//! Which commits of the stored history stay, and which must be added.

use std::collections::HashSet;

use base::entity::CommitId;
use base::{Call, Problem, ProblemCode, Result};
use config::Config;
use git::Repo;
use history::{CommitAndParents, all_descend_from, checkout, commit_store, topological_order};
use store::Connection;

use super::early_commits::EarlyCommits;
use super::reader::HistoryConnections;
use crate::follow::FollowTarget;

/// What the checkout's history depends on besides the commits. If any of it changes, the history is
/// rebuilt.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct HistoryInputs {
    /// The paths that are left out
    pub(super) rules: String,
    /// Where a shallow clone ends
    pub(super) shallow: String,
    /// Which file the commits are stored in
    pub(super) stamp: String,
}

impl HistoryInputs {
    const KEYS: [&str; 3] = ["rules", "shallow", "stamp"];

    /// The present inputs.
    pub(super) fn current(goal: &FollowTarget<'_>, facts: &Connection) -> Result<Self> {
        let shallow = goal.git.repo().shallow_commits()?;
        let shallow: Vec<String> = shallow.iter().map(ToString::to_string).collect();
        let stamp = commit_store::stamp(facts)?;
        Ok(Self { rules: rules(goal.config), shallow: digest(&shallow.join("\n")), stamp })
    }

    /// The inputs when the history was written.
    pub(super) fn stored(line: &Connection) -> Result<Option<Self>> {
        let [rules, shallow, stamp] = Self::KEYS.map(|key| checkout::meta(line, key));
        let (rules, shallow, stamp) = (rules?, shallow?, stamp?);
        Ok(match (rules, shallow, stamp) {
            (Some(rules), Some(shallow), Some(stamp)) => Some(Self { rules, shallow, stamp }),
            _ => None,
        })
    }

    /// Stores the inputs.
    pub(super) fn store(&self, line: &Connection) -> Result<()> {
        let values = [&self.rules, &self.shallow, &self.stamp];
        let mut pairs = Self::KEYS.into_iter().zip(values);
        pairs.try_for_each(|(key, value)| checkout::set_meta(line, key, value))
    }
}

fn rules(config: &Config) -> String {
    let patterns: Vec<String> = config.history.exclude.iter().map(ToString::to_string).collect();
    digest(&patterns.join("\n"))
}

fn digest(text: &str) -> String {
    base::Hash::of(text.as_bytes()).prefix(16)
}

/// What has to change in the checkout's history.
pub(super) struct HistoryUpdate {
    /// How many commits stay as they are
    pub(super) keep: i64,
    /// The commits that follow them, in order
    pub(super) rest: Vec<CommitAndParents>,
    /// Whether those are a chain on top of what was there
    pub(super) is_chain: bool,
}

impl HistoryUpdate {
    pub(super) fn find(
        repo: &Repo,
        stores: HistoryConnections<'_>,
        head: &str,
        same_ground: bool,
        early: &mut EarlyCommits<'_, '_>,
    ) -> Result<Self> {
        let HistoryConnections { commits: facts, checkout: line } = stores;
        let call = early.call();
        let known = if same_ground { checkout::meta(line, "head")? } else { None };
        let head: CommitId = head.parse().map_err(Problem::internal)?;
        if let Some(known) = known.as_deref().and_then(|known| known.parse::<CommitId>().ok()) {
            let more = match repo.reachable(call, &head, Some(&known)) {
                Ok(links) => Some(topological_order(links.iter().map(from_git_link).collect())),
                Err(problem) if is_cancelled(&problem) => return Err(problem),
                // The former head no longer exists: its branch was rewritten, and git deleted the
                // commit.
                Err(_) => None,
            };
            // If no commit was added but the head is another, it moved back to an older commit.
            let went_on = |rest: &Vec<CommitAndParents>| !rest.is_empty() || known == head;
            let more = more.filter(went_on);
            let known = history::sha_from_hex(known.as_str());
            if let Some(rest) = more.filter(|rest| all_descend_from(&known, rest)) {
                let is_chain = is_chain(&known, &rest);
                return Ok(Self { keep: checkout::count(line)?, rest, is_chain });
            }
        }
        let links = early.reachable(&head)?;
        let links =
            add_links_beyond_shallow(repo, facts, links.iter().map(from_git_link).collect(), call)?;
        let mut rest = topological_order(links);
        let before = if same_ground { checkout::commit_shas(line)? } else { Vec::new() };
        let keep = rest.iter().zip(&before).take_while(|(link, sha)| link.sha == **sha).count();
        rest.drain(..keep);
        Ok(Self { keep: i64::try_from(keep).unwrap_or(0), rest, is_chain: false })
    }
}

pub(super) fn is_cancelled(problem: &Problem) -> bool {
    matches!(problem.code, ProblemCode::Timeout | ProblemCode::Cancelled)
}

pub(super) fn from_git_link(link: &git::CommitParents) -> CommitAndParents {
    let bytes = |oid: &git::Oid| oid.as_bytes().to_vec();
    CommitAndParents { sha: bytes(&link.oid), parents: link.parents.iter().map(bytes).collect() }
}

fn is_chain(below: &[u8], rest: &[CommitAndParents]) -> bool {
    let mut below = below;
    rest.iter().all(|link| {
        let fits = link.parents.len() == 1 && link.parents[0] == below;
        below = &link.sha;
        fits
    })
}

/// Adds what is known of commits beyond the edge of a shallow clone, from a snapshot or from
/// before it was made shallow.
fn add_links_beyond_shallow(
    repo: &Repo,
    facts: &Connection,
    mut links: Vec<CommitAndParents>,
    call: &Call,
) -> Result<Vec<CommitAndParents>> {
    let shallow: HashSet<Vec<u8>> =
        repo.shallow_commits()?.iter().map(|oid| oid.as_bytes().to_vec()).collect();
    if shallow.is_empty() {
        return Ok(links);
    }
    let mut seen: HashSet<Vec<u8>> = links.iter().map(|link| link.sha.clone()).collect();
    let mut open = Vec::new();
    for link in links.iter_mut().filter(|link| shallow.contains(&link.sha)) {
        if let Some((_, commit)) =
            commit_store::by_sha(facts, &link.sha)?.filter(|(_, c)| !c.is_shallow_edge)
        {
            link.parents.clone_from(&commit.parents);
            open.extend(commit.parents);
        }
    }
    while let Some(sha) = open.pop() {
        call.check_stopped()?;
        if !seen.insert(sha.clone()) {
            continue;
        }
        if let Some((_, commit)) = commit_store::by_sha(facts, &sha)? {
            open.extend(commit.parents.iter().cloned());
            links.push(CommitAndParents { sha, parents: commit.parents });
        }
    }
    Ok(links)
}
