//! Which file is the index now, and how the next one takes its place.
//!
//! The name carries the schema's hash, so that two versions of cairn never meet in one file,
//! and a number that a full build counts up. A new file never gets an old one's name: SQLite
//! keeps a log beside a file by its name, and an old log must not meet a new file.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use base::{Problem, Result};
use tree::{DirHandle, WorkingTree};

/// The index files of one working tree.
#[derive(Debug, Clone)]
pub(crate) struct IndexGenerations {
    tree: WorkingTree,
    folder: PathBuf,
    schema: String,
}

/// The cache's folder below the root.
const CACHE: &str = ".cairn/cache";

impl IndexGenerations {
    /// The index files of a tree whose tables are those of `schema`.
    pub(crate) fn new(tree: &WorkingTree, schema: &str) -> Self {
        let schema = base::Hash::of(schema.as_bytes()).prefix(12);
        Self { tree: tree.clone(), folder: tree.root().join(CACHE), schema }
    }

    /// Opens the cache folder, made if need be, hidden from git by itself.
    pub(crate) fn make_folder(&self) -> Result<DirHandle> {
        let folder = tree::open_private_folder(&self.tree, CACHE)?;
        if folder.symlink_metadata(".gitignore").is_err() {
            folder.write(".gitignore", "*\n").map_err(Problem::io("hide the cache from git"))?;
        }
        Ok(folder)
    }

    /// Opens the folder that the watcher leaves its cookies in.
    pub(crate) fn cookies(&self) -> Result<PathBuf> {
        tree::open_private_folder(&self.tree, &format!("{CACHE}/fence"))?;
        Ok(self.folder.join("fence"))
    }

    /// The newest finished file, with its number.
    pub(crate) fn current(&self) -> Option<(u64, PathBuf)> {
        let number = self.numbers().into_iter().max()?;
        Some((number, self.path(number)))
    }

    /// A name for a full build that is not finished, and its number.
    pub(crate) fn next(&self) -> (u64, PathBuf) {
        let number = self.numbers().into_iter().max().unwrap_or(0).saturating_add(1);
        (number, self.path(number).with_extension("building"))
    }

    /// Makes a finished build the current one.
    pub(crate) fn switch(&self, number: u64, building: &Path) -> io::Result<()> {
        fs::File::open(building)?.sync_all()?;
        fs::rename(building, self.path(number))
    }

    /// Removes a file with its logs.
    pub(crate) fn remove(path: &Path) {
        for end in ["", "-wal", "-shm", "-journal"] {
            let mut name = path.as_os_str().to_owned();
            name.push(end);
            let _ = fs::remove_file(name); // what stays is removed after the next build
        }
    }

    /// Older generations than the current one.
    pub(crate) fn outdated(&self) -> Vec<PathBuf> {
        let current = self.current().map_or(0, |(number, _)| number);
        let numbers = self.numbers().into_iter();
        numbers.filter(|number| *number < current).map(|number| self.path(number)).collect()
    }

    /// Unfinished builds, which belong to nobody while we hold the refresh lock.
    pub(crate) fn unfinished(&self) -> Vec<PathBuf> {
        let ours = |name: &str| name.starts_with(&self.prefix()) && name.ends_with(".building");
        self.names().into_iter().filter(|name| ours(name)).map(|n| self.folder.join(n)).collect()
    }

    fn numbers(&self) -> Vec<u64> {
        let prefix = self.prefix();
        // A number that cannot be counted up is none of ours.
        let number = |name: &str| {
            let digits = name.strip_prefix(&prefix)?.strip_suffix(".sqlite")?;
            digits.parse().ok().filter(|number| *number < u64::MAX)
        };
        self.names().iter().filter_map(|name| number(name)).collect()
    }

    fn names(&self) -> Vec<String> {
        if !tree::is_link_free(self.tree.root(), &self.folder) {
            return Vec::new(); // what a link leads to is not our cache
        }
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        entries.filter_map(|entry| entry.file_name().into_string().ok()).collect()
    }

    fn prefix(&self) -> String {
        format!("index-{}-", self.schema)
    }

    fn path(&self, number: u64) -> PathBuf {
        self.folder.join(format!("{}{number}.sqlite", self.prefix()))
    }
}
