//! Backups of the durable stores: where they are, how many are kept, and how one is restored.
//!
//! A durable store is every `*.sqlite` below the shared folder that is neither a cache nor a copy, so
//! the stores of branches and of later areas need no code here.
//!
//! Copies of one store are numbered. The number decides which is newer, because a clock may run
//! ahead or be set back.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use base::{Call, NextCall, Problem, ProblemCode, Result};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use store::{BackupNotes, Durability};

use crate::area::Area;
use crate::durable::locations;
use crate::durable::tables::revision;
use crate::identity::{self, RepositoryIdentity};
use crate::workspace::Workspace;

/// The folder of the copies, below the shared one.
const FOLDER: &str = "backups";

/// Folders in the shared folder that contain no durable store.
const NOT_DURABLE: [&str; 3] = [FOLDER, "cache", "journal"];

/// Separates the name of a store from the number of its copy.
const NUMBER_SEPARATOR: char = '@';

/// Separates the name of a store from the number, in copies that a migration makes.
const MIGRATION_INFIX: &str = ".before-migration-";

/// Separates the name of a store from the number, in copies that `restore` makes of what it
/// replaces.
const REPLACED_INFIX: &str = ".replaced-";

/// The note of a backup with the branch that its store belongs to.
const BRANCH_NOTE: &str = "branch";

/// How times are written in the names of files.
const TIME_FORMAT: &str = "%Y%m%dT%H%M%SZ";

/// How long to wait for another process that makes or restores copies.
const LOCK_TIMEOUT: Duration = Duration::from_secs(5);

/// A copy of a durable store
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Backup {
    /// Its name, as `restore` takes it
    pub name: String,
    /// The store it is a copy of
    pub store: String,
    /// Why it was made
    pub kind: BackupKind,
    /// When it was made, by the clock of that moment; none for one that a migration made
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// The last change of the store in the copy; none if the copy cannot be read
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision: Option<i64>,
    /// The repository that it was made in
    pub repository: BackupOrigin,
    /// Bytes on disk
    pub bytes: u64,
    #[serde(skip)]
    path: PathBuf,
    /// Its number among the copies of its store; none in names of older versions
    #[serde(skip)]
    number: Option<u64>,
}

/// Why a copy of a store was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BackupKind {
    /// By `backup`, or by `kb gc` before it removed the store
    Backup,
    /// Before a new version changed the store's tables
    Migration,
    /// By `restore`, which put another copy in its place
    Replaced,
}

/// The repository that a copy was made in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BackupOrigin {
    /// This one, or another clone of it
    This,
    /// Another one
    Other,
    /// The copy does not say
    Unknown,
}

impl Backup {
    /// Refuses a copy that a newer cairn made: this one could not read the store afterwards.
    pub fn refuse_newer(&self, areas: &[Area]) -> Result<()> {
        let name = self.store.rsplit('/').next().unwrap_or_default();
        let mut durables = areas.iter().filter_map(|area| area.durable);
        match durables.find(|durable| durable.name == name) {
            Some(durable) => durable.refuse_newer(&self.path),
            None => Ok(()),
        }
    }
}

/// The copies of one repository's stores.
pub struct BackupFolder<'a> {
    shared: &'a Path,
    identity: RepositoryIdentity,
}

/// The parsed name of a copy.
struct BackupFileName {
    name: String,
    store: String,
    kind: BackupKind,
    number: Option<u64>,
    at: Option<Timestamp>,
}

impl<'a> BackupFolder<'a> {
    /// The copies of this workspace's stores.
    pub fn of(workspace: &'a Workspace, call: &Call) -> Result<Self> {
        let shared = workspace.data_folders.shared.as_path();
        let identity = RepositoryIdentity::of(shared, workspace.git.as_ref(), call)?;
        Ok(Self { shared, identity })
    }

    /// Every existing durable store, by name: `work`, `branches/main/kb`.
    pub fn stores(&self) -> Vec<String> {
        stores(self.shared)
    }

    /// All copies, ordered by the name of the store; those that `backup` made before others, the
    /// newest first.
    pub fn list(&self) -> Vec<Backup> {
        let folder = self.shared.join(FOLDER);
        let taken = sqlite_files_below(&folder).into_iter();
        let taken = taken
            .filter_map(|file| Some((folder.join(&file), BackupFileName::parse_backup(&file)?)));
        let others = sqlite_files_below(self.shared).into_iter();
        let others = others.filter_map(|file| {
            Some((self.shared.join(&file), BackupFileName::parse_beside_store(&file)?))
        });
        let mut all: Vec<Backup> =
            taken.chain(others).map(|(path, name)| self.describe(path, name)).collect();
        all.sort_by(|a, b| {
            let newest = b.number.cmp(&a.number).then_with(|| b.name.cmp(&a.name));
            a.store.cmp(&b.store).then(a.kind.cmp(&b.kind)).then(newest)
        });
        all
    }

    /// Makes a verified copy of one store and removes the oldest copies beyond `keep`.
    pub fn take(&self, store: &str, keep: usize, call: &Call) -> Result<Backup> {
        let folder = self.shared.join(FOLDER);
        let failed = || Problem::io("make the folder of the backups");
        fs::create_dir_all(&folder).map_err(failed())?;
        let _lock = tree::lock(&folder.join(".lock"), LOCK_TIMEOUT, call)?;
        let number = next_number(self.backups_of(store).iter().filter_map(|copy| copy.number));
        let name = BackupFileName {
            name: format!(
                "{store}{NUMBER_SEPARATOR}{number:06}-{}",
                call.now.strftime(TIME_FORMAT)
            ),
            store: store.to_owned(),
            kind: BackupKind::Backup,
            number: Some(number),
            at: Some(call.now),
        };
        let target = folder.join(format!("{}.sqlite", name.name));
        let beside = target.parent().unwrap_or(&folder);
        fs::create_dir_all(beside).map_err(failed())?;
        store::remove_unfinished(beside).map_err(Problem::io("remove an unfinished backup"))?;
        let source = store::open(&store_path(self.shared, store), Durability::Durable)?;
        let mut notes = self.identity.notes();
        let branch = locations::label_beside(&store_path(self.shared, store));
        notes.extend(branch.map(|branch| (BRANCH_NOTE.to_owned(), branch)));
        store::back_up(source.connection(), &target, &notes)?;
        let own = |copy: &Backup| copy.repository != BackupOrigin::Other;
        for old in self.backups_of(store).into_iter().filter(own).skip(keep) {
            fs::remove_file(&old.path).map_err(Problem::io("remove an old backup"))?;
        }
        Ok(self.describe(target, name))
    }

    /// The copies that `backup` made of a store, newest first.
    fn backups_of(&self, store: &str) -> Vec<Backup> {
        let is_taken = |copy: &Backup| copy.store == store && copy.kind == BackupKind::Backup;
        self.list().into_iter().filter(is_taken).collect()
    }

    /// Replaces a store by a copy of it. Returns where the replaced store is kept, if there was one.
    pub fn put_back(&self, backup: &Backup, call: &Call) -> Result<Option<String>> {
        let path = store_path(self.shared, &backup.store);
        let folder = path.parent().unwrap_or(self.shared);
        fs::create_dir_all(folder).map_err(Problem::io("make the folder of a store"))?;
        let _lock = tree::lock(&path.with_extension("lock"), LOCK_TIMEOUT, call)?;
        let aside = self.name_for_replaced(&backup.store, call);
        let was_there = path.exists();
        store::restore(&backup.path, &path, &store_path(self.shared, &aside))?;
        let notes = store::backup_notes(&backup.path).unwrap_or_default();
        if let Some(branch) = notes.get(BRANCH_NOTE) {
            locations::write_label(folder, branch)?;
        }
        Ok(was_there.then(|| format!("{aside}.sqlite")))
    }

    /// An unused name for the store that a copy replaces.
    fn name_for_replaced(&self, store: &str, call: &Call) -> String {
        let all = self.list().into_iter();
        let replaced = all.filter(|b| b.store == store && b.kind == BackupKind::Replaced);
        let number = next_number(replaced.filter_map(|copy| copy.number));
        format!("{store}{REPLACED_INFIX}{number:06}-{}", call.now.strftime(TIME_FORMAT))
    }

    /// Refuses a copy that another repository made.
    pub fn check_origin(&self, backup: &Backup) -> Result<()> {
        if backup.repository != BackupOrigin::Other {
            return Ok(());
        }
        let notes = store::backup_notes(&backup.path).unwrap_or_default();
        let root = |root: Option<&str>| root.map_or("unknown".to_owned(), ToOwned::to_owned);
        let (own, other) = (root(self.identity.root()), root(identity::root_of(&notes)));
        let message = format!("{} is a backup of another repository", backup.name);
        Err(Problem::new(ProblemCode::InvalidOperation, message)
            .detail("root_commit_of_the_backup", other)
            .detail("root_commit_here", own)
            .hint_call(
                "the backups of this repository are listed by",
                NextCall::new("backup").with("list", true),
            )
            .hint_call(
                "to use it anyway:",
                NextCall::new("restore")
                    .with("backup", backup.name.as_str())
                    .with("allow_other_repository", true),
            ))
    }

    fn describe(&self, path: PathBuf, copy: BackupFileName) -> Backup {
        let bytes = fs::metadata(&path).map_or(0, |known| known.len());
        let revision = store::open_read_only(&path).and_then(|copy| revision(&copy)).ok();
        let notes = match copy.kind {
            BackupKind::Backup => store::backup_notes(&path).unwrap_or_default(),
            _ => BackupNotes::new(),
        };
        let repository = match self.identity.made_backup(&notes) {
            Some(true) => BackupOrigin::This,
            Some(false) => BackupOrigin::Other,
            None => BackupOrigin::Unknown,
        };
        let BackupFileName { name, store, kind, number, at } = copy;
        let at = at.map(|at| at.to_string());
        Backup { name, store, kind, at, revision, repository, bytes, path, number }
    }
}

impl BackupFileName {
    /// `work@000012-20260102T030405Z`, or without the number as older versions wrote it.
    fn parse_backup(file: &Path) -> Option<Self> {
        let name = file.with_extension("").to_string_lossy().into_owned();
        let (store, rest) = name.rsplit_once(NUMBER_SEPARATOR)?;
        let (number, at) = parse_number_and_time(rest)?;
        let (store, kind) = (store.to_owned(), BackupKind::Backup);
        Some(Self { store, kind, number, at: Some(at), name })
    }

    /// A copy that is in the same folder as its store.
    fn parse_beside_store(file: &Path) -> Option<Self> {
        let name = file.with_extension("").to_string_lossy().into_owned();
        if let Some((store, _)) = split_file_name(&name, MIGRATION_INFIX) {
            let (store, kind) = (store.to_owned(), BackupKind::Migration);
            return Some(Self { store, kind, number: None, at: None, name });
        }
        let (store, rest) = split_file_name(&name, REPLACED_INFIX)?;
        let (number, at) = parse_number_and_time(rest)?;
        let (store, kind) = (store.to_owned(), BackupKind::Replaced);
        Some(Self { store, kind, number, at: Some(at), name })
    }
}

/// Splits a path at what its last part has in the middle. Folders are named after branches, and
/// a branch may be called anything.
fn split_file_name<'p>(path: &'p str, middle: &str) -> Option<(&'p str, &'p str)> {
    path.rsplit_once(middle).filter(|(_, rest)| !rest.contains('/'))
}

/// The number and the time in the name of a copy; older versions wrote no number.
fn parse_number_and_time(text: &str) -> Option<(Option<u64>, Timestamp)> {
    let (number, at) = match text.split_once('-') {
        Some((number, at)) => (Some(number.parse().ok()?), at),
        None => (None, text),
    };
    let at = jiff::civil::DateTime::strptime(TIME_FORMAT, at).ok()?;
    Some((number, at.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp()))
}

fn next_number(numbers: impl Iterator<Item = u64>) -> u64 {
    numbers.max().unwrap_or(0).saturating_add(1)
}

/// Every existing durable store, by name.
pub(crate) fn stores(shared: &Path) -> Vec<String> {
    let is_own = |path: &&PathBuf| {
        let first = path.components().next().map(|part| part.as_os_str().to_string_lossy());
        first.is_some_and(|first| !NOT_DURABLE.contains(&first.as_ref()))
    };
    let names = sqlite_files_below(shared).into_iter().filter(|path| is_own(&path));
    let names = names.map(|path| path.with_extension("").to_string_lossy().into_owned());
    let is_copy = |name: &String| {
        [MIGRATION_INFIX, REPLACED_INFIX]
            .iter()
            .any(|middle| split_file_name(name, middle).is_some())
    };
    names.filter(|name| !is_copy(name)).collect()
}

fn store_path(shared: &Path, store: &str) -> PathBuf {
    shared.join(format!("{store}.sqlite"))
}

/// Every `*.sqlite` below a folder, by its path from there, sorted. Links are not followed.
fn sqlite_files_below(root: &Path) -> Vec<PathBuf> {
    let (mut found, mut folders) = (Vec::new(), vec![root.to_path_buf()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(path),
                Ok(kind) if kind.is_file() && path.extension() == Some("sqlite".as_ref()) => {
                    found.extend(path.strip_prefix(root).map(Path::to_path_buf));
                }
                _ => {}
            }
        }
    }
    found.sort();
    found
}
