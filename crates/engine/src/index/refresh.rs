//! Bringing the index up to date: what changed, read once, written in one transaction.
//!
//! @see spec::workspace/freshness

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread;
use std::time::{Duration, Instant};

use base::call::{CallStopReason, Progress};
use base::{Call, Problem, ProblemCode, RepoPath, Result};
use store::{Durability, Store};
use tree::{DirtyPaths, DiskWriter, FileTime, WorkingTree};

use super::apply::RefreshWriter;
use super::change_listener::ChangeListener;
use super::early;
use super::file_reader::FileToRead;
use super::generation::IndexGenerations;
use super::memory::{MemoryIndex, is_unwritable};
use super::read::{IndexReaders, is_index_problem, record_path};
use super::refresh_plan::{RefreshPlan, RefreshSources};
use super::tables;
use super::{Index, Indexer};
use crate::file_text;
use crate::search;

/// Interval at which a waiting reader tries again.
const POLL_INTERVAL: Duration = Duration::from_millis(2);

/// Name of the lock file that the refreshing process holds.
const LOCK_FILE: &str = "refresh.lock";

/// Maximum time to wait for another process that refreshes.
const LOCK_TIMEOUT: Duration = Duration::from_secs(30);

/// Whether the index is up to date, and what is known to be missing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Freshness {
    /// Whether the index is known to be out of date
    pub is_behind: bool,
    /// Files that are known to be newer than the index
    pub stale: Vec<RepoPath>,
    /// Why the refresh was not complete
    pub reasons: Vec<String>,
}

/// How long a reader waits for a refresh.
#[derive(Debug, Clone, Copy)]
pub(crate) enum RefreshWait {
    /// Until the index is up to date
    UntilDone,
    /// At most this long; after that the reader gets the last complete state
    AtMost(Duration),
}

/// Which process built a missing index.
enum BuiltBy {
    /// This process, from the present tree
    ThisProcess,
    /// Another process while this one waited; it may have read the tree before this call was made
    OtherProcess,
}

/// Keeps the index of one working tree up to date.
pub(crate) struct Refresher {
    pub(crate) generations: IndexGenerations,
    pub(crate) readers: IndexReaders,
    facts: PathBuf,
    indexers: Vec<&'static dyn Indexer>,
    schema: String,
    late_schema: String,
    /// Its lock allows one refresh at a time in this process. The listener collects the events
    /// between two refreshes
    listener: Mutex<ChangeListener>,
    /// Progress of the current refresh, and the files that it may change, for the readers that wait
    /// for it
    progress: Mutex<(Progress, Vec<RepoPath>)>,
    disk: DiskWriter,
    /// The index that is used if the cache folder is not writable
    memory: MemoryIndex,
}

impl Refresher {
    pub(crate) fn new(
        tree: &WorkingTree,
        facts: PathBuf,
        indexers: Vec<&'static dyn Indexer>,
        disk: DiskWriter,
    ) -> Self {
        // An area may have made the view of texts, so the search comes last.
        let own = [tables::SCHEMA, file_text::tables::SCHEMA];
        let schemas = own.into_iter().chain(indexers.iter().map(|indexer| indexer.schema()));
        let schemas = schemas.chain([search::tables::INDEX_SCHEMA]);
        let schema = schemas.collect::<Vec<_>>().join("\n");
        // The index depends on the extracted facts, so another extractor, and a program with other
        // languages, need another index.
        let late = indexers.iter().map(|indexer| indexer.late_schema());
        let late_schema = late.collect::<Vec<_>>().join("\n");
        let (version, languages) = (syntax::EXTRACTOR_VERSION, syntax::Language::table_text());
        let keyed = format!("{schema}\n{late_schema}\n{version}\n{languages}");
        let generations = IndexGenerations::new(tree, &keyed);
        let readers = IndexReaders::new(generations.clone());
        let (listener, progress) = (Mutex::default(), Mutex::default());
        let memory = MemoryIndex::default();
        Self {
            generations,
            readers,
            facts,
            indexers,
            schema,
            late_schema,
            listener,
            progress,
            disk,
            memory,
        }
    }

    /// Refreshes the index within the given time and opens it. If the cache folder is not writable,
    /// the index is kept in memory and the answer says so.
    pub(crate) fn open_fresh(
        &self,
        sources: &RefreshSources<'_>,
        wait: RefreshWait,
        call: &Call,
    ) -> Result<(Index, Freshness)> {
        match self.fresh_on_disk(sources, wait, call) {
            Err(problem) if is_unwritable(&problem) => {
                let index = self.fresh_in_memory(sources, call)?;
                let reasons = vec![format!("index in memory only: {problem}")];
                Ok((index, Freshness { reasons, ..Freshness::default() }))
            }
            done => done,
        }
    }

    fn fresh_in_memory(&self, sources: &RefreshSources<'_>, call: &Call) -> Result<Index> {
        let current = self.generations.current().map(|(_, path)| path);
        self.memory.open_fresh(current.as_deref(), |store, from_nothing| {
            if from_nothing {
                create_tables(store, &self.schema)?;
                create_tables(store, &self.late_schema)?;
            }
            let everything = &DirtyPaths::Everything;
            let todo =
                RefreshPlan::find(store.connection(), sources, everything, from_nothing, call)?;
            if todo.is_empty() { Ok(()) } else { self.apply(store, sources, &todo, call) }
        })
    }

    fn fresh_on_disk(
        &self,
        sources: &RefreshSources<'_>,
        wait: RefreshWait,
        call: &Call,
    ) -> Result<(Index, Freshness)> {
        let call = &with_earlier_deadline(call, wait);
        let done = self
            .lock_listener(call)
            .and_then(|mut listener| self.refresh(&mut listener, sources, call));
        let freshness = match done {
            // The time is over: the caller gets the last complete state, and the answer says so.
            Err(problem)
                if problem.code == ProblemCode::Timeout && self.generations.current().is_some() =>
            {
                self.known_behind()
            }
            done => done?,
        };
        let index = self.readers.open()?.ok_or_else(index_vanished)?;
        Ok((index, freshness))
    }

    /// Builds an in-memory index of some files, for an answer that does not wait for the first full
    /// index.
    pub(crate) fn open_early(
        &self,
        sources: &RefreshSources<'_>,
        paths: &BTreeSet<RepoPath>,
        call: &Call,
    ) -> Result<Option<Index>> {
        let create = |store: &mut Store| {
            create_tables(store, &self.schema)?;
            create_tables(store, &self.late_schema)
        };
        let apply = |store: &mut Store, plan: &RefreshPlan| {
            let quiet = |_: usize, _: &[FileToRead]| call.check_stopped();
            self.writer(sources, call, &quiet).apply(store, plan, call)
        };
        early::index_of_files(sources, paths, call, create, apply)
    }

    /// Whether a process is writing the index now.
    pub(crate) fn is_being_written(&self, call: &Call) -> bool {
        let folder = self.generations.make_folder();
        let free =
            folder.and_then(|folder| tree::lock_in(&folder, LOCK_FILE, Duration::ZERO, call));
        free.is_err()
    }

    /// Builds a new index, whether there is one or not.
    pub(crate) fn rebuild(&self, sources: &RefreshSources<'_>, call: &Call) -> Result<()> {
        let built = self
            .lock_listener(call)
            .and_then(|mut listener| self.build(&mut listener, sources, call));
        self.memory.clear();
        match built {
            Err(problem) if is_unwritable(&problem) => {
                self.fresh_in_memory(sources, call).map(drop)
            }
            built => built.map(drop),
        }
    }

    /// Waits until something may have changed, at most `patience`. Without a watcher it waits for
    /// the whole of that time.
    pub(crate) fn wait(&self, patience: Duration, call: &Call) -> Result<()> {
        // The lock is released before: whoever asks a question meanwhile must not wait for a change.
        let waiter = self.lock_listener(call)?.waiter();
        match waiter {
            Some(waiter) => drop(waiter.wait_for_change(patience)),
            None => thread::sleep(patience),
        }
        Ok(())
    }

    fn refresh(
        &self,
        listener: &mut ChangeListener,
        sources: &RefreshSources<'_>,
        call: &Call,
    ) -> Result<Freshness> {
        match self.bring_up_to_date(listener, sources, call) {
            Err(problem) if is_index_problem(&problem) => {
                self.readers.close_idle();
                self.build_or_catch_up(listener, sources, call)
            }
            done => done,
        }
    }

    /// Builds a missing index. If another process built it in the meantime, it may be older than
    /// this call, so it is compared with the tree like any other index.
    fn build_or_catch_up(
        &self,
        listener: &mut ChangeListener,
        sources: &RefreshSources<'_>,
        call: &Call,
    ) -> Result<Freshness> {
        match self.build(listener, sources, call)? {
            BuiltBy::ThisProcess => Ok(Freshness::default()),
            BuiltBy::OtherProcess => self.bring_up_to_date(listener, sources, call),
        }
    }

    /// Waits for the refresh that runs in this process, and passes its progress on.
    fn lock_listener(&self, call: &Call) -> Result<MutexGuard<'_, ChangeListener>> {
        loop {
            match self.listener.try_lock() {
                Ok(listener) => return Ok(listener),
                Err(TryLockError::Poisoned(listener)) => return Ok(listener.into_inner()),
                Err(TryLockError::WouldBlock) => {}
            }
            let Progress { activity: what, done, total } = self.progress().0;
            call.step(what, done, total)?;
            thread::sleep(POLL_INTERVAL);
        }
    }

    fn progress(&self) -> MutexGuard<'_, (Progress, Vec<RepoPath>)> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn known_behind(&self) -> Freshness {
        let (Progress { activity: what, done, total }, stale) = self.progress().clone();
        let reasons = vec![format!("{what} goes on, {done} of {total}")];
        Freshness { is_behind: true, stale, reasons }
    }

    fn bring_up_to_date(
        &self,
        listener: &mut ChangeListener,
        sources: &RefreshSources<'_>,
        call: &Call,
    ) -> Result<Freshness> {
        let reasons: Vec<String> = listener.watch_error.iter().cloned().collect();
        let Some(index) = self.readers.open()? else {
            let Freshness { is_behind, stale, reasons: more } =
                self.build_or_catch_up(listener, sources, call)?;
            let reasons = reasons.into_iter().chain(more).collect();
            return Ok(Freshness { is_behind, stale, reasons });
        };
        let dirty = listener.pending_changes(sources, call)?;
        let found = RefreshPlan::find(index.conn(), sources, &dirty, false, call);
        drop(index);
        if let Ok(todo) = &found
            && let Err(error) = listener.note_refresh(todo)
        {
            listener.stop_watching(&error);
        }
        let updated = found.and_then(|todo| match todo.is_empty() {
            true => Ok(None),
            false => self.update(sources, todo, &dirty, call),
        });
        // Changes that were reported but not written must not be lost.
        if !matches!(updated, Ok(None)) {
            listener.give_back(dirty);
        }
        match updated? {
            None => {
                listener.start_watching(sources, &self.generations, call)?;
                Ok(Freshness { reasons, ..Freshness::default() })
            }
            Some(stale) => {
                let why = "another process is refreshing the index".to_owned();
                let reasons = reasons.into_iter().chain([why]).collect();
                Ok(Freshness { is_behind: true, stale, reasons })
            }
        }
    }

    /// Writes a plan into the current index. If another process holds the lock for too long, the
    /// last complete state is read, and the files of the plan are reported as newer.
    fn update(
        &self,
        sources: &RefreshSources<'_>,
        mut todo: RefreshPlan,
        dirty: &DirtyPaths,
        call: &Call,
    ) -> Result<Option<Vec<RepoPath>>> {
        let folder = self.generations.make_folder()?;
        let _lock = match tree::lock_in(&folder, LOCK_FILE, LOCK_TIMEOUT, call) {
            Ok(lock) => lock,
            Err(problem) if matches!(problem.code, ProblemCode::Busy | ProblemCode::Timeout) => {
                let changed = todo.to_read.into_iter().map(|one| one.file.path);
                return Ok(Some(changed.chain(todo.gone).collect()));
            }
            Err(problem) => return Err(problem),
        };
        let Some((_, path)) = self.generations.current() else { return Err(index_vanished()) };
        let mut store = store::open(&path, Durability::Derived)?;
        if tables::meta(store.connection(), "revision")? != todo.revision {
            todo = RefreshPlan::find(store.connection(), sources, dirty, false, call)?;
        }
        self.apply(&mut store, sources, &todo, call)?;
        Ok(None)
    }

    /// Builds a new index beside the current one and makes it current.
    fn build(
        &self,
        listener: &mut ChangeListener,
        sources: &RefreshSources<'_>,
        call: &Call,
    ) -> Result<BuiltBy> {
        let folder = self.generations.make_folder()?;
        let before = self.generations.current();
        let _lock = tree::lock_in(&folder, LOCK_FILE, LOCK_TIMEOUT, call)?;
        let now = self.generations.current();
        if now.is_some() && now != before {
            return Ok(BuiltBy::OtherProcess);
        }
        listener.forget();
        self.generations.unfinished().iter().for_each(|path| IndexGenerations::remove(path));
        let (number, building) = self.generations.next();
        let built = self.build_at(&building, sources, call);
        if let Err(problem) = built {
            IndexGenerations::remove(&building);
            return Err(problem);
        }
        let switched = self.generations.switch(number, &building);
        switched.map_err(Problem::io("switch to the new index"))?;
        self.readers.close_idle();
        self.sweep();
        listener.start_watching(sources, &self.generations, call)?;
        Ok(BuiltBy::ThisProcess)
    }

    fn build_at(&self, path: &Path, sources: &RefreshSources<'_>, call: &Call) -> Result<()> {
        let mut store = store::open_new(path)?;
        create_tables(&mut store, &self.schema)?;
        let everything = &DirtyPaths::Everything;
        let todo = RefreshPlan::find(store.connection(), sources, everything, true, call)?;
        self.apply(&mut store, sources, &todo, call)?;
        create_tables(&mut store, &self.late_schema)?;
        record_path(store.connection(), path)?;
        store.finish()
    }

    /// Deletes older index files that no connection uses any more.
    fn sweep(&self) {
        for path in self.generations.outdated() {
            let whole =
                store::open(&path, Durability::Derived).and_then(|store| store.checkpoint());
            if !matches!(whole, Ok(false)) {
                IndexGenerations::remove(&path);
            }
        }
    }

    fn apply(
        &self,
        store: &mut Store,
        sources: &RefreshSources<'_>,
        todo: &RefreshPlan,
        call: &Call,
    ) -> Result<()> {
        let tell =
            |done: usize, suspects: &[FileToRead]| self.report_progress(call, done, suspects);
        self.writer(sources, call, &tell).apply(store, todo, call)
    }

    fn writer<'a>(
        &'a self,
        sources: &'a RefreshSources<'a>,
        call: &Call,
        report_progress: &'a dyn Fn(usize, &[FileToRead]) -> Result<()>,
    ) -> RefreshWriter<'a> {
        let (indexers, facts) = (self.indexers.as_slice(), self.facts.as_path());
        let read_at = self.clock(call);
        RefreshWriter { sources, indexers, facts, read_at, report_progress }
    }

    /// Reports progress to the caller and to all readers that wait for this refresh.
    fn report_progress(&self, call: &Call, done: usize, suspects: &[FileToRead]) -> Result<()> {
        let progress = Progress { activity: "indexing files", done, total: suspects.len() };
        let stale = suspects[done..].iter().map(|one| one.file.path.clone()).collect();
        *self.progress() = (progress, stale);
        call.step(progress.activity, done, progress.total)
    }

    /// The present time by the clock of the file system, or by the caller's clock if the former
    /// cannot be read.
    fn clock(&self, call: &Call) -> FileTime {
        let folder = self.generations.make_folder().ok();
        let told =
            folder.and_then(|folder| self.disk.filesystem_time(&folder, Path::new("clock")).ok());
        told.unwrap_or_else(|| i64::try_from(call.now.as_nanosecond()).unwrap_or(i64::MAX))
    }

    /// All rows of the index as sorted text. The text is equal for equal trees.
    pub(crate) fn dump(&self, index: &Index) -> Result<String> {
        let own = tables::DUMP.iter().chain(search::tables::DUMP).chain(file_text::tables::DUMP);
        let queries = own.chain(self.indexers.iter().flat_map(|indexer| indexer.dump()));
        let table = |sql: &&str| {
            let rows = tables::dump(index.conn(), sql)?;
            Ok(format!("-- {sql}\n{}\n", rows.join("\n")))
        };
        queries.map(table).collect()
    }
}

/// The call with an earlier deadline, if the reader prefers the last complete state to a longer
/// wait.
fn with_earlier_deadline(call: &Call, wait: RefreshWait) -> Call {
    match wait {
        RefreshWait::UntilDone => call.child(|| None),
        RefreshWait::AtMost(limit) => {
            let start = Instant::now();
            call.child(move || (start.elapsed() > limit).then_some(CallStopReason::Deadline))
        }
    }
}

fn create_tables(store: &mut Store, schema: &str) -> Result<()> {
    store.write(|tx| tx.execute_batch(schema).map_err(store::sqlite_problem("make the index")))
}

fn index_vanished() -> Problem {
    Problem::new(ProblemCode::StoreDamaged, "the index vanished right after it was built")
        .hint("check that nothing cleans .cairn/cache, and repeat the request")
}
