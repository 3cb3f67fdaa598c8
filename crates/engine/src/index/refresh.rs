//! Bringing the index up to date: what changed, read once, written in one transaction.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread;
use std::time::{Duration, Instant};

use base::call::{Progress, Stop};
use base::{Call, Code, Problem, RepoPath, Result};
use store::{Connection, Durability, Store};
use tree::{Dirty, Disk, Excludes, Found, Moment, Tree, Walk, Watcher, Why};

use super::generation::Generations;
use super::look::{Content, Looker, Seen, Suspect};
use super::read::{Readers, is_of_index};
use super::tables::{self, FileRow, Known};
use super::tracked::Tracked;
use super::{Index, Indexer, Learned, News};
use crate::facts::FactsCache;
use crate::repo::Repository;
use crate::search;

/// Files that are read before the first of them is written; bounds memory.
const BATCH: usize = 512;

/// How long to wait for the watcher to have heard of everything.
const FENCE: Duration = Duration::from_millis(500);

/// How often a waiting reader asks again.
const PAUSE: Duration = Duration::from_millis(2);

/// How long to wait for another process that refreshes.
const PATIENCE: Duration = Duration::from_secs(30);

/// How fresh the index is, as far as could be made sure.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Freshness {
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

/// Keeps the index of one working tree up to date.
pub(crate) struct Refresher {
    pub(crate) generations: Generations,
    pub(crate) readers: Readers,
    facts: PathBuf,
    indexers: Vec<&'static dyn Indexer>,
    schema: String,
    /// One refresh at a time in this process; what it remembers between two.
    state: Mutex<State>,
    /// How far the refresh in progress has come, for those who wait for it
    progress: Mutex<(Progress, Vec<RepoPath>)>,
    disk: Disk,
}

#[derive(Default)]
struct State {
    watcher: Option<Watcher>,
    /// Why there is no watcher although one was wanted
    deaf: Option<String>,
    /// Whether the index was compared with the whole tree since the watcher listens
    settled: bool,
}

/// What a refresh works on.
pub(crate) struct Sources<'a> {
    pub tree: &'a Tree,
    pub git: Option<&'a Repository>,
    pub excludes: &'a Excludes,
    pub largest_parsed: u64,
    pub watch: bool,
}

/// What a refresh found to do.
struct Todo {
    walk: Walk,
    suspects: Vec<Suspect>,
    gone: Vec<RepoPath>,
    /// Paths that were looked at; none means all of them
    part: Option<BTreeSet<RepoPath>>,
    head: Option<String>,
    head_moved: bool,
    tracked: Tracked,
    /// Whether what was left out is other than before
    aside_changed: bool,
    /// The state of the index that this was compared with
    revision: Option<String>,
}

impl Todo {
    fn is_empty(&self) -> bool {
        let same = self.suspects.is_empty() && self.gone.is_empty() && !self.aside_changed;
        same && !self.head_moved && !self.tracked.is_new
    }
}

impl Refresher {
    pub(crate) fn new(
        cache: &Path,
        facts: PathBuf,
        indexers: Vec<&'static dyn Indexer>,
        disk: Disk,
    ) -> Self {
        let own = [tables::SCHEMA, search::tables::SCHEMA];
        let schemas = own.into_iter().chain(indexers.iter().map(|indexer| indexer.schema()));
        let schema = schemas.collect::<Vec<_>>().join("\n");
        // Facts feed the index: other facts, other index.
        let keyed = format!("{schema}\n{}", syntax::EXTRACTOR_VERSION);
        let generations = Generations::new(cache.to_path_buf(), &keyed);
        let readers = Readers::new(generations.clone());
        let (state, progress) = (Mutex::default(), Mutex::default());
        Self { generations, readers, facts, indexers, schema, state, progress, disk }
    }

    /// Opens the index after making sure, within the time given, that it is not behind.
    pub(crate) fn fresh(
        &self,
        sources: &Sources<'_>,
        wait: Wait,
        call: &Call,
    ) -> Result<(Index, Freshness)> {
        let call = &hurried(call, wait);
        let done = self.state(call).and_then(|mut state| self.refresh(&mut state, sources, call));
        match (done, self.readers.open()) {
            (Ok(freshness), Ok(Some(index))) => Ok((index, freshness)),
            (Ok(_), Ok(None)) => Err(vanished()),
            (Ok(_), Err(problem)) => Err(problem),
            // Time is up, and the caller still waits: the last good state, said to be that.
            (Err(problem), Ok(Some(index))) if problem.code == Code::Timeout => {
                Ok((index, self.behind()))
            }
            (Err(problem), _) => Err(problem),
        }
    }

    /// Builds the index from nothing, whatever there is.
    pub(crate) fn rebuild(&self, sources: &Sources<'_>, call: &Call) -> Result<()> {
        let mut state = self.state(call)?;
        self.build(&mut state, sources, call)
    }

    fn refresh(&self, state: &mut State, sources: &Sources<'_>, call: &Call) -> Result<Freshness> {
        match self.bring_up_to_date(state, sources, call) {
            Err(problem) if is_of_index(&problem) => {
                self.readers.forget();
                self.build(state, sources, call).map(|()| Freshness::default())
            }
            done => done,
        }
    }

    /// Waits for whoever refreshes in this process, and passes on how far they are.
    fn state(&self, call: &Call) -> Result<MutexGuard<'_, State>> {
        loop {
            match self.state.try_lock() {
                Ok(state) => return Ok(state),
                Err(TryLockError::Poisoned(state)) => return Ok(state.into_inner()),
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
        Freshness { stale, reasons: vec![format!("{what} goes on, {done} of {total}")] }
    }

    fn bring_up_to_date(
        &self,
        state: &mut State,
        sources: &Sources<'_>,
        call: &Call,
    ) -> Result<Freshness> {
        let reasons = state.deaf.iter().cloned().collect();
        let Some(index) = self.readers.open()? else {
            self.build(state, sources, call)?;
            return Ok(Freshness { reasons, ..Freshness::default() });
        };
        let dirty = self.heard(state, sources, call)?;
        let outcome = self.todo(index.conn(), sources, (&dirty, false), call).and_then(|todo| {
            drop(index);
            if todo.is_empty() { Ok(Vec::new()) } else { self.update(sources, todo, &dirty, call) }
        });
        match outcome {
            Ok(stale) => {
                self.listen(state, sources, call)?;
                Ok(Freshness { stale, reasons })
            }
            Err(problem) => {
                // What was heard of and not dealt with must not be forgotten.
                if let Some(watcher) = &state.watcher {
                    watcher.give_back(dirty);
                }
                Err(problem)
            }
        }
    }

    /// What may have changed, by the watcher if it can be believed.
    fn heard(&self, state: &mut State, sources: &Sources<'_>, call: &Call) -> Result<Dirty> {
        let Some(watcher) = &state.watcher else { return Ok(Dirty::Everything) };
        let heard_all = watcher.fence(FENCE);
        let mut dirty = watcher.take();
        if !state.settled || !heard_all {
            (state.settled, dirty) = (true, Dirty::Everything);
        }
        if let Err(error) = listen_to_new(watcher, &dirty, sources, call)? {
            (state.watcher, state.deaf) = (None, Some(deaf(&error)));
            return Ok(Dirty::Everything);
        }
        Ok(dirty)
    }

    /// Starts to listen, for a server, once there is an index.
    fn listen(&self, state: &mut State, sources: &Sources<'_>, call: &Call) -> Result<()> {
        if !sources.watch || state.watcher.is_some() || state.deaf.is_some() {
            return Ok(());
        }
        let folders = Walk::whole(sources.tree, sources.excludes, call)?.folders;
        let cookies = self.generations.folder().join("fence");
        match Watcher::start(sources.tree, &folders, &cookies) {
            // What changed since the index was compared is caught by comparing once more.
            Ok(watcher) => (state.watcher, state.settled) = (Some(watcher), false),
            Err(error) => state.deaf = Some(deaf(&error)),
        }
        Ok(())
    }

    /// Compares the tree with what is known of it.
    fn todo(
        &self,
        conn: &Connection,
        sources: &Sources<'_>,
        (dirty, from_nothing): (&Dirty, bool),
        call: &Call,
    ) -> Result<Todo> {
        let head = sources.git.map(|git| git.head_commit(call)).transpose()?.flatten();
        let known_head = tables::meta(conn, "head")?;
        let head_moved =
            from_nothing || known_head.as_deref() != Some(head.as_deref().unwrap_or(""));
        let (mut walk, known, part) = match dirty {
            Dirty::Everything => {
                let walk = Walk::whole(sources.tree, sources.excludes, call)?;
                (walk, tables::known(conn)?, None)
            }
            Dirty::Paths(paths) if paths.is_empty() => {
                (Walk::default(), BTreeMap::new(), Some(paths.clone()))
            }
            Dirty::Paths(paths) => {
                let walk = Walk::part(sources.tree, paths, sources.excludes, call)?;
                let mut known = BTreeMap::new();
                for path in paths {
                    known.append(&mut tables::known_below(conn, path)?);
                }
                (walk, known, Some(paths.clone()))
            }
        };
        let tracked = Tracked::find(conn, &walk, (sources, part.as_ref()), call)?;
        tracked.add_to(&mut walk, sources, part.as_ref())?;
        let is_suspect = |found: &&Found| match known.get(&found.path) {
            None => true,
            Some(Known { stat, read_at, .. }) => {
                part.is_some() || *stat != found.stat || stat.is_racy(*read_at)
            }
        };
        let with_hash =
            |found: &Found| (found.clone(), known.get(&found.path).and_then(|known| known.hash));
        let suspects = walk.files.iter().filter(is_suspect).map(with_hash).collect();
        let there: BTreeSet<&RepoPath> = walk.files.iter().map(|found| &found.path).collect();
        let gone = known.keys().filter(|path| !there.contains(path)).cloned().collect();
        let mut known_aside = tables::aside(conn)?;
        known_aside
            .retain(|path, _| part.as_ref().is_none_or(|part| tree::is_at_or_below(path, part)));
        let aside =
            walk.skipped.iter().map(|skipped| (skipped.path.clone(), why(skipped.why).into()));
        let aside_changed = known_aside != aside.collect();
        let revision = tables::meta(conn, "revision")?;
        Ok(Todo { suspects, gone, part, head, head_moved, tracked, aside_changed, revision, walk })
    }

    /// Writes what is to be done into the current index. Returns the files it could not reach.
    fn update(
        &self,
        sources: &Sources<'_>,
        mut todo: Todo,
        dirty: &Dirty,
        call: &Call,
    ) -> Result<Vec<RepoPath>> {
        let Ok(Some(_lock)) = self.try_refresh_lock(call) else {
            // Somebody else refreshes and does not get done: their last good state is read.
            return Ok(todo.suspects.into_iter().map(|(found, _)| found.path).collect());
        };
        let Some((_, path)) = self.generations.current() else { return Ok(Vec::new()) };
        let mut store = store::open(&path, Durability::Derived)?;
        if tables::meta(store.connection(), "revision")? != todo.revision {
            todo = self.todo(store.connection(), sources, (dirty, false), call)?;
        }
        self.apply(&mut store, sources, &todo, call)?;
        Ok(Vec::new())
    }

    /// Builds a new index beside the current one and switches to it.
    fn build(&self, state: &mut State, sources: &Sources<'_>, call: &Call) -> Result<()> {
        self.generations.make_folder()?;
        let before = self.generations.current();
        let _lock = tree::lock(&self.lock_file(), PATIENCE, call)?;
        let now = self.generations.current();
        if now.is_some() && now != before {
            return Ok(()); // another process built it while this one waited
        }
        if let Some(watcher) = &state.watcher {
            watcher.take(); // all that was heard of is about to be seen
        }
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
        self.listen(state, sources, call)
    }

    fn build_at(&self, path: &Path, sources: &Sources<'_>, call: &Call) -> Result<()> {
        let mut store = store::open(path, Durability::Derived)?;
        store
            .write(|tx| tx.execute_batch(&self.schema).map_err(store::problem("make the index")))?;
        let todo = self.todo(store.connection(), sources, (&Dirty::Everything, true), call)?;
        self.apply(&mut store, sources, &todo, call)?;
        store.checkpoint()?;
        Ok(())
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

    fn lock_file(&self) -> PathBuf {
        self.generations.folder().join("refresh.lock")
    }

    fn try_refresh_lock(&self, call: &Call) -> Result<Option<tree::Lock>> {
        match tree::lock(&self.lock_file(), PATIENCE, call) {
            Ok(lock) => Ok(Some(lock)),
            Err(problem) if problem.code == Code::Busy => Ok(None),
            Err(problem) => Err(problem),
        }
    }

    /// Reads and writes everything, in one transaction.
    fn apply(
        &self,
        store: &mut Store,
        sources: &Sources<'_>,
        todo: &Todo,
        call: &Call,
    ) -> Result<()> {
        let mut cache = FactsCache::open(&self.facts, call.now);
        let looker = Looker {
            tree: sources.tree,
            format: sources.git.map(Repository::format),
            largest_parsed: sources.largest_parsed,
            read_at: self.clock(call),
        };
        store.write(|tx| {
            let (mut changed, mut gone) = (Vec::new(), todo.gone.clone());
            for (round, batch) in todo.suspects.chunks(BATCH).enumerate() {
                self.tell(call, round * BATCH, &todo.suspects)?;
                for seen in looker.look(batch, &mut cache, call)? {
                    match seen.content {
                        Content::Vanished => gone.push(seen.path),
                        Content::Same => {
                            tables::touch_file(tx, &seen.path, &seen.stat, seen.read_at)?;
                        }
                        Content::Read(_) => {
                            self.take_in(tx, &seen)?;
                            changed.push(seen.path);
                        }
                    }
                }
            }
            gone.iter().try_for_each(|path| self.drop_file(tx, path))?;
            note_aside(tx, todo)?;
            self.compare_with_head(tx, sources, (todo, &changed, &gone), call)?;
            let news = News { changed: &changed, gone: &gone, head_moved: todo.head_moved };
            self.indexers.iter().try_for_each(|indexer| indexer.settle(tx, &news))?;
            stamp(tx, todo)
        })
    }

    /// Reports progress to the caller, and to all who wait for this refresh.
    fn tell(&self, call: &Call, done: usize, suspects: &[Suspect]) -> Result<()> {
        let progress = Progress { what: "indexing files", done, total: suspects.len() };
        let stale = suspects[done..].iter().map(|(found, _)| found.path.clone()).collect();
        *self.progress() = (progress, stale);
        call.step(progress.what, done, progress.total)
    }

    fn take_in(&self, tx: &Connection, seen: &Seen) -> Result<()> {
        let Content::Read(held) = &seen.content else { return Ok(()) };
        let is_new = !tables::has_file(tx, &seen.path)?;
        tables::put_file(
            tx,
            &FileRow {
                path: &seen.path,
                stat: &seen.stat,
                read_at: seen.read_at,
                hash: held.hash,
                oid: held.oid.as_deref(),
                oid_lf: held.oid_lf.as_deref(),
                language: seen.language.map(syntax::Language::name),
                skipped: held.skipped,
                lines: held.facts.lines,
                title: held.facts.title.as_deref(),
            },
        )?;
        let learned = Learned {
            path: &seen.path,
            hash: held.hash,
            language: seen.language,
            facts: &held.facts,
            is_new,
        };
        for indexer in &self.indexers {
            if !is_new {
                indexer.forget(tx, &seen.path, false)?;
            }
            indexer.learn(tx, &learned)?;
        }
        Ok(())
    }

    fn drop_file(&self, tx: &Connection, path: &RepoPath) -> Result<()> {
        if !tables::has_file(tx, path)? {
            return Ok(()); // it came and went between two looks
        }
        self.indexers.iter().try_for_each(|indexer| indexer.forget(tx, path, true))?;
        tables::remove_file(tx, path)
    }

    /// Notes what differs from the commit that is checked out.
    fn compare_with_head(
        &self,
        tx: &Connection,
        sources: &Sources<'_>,
        (todo, changed, gone): (&Todo, &[RepoPath], &[RepoPath]),
        call: &Call,
    ) -> Result<()> {
        let Some(git) = sources.git else { return Ok(()) };
        if todo.head_moved {
            tables::clear_head(tx)?;
            let tree = todo.head.as_ref().map(|commit| git.tree(commit, call)).transpose()?;
            for entry in tree.iter().flatten() {
                tables::put_head(tx, &entry.path, &entry.oid, entry.kind)?;
            }
            tables::compare_all(tx)?;
        } else {
            changed.iter().chain(gone).try_for_each(|path| tables::compare_one(tx, path))?;
        }
        let part = todo.part.as_ref().filter(|_| !todo.head_moved);
        for (path, kind) in tables::missing_from_files(tx)? {
            if part.is_some_and(|part| !tree::is_at_or_below(&path, part)) {
                continue;
            }
            match sources.tree.stat(&path)? {
                // A folder in the place of a file is not that file, unless it is a submodule.
                Some(stat) if !stat.is_dir() || kind == "submodule" => {
                    tables::forget_deleted(tx, &path)?;
                }
                _ => tables::put_deleted(tx, &path)?,
            }
        }
        Ok(())
    }

    /// The file system's clock; where it cannot be asked, the caller's.
    fn clock(&self, call: &Call) -> Moment {
        let folder = tree::open_folder(self.generations.folder());
        let told = folder.and_then(|folder| self.disk.clock(&folder, Path::new("clock")));
        told.unwrap_or_else(|_| i64::try_from(call.now.as_nanosecond()).unwrap_or(i64::MAX))
    }

    /// Everything the index holds, as sorted text: equal for equal trees.
    pub(crate) fn dump(&self, index: &Index) -> Result<String> {
        let own = tables::DUMP.iter().chain(search::tables::DUMP);
        let queries = own.chain(self.indexers.iter().flat_map(|indexer| indexer.dump()));
        let mut text = String::new();
        for sql in queries {
            text += &format!("-- {sql}\n{}\n", tables::dump(index.conn(), sql)?.join("\n"));
        }
        Ok(text)
    }
}

/// Listens to folders that are new, before anybody looks at them: nothing in them is missed.
fn listen_to_new(
    watcher: &Watcher,
    dirty: &Dirty,
    sources: &Sources<'_>,
    call: &Call,
) -> Result<io::Result<()>> {
    let is_folder =
        |path: &&RepoPath| matches!(sources.tree.stat(path), Ok(Some(stat)) if stat.is_dir());
    let walk = match dirty {
        Dirty::Everything => Walk::whole(sources.tree, sources.excludes, call)?,
        Dirty::Paths(paths) => {
            let folders: BTreeSet<RepoPath> = paths.iter().filter(is_folder).cloned().collect();
            if folders.is_empty() {
                return Ok(Ok(()));
            }
            Walk::part(sources.tree, &folders, sources.excludes, call)?
        }
    };
    Ok(walk.folders.iter().try_for_each(|folder| watcher.add(folder)))
}

fn deaf(error: &io::Error) -> String {
    format!("no watcher ({error}), scanned instead")
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

fn note_aside(tx: &Connection, todo: &Todo) -> Result<()> {
    let rows = || todo.walk.skipped.iter().map(|skipped| (&skipped.path, why(skipped.why)));
    let Some(part) = &todo.part else { return tables::replace_aside(tx, rows()) };
    part.iter().try_for_each(|path| tables::forget_aside_below(tx, path))?;
    rows().try_for_each(|(path, why)| tables::put_aside(tx, path, why))
}

const fn why(why: Why) -> &'static str {
    match why {
        Why::Link => "symbolic link",
        Why::Repository => "another repository",
        Why::Special => "not a regular file",
        Why::Unreadable => "unreadable",
    }
}

/// Says what the index holds, so that a truncated one is noticed.
fn stamp(tx: &Connection, todo: &Todo) -> Result<()> {
    let revision: u64 =
        tables::meta(tx, "revision")?.and_then(|text| text.parse().ok()).unwrap_or(0);
    tables::set_meta(tx, "revision", &(revision + 1).to_string())?;
    todo.tracked.keep(tx)?;
    tables::set_meta(tx, "files", &tables::count_files(tx)?.to_string())?;
    tables::set_meta(tx, "head", todo.head.as_deref().unwrap_or_default())
}

fn vanished() -> Problem {
    Problem::new(Code::StoreDamaged, "the index vanished right after it was built")
        .hint("check that nothing cleans .cairn/cache, and repeat the request")
}
