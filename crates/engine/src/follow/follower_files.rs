//! The files of a follower: their paths, opening them, and reading one consistent state of each.

use std::path::PathBuf;
use std::time::Duration;

use base::{Call, Problem, ProblemCode, Result};
use store::{Connection, Durability, Store};

use crate::connection_pool::{FileId, IdlePool, PooledConnection};
use crate::data_folders::DataFolders;
use crate::index::{IndexGenerations, file_fingerprint, tables};

/// A file that a follower writes. It has a table `meta`, and its schema can be applied more than
/// once.
#[derive(Debug)]
pub struct FollowerFile {
    /// Its name
    pub name: &'static str,
    /// Whether all worktrees share it
    pub scope: FollowerFileScope,
    /// SQL that creates its tables
    pub schema: &'static str,
    /// Queries whose rows must be equal in an updated file and in one built from scratch
    pub dump: &'static [&'static str],
}

/// Which worktrees use a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FollowerFileScope {
    /// One worktree
    Worktree,
    /// All worktrees of the repository
    Shared,
}

/// Key of the `meta` entry with the path of the file. A file that came with a clone has another
/// path in it and is not used.
const PATH_KEY: &str = "home";

impl FollowerFile {
    /// The path of the file. Its name contains a hash of the schema, so that two versions of cairn
    /// never use the same file.
    pub(crate) fn path(&self, folders: &DataFolders) -> PathBuf {
        let schema = base::Hash::of(self.schema.as_bytes()).prefix(12);
        let folder = match self.scope {
            FollowerFileScope::Worktree => folders.cache.clone(),
            FollowerFileScope::Shared => {
                folders.facts.parent().unwrap_or(&folders.cache).to_path_buf()
            }
        };
        folder.join(format!("{}-{schema}.sqlite", self.name))
    }
}

/// All files of a follower, each in one consistent state.
pub(crate) struct FollowerFiles {
    conns: Vec<(&'static FollowerFile, PooledConnection)>,
}

impl FollowerFiles {
    /// Opens all files for reading. Returns `None` if one of them does not exist or was made
    /// elsewhere.
    pub(crate) fn read(
        files: &'static [FollowerFile],
        folders: &DataFolders,
        open: &IdlePool<Connection>,
    ) -> Result<Option<Self>> {
        Self::read_with(files, folders, |file| Ok(open.checkout(file, store::open_read_only)?.0))
    }

    /// The same, with a function that opens a file, which tests replace.
    ///
    /// The last file is opened first. Each file is read as it is when it is opened, and another
    /// process may write to all of them in between. What the last file refers to was written before
    /// it, so every file that is opened later has it.
    fn read_with(
        files: &'static [FollowerFile],
        folders: &DataFolders,
        mut open: impl FnMut(FileId) -> Result<PooledConnection>,
    ) -> Result<Option<Self>> {
        let mut conns = Vec::with_capacity(files.len());
        for follower_file in files.iter().rev() {
            let path = follower_file.path(folders);
            let (Some(own), Some(file)) = (file_fingerprint(&path), FileId::with_state(&path))
            else {
                return Ok(None);
            };
            let conn = open(file)?;
            // A file that another process is just creating has no tables yet.
            if !tables::has_meta(&conn)? || tables::meta(&conn, PATH_KEY)?.as_ref() != Some(&own) {
                return Ok(None);
            }
            conns.push((follower_file, conn));
        }
        conns.reverse();
        Ok(Some(Self { conns }))
    }

    /// The connections, in the order of the follower's files.
    pub(crate) fn all(&self) -> Vec<&Connection> {
        self.conns.iter().map(|(_, conn)| &**conn).collect()
    }

    /// Whether the follower has ever completed an update here.
    pub(crate) fn is_written(&self) -> bool {
        let written = |conn: &Connection| tables::meta(conn, "head").ok().flatten().is_some();
        self.conns.iter().any(|(follower_file, conn)| {
            follower_file.scope == FollowerFileScope::Worktree && written(conn)
        })
    }

    /// All rows of this worktree's files as sorted text.
    pub(crate) fn dump(&self) -> Result<String> {
        let queries = self.conns.iter().flat_map(|(follower_file, conn)| {
            follower_file.dump.iter().map(move |sql| {
                let rows = tables::dump(conn, sql)?;
                Ok(format!("-- {sql}\n{}\n", rows.join("\n")))
            })
        });
        queries.collect()
    }

    /// Opens all files for writing and creates those that do not exist. The caller holds the lock.
    pub(crate) fn open(
        files: &'static [FollowerFile],
        folders: &DataFolders,
    ) -> Result<Vec<Store>> {
        let open = |follower_file: &FollowerFile| {
            let path = follower_file.path(folders);
            let mut store = store::open(&path, Durability::Derived)?;
            if tables::has_meta(store.connection())?
                && tables::meta(store.connection(), PATH_KEY)? != file_fingerprint(&path)
            {
                drop(store);
                IndexGenerations::remove(&path);
                store = store::open(&path, Durability::Derived)?;
            }
            let own =
                file_fingerprint(&path).ok_or_else(|| Problem::internal("a store has no file"))?;
            store.write(|tx| {
                tx.execute_batch(follower_file.schema)
                    .map_err(store::sqlite_problem("make a cache"))?;
                tables::set_meta(tx, PATH_KEY, &own)
            })?;
            Ok(store)
        };
        files.iter().map(open).collect()
    }

    /// Waits until no other process, in this worktree or another, writes to these files.
    pub(crate) fn lock(
        files: &'static [FollowerFile],
        folders: &DataFolders,
        patience: Duration,
        call: &Call,
    ) -> Result<Vec<tree::FileLock>> {
        let lock = |follower_file: &FollowerFile| {
            let path = follower_file.path(folders).with_extension("lock");
            let folder = path.parent().unwrap_or(&path);
            std::fs::create_dir_all(folder).map_err(Problem::io("make a cache's folder"))?;
            tree::lock(&path, patience, call)
        };
        files.iter().map(lock).collect()
    }

    /// Deletes the files: all of them, or those in one folder.
    pub(crate) fn remove(
        files: &'static [FollowerFile],
        folders: &DataFolders,
        home: Option<FollowerFileScope>,
    ) {
        let wanted = files
            .iter()
            .filter(|follower_file| home.is_none_or(|home| follower_file.scope == home));
        wanted.for_each(|follower_file| IndexGenerations::remove(&follower_file.path(folders)));
    }
}

/// Whether deleting a cache and building it again solves a problem.
pub(crate) fn is_damage(problem: &Problem) -> bool {
    let cause = problem.source.as_ref().and_then(|source| source.downcast_ref());
    problem.code == ProblemCode::StoreDamaged && cause.is_some_and(store::is_corrupt)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCHEMA: &str = "CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT);
        CREATE TABLE IF NOT EXISTS item (id INTEGER PRIMARY KEY);";

    static PAIR: [FollowerFile; 2] = [
        FollowerFile { name: "named", scope: FollowerFileScope::Shared, schema: SCHEMA, dump: &[] },
        FollowerFile {
            name: "naming",
            scope: FollowerFileScope::Worktree,
            schema: SCHEMA,
            dump: &[],
        },
    ];

    /// Adds one item to both files in the order that a follower uses: first to the file that is
    /// referred to.
    fn add(folders: &DataFolders) {
        let mut stores = FollowerFiles::open(&PAIR, folders).unwrap();
        for store in &mut stores {
            let insert = "INSERT INTO item DEFAULT VALUES";
            store
                .write(|tx| tx.execute_batch(insert).map_err(store::sqlite_problem("add")))
                .unwrap();
        }
    }

    fn items(conn: &Connection) -> i64 {
        conn.query_row("SELECT count(*) FROM item", [], |row| row.get(0)).unwrap()
    }

    #[test]
    fn what_is_named_is_there_though_somebody_writes_between_two_files() {
        let dir = tempfile::tempdir().unwrap();
        let folders = DataFolders::of(dir.path(), None);
        std::fs::create_dir_all(&folders.cache).unwrap();
        add(&folders);
        let mut opened = 0;
        let files = FollowerFiles::read_with(&PAIR, &folders, |file| {
            opened += 1;
            if opened == 2 {
                add(&folders);
            }
            IdlePool::with_capacity(0).checkout(file, store::open_read_only).map(|lent| lent.0)
        });
        let files = files.unwrap().expect("both files are there");
        let [named, naming] = files.all()[..] else { panic!("two files") };
        assert_eq!((items(named), items(naming)), (2, 1));
    }
}
