//! Snapshots of the history: where they are kept, when one is due, starting from one.
//!
//! They lie beside the store of commits, which all worktrees share. Whoever has no commits yet
//! starts from the newest, so a clone needs nothing but the file in its place.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use base::call::Progress;
use base::{Call, Problem, Result};
use config::Config;
use history::snapshot::{self, About, Roll};
use history::{facts, line};
use store::{Connection, Store};

use super::follow::PIECE;
use super::route::given_up;
use crate::follow::Goal;

/// How the names of snapshots end.
const ENDING: &str = "snapshot";

/// How the names of those start that were taken without being asked for.
const UNASKED: &str = "auto-";

/// So many of those stay.
const KEEP: usize = 2;

/// The largest file that is read as a snapshot, in bytes.
const LARGEST: u64 = 1 << 30;

/// A snapshot that is kept.
#[derive(Debug, Clone)]
pub(crate) struct Kept {
    /// Its name, without the ending
    pub name: String,
    /// Where it is
    pub path: PathBuf,
    /// Its size, in bytes
    pub bytes: u64,
}

/// Every snapshot that lies beside a store of commits, newest first.
pub(crate) fn list(store: &Path) -> Vec<Kept> {
    let entries = fs::read_dir(folder(store)).into_iter().flatten().flatten();
    let found = entries.filter_map(|entry| {
        let (path, known) = (entry.path(), entry.metadata().ok()?);
        let fits = known.is_file() && path.extension() == Some(ENDING.as_ref());
        let name = path.file_stem()?.to_str()?.to_owned();
        fits.then(|| (known.modified().ok(), Kept { name, path, bytes: known.len() }))
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
pub(crate) fn read(path: &Path) -> Result<Vec<u8>> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let failed = || Problem::io(format!("read {name}"));
    tree::read_regular(path, LARGEST).map_err(|error| match error.kind() {
        std::io::ErrorKind::FileTooLarge => {
            Problem::invalid(format!("no snapshot has more than {LARGEST} bytes, but {name} has"))
        }
        _ => failed()(error),
    })
}

/// Takes a snapshot of what is known: what it is of, and its bytes.
pub(crate) fn take(
    (facts, line): (&Connection, &Connection),
    (config, call): (&Config, &Call),
) -> Result<(About, Vec<u8>)> {
    sealed(line, rolled(facts, &line::ids(line)?)?, (config, call))
}

/// The same, of commits that were just read.
pub(super) fn pack(line: &Connection, roll: Roll, goal: &Goal<'_>) -> Result<(About, Vec<u8>)> {
    sealed(line, roll, (goal.config, goal.call))
}

fn sealed(
    line: &Connection,
    roll: Roll,
    (config, call): (&Config, &Call),
) -> Result<(About, Vec<u8>)> {
    let about = About {
        head: history::unhex(&line::meta(line, "head")?.unwrap_or_default()),
        made: call.now.as_second(),
        commits: usize::try_from(line::count(line)?).unwrap_or(0),
        exclude: config.history.exclude.iter().map(ToString::to_string).collect(),
        tree: line::live(line)?.into_iter().map(|(path, _)| path.as_bytes().to_vec()).collect(),
        digest: line::digest(line)?,
    };
    let bytes = roll.finish(&about);
    Ok((about, bytes))
}

fn rolled(facts: &Connection, ids: &[i64]) -> Result<Roll> {
    let mut roll = Roll::default();
    for id in ids {
        let commit = facts::get(facts, *id)?;
        roll.add(&commit.ok_or_else(|| Problem::internal("a commit of the history is gone"))?);
    }
    Ok(roll)
}

/// What a snapshot is called unless somebody says otherwise.
pub(crate) fn name_of(about: &About) -> String {
    format!("{}-{}", about.commits, super::short(&about.head))
}

/// Keeps a snapshot under a name, whole or not at all.
pub(crate) fn keep(store: &Path, name: &str, bytes: &[u8]) -> Result<PathBuf> {
    let failed = || Problem::io("keep a snapshot");
    let folder = folder(store);
    fs::create_dir_all(&folder).map_err(failed())?;
    let path = folder.join(format!("{name}.{ENDING}"));
    // Not flushed: a file that a power cut left short is known by its seal, and not missed.
    let new = path.with_extension("new");
    let mut options = fs::File::options();
    let file = tree::write_regular(&new, options.write(true).create(true).truncate(true));
    let written = file.and_then(|mut file| file.write_all(bytes));
    written.and_then(|()| fs::rename(&new, &path)).map_err(failed())?;
    Ok(path)
}

/// Keeps a snapshot that is due, and drops the oldest that nobody asked for.
pub(super) fn keep_up(
    (facts, line): (&Store, &Store),
    packed: Option<(About, Vec<u8>)>,
    goal: &Goal<'_>,
) {
    // A snapshot saves time, later; not having one must not cost anybody their answer.
    let _ = keep_unasked((facts, line), packed, goal);
}

fn keep_unasked(
    (facts, line): (&Store, &Store),
    packed: Option<(About, Vec<u8>)>,
    goal: &Goal<'_>,
) -> Result<()> {
    let stores = (facts.connection(), line.connection());
    let taken = packed.map_or_else(|| take(stores, (goal.config, goal.call)), Ok);
    let (about, bytes) = taken?;
    keep(facts.path(), &format!("{UNASKED}{}", name_of(&about)), &bytes)?;
    let unasked = list(facts.path()).into_iter().filter(is_unasked);
    unasked.skip(KEEP).for_each(|old| drop(fs::remove_file(&old.path)));
    Ok(())
}

/// Whether a snapshot is due once there are so many commits.
pub(super) fn is_due(facts: &Store, commits: i64, goal: &Goal<'_>) -> bool {
    let every = i64::from(goal.config.history.snapshot_frequency);
    let last = list(facts.path()).into_iter().find(is_unasked);
    let last = last.and_then(|kept| kept.name[UNASKED.len()..].split('-').next()?.parse().ok());
    every > 0 && commits >= last.unwrap_or(0_i64).saturating_add(every)
}

fn is_unasked(kept: &Kept) -> bool {
    kept.name.starts_with(UNASKED)
}

/// Fills an empty store of commits from the newest snapshot that can be read, if there is one.
pub(super) fn start(facts: &mut Store, goal: &Goal<'_>) -> Result<()> {
    for kept in list(facts.path()) {
        let taken = read(&kept.path).and_then(|bytes| {
            let found = snapshot::read(&bytes)?;
            take_in(facts, &found, goal.tell)
        });
        match taken {
            Err(problem) if given_up(&problem) => return Err(problem),
            Ok(_) => return Ok(()),
            // It is a cache like any other: without it git is asked.
            Err(_) => {}
        }
    }
    Ok(())
}

/// Brings the commits of a snapshot into the store; how many of them were not known.
pub(crate) fn take_in(
    facts: &mut Store,
    found: &snapshot::Snapshot<'_>,
    tell: &dyn Fn(Progress) -> Result<()>,
) -> Result<usize> {
    let (what, total) = ("reading a snapshot", found.about.commits);
    let mut commits = found.commits().peekable();
    let (mut done, mut news) = (0, 0);
    while commits.peek().is_some() {
        tell(Progress { what, done, total })?;
        let piece = commits.by_ref().take(PIECE);
        news += facts.write(|tx| facts::take_in(tx, piece))?;
        done += PIECE;
    }
    Ok(news)
}
