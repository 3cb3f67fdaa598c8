//! The files of a follower: where they are, opening them, and reading them as of one moment.

use std::path::PathBuf;
use std::time::Duration;

use base::{Call, Problem, ProblemCode, Result};
use store::{Connection, Durability, Store};

use crate::connection_pool::{FileId, IdlePool, PooledConnection};
use crate::data_folders::DataFolders;
use crate::index::{IndexGenerations, file_fingerprint, tables};

/// A file that a follower keeps. It has a table `meta`, and its schema can be applied again.
#[derive(Debug)]
pub struct FollowerFile {
    /// What it is called
    pub name: &'static str,
    /// Whose it is
    pub scope: FollowerFileScope,
    /// Its tables, as SQL
    pub schema: &'static str,
    /// Queries whose rows must be the same in a file built from nothing
    pub dump: &'static [&'static str],
}

/// Whose a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FollowerFileScope {
    /// This worktree's
    Worktree,
    /// All worktrees'
    Shared,
}

/// The entry that says which file a store is: one that came with a clone was not made here.
const PATH_KEY: &str = "home";

impl FollowerFile {
    /// Where it is. The name carries the schema, so that two versions never meet in one file.
    pub(crate) fn path(&self, homes: &DataFolders) -> PathBuf {
        let schema = base::Hash::of(self.schema.as_bytes()).prefix(12);
        let folder = match self.scope {
            FollowerFileScope::Worktree => homes.cache.clone(),
            FollowerFileScope::Shared => homes.facts.parent().unwrap_or(&homes.cache).to_path_buf(),
        };
        folder.join(format!("{}-{schema}.sqlite", self.name))
    }
}

/// All files of a follower, as of one moment each.
pub(crate) struct FollowerFiles {
    conns: Vec<(&'static FollowerFile, PooledConnection)>,
}

impl FollowerFiles {
    /// Opens all for reading, if they are not open yet; nothing if one is not there or not ours.
    pub(crate) fn read(
        shelves: &'static [FollowerFile],
        homes: &DataFolders,
        open: &IdlePool<Connection>,
    ) -> Result<Option<Self>> {
        Self::read_with(shelves, homes, |file| Ok(open.checkout(file, store::open_read_only)?.0))
    }

    /// The same with a way to open a file that a test can come between.
    ///
    /// The last file is read first. Each is read as of its own moment, and somebody may write to
    /// all of them between two of these: what the last one names was written before it, so it is
    /// there in every file that is opened later.
    fn read_with(
        shelves: &'static [FollowerFile],
        homes: &DataFolders,
        mut open: impl FnMut(FileId) -> Result<PooledConnection>,
    ) -> Result<Option<Self>> {
        let mut conns = Vec::with_capacity(shelves.len());
        for shelf in shelves.iter().rev() {
            let path = shelf.path(homes);
            let (Some(own), Some(file)) = (file_fingerprint(&path), FileId::with_state(&path))
            else {
                return Ok(None);
            };
            let conn = open(file)?;
            // A file that somebody is just making has no tables yet.
            if !tables::has_meta(&conn)? || tables::meta(&conn, PATH_KEY)?.as_ref() != Some(&own) {
                return Ok(None);
            }
            conns.push((shelf, conn));
        }
        conns.reverse();
        Ok(Some(Self { conns }))
    }

    /// The connections, in the order of the shelves.
    pub(crate) fn all(&self) -> Vec<&Connection> {
        self.conns.iter().map(|(_, conn)| &**conn).collect()
    }

    /// Whether a follower has ever come to an end here.
    pub(crate) fn is_written(&self) -> bool {
        let written = |conn: &Connection| tables::meta(conn, "head").ok().flatten().is_some();
        self.conns
            .iter()
            .any(|(shelf, conn)| shelf.scope == FollowerFileScope::Worktree && written(conn))
    }

    /// Everything this worktree's files hold, as sorted text.
    pub(crate) fn dump(&self) -> Result<String> {
        let queries = self.conns.iter().flat_map(|(shelf, conn)| {
            shelf.dump.iter().map(move |sql| {
                let rows = tables::dump(conn, sql)?;
                Ok(format!("-- {sql}\n{}\n", rows.join("\n")))
            })
        });
        queries.collect()
    }

    /// Opens all for writing, made if need be. The caller holds the lock.
    pub(crate) fn open(
        shelves: &'static [FollowerFile],
        homes: &DataFolders,
    ) -> Result<Vec<Store>> {
        let open = |shelf: &FollowerFile| {
            let path = shelf.path(homes);
            let mut store = store::open(&path, Durability::Derived)?;
            if tables::has_meta(store.connection())?
                && tables::meta(store.connection(), PATH_KEY)? != file_fingerprint(&path)
            {
                drop(store);
                IndexGenerations::remove(&path);
                store = store::open(&path, Durability::Derived)?;
            }
            let own = file_fingerprint(&path)
                .ok_or_else(|| Problem::internal("a store without a file"))?;
            store.write(|tx| {
                tx.execute_batch(shelf.schema).map_err(store::sqlite_problem("make a cache"))?;
                tables::set_meta(tx, PATH_KEY, &own)
            })?;
            Ok(store)
        };
        shelves.iter().map(open).collect()
    }

    /// Waits until nobody else writes to these files, in this worktree or another.
    pub(crate) fn lock(
        shelves: &'static [FollowerFile],
        homes: &DataFolders,
        patience: Duration,
        call: &Call,
    ) -> Result<Vec<tree::FileLock>> {
        let lock = |shelf: &FollowerFile| {
            let path = shelf.path(homes).with_extension("lock");
            let folder = path.parent().unwrap_or(&path);
            std::fs::create_dir_all(folder).map_err(Problem::io("make a cache's folder"))?;
            tree::lock(&path, patience, call)
        };
        shelves.iter().map(lock).collect()
    }

    /// Removes the files, all of them or those of one home.
    pub(crate) fn remove(
        shelves: &'static [FollowerFile],
        homes: &DataFolders,
        home: Option<FollowerFileScope>,
    ) {
        let wanted = shelves.iter().filter(|shelf| home.is_none_or(|home| shelf.scope == home));
        wanted.for_each(|shelf| IndexGenerations::remove(&shelf.path(homes)));
    }
}

/// Whether a problem is mended by making a cache anew.
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

    /// Adds one item to both files, as a follower does: first to the one that is named.
    fn add(homes: &DataFolders) {
        let mut stores = FollowerFiles::open(&PAIR, homes).unwrap();
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
        let homes = DataFolders::of(dir.path(), None);
        std::fs::create_dir_all(&homes.cache).unwrap();
        add(&homes);
        let mut opened = 0;
        let shelves = FollowerFiles::read_with(&PAIR, &homes, |file| {
            opened += 1;
            if opened == 2 {
                add(&homes);
            }
            IdlePool::with_capacity(0).checkout(file, store::open_read_only).map(|lent| lent.0)
        });
        let shelves = shelves.unwrap().expect("both files are there");
        let [named, naming] = shelves.all()[..] else { panic!("two files") };
        assert_eq!((items(named), items(naming)), (2, 1));
    }
}
