//! Bringing the index up to date: what changed, read once, written in one transaction.
//!
//! @see spec::workspace/freshness

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread;
use std::time::{Duration, Instant};

use base::call::{Progress, Stop};
use base::{Call, Code, Problem, RepoPath, Result};
use store::{Durability, Store};
use tree::{Dirty, Disk, Moment, Tree};

use super::apply::Applier;
use super::generation::Generations;
use super::listen::Ear;
use super::look::Suspect;
use super::memory::{InMemory, is_unwritable};
use super::read::{Readers, is_of_index, settle_in};
use super::tables;
use super::todo::{Sources, Todo};
use super::{Index, Indexer};
use crate::locate;
use crate::search;

/// How often a waiting reader asks again.
const PAUSE: Duration = Duration::from_millis(2);

/// The file whose lock is held by whoever refreshes.
const LOCK: &str = "refresh.lock";

/// How long to wait for another process that refreshes.
const PATIENCE: Duration = Duration::from_secs(30);

/// How fresh the index is, as far as could be made sure.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Freshness {
    /// Whether the index is known to be behind
    pub is_behind: bool,
    /// Files that are known to be newer than the index
    pub stale: Vec<RepoPath>,
    /// What could not be done as usual
    pub reasons: Vec<String>,
}

/// How long a reader waits for the index.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Wait {
    /// Until it is up to date
    UntilDone,
    /// So long; then the last good state has to do
    AtMost(Duration),
}

/// Who built an index that was wanted.
enum Built {
    /// This call, from what the tree is now
    Here,
    /// Another process, while this one waited; it may have looked before this call was made
    Elsewhere,
}

/// Keeps the index of one working tree up to date.
pub(crate) struct Refresher {
    pub(crate) generations: Generations,
    pub(crate) readers: Readers,
    facts: PathBuf,
    indexers: Vec<&'static dyn Indexer>,
    schema: String,
    late_schema: String,
    /// One refresh at a time in this process; the ear remembers what came between two
    ear: Mutex<Ear>,
    /// How far the refresh in progress has come, for those who wait for it
    progress: Mutex<(Progress, Vec<RepoPath>)>,
    disk: Disk,
    /// What there is where the cache cannot be written
    memory: InMemory,
}

impl Refresher {
    pub(crate) fn new(
        tree: &Tree,
        facts: PathBuf,
        indexers: Vec<&'static dyn Indexer>,
        disk: Disk,
    ) -> Self {
        let own = [tables::SCHEMA, search::tables::SCHEMA, locate::tables::SCHEMA];
        let schemas = own.into_iter().chain(indexers.iter().map(|indexer| indexer.schema()));
        let schema = schemas.collect::<Vec<_>>().join("\n");
        // Facts feed the index: other facts, other index.
        let late = indexers.iter().map(|indexer| indexer.late_schema());
        let late_schema = late.collect::<Vec<_>>().join("\n");
        let keyed = format!("{schema}\n{late_schema}\n{}", syntax::EXTRACTOR_VERSION);
        let generations = Generations::new(tree, &keyed);
        let readers = Readers::new(generations.clone());
        let (ear, progress) = (Mutex::default(), Mutex::default());
        let memory = InMemory::default();
        Self {
            generations,
            readers,
            facts,
            indexers,
            schema,
            late_schema,
            ear,
            progress,
            disk,
            memory,
        }
    }

    /// Opens the index after making sure, within the time given, that it is not behind. Where
    /// the cache cannot be written it is in memory, and that is said.
    pub(crate) fn fresh(
        &self,
        sources: &Sources<'_>,
        wait: Wait,
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

    fn fresh_in_memory(&self, sources: &Sources<'_>, call: &Call) -> Result<Index> {
        let current = self.generations.current().map(|(_, path)| path);
        self.memory.fresh(current.as_deref(), |store, from_nothing| {
            if from_nothing {
                make(store, &self.schema)?;
                make(store, &self.late_schema)?;
            }
            let dirty = (&Dirty::Everything, from_nothing);
            let todo = Todo::find(store.connection(), sources, dirty, call)?;
            if todo.is_empty() { Ok(()) } else { self.apply(store, sources, &todo, call) }
        })
    }

    fn fresh_on_disk(
        &self,
        sources: &Sources<'_>,
        wait: Wait,
        call: &Call,
    ) -> Result<(Index, Freshness)> {
        let call = &hurried(call, wait);
        let done = self.ear(call).and_then(|mut ear| self.refresh(&mut ear, sources, call));
        let freshness = match done {
            // Time is up, and the caller still waits: the last good state, said to be that.
            Err(problem)
                if problem.code == Code::Timeout && self.generations.current().is_some() =>
            {
                self.behind()
            }
            done => done?,
        };
        let index = self.readers.open()?.ok_or_else(vanished)?;
        Ok((index, freshness))
    }

    /// Builds the index from nothing, whatever there is.
    pub(crate) fn rebuild(&self, sources: &Sources<'_>, call: &Call) -> Result<()> {
        let built = self.ear(call).and_then(|mut ear| self.build(&mut ear, sources, call));
        self.memory.forget();
        match built {
            Err(problem) if is_unwritable(&problem) => {
                self.fresh_in_memory(sources, call).map(drop)
            }
            built => built.map(drop),
        }
    }

    /// Sleeps until something may have changed, at most `patience`.
    pub(crate) fn wait(&self, patience: Duration, call: &Call) -> Result<()> {
        self.ear(call)?.wait(patience);
        Ok(())
    }

    fn refresh(&self, ear: &mut Ear, sources: &Sources<'_>, call: &Call) -> Result<Freshness> {
        match self.bring_up_to_date(ear, sources, call) {
            Err(problem) if is_of_index(&problem) => {
                self.readers.forget();
                self.build_or_catch_up(ear, sources, call)
            }
            done => done,
        }
    }

    /// Builds the index; one that another process built meanwhile may be older than this call,
    /// so it is compared like any other.
    fn build_or_catch_up(
        &self,
        ear: &mut Ear,
        sources: &Sources<'_>,
        call: &Call,
    ) -> Result<Freshness> {
        match self.build(ear, sources, call)? {
            Built::Here => Ok(Freshness::default()),
            Built::Elsewhere => self.bring_up_to_date(ear, sources, call),
        }
    }

    /// Waits for whoever refreshes in this process, and passes on how far they are.
    fn ear(&self, call: &Call) -> Result<MutexGuard<'_, Ear>> {
        loop {
            match self.ear.try_lock() {
                Ok(ear) => return Ok(ear),
                Err(TryLockError::Poisoned(ear)) => return Ok(ear.into_inner()),
                Err(TryLockError::WouldBlock) => {}
            }
            let Progress { what, done, total } = self.progress().0;
            call.step(what, done, total)?;
            thread::sleep(PAUSE);
        }
    }

    fn progress(&self) -> MutexGuard<'_, (Progress, Vec<RepoPath>)> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn behind(&self) -> Freshness {
        let (Progress { what, done, total }, stale) = self.progress().clone();
        let reasons = vec![format!("{what} goes on, {done} of {total}")];
        Freshness { is_behind: true, stale, reasons }
    }

    fn bring_up_to_date(
        &self,
        ear: &mut Ear,
        sources: &Sources<'_>,
        call: &Call,
    ) -> Result<Freshness> {
        let reasons: Vec<String> = ear.deaf.iter().cloned().collect();
        let Some(index) = self.readers.open()? else {
            let Freshness { is_behind, stale, reasons: more } =
                self.build_or_catch_up(ear, sources, call)?;
            let reasons = reasons.into_iter().chain(more).collect();
            return Ok(Freshness { is_behind, stale, reasons });
        };
        let dirty = ear.heard(sources, call)?;
        let found = Todo::find(index.conn(), sources, (&dirty, false), call);
        drop(index);
        if let Ok(todo) = &found
            && let Err(error) = ear.note(todo)
        {
            ear.lose(&error);
        }
        let updated = found.and_then(|todo| match todo.is_empty() {
            true => Ok(None),
            false => self.update(sources, todo, &dirty, call),
        });
        // What was heard of and not dealt with must not be forgotten.
        if !matches!(updated, Ok(None)) {
            ear.give_back(dirty);
        }
        match updated? {
            None => {
                ear.listen(sources, &self.generations, call)?;
                Ok(Freshness { reasons, ..Freshness::default() })
            }
            Some(stale) => {
                let why = "another process is refreshing the index".to_owned();
                let reasons = reasons.into_iter().chain([why]).collect();
                Ok(Freshness { is_behind: true, stale, reasons })
            }
        }
    }

    /// Writes what is to be done into the current index. If somebody else refreshes and does
    /// not get done, their last good state is read: then these are the files that are newer.
    fn update(
        &self,
        sources: &Sources<'_>,
        mut todo: Todo,
        dirty: &Dirty,
        call: &Call,
    ) -> Result<Option<Vec<RepoPath>>> {
        let folder = self.generations.make_folder()?;
        let _lock = match tree::lock_in(&folder, LOCK, PATIENCE, call) {
            Ok(lock) => lock,
            Err(problem) if matches!(problem.code, Code::Busy | Code::Timeout) => {
                let changed = todo.suspects.into_iter().map(|(found, _)| found.path);
                return Ok(Some(changed.chain(todo.gone).collect()));
            }
            Err(problem) => return Err(problem),
        };
        let Some((_, path)) = self.generations.current() else { return Err(vanished()) };
        let mut store = store::open(&path, Durability::Derived)?;
        if tables::meta(store.connection(), "revision")? != todo.revision {
            todo = Todo::find(store.connection(), sources, (dirty, false), call)?;
        }
        self.apply(&mut store, sources, &todo, call)?;
        Ok(None)
    }

    /// Builds a new index beside the current one and switches to it.
    fn build(&self, ear: &mut Ear, sources: &Sources<'_>, call: &Call) -> Result<Built> {
        let folder = self.generations.make_folder()?;
        let before = self.generations.current();
        let _lock = tree::lock_in(&folder, LOCK, PATIENCE, call)?;
        let now = self.generations.current();
        if now.is_some() && now != before {
            return Ok(Built::Elsewhere);
        }
        ear.forget();
        self.generations.unfinished().iter().for_each(|path| Generations::remove(path));
        let (number, building) = self.generations.next();
        let built = self.build_at(&building, sources, call);
        if let Err(problem) = built {
            Generations::remove(&building);
            return Err(problem);
        }
        let switched = self.generations.switch(number, &building);
        switched.map_err(Problem::io("switch to the new index"))?;
        self.readers.forget();
        self.sweep();
        ear.listen(sources, &self.generations, call)?;
        Ok(Built::Here)
    }

    fn build_at(&self, path: &Path, sources: &Sources<'_>, call: &Call) -> Result<()> {
        let mut store = store::open_new(path)?;
        make(&mut store, &self.schema)?;
        let everything = (&Dirty::Everything, true);
        let todo = Todo::find(store.connection(), sources, everything, call)?;
        self.apply(&mut store, sources, &todo, call)?;
        make(&mut store, &self.late_schema)?;
        settle_in(store.connection(), path)?;
        store.finish()
    }

    /// Removes older generations, once nobody needs their log any more.
    fn sweep(&self) {
        for path in self.generations.outdated() {
            let whole =
                store::open(&path, Durability::Derived).and_then(|store| store.checkpoint());
            if !matches!(whole, Ok(false)) {
                Generations::remove(&path);
            }
        }
    }

    fn apply(
        &self,
        store: &mut Store,
        sources: &Sources<'_>,
        todo: &Todo,
        call: &Call,
    ) -> Result<()> {
        let tell = |done: usize, suspects: &[Suspect]| self.tell(call, done, suspects);
        let (indexers, facts) = (self.indexers.as_slice(), self.facts.as_path());
        let read_at = self.clock(call);
        Applier { sources, indexers, facts, read_at, tell: &tell }.apply(store, todo, call)
    }

    /// Reports progress to the caller, and to all who wait for this refresh.
    fn tell(&self, call: &Call, done: usize, suspects: &[Suspect]) -> Result<()> {
        let progress = Progress { what: "indexing files", done, total: suspects.len() };
        let stale = suspects[done..].iter().map(|(found, _)| found.path.clone()).collect();
        *self.progress() = (progress, stale);
        call.step(progress.what, done, progress.total)
    }

    /// The file system's clock; where it cannot be asked, the caller's.
    fn clock(&self, call: &Call) -> Moment {
        let folder = self.generations.make_folder().ok();
        let told = folder.and_then(|folder| self.disk.clock(&folder, Path::new("clock")).ok());
        told.unwrap_or_else(|| i64::try_from(call.now.as_nanosecond()).unwrap_or(i64::MAX))
    }

    /// Everything the index holds, as sorted text: equal for equal trees.
    pub(crate) fn dump(&self, index: &Index) -> Result<String> {
        let own = tables::DUMP.iter().chain(search::tables::DUMP).chain(locate::tables::DUMP);
        let queries = own.chain(self.indexers.iter().flat_map(|indexer| indexer.dump()));
        let table = |sql: &&str| {
            let rows = tables::dump(index.conn(), sql)?;
            Ok(format!("-- {sql}\n{}\n", rows.join("\n")))
        };
        queries.map(table).collect()
    }
}

/// The call, given up earlier if the reader would rather have the last good state.
fn hurried(call: &Call, wait: Wait) -> Call {
    match wait {
        Wait::UntilDone => call.child(|| None),
        Wait::AtMost(limit) => {
            let start = Instant::now();
            call.child(move || (start.elapsed() > limit).then_some(Stop::Deadline))
        }
    }
}

fn make(store: &mut Store, schema: &str) -> Result<()> {
    store.write(|tx| tx.execute_batch(schema).map_err(store::problem("make the index")))
}

fn vanished() -> Problem {
    Problem::new(Code::StoreDamaged, "the index vanished right after it was built")
        .hint("check that nothing cleans .cairn/cache, and repeat the request")
}
