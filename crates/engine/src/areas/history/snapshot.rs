//! Snapshots of the history: where they are stored, when one is due, and starting from one.
//!
//! They are beside the store of commits, which all worktrees share. An empty store is filled from
//! the newest snapshot, so for a fresh clone it is enough to copy the file there.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use base::call::Progress;
use base::{Call, Problem, Result};
use config::Config;
use history::commit_store::CommitRowId;
use history::snapshot::{self, SnapshotHeader, SnapshotWriter};
use history::{checkout, commit_store};
use store::{Connection, Store};

use super::follower::COMMITS_PER_TRANSACTION;
use super::reader::HistoryConnections;
use super::update::is_cancelled;
use crate::follow::FollowTarget;

/// How the names of snapshots end.
const EXTENSION: &str = "snapshot";

/// How the names of automatic snapshots start.
const AUTOMATIC_PREFIX: &str = "auto-";

/// How many automatic snapshots are kept.
const KEPT_AUTOMATIC: usize = 2;

/// The largest file that is read as a snapshot, in bytes.
const MAX_FILE_BYTES: u64 = 1 << 30;

/// A snapshot in its folder.
#[derive(Debug, Clone)]
pub struct StoredSnapshot {
    /// Its name, without the ending
    pub name: String,
    /// Where it is
    pub path: PathBuf,
    /// Its size, in bytes
    pub bytes: u64,
}

/// Every snapshot that is beside a store of commits, newest first.
pub fn list(store: &Path) -> Vec<StoredSnapshot> {
    let entries = fs::read_dir(folder(store)).into_iter().flatten().flatten();
    let found = entries.filter_map(|entry| {
        let (path, known) = (entry.path(), entry.metadata().ok()?);
        let fits = known.is_file() && path.extension() == Some(EXTENSION.as_ref());
        let name = path.file_stem()?.to_str()?.to_owned();
        fits.then(|| (known.modified().ok(), StoredSnapshot { name, path, bytes: known.len() }))
    });
    let mut found: Vec<_> = found.collect();
    found.sort_by(|(a, one), (b, other)| b.cmp(a).then_with(|| one.name.cmp(&other.name)));
    found.into_iter().map(|(_, kept)| kept).collect()
}

/// Where snapshots lie.
pub(crate) fn folder(store: &Path) -> PathBuf {
    store.with_file_name("snapshots")
}

/// The bytes of a file that may be a snapshot.
pub fn read(path: &Path) -> Result<Vec<u8>> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let failed = || Problem::io(format!("read {name}"));
    tree::read_regular(path, MAX_FILE_BYTES).map_err(|error| match error.kind() {
        std::io::ErrorKind::FileTooLarge => Problem::invalid(format!(
            "no snapshot has more than {MAX_FILE_BYTES} bytes, but {name} has"
        )),
        _ => failed()(error),
    })
}

/// Takes a snapshot of the history that is known. Returns its header and its bytes.
pub fn take_snapshot(
    stores: HistoryConnections<'_>,
    config: &Config,
    call: &Call,
) -> Result<(SnapshotHeader, Vec<u8>)> {
    let HistoryConnections { commits, checkout: line } = stores;
    encode(line, roll_of_commits(commits, &checkout::commit_ids(line)?)?, config, call)
}

/// Like [`take_snapshot`], for commits that were just read.
pub(super) fn snapshot_of_new_commits(
    line: &Connection,
    snapshot_writer: SnapshotWriter,
    goal: &FollowTarget<'_>,
) -> Result<(SnapshotHeader, Vec<u8>)> {
    encode(line, snapshot_writer, goal.config, goal.call)
}

fn encode(
    line: &Connection,
    snapshot_writer: SnapshotWriter,
    config: &Config,
    call: &Call,
) -> Result<(SnapshotHeader, Vec<u8>)> {
    let about = SnapshotHeader {
        head: history::sha_from_hex(&checkout::meta(line, "head")?.unwrap_or_default()),
        created_at: call.now.as_second(),
        commits: usize::try_from(checkout::count(line)?).unwrap_or(0),
        exclude: config.history.exclude.iter().map(ToString::to_string).collect(),
        tree: checkout::checked_out_files(line)?
            .into_iter()
            .map(|(path, _)| path.as_bytes().to_vec())
            .collect(),
        digest: checkout::digest(line)?,
    };
    let bytes = snapshot_writer.finish(&about);
    Ok((about, bytes))
}

fn roll_of_commits(facts: &Connection, ids: &[CommitRowId]) -> Result<SnapshotWriter> {
    let mut snapshot_writer = SnapshotWriter::default();
    for id in ids {
        let commit = commit_store::get(facts, *id)?;
        snapshot_writer
            .add(&commit.ok_or_else(|| Problem::internal("a commit of the history is missing"))?);
    }
    Ok(snapshot_writer)
}

/// The name of a snapshot if none is given.
pub fn default_name(about: &SnapshotHeader) -> String {
    format!("{}-{}", about.commits, super::short_commit_id(&about.head))
}

/// Writes a snapshot under a name, completely or not at all.
pub fn write(store: &Path, name: &str, bytes: &[u8]) -> Result<PathBuf> {
    let failed = || Problem::io("store a snapshot");
    let folder = folder(store);
    fs::create_dir_all(&folder).map_err(failed())?;
    let path = folder.join(format!("{name}.{EXTENSION}"));
    // Not flushed: a file that a power cut left incomplete is detected by its checksum, and can be
    // missed.
    let new = path.with_extension("new");
    let mut options = fs::File::options();
    let file = tree::open_regular_for_write(&new, options.write(true).create(true).truncate(true));
    let written = file.and_then(|mut file| file.write_all(bytes));
    written.and_then(|()| fs::rename(&new, &path)).map_err(failed())?;
    Ok(path)
}

/// Writes a snapshot that is due, and deletes the oldest automatic ones.
pub(super) fn keep_automatic(
    facts: &Store,
    line: &Store,
    packed: Option<(SnapshotHeader, Vec<u8>)>,
    goal: &FollowTarget<'_>,
) {
    // A snapshot only saves time later, so a failure must not prevent the answer.
    let _ = write_automatic(facts, line, packed, goal);
}

fn write_automatic(
    facts: &Store,
    line: &Store,
    packed: Option<(SnapshotHeader, Vec<u8>)>,
    goal: &FollowTarget<'_>,
) -> Result<()> {
    let stores = HistoryConnections { commits: facts.connection(), checkout: line.connection() };
    let taken = packed.map_or_else(|| take_snapshot(stores, goal.config, goal.call), Ok);
    let (about, bytes) = taken?;
    write(facts.path(), &format!("{AUTOMATIC_PREFIX}{}", default_name(&about)), &bytes)?;
    let unasked = list(facts.path()).into_iter().filter(is_automatic);
    unasked.skip(KEPT_AUTOMATIC).for_each(|old| drop(fs::remove_file(&old.path)));
    Ok(())
}

/// Whether a snapshot is due once there are so many commits.
pub(super) fn is_due(facts: &Store, commits: i64, goal: &FollowTarget<'_>) -> bool {
    let every = i64::from(goal.config.history.snapshot_frequency);
    let last = list(facts.path()).into_iter().find(is_automatic);
    let last =
        last.and_then(|kept| kept.name[AUTOMATIC_PREFIX.len()..].split('-').next()?.parse().ok());
    every > 0 && commits >= last.unwrap_or(0_i64).saturating_add(every)
}

fn is_automatic(kept: &StoredSnapshot) -> bool {
    kept.name.starts_with(AUTOMATIC_PREFIX)
}

/// Fills an empty store of commits from the newest snapshot that can be read, if there is one.
pub(super) fn fill_from_newest(facts: &mut Store, goal: &FollowTarget<'_>) -> Result<()> {
    for kept in list(facts.path()) {
        let taken = read(&kept.path).and_then(|bytes| {
            let found = snapshot::read(&bytes)?;
            import_commits(facts, &found, goal.report_progress)
        });
        match taken {
            Err(problem) if is_cancelled(&problem) => return Err(problem),
            Ok(_) => return Ok(()),
            // A snapshot is a cache: without it the commits are read from git.
            Err(_) => {}
        }
    }
    Ok(())
}

/// Writes the commits of a snapshot into the store. Returns how many of them were new.
pub fn import_commits(
    facts: &mut Store,
    found: &snapshot::Snapshot<'_>,
    tell: &dyn Fn(Progress) -> Result<()>,
) -> Result<usize> {
    let (what, total) = ("reading a snapshot", found.header.commits);
    let mut commits = found.commits().peekable();
    let (mut done, mut news) = (0, 0);
    while commits.peek().is_some() {
        tell(Progress { activity: what, done, total })?;
        let piece = commits.by_ref().take(COMMITS_PER_TRANSACTION);
        news += facts.write(|tx| commit_store::insert_or_complete(tx, piece))?;
        done += COMMITS_PER_TRANSACTION;
    }
    Ok(news)
}
