//! Keeping the history up to date with the commit that is checked out.
//!
//! Commits that nobody has read yet come from git, in order, while those before them are written:
//! what each says goes into the shared store on a thread of its own, in pieces that stay if this
//! is stopped; what they add up to goes into the line in one transaction.

use std::collections::HashSet;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use base::call::Progress;
use base::{Call, Problem, RepoPath, Result};
use git::{Oid, Repo, Touch};
use history::line::{Live, Writer};
use history::snapshot::Roll;
use history::{Change, Commit, How, Link, Person, commit, facts, line};
use store::{Connection, Store};
use tree::Excludes;

use super::early::Early;
use super::route::{Ground, Route};
use super::snapshot;
use crate::follow::{Follower, Goal, Home, Shelf};

/// Commits that are kept in one transaction: what is read again, at most, after an interruption.
pub(super) const PIECE: usize = 2000;

/// Commits are handed over to be kept in bundles of this many, of which so many wait at most.
const BUNDLE: usize = 64;
const WAITING: usize = 8;

/// How many commits pass between two reports.
const STEP: usize = 128;

/// The entry that counts the commits that were read without the contents that tell renames.
pub(super) const UNKNOWN_RENAMES: &str = "unknown_renames";

/// The files of the history.
static SHELVES: [Shelf; 2] = [
    Shelf { name: "commits", home: Home::Shared, schema: facts::SCHEMA, dump: &[] },
    Shelf { name: "history", home: Home::Worktree, schema: line::SCHEMA, dump: line::DUMP },
];

/// Follows the commits that lead to what is checked out.
pub(crate) struct HistoryFollower;

impl Follower for HistoryFollower {
    fn shelves(&self) -> &'static [Shelf] {
        &SHELVES
    }

    fn is_consistent(&self, shelves: &[&Connection]) -> Result<bool> {
        let [facts, line] = shelves else { return Err(odd()) };
        let stamp = Ground::then(line)?.map(|ground| ground.stamp);
        Ok(stamp == Some(facts::stamp(facts)?) && has_newest(facts, line)?)
    }

    fn has_arrived(&self, shelves: &[&Connection], goal: &Goal<'_>) -> Result<bool> {
        let [facts, line] = shelves else { return Err(odd()) };
        let head = line::meta(line, "head")?;
        if head.is_none() || head.as_deref() != Some(goal.head.as_deref().unwrap_or_default()) {
            return Ok(false);
        }
        let is_same = Ground::then(line)? == Some(Ground::now(goal, facts)?);
        Ok(is_same && has_newest(facts, line)?)
    }

    fn follow(&self, shelves: &mut [Store], goal: &Goal<'_>) -> Result<()> {
        let [facts, line] = shelves else { return Err(odd()) };
        let (repo, call) = (goal.git.repo(), goal.call);
        thread::scope(|scope| follow((facts, line), goal, Early::new((scope, repo, call))))
    }
}

fn follow(
    (facts, line): (&mut Store, &mut Store),
    goal: &Goal<'_>,
    mut early: Early<'_, '_>,
) -> Result<()> {
    if facts::last_id(facts.connection())? == 0 {
        snapshot::start(facts, goal)?;
    }
    let ground = Ground::now(goal, facts.connection())?;
    let same_ground = Ground::then(line.connection())?.as_ref() == Some(&ground)
        && has_newest(facts.connection(), line.connection())?;
    let repo = goal.git.repo();
    early.is_wanted = facts::last_id(facts.connection())? == 0;
    let route = match &goal.head {
        None => Route { keep: 0, rest: Vec::new(), is_chain: false },
        Some(head) => {
            let stores = (facts.connection(), line.connection());
            Route::find(repo, stores, (head, same_ground), (&mut early, goal.call))?
        }
    };
    let excludes = goal.config.history.exclude.iter().map(ToString::to_string);
    let excludes = Excludes::new(&excludes.collect::<Vec<_>>())?;
    let hides = |path: &RepoPath| excludes.hide(path, false);
    let reading = store::open_reading(facts.path())?;
    let commits = route.keep + i64::try_from(route.rest.len()).unwrap_or(i64::MAX);
    let is_due = snapshot::is_due(facts, commits, goal);
    let mut roll = (is_due && route.keep == 0).then(Roll::default);
    let packed = line.write(|tx| {
        let mut writer = Writer::from(tx, route.keep, &hides)?;
        let source = Source::new(repo, &reading, (&route.rest, early))?;
        let packed = keeping(facts, |keeper| {
            carry(source, &keeper, (&mut writer, roll.as_mut()), goal)?;
            drop(keeper);
            // The last commits are still being kept while it is written what they add up to.
            let tree = match (&goal.head, route.is_chain) {
                (Some(head), false) => tree(repo, head, goal.call)?,
                _ => Vec::new(),
            };
            let live = if route.is_chain { Live::Chain } else { Live::Tree(&tree) };
            writer.finish(&live)?;
            ground.keep(tx)?;
            line::set_meta(tx, "head", goal.head.as_deref().unwrap_or_default())?;
            Ok(roll.and_then(|roll| snapshot::pack(tx, roll, goal).ok()))
        })?;
        let unknown = count_unknown_renames(facts.connection(), tx)?;
        line::set_meta(tx, UNKNOWN_RENAMES, &unknown.to_string())?;
        Ok(packed)
    })?;
    if is_due {
        snapshot::keep_up((facts, line), packed, goal);
    }
    if facts::is_crowded(facts.connection())? {
        make_room(facts, line, goal)?;
    }
    Ok(())
}

/// Drops the commits that only other worktrees need.
fn make_room(facts: &mut Store, line: &mut Store, goal: &Goal<'_>) -> Result<()> {
    let needed = line::ids(line.connection())?.into_iter().collect();
    if facts.write(|tx| facts::make_room(tx, &needed))? {
        let ground = Ground::now(goal, facts.connection())?;
        line.write(|tx| ground.keep(tx))?;
    }
    Ok(())
}

/// Whether the commit that was read last is kept. Commits are kept in the order they are read, so
/// all others are too; a file that lost its end, as in a power cut, is known by this.
fn has_newest(facts: &Connection, line: &Connection) -> Result<bool> {
    let Some((id, sha)) = line::newest(line)? else { return Ok(true) };
    Ok(facts::known(facts, &sha)?.is_some_and(|known| known.id == id))
}

/// How many commits of the line were read without the contents that tell renames.
fn count_unknown_renames(facts: &Connection, line: &Connection) -> Result<usize> {
    let mut count = 0;
    for id in facts::with_unknown_renames(facts)? {
        count += usize::from(line::stop_of(line, id)?.is_some());
    }
    Ok(count)
}

fn odd() -> Problem {
    Problem::internal("the history has two files")
}

fn tree(repo: &Repo, head: &str, call: &Call) -> Result<Vec<RepoPath>> {
    let head = head.parse().map_err(Problem::internal)?;
    Ok(repo.tree(call, &head)?.items.into_iter().map(|entry| entry.path).collect())
}

/// Has commits kept by a thread of its own while `work` hands them over and goes on. What
/// `work` did counts only if all of them are kept.
fn keeping<T>(facts: &mut Store, work: impl FnOnce(Keeper) -> Result<T>) -> Result<T> {
    thread::scope(|scope| {
        let (sender, receiver) = sync_channel(WAITING);
        let keeper = scope.spawn(|| keep(facts, receiver));
        let done = work(sender);
        let kept = keeper.join().map_err(|_| Problem::internal("keeping commits broke off"));
        let done = done?;
        kept?.map(|()| done)
    })
}

/// Takes commits to be kept.
type Keeper = SyncSender<Vec<(i64, Commit)>>;

/// Moves commits from where they are read to where they are kept and replayed.
fn carry(
    mut source: Source<'_, '_, '_>,
    keeper: &Keeper,
    (writer, mut roll): (&mut Writer<'_>, Option<&mut Roll>),
    goal: &Goal<'_>,
) -> Result<()> {
    let (what, total) = ("reading the history", source.links.len());
    let mut bundle = Vec::with_capacity(BUNDLE);
    // A keeper that is gone says why when it is asked.
    let hand_over = |bundle: &mut Vec<_>| drop(keeper.send(std::mem::take(bundle)));
    for done in 0..total {
        if done % STEP == 0 {
            (goal.tell)(Progress { what, done, total })?;
        }
        let next = source.next(done, goal.call)?;
        writer.add(next.id, &next.commit)?;
        if let Some(roll) = &mut roll {
            roll.add(&next.commit);
        }
        if next.is_new {
            bundle.push((next.id, next.commit));
        }
        if bundle.len() == BUNDLE {
            hand_over(&mut bundle);
        }
    }
    hand_over(&mut bundle);
    Ok(())
}

/// Keeps what comes, piece by piece.
fn keep(facts: &mut Store, receiver: Receiver<Vec<(i64, Commit)>>) -> Result<()> {
    let mut coming = receiver.into_iter().flatten().peekable();
    while coming.peek().is_some() {
        facts.write(|tx| {
            coming.by_ref().take(PIECE).try_for_each(|(id, commit)| facts::put(tx, id, &commit))
        })?;
    }
    Ok(())
}

/// Where commits come from: what is kept, or git.
struct Source<'a, 's, 'e> {
    links: &'a [Link],
    /// For each, its id, and whether it is kept already
    ids: Vec<(i64, bool)>,
    facts: &'a Connection,
    git: git::Commits,
    early: Early<'s, 'e>,
    edges: HashSet<Vec<u8>>,
}

struct Next {
    id: i64,
    commit: Commit,
    is_new: bool,
}

impl<'a, 's, 'e> Source<'a, 's, 'e> {
    fn new(
        repo: &Repo,
        facts: &'a Connection,
        (links, early): (&'a [Link], Early<'s, 'e>),
    ) -> Result<Self> {
        let edges: HashSet<Vec<u8>> =
            repo.shallow()?.iter().map(|oid| oid.as_bytes().to_vec()).collect();
        let mut free = facts::last_id(facts)?;
        let is_empty = free == 0;
        let mut ids = Vec::with_capacity(links.len());
        let mut wanted = Vec::new();
        for link in links {
            let known = if is_empty { None } else { facts::known(facts, &link.sha)? };
            // What was read at an edge is wrong once the edge has moved on; contents that were
            // missing may have come.
            let is_kept = known.is_some_and(|known| {
                (!known.is_edge || edges.contains(&link.sha)) && !known.renames_unknown
            });
            let id = known.map_or_else(|| (free += 1, free).1, |known| known.id);
            ids.push((id, is_kept));
            let theirs = if is_kept { None } else { Some(theirs(link)?) };
            wanted.extend(theirs.filter(|link| !early.has(&link.oid)));
        }
        Ok(Self { links, ids, facts, git: repo.commits(&wanted)?, early, edges })
    }

    fn next(&mut self, at: usize, call: &Call) -> Result<Next> {
        let (id, is_kept) = self.ids[at];
        if is_kept {
            let commit = facts::get(self.facts, id)?;
            let commit = commit.ok_or_else(|| Problem::internal("a commit vanished"))?;
            return Ok(Next { id, commit, is_new: false });
        }
        let link = &self.links[at];
        let read = match self.early.take(&link.sha)? {
            Some(read) => read,
            None => self.git.next(call)?.ok_or_else(|| Problem::internal("git stopped early"))?,
        };
        let is_edge = link.parents.is_empty() && self.edges.contains(&link.sha);
        Ok(Next { id, commit: taken(read, link, is_edge), is_new: true })
    }
}

fn theirs(link: &Link) -> Result<git::Link> {
    let oid = |bytes: &Vec<u8>| Oid::from_bytes(bytes).ok_or_else(odd);
    let parents = link.parents.iter().map(oid).collect::<Result<_>>()?;
    Ok(git::Link { oid: oid(&link.sha)?, parents })
}

pub(super) fn taken(read: git::Commit, link: &Link, is_edge: bool) -> Commit {
    let person = |one: git::Person| Person {
        name: commit::text(one.name),
        email: commit::text(one.email),
        time: one.time,
    };
    Commit {
        sha: link.sha.clone(),
        parents: link.parents.clone(),
        author: person(read.author),
        committer: person(read.committer),
        message: commit::text(read.message),
        changes: read.touched.into_iter().map(change).collect(),
        is_edge,
        renames_unknown: read.renames_unknown,
    }
}

fn change(touched: git::Touched) -> Change {
    let how = match touched.how {
        Touch::Added => How::Added,
        Touch::Deleted => How::Deleted,
        Touch::Modified => How::Modified,
        Touch::TypeChanged => How::TypeChanged,
        Touch::Renamed => How::Renamed,
    };
    let oid = touched.oid.map(|oid| oid.as_bytes().to_vec());
    Change { how, path: touched.path, old: touched.old, oid }
}
