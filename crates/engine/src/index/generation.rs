//! The files of the index: which one is current, and how a new one replaces it.
//!
//! A file name contains a hash of the schema, so that two versions of cairn never use the same
//! file, and a number that every full build increases. File names are never used twice: SQLite
//! finds the write-ahead log of a database by its name, and the log of an old file must not be
//! applied to a new one.

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

/// The cache folder, relative to the root.
const CACHE: &str = ".cairn/cache";

impl IndexGenerations {
    /// The index files of a working tree for one schema.
    pub(crate) fn new(tree: &WorkingTree, schema: &str) -> Self {
        let schema = base::Hash::of(schema.as_bytes()).prefix(12);
        Self { tree: tree.clone(), folder: tree.root().join(CACHE), schema }
    }

    /// Opens the cache folder. If it does not exist, it is created with a `.gitignore` that hides
    /// it from git.
    pub(crate) fn make_folder(&self) -> Result<DirHandle> {
        let folder = tree::open_private_folder(&self.tree, CACHE)?;
        if folder.symlink_metadata(".gitignore").is_err() {
            folder.write(".gitignore", "*\n").map_err(Problem::io("hide the cache from git"))?;
        }
        Ok(folder)
    }

    /// Opens the folder in which the watcher writes its cookie files.
    pub(crate) fn cookies(&self) -> Result<PathBuf> {
        tree::open_private_folder(&self.tree, &format!("{CACHE}/fence"))?;
        Ok(self.folder.join("fence"))
    }

    /// The newest complete index file and its number.
    pub(crate) fn current(&self) -> Option<(u64, PathBuf)> {
        let number = self.numbers().into_iter().max()?;
        Some((number, self.path(number)))
    }

    /// The path for a new full build, and its number.
    pub(crate) fn next(&self) -> (u64, PathBuf) {
        let number = self.numbers().into_iter().max().unwrap_or(0).saturating_add(1);
        (number, self.path(number).with_extension("building"))
    }

    /// Makes a finished build the current index.
    pub(crate) fn switch(&self, number: u64, building: &Path) -> io::Result<()> {
        fs::File::open(building)?.sync_all()?;
        fs::rename(building, self.path(number))
    }

    /// Deletes an index file and its write-ahead log.
    pub(crate) fn remove(path: &Path) {
        for end in ["", "-wal", "-shm", "-journal"] {
            let mut name = path.as_os_str().to_owned();
            name.push(end);
            let _ = fs::remove_file(name); // what stays is removed after the next build
        }
    }

    /// Complete index files that are older than the current one.
    pub(crate) fn outdated(&self) -> Vec<PathBuf> {
        let current = self.current().map_or(0, |(number, _)| number);
        let numbers = self.numbers().into_iter();
        numbers.filter(|number| *number < current).map(|number| self.path(number)).collect()
    }

    /// Files of unfinished builds. The caller holds the refresh lock, so no process is writing
    /// them.
    pub(crate) fn unfinished(&self) -> Vec<PathBuf> {
        let ours = |name: &str| name.starts_with(&self.prefix()) && name.ends_with(".building");
        self.names().into_iter().filter(|name| ours(name)).map(|n| self.folder.join(n)).collect()
    }

    fn numbers(&self) -> Vec<u64> {
        let prefix = self.prefix();
        // A number that cannot be increased is not from cairn.
        let number = |name: &str| {
            let digits = name.strip_prefix(&prefix)?.strip_suffix(".sqlite")?;
            digits.parse().ok().filter(|number| *number < u64::MAX)
        };
        self.names().iter().filter_map(|name| number(name)).collect()
    }

    fn names(&self) -> Vec<String> {
        if !tree::is_link_free(self.tree.root(), &self.folder) {
            return Vec::new(); // a link does not lead to this cache
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
