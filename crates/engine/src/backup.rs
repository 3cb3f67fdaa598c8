//! Copies of the durable stores: where they are, how many are kept, and which is put back.
//!
//! A durable store is every `*.sqlite` below the shared folder that is neither derived nor a
//! copy. So stores that come one a branch, and those of later areas, need no word here.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use base::{Call, Problem, Result};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use store::Durability;

use crate::durable::tables::revision;

/// The folder of the copies, below the shared one.
const FOLDER: &str = "backups";

/// What lies in the shared folder and is no durable store.
const OTHERS: [&str; 3] = [FOLDER, "cache", "journal"];

/// Stands between a store's name and the time of a copy.
const AT: char = '@';

/// What a migration writes between a store's name and its number.
const MIGRATION: &str = ".before-migration-";

/// What `restore` writes between a store's name and the time it was put aside.
const REPLACED: &str = ".replaced-";

/// How long to wait for a writer of the store that is put back.
const PATIENCE: Duration = Duration::from_secs(5);

/// A copy of a durable store
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Backup {
    /// Its name, as `restore` takes it
    pub name: String,
    /// The store it is a copy of
    pub store: String,
    /// When it was taken; none for one that a migration took
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// The store's last change that it holds; none if the copy cannot be read
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision: Option<i64>,
    /// Bytes on disk
    pub bytes: u64,
    #[serde(skip)]
    path: PathBuf,
}

/// Every durable store that is there, by name: `work`, `branches/main/kb`.
pub(crate) fn stores(shared: &Path) -> Vec<String> {
    let is_own = |path: &&PathBuf| {
        let first = path.components().next().map(|part| part.as_os_str().to_string_lossy());
        first.is_some_and(|first| !OTHERS.contains(&first.as_ref()))
    };
    let names = files_below(shared).into_iter().filter(|path| is_own(&path));
    let names = names.map(|path| path.with_extension("").to_string_lossy().into_owned());
    names.filter(|name| !name.contains(MIGRATION) && !name.contains(REPLACED)).collect()
}

/// Every copy that is there, the stores by name and the newest copy first.
pub(crate) fn list(shared: &Path) -> Vec<Backup> {
    let copies = files_below(&shared.join(FOLDER)).into_iter();
    let copies = copies.filter_map(|file| taken(&shared.join(FOLDER), &file));
    let migrated = files_below(shared).into_iter().filter_map(|file| {
        let name = file.with_extension("").to_string_lossy().into_owned();
        let (store, _) = name.split_once(MIGRATION)?;
        Some(described(shared.join(&file), (name.clone(), store.to_owned()), None))
    });
    let mut all: Vec<Backup> = copies.chain(migrated).collect();
    all.sort_by(|a, b| a.store.cmp(&b.store).then(b.at.cmp(&a.at)).then(a.name.cmp(&b.name)));
    all
}

/// Takes a checked copy of one store and drops the oldest ones beyond `keep`.
pub(crate) fn take(shared: &Path, store: &str, keep: usize, now: Timestamp) -> Result<Backup> {
    let name = format!("{store}{AT}{}", now.strftime("%Y%m%dT%H%M%SZ"));
    let target = shared.join(FOLDER).join(format!("{name}.sqlite"));
    let folder = target.parent().unwrap_or(shared);
    fs::create_dir_all(folder).map_err(Problem::io("make the folder of the backups"))?;
    let source = store::open(&file_of(shared, store), Durability::Durable)?;
    store::back_up(source.connection(), &target)?;
    let older = list(shared).into_iter().filter(|copy| copy.store == store && copy.at.is_some());
    for old in older.skip(keep) {
        fs::remove_file(&old.path).map_err(Problem::io("remove an old backup"))?;
    }
    Ok(described(target, (name, store.to_owned()), Some(now)))
}

/// Puts a copy in its store's place; where what was there is kept, if something was.
pub(crate) fn put_back(shared: &Path, backup: &Backup, call: &Call) -> Result<Option<String>> {
    let path = file_of(shared, &backup.store);
    let aside = format!("{}{REPLACED}{}", backup.store, call.now.strftime("%Y%m%dT%H%M%SZ"));
    let kept = file_of(shared, &aside);
    let folder = path.parent().unwrap_or(shared);
    fs::create_dir_all(folder).map_err(Problem::io("make the folder of a store"))?;
    let _lock = tree::lock(&path.with_extension("lock"), PATIENCE, call)?;
    let was_there = path.exists();
    store::put_back(&backup.path, &path, &kept)?;
    Ok(was_there.then(|| format!("{aside}.sqlite")))
}

fn file_of(shared: &Path, store: &str) -> PathBuf {
    shared.join(format!("{store}.sqlite"))
}

fn taken(folder: &Path, file: &Path) -> Option<Backup> {
    let name = file.with_extension("").to_string_lossy().into_owned();
    let (store, at) = name.rsplit_once(AT)?;
    let at = jiff::civil::DateTime::strptime("%Y%m%dT%H%M%SZ", at).ok()?;
    let at = at.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp();
    let store = store.to_owned();
    Some(described(folder.join(file), (name, store), Some(at)))
}

fn described(path: PathBuf, (name, store): (String, String), at: Option<Timestamp>) -> Backup {
    let at = at.map(|at| at.to_string());
    let bytes = fs::metadata(&path).map_or(0, |known| known.len());
    let revision = store::open_reading(&path).and_then(|copy| revision(&copy)).ok();
    Backup { name, store, at, revision, bytes, path }
}

/// Every `*.sqlite` below a folder, by its path from there, sorted. Links are not followed.
fn files_below(root: &Path) -> Vec<PathBuf> {
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
