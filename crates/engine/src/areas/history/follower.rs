//! Keeping the history up to date with the commit that is checked out.
//!
//! Commits that are not stored yet are read from git, in order, while those before them are
//! written. A separate thread writes each commit into the shared store, in transactions that stay
//! if the update is stopped. The history of the checkout, which results from replaying the commits,
//! is written in one transaction.

use std::collections::HashSet;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use base::call::Progress;
use base::{Call, Problem, RepoPath, Result};
use git::{Oid, Repo, TouchKind};
use history::checkout::{CheckedOutPaths, CheckoutHistoryWriter};
use history::commit_store::CommitRowId;
use history::snapshot::SnapshotWriter;
use history::{
    CommitAndParents, CommitChangeKind, CommitFileChange, CommitSignature, HistoryCommit, checkout,
    commit, commit_store,
};
use store::{Connection, Store};
use tree::Excludes;

use super::early_commits::EarlyCommits;
use super::reader::HistoryConnections;
use super::snapshot;
use super::update::{HistoryInputs, HistoryUpdate};
use crate::follow::{CommitFollower, FollowTarget, FollowerFile, FollowerFileScope};

/// How many commits one transaction stores; at most this many are read again after an interruption.
pub(super) const COMMITS_PER_TRANSACTION: usize = 2000;

/// Commits are handed to the writing thread in batches of this size.
const COMMITS_PER_BATCH: usize = 64;
const MAX_QUEUED_BATCHES: usize = 8;

/// How many commits pass between two reports.
const PROGRESS_INTERVAL: usize = 128;

/// The key of the number of commits whose renames are unknown, because contents are missing.
pub(super) const UNKNOWN_RENAMES_KEY: &str = "unknown_renames";

/// The files of the history.
static FILES: [FollowerFile; 2] = [
    FollowerFile {
        name: "commits",
        scope: FollowerFileScope::Shared,
        schema: commit_store::SCHEMA,
        dump: &[],
    },
    FollowerFile {
        name: "history",
        scope: FollowerFileScope::Worktree,
        schema: checkout::SCHEMA,
        dump: checkout::REBUILD_CHECK_QUERIES,
    },
];

/// Follows the commits that lead to what is checked out.
pub(crate) struct HistoryFollower;

impl CommitFollower for HistoryFollower {
    fn files(&self) -> &'static [FollowerFile] {
        &FILES
    }

    fn is_consistent(&self, conns: &[&Connection]) -> Result<bool> {
        let [facts, line] = conns else { return Err(inconsistent_history()) };
        let stamp = HistoryInputs::stored(line)?.map(|ground| ground.stamp);
        Ok(stamp == Some(commit_store::stamp(facts)?) && has_newest(facts, line)?)
    }

    fn is_up_to_date(&self, conns: &[&Connection], goal: &FollowTarget<'_>) -> Result<bool> {
        let [facts, line] = conns else { return Err(inconsistent_history()) };
        let head = checkout::meta(line, "head")?;
        if head.is_none() || head.as_deref() != Some(goal.head.as_deref().unwrap_or_default()) {
            return Ok(false);
        }
        let is_same = HistoryInputs::stored(line)? == Some(HistoryInputs::current(goal, facts)?);
        Ok(is_same && has_newest(facts, line)?)
    }

    fn update(&self, stores: &mut [Store], goal: &FollowTarget<'_>) -> Result<()> {
        let [facts, line] = stores else { return Err(inconsistent_history()) };
        let (repo, call) = (goal.git.repo(), goal.call);
        thread::scope(|scope| {
            update_history(facts, line, goal, EarlyCommits::new(scope, repo, call))
        })
    }
}

fn update_history(
    facts: &mut Store,
    line: &mut Store,
    goal: &FollowTarget<'_>,
    mut early: EarlyCommits<'_, '_>,
) -> Result<()> {
    if commit_store::last_id(facts.connection())? == CommitRowId::NONE {
        snapshot::fill_from_newest(facts, goal)?;
    }
    let ground = HistoryInputs::current(goal, facts.connection())?;
    let same_ground = HistoryInputs::stored(line.connection())?.as_ref() == Some(&ground)
        && has_newest(facts.connection(), line.connection())?;
    let repo = goal.git.repo();
    early.is_wanted = commit_store::last_id(facts.connection())? == CommitRowId::NONE;
    let route = match &goal.head {
        None => HistoryUpdate { keep: 0, rest: Vec::new(), is_chain: false },
        Some(head) => {
            let stores =
                HistoryConnections { commits: facts.connection(), checkout: line.connection() };
            HistoryUpdate::find(repo, stores, head, same_ground, &mut early)?
        }
    };
    let excludes = goal.config.history.exclude.iter().map(ToString::to_string);
    let excludes = Excludes::new(&excludes.collect::<Vec<_>>())?;
    let hides = |path: &RepoPath| excludes.hides(path, false);
    let reading = store::open_read_only(facts.path())?;
    let commits = route.keep + i64::try_from(route.rest.len()).unwrap_or(i64::MAX);
    let is_due = snapshot::is_due(facts, commits, goal);
    let mut snapshot_writer = (is_due && route.keep == 0).then(SnapshotWriter::default);
    let packed = line.write(|tx| {
        let mut writer = CheckoutHistoryWriter::truncated_to(tx, route.keep, &hides)?;
        let source = CommitSource::new(repo, &reading, &route.rest, early)?;
        let packed = with_commit_writer(facts, |sender| {
            replay_commits(source, &sender, &mut writer, snapshot_writer.as_mut(), goal)?;
            drop(sender);
            // The other thread may still be storing the last commits meanwhile.
            let tree = match (&goal.head, route.is_chain) {
                (Some(head), false) => tree(repo, head, goal.call)?,
                _ => Vec::new(),
            };
            let live = if route.is_chain {
                CheckedOutPaths::LinearAppend
            } else {
                CheckedOutPaths::Tree(&tree)
            };
            writer.finish(&live)?;
            ground.store(tx)?;
            checkout::set_meta(tx, "head", goal.head.as_deref().unwrap_or_default())?;
            Ok(snapshot_writer.and_then(|snapshot_writer| {
                snapshot::snapshot_of_new_commits(tx, snapshot_writer, goal).ok()
            }))
        })?;
        let unknown = count_unknown_renames(facts.connection(), tx)?;
        checkout::set_meta(tx, UNKNOWN_RENAMES_KEY, &unknown.to_string())?;
        Ok(packed)
    })?;
    if is_due {
        snapshot::keep_automatic(facts, line, packed, goal);
    }
    if commit_store::is_over_capacity(facts.connection())? {
        evict_other_worktrees(facts, line, goal)?;
    }
    Ok(())
}

/// Drops the commits that only other worktrees need.
fn evict_other_worktrees(
    facts: &mut Store,
    line: &mut Store,
    goal: &FollowTarget<'_>,
) -> Result<()> {
    let needed = checkout::commit_ids(line.connection())?.into_iter().collect();
    if facts.write(|tx| commit_store::evict_unneeded(tx, &needed))? {
        let ground = HistoryInputs::current(goal, facts.connection())?;
        line.write(|tx| ground.store(tx))?;
    }
    Ok(())
}

/// Whether the commit that was read last is stored. Commits are stored in the order they are read,
/// so all others are stored too. This detects a file that lost its end, as in a power cut.
fn has_newest(facts: &Connection, line: &Connection) -> Result<bool> {
    let Some((id, sha)) = checkout::last_read_commit(line)? else { return Ok(true) };
    Ok(commit_store::stored_commit(facts, &sha)?.is_some_and(|known| known.id == id))
}

/// How many commits of the checkout's history have unknown renames, because contents are missing.
fn count_unknown_renames(facts: &Connection, line: &Connection) -> Result<usize> {
    let mut count = 0;
    for id in commit_store::unknown_rename_ids(facts)? {
        count += usize::from(checkout::commit_by_id(line, id)?.is_some());
    }
    Ok(count)
}

fn inconsistent_history() -> Problem {
    Problem::internal("the history has two files")
}

fn tree(repo: &Repo, head: &str, call: &Call) -> Result<Vec<RepoPath>> {
    let head = head.parse().map_err(Problem::internal)?;
    Ok(repo.tree(call, &head)?.items.into_iter().map(|entry| entry.path).collect())
}

/// Runs `work` while a separate thread stores the commits that it hands over. Fails if any of them
/// could not be stored.
fn with_commit_writer<T>(
    facts: &mut Store,
    work: impl FnOnce(CommitSender) -> Result<T>,
) -> Result<T> {
    thread::scope(|scope| {
        let (sender, receiver) = sync_channel(MAX_QUEUED_BATCHES);
        let writer_thread = scope.spawn(|| write_commits(facts, receiver));
        let done = work(sender);
        let kept = writer_thread.join().map_err(|_| Problem::internal("storing commits stopped"));
        let done = done?;
        kept?.map(|()| done)
    })
}

/// Hands commits over to be stored.
type CommitSender = SyncSender<Vec<(CommitRowId, HistoryCommit)>>;

/// Replays the commits of a source, and hands over those that are new to be stored.
fn replay_commits(
    mut source: CommitSource<'_, '_, '_>,
    sender: &CommitSender,
    writer: &mut CheckoutHistoryWriter<'_>,
    mut snapshot_writer: Option<&mut SnapshotWriter>,
    goal: &FollowTarget<'_>,
) -> Result<()> {
    let (what, total) = ("reading the history", source.links.len());
    let mut bundle = Vec::with_capacity(COMMITS_PER_BATCH);
    // If the storing thread has failed, joining it reports why.
    let hand_over = |bundle: &mut Vec<_>| drop(sender.send(std::mem::take(bundle)));
    for done in 0..total {
        if done % PROGRESS_INTERVAL == 0 {
            (goal.report_progress)(Progress { activity: what, done, total })?;
        }
        let next = source.next(done, goal.call)?;
        writer.add(next.id, &next.commit)?;
        if let Some(snapshot_writer) = &mut snapshot_writer {
            snapshot_writer.add(&next.commit);
        }
        if next.is_new {
            bundle.push((next.id, next.commit));
        }
        if bundle.len() == COMMITS_PER_BATCH {
            hand_over(&mut bundle);
        }
    }
    hand_over(&mut bundle);
    Ok(())
}

/// Stores the commits that arrive, in several transactions.
fn write_commits(
    facts: &mut Store,
    receiver: Receiver<Vec<(CommitRowId, HistoryCommit)>>,
) -> Result<()> {
    let mut coming = receiver.into_iter().flatten().peekable();
    while coming.peek().is_some() {
        facts.write(|tx| {
            coming
                .by_ref()
                .take(COMMITS_PER_TRANSACTION)
                .try_for_each(|(id, commit)| commit_store::put(tx, id, &commit))
        })?;
    }
    Ok(())
}

/// Where commits come from: the store, or git.
struct CommitSource<'a, 's, 'e> {
    links: &'a [CommitAndParents],
    /// The id of each commit, and whether it is stored already
    ids: Vec<(CommitRowId, bool)>,
    facts: &'a Connection,
    git: git::CommitReader,
    early: EarlyCommits<'s, 'e>,
    edges: HashSet<Vec<u8>>,
}

struct NextCommit {
    id: CommitRowId,
    commit: HistoryCommit,
    is_new: bool,
}

impl<'a, 's, 'e> CommitSource<'a, 's, 'e> {
    fn new(
        repo: &Repo,
        facts: &'a Connection,
        links: &'a [CommitAndParents],
        early: EarlyCommits<'s, 'e>,
    ) -> Result<Self> {
        let edges: HashSet<Vec<u8>> =
            repo.shallow_commits()?.iter().map(|oid| oid.as_bytes().to_vec()).collect();
        let mut last = commit_store::last_id(facts)?;
        let is_empty = last == CommitRowId::NONE;
        let mut ids = Vec::with_capacity(links.len());
        let mut wanted = Vec::new();
        for link in links {
            let known =
                if is_empty { None } else { commit_store::stored_commit(facts, &link.sha)? };
            // A commit that was read at the edge of a shallow clone is wrong once the edge has
            // moved, and contents that were missing may have arrived.
            let is_kept = known.is_some_and(|known| {
                (!known.is_shallow_edge || edges.contains(&link.sha)) && !known.renames_unknown
            });
            let id = known.map_or_else(|| last.next(), |known| known.id);
            last = last.max(id);
            ids.push((id, is_kept));
            let theirs = if is_kept { None } else { Some(to_git_link(link)?) };
            wanted.extend(theirs.filter(|link| !early.has(&link.oid)));
        }
        Ok(Self { links, ids, facts, git: repo.commits(&wanted)?, early, edges })
    }

    fn next(&mut self, at: usize, call: &Call) -> Result<NextCommit> {
        let (id, is_kept) = self.ids[at];
        if is_kept {
            let commit = commit_store::get(self.facts, id)?;
            let commit = commit.ok_or_else(|| Problem::internal("a commit no longer exists"))?;
            return Ok(NextCommit { id, commit, is_new: false });
        }
        let link = &self.links[at];
        let read = match self.early.take(&link.sha)? {
            Some(read) => read,
            None => self.git.next(call)?.ok_or_else(|| Problem::internal("git stopped early"))?,
        };
        let is_edge = link.parents.is_empty() && self.edges.contains(&link.sha);
        Ok(NextCommit { id, commit: to_commit(read, link, is_edge), is_new: true })
    }
}

fn to_git_link(link: &CommitAndParents) -> Result<git::CommitParents> {
    let oid = |bytes: &Vec<u8>| Oid::from_bytes(bytes).ok_or_else(inconsistent_history);
    let parents = link.parents.iter().map(oid).collect::<Result<_>>()?;
    Ok(git::CommitParents { oid: oid(&link.sha)?, parents })
}

pub(super) fn to_commit(
    read: git::GitCommit,
    link: &CommitAndParents,
    is_edge: bool,
) -> HistoryCommit {
    let person = |one: git::GitSignature| CommitSignature {
        name: commit::decode_text(one.name),
        email: commit::decode_text(one.email),
        time: one.time,
    };
    HistoryCommit {
        sha: link.sha.clone(),
        parents: link.parents.clone(),
        author: person(read.author),
        committer: person(read.committer),
        message: commit::decode_text(read.message),
        changes: read.touched.into_iter().map(to_change).collect(),
        is_shallow_edge: is_edge,
        renames_unknown: read.renames_unknown,
    }
}

fn to_change(touched: git::TouchedFile) -> CommitFileChange {
    let how = match touched.kind {
        TouchKind::Added => CommitChangeKind::Added,
        TouchKind::Deleted => CommitChangeKind::Deleted,
        TouchKind::Modified => CommitChangeKind::Modified,
        TouchKind::TypeChanged => CommitChangeKind::TypeChanged,
        TouchKind::Renamed => CommitChangeKind::Renamed,
    };
    let oid = touched.oid.map(|oid| oid.as_bytes().to_vec());
    CommitFileChange { kind: how, path: touched.path, old_path: touched.old_path, oid }
}
