//! One repository, opened: hands out views and is the only one to commit plans.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, Once, PoisonError};
use std::time::Duration;

use base::{Call, Problem, ProblemCode, RepoPath, Result};
use config::Config;
use git::{GitHost, RepoLocation};
use tree::{ChangeId, ChangeTitle, DiskWriter, FileEdit, Journal, RecoveryOutcome, WorkingTree};

use crate::area::Area;
use crate::contract::answer::{Basis, BasisState};
use crate::data_folders::DataFolders;
use crate::durable::counter::ChangeCounter;
use crate::durable::locations::{self, FollowedRenames, StoreLocations};
use crate::durable::owner::StoreOwner;
use crate::durable::{DerivedCache, DurableStore, OpenStores, StoreChange, StoreCommit};
use crate::follow::{FollowResult, FollowedCheckout, WorktreeFollower, is_incomplete};
use crate::index::read::is_index_problem;
use crate::index::{Freshness, Index, ParseScope, RefreshSources, RefreshWait, Refresher};
use crate::language_server::LanguageServerPool;
use crate::layout_version;
use crate::plan::{MutationAnswer, Plan, PlannedChange};
use crate::repository::Repository;
use crate::settings::{Settings, SettingsFile};
use crate::trust::{ProgramFingerprints, TrustEvidence, TrustStatus, TrustStore};
use crate::view::View;

/// How long a writer queues before it gives up with `BUSY`.
const WRITE_LOCK_TIMEOUT: Duration = Duration::from_secs(5);

/// How long a lock may be held by somebody who does not write.
const RECOVERY_LOCK_TIMEOUT: Duration = Duration::from_millis(300);

/// How long a server's reader waits for a large refresh before the last good state has to do.
const SERVER_REFRESH_TIMEOUT: Duration = Duration::from_secs(8);

/// How long a watcher sleeps before it looks for what makes no sound, such as a commit.
const WATCH_POLL_INTERVAL: Duration = Duration::from_secs(2);

/// How long a watcher waits for the rest of what it has begun to hear.
const DEBOUNCE: Duration = Duration::from_millis(40);

/// Connections to stores that a server keeps open, for each kind of them.
const MAX_OPEN_STORES: usize = 6;

/// A change that `watch` took in.
#[derive(Debug)]
pub struct WatchUpdate {
    /// Files of the project
    pub files: u64,
    /// What the index rests on
    pub basis: Basis,
    /// How long it took
    pub took: Duration,
}

/// What it takes to open a workspace. The door knows all of it; nothing below asks for it.
#[derive(Debug)]
pub struct WorkspaceOptions<'a> {
    /// A folder of the repository
    pub start: &'a Path,
    /// Where git is, if it is installed
    pub host: Option<GitHost>,
    /// The environment that programs are looked up in and started with
    pub env: Vec<(OsString, OsString)>,
    /// Whether it is opened for one answer or for many
    pub mode: WorkspaceMode,
    /// Where a folder may be made for a moment, outside every repository
    pub scratch: PathBuf,
    /// Where the user keeps which repositories they trust
    pub trust_folder: Option<PathBuf>,
    /// The hand that writes
    pub disk: DiskWriter,
    /// What there is to ask
    pub areas: &'static [Area],
}

/// How long a workspace stays open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorkspaceMode {
    /// For one answer, which may take as long as it takes
    Once,
    /// For many, with a watcher
    Serving,
}

/// An open repository. Actions get this; queries and mutations get a [`View`].
pub struct Workspace {
    /// The working tree
    pub tree: WorkingTree,
    /// The repository, unless there is none or git is not installed
    pub git: Option<Repository>,
    /// Where data is kept
    pub data_folders: DataFolders,
    /// What there is to ask
    pub areas: &'static [Area],
    /// The environment that programs are looked up in and started with
    pub env: Vec<(OsString, OsString)>,
    /// Where a folder may be made for a moment, outside every repository
    pub scratch: PathBuf,
    /// Whether the repository's own programs may run
    pub trust: TrustStore,
    pub(crate) servers: LanguageServerPool,
    is_repository: bool,
    mode: WorkspaceMode,
    settings: SettingsFile,
    refresher: Refresher,
    followers: Vec<WorktreeFollower>,
    journal: Journal,
    counter: ChangeCounter,
    disk: DiskWriter,
    /// What the next answer should say besides
    notices: Mutex<Vec<String>>,
    /// Set when a reader had to do with an index that is behind
    refresh_needed: (Mutex<bool>, Condvar),
    /// What is always missing
    degradations: Vec<String>,
    /// What was derived from a store, as of its revision
    derived_cache: DerivedCache,
    /// The durable stores that are open
    stores: OpenStores,
    /// Whether this process has looked for branches that were renamed
    renames_followed: Once,
}

impl Workspace {
    /// Opens the repository around a folder and finishes what a crash left half done.
    pub fn open(opening: WorkspaceOptions<'_>) -> Result<Self> {
        let place = git::discover(opening.start)?;
        let (root, layout) = match place {
            RepoLocation::Worktree(layout) => (layout.root.clone(), Some(layout)),
            RepoLocation::NoRepository => (plain_root(opening.start)?, None),
            RepoLocation::Bare(folder) => return Err(bare_repository_problem(&folder)),
        };
        let private_rules = layout.as_ref().map(|layout| layout.common_dir.join("info/exclude"));
        let tree = WorkingTree::open_with_exclude_file(&root, private_rules)?;
        let homes = DataFolders::of(tree.root(), layout.as_ref());
        let mut lacks: Vec<String> = match (&layout, &opening.host) {
            (Some(_), None) => vec!["git is not installed".into()],
            _ => Vec::new(),
        };
        lacks.extend(homes.check().err().map(|problem| problem.to_string()));
        let is_repository = layout.is_some();
        let trust = TrustStore::of(opening.trust_folder, tree.root(), layout.as_ref());
        let servers = LanguageServerPool::new(tree.root(), &opening.env);
        let git = layout.zip(opening.host).map(|(layout, host)| Repository::open(host, layout));
        let indexers = opening.areas.iter().filter_map(|area| area.indexer).collect();
        let facts = homes.facts.clone();
        // A process that gives one answer keeps nothing open.
        let most_open = if opening.mode == WorkspaceMode::Serving { MAX_OPEN_STORES } else { 0 };
        let workspace = Self {
            followers: worktree_followers(opening.areas, &homes, most_open),
            refresher: Refresher::new(&tree, facts, indexers, opening.disk.clone()),
            journal: Journal::new(homes.journal()),
            counter: ChangeCounter::at(&homes.shared),
            disk: opening.disk,
            is_repository,
            trust,
            servers,
            mode: opening.mode,
            env: opening.env,
            scratch: opening.scratch,
            areas: opening.areas,
            settings: SettingsFile::default(),
            notices: Mutex::default(),
            refresh_needed: Default::default(),
            derived_cache: DerivedCache::default(),
            stores: OpenStores::with_capacity(most_open),
            renames_followed: Once::new(),
            git: git.transpose()?,
            data_folders: homes,
            tree,
            degradations: lacks,
        };
        workspace.recover_if_unlocked();
        Ok(workspace)
    }

    /// One consistent look, for reading.
    pub fn view(&self, call: Arc<Call>) -> Result<View<'_>> {
        if self.mode == WorkspaceMode::Serving {
            self.check_root_unchanged()?;
        }
        let settings = self.settings.current(&self.tree)?;
        if self.mode == WorkspaceMode::Once {
            // A store is moved at the next command after a rename, whatever that command is. A
            // failure is told to whoever needs the store.
            self.renames_followed.call_once(|| drop(self.follow_renames(&call)));
        }
        Ok(View::new(self, settings, call))
    }

    /// A server answers for the folder it was started in, and for no other in its place.
    fn check_root_unchanged(&self) -> Result<()> {
        let became_repository = !self.is_repository && self.tree.root().join(".git").exists();
        if self.tree.is_root_unchanged() && !became_repository {
            return Ok(());
        }
        Err(Problem::new(
            ProblemCode::Unavailable,
            "the folder that is served is not the one it was",
        )
        .hint("start the server anew"))
    }

    /// Whether the user trusts the repository with what it would run now.
    pub(crate) fn trust_status(&self, config: &Config, call: &Call) -> TrustStatus {
        self.trust.status(&self.trust_evidence(config, call))
    }

    /// Trusts the repository with what it would run now; what that is, and whether it is new.
    pub(crate) fn grant_trust(&self, call: &Call) -> Result<(ProgramFingerprints, bool)> {
        let settings = self.settings()?;
        let look = self.trust_evidence(&settings.config, call);
        let root = self.git.as_ref().map(|git| git.root_commit(call)).transpose()?.flatten();
        let is_new = self.trust.grant(&look, root, call)?;
        Ok((look.programs(), is_new))
    }

    fn trust_evidence<'a>(
        &'a self,
        config: &'a Config,
        call: &'a Call,
    ) -> WorkspaceTrustEvidence<'a> {
        WorkspaceTrustEvidence { workspace: self, config, call }
    }

    /// How long it stays open.
    pub(crate) fn mode(&self) -> WorkspaceMode {
        self.mode
    }

    /// Ends the language servers. Whoever keeps a workspace beyond its last answer calls this.
    pub fn stop_servers(&self) {
        self.servers.stop();
    }

    /// Reads; if the index turns out to be damaged, builds it anew and reads once more.
    pub(crate) fn read<T>(
        &self,
        call: &Arc<Call>,
        read: impl Fn(&View<'_>) -> Result<T>,
    ) -> Result<(T, Basis)> {
        let once = || {
            let view = self.view(call.clone())?;
            let answer = read(&view)?;
            Ok((answer, view.basis()?))
        };
        match once() {
            Err(problem) if is_index_problem(&problem) => {
                self.sync(true, call)?;
                once()
            }
            Err(problem) if is_incomplete(&problem) => {
                self.followers.iter().try_for_each(WorktreeFollower::remove_worktree_files)?;
                once()
            }
            done => done,
        }
    }

    /// The configuration in force.
    pub fn settings(&self) -> Result<Arc<Settings>> {
        self.settings.current(&self.tree)
    }

    /// What an answer rests on after something was done. It is done: neither a deadline nor a
    /// failure to say this may turn it into a problem.
    pub(crate) fn basis_afterwards(&self, call: &Call) -> Basis {
        let patient = Arc::new(Call::new(call.actor.clone(), call.now));
        let told = self.view(patient).and_then(|view| view.basis());
        told.unwrap_or_else(|problem| Basis {
            state: BasisState::Partial,
            worktree: ".".into(),
            reasons: vec![problem.to_string()],
            ..Basis::default()
        })
    }

    /// Brings the index up to date, or builds it anew. Waits as long as it takes.
    pub fn sync(&self, full: bool, call: &Call) -> Result<()> {
        let settings = self.settings()?;
        let sources = self.refresh_sources(&settings);
        if full {
            self.refresher.rebuild(&sources, call)?;
            self.followers.iter().try_for_each(WorktreeFollower::remove_worktree_files)?;
        } else {
            self.refresher.open_fresh(&sources, RefreshWait::UntilDone, call).map(drop)?;
        }
        let follow = |one: &WorktreeFollower| {
            self.update_follower(one.name, &settings, call, None).map(drop)
        };
        self.followers.iter().try_for_each(follow)
    }

    /// Looks at what follows the commit that is checked out, for as long as `call` waits, or for
    /// `limit` where that is shorter. Nothing where there is no git to follow.
    pub(crate) fn update_follower(
        &self,
        name: &str,
        settings: &Settings,
        call: &Call,
        limit: Option<Duration>,
    ) -> Result<Option<FollowResult>> {
        let found = self.follower(name)?;
        let Some(git) = &self.git else { return Ok(None) };
        self.make_cache()?;
        let checkout = FollowedCheckout { git, config: &settings.config };
        found.open_up_to_date(&checkout, call, limit).map(Some)
    }

    /// What follows the commit that is checked out, for an area.
    pub(crate) fn follower(&self, name: &str) -> Result<&WorktreeFollower> {
        let found = self.followers.iter().find(|following| following.name == name);
        found.ok_or_else(|| Problem::internal(format!("nothing follows as {name}")))
    }

    /// The files of all that follows, with their names.
    pub(crate) fn follower_paths(&self) -> Vec<(&'static str, PathBuf)> {
        self.followers.iter().flat_map(WorktreeFollower::paths).collect()
    }

    /// Opens the index, not behind the tree if that can be had in time.
    pub(crate) fn index(&self, settings: &Settings, call: &Call) -> Result<(Index, Freshness)> {
        let wait = match self.mode {
            // The first index has to be waited for: there is nothing else to answer from.
            WorkspaceMode::Serving if self.index_path().is_some() => {
                RefreshWait::AtMost(SERVER_REFRESH_TIMEOUT)
            }
            _ => RefreshWait::UntilDone,
        };
        let (index, freshness) =
            self.refresher.open_fresh(&self.refresh_sources(settings), wait, call)?;
        if freshness.is_behind {
            *self.refresh_needed.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
            self.refresh_needed.1.notify_one();
        }
        Ok((index, freshness))
    }

    /// Keeps the index of a server up to date: now, and whenever a reader could not wait for
    /// it. Returns when `call` is stopped; sleeps otherwise.
    pub fn refresh_in_background(&self, call: &Call) {
        while call.check_stopped().is_ok() {
            // A failure is told to whoever asks next: their call tries again.
            let _ = self.sync(false, call);
            let (flag, woken) = (&self.refresh_needed.0, &self.refresh_needed.1);
            let waiting = flag.lock().unwrap_or_else(PoisonError::into_inner);
            let waited = woken.wait_while(waiting, |is_behind| !*is_behind);
            *waited.unwrap_or_else(PoisonError::into_inner) = false;
        }
    }

    /// Keeps the index up to date until `call` is stopped, and tells of every change it took in.
    ///
    /// Sleeps until something is heard; a commit, which changes no file, is noticed at the
    /// latest after `WATCH_POLL_INTERVAL`.
    pub fn watch(&self, call: &Arc<Call>, tell: impl Fn(&WatchUpdate)) -> Result<()> {
        let mut known = None;
        loop {
            call.check_stopped()?;
            let begin = std::time::Instant::now();
            let view = self.view(call.clone())?;
            let revision = view.index()?.revision;
            if known.replace(revision) != Some(revision) {
                let files = crate::index::tables::count_files(view.index()?.conn())?;
                let (basis, took) = (view.basis()?, begin.elapsed());
                tell(&WatchUpdate { files, basis, took });
            }
            drop(view);
            self.refresher.wait(WATCH_POLL_INTERVAL, call)?;
            std::thread::sleep(DEBOUNCE); // an editor or git writes more than one file
        }
    }

    /// The whole index as sorted text: the same for the same tree, however it came about.
    pub fn dump(&self, call: &Arc<Call>) -> Result<String> {
        let view = self.view(call.clone())?;
        let mut text = self.refresher.dump(view.index()?)?;
        for following in &self.followers {
            if let Some(shelves) = view.follower_files(following.name)? {
                text.push_str(&shelves.dump()?);
            }
        }
        Ok(text)
    }

    /// Where the index is now, if there is one.
    pub fn index_path(&self) -> Option<PathBuf> {
        self.refresher.generations.current().map(|(_, path)| path)
    }

    /// Makes the cache folder, which hides itself from git.
    pub(crate) fn make_cache(&self) -> Result<()> {
        self.cache().map(drop)
    }

    /// The cache folder, made if need be.
    pub(crate) fn cache(&self) -> Result<tree::DirHandle> {
        self.refresher.generations.make_folder()
    }

    /// The hand that writes.
    pub(crate) fn disk(&self) -> &DiskWriter {
        &self.disk
    }

    fn refresh_sources<'a>(&'a self, settings: &'a Settings) -> RefreshSources<'a> {
        RefreshSources {
            tree: &self.tree,
            git: self.git.as_ref(),
            excludes: &settings.excludes,
            scope: ParseScope {
                largest: settings.config.code.max_file_bytes.into(),
                folders: &settings.config.source_dirs,
            },
            watch: self.mode == WorkspaceMode::Serving,
        }
    }

    /// Plans and commits. Planning may be slow, so it comes before the lock. If another writer
    /// came between, it is done once more under the lock, where none of ours can.
    pub fn write<A>(
        &self,
        call: &Arc<Call>,
        plan: impl Fn(&View<'_>) -> Result<Plan<A>>,
    ) -> Result<MutationAnswer<A>> {
        let plan = || {
            let view = self.view(call.clone())?;
            let plan = plan(&view)?;
            let from = match &plan.change {
                PlannedChange::Store(change) => Some(StorePlanBasis {
                    place: view.store_locations()?.clone(),
                    revision: view.store_revision(change.store())?,
                    pulled: view.shared_change(change.store())?,
                }),
                _ => None,
            };
            Ok((plan, from))
        };
        let (first, from) = plan()?;
        if !matches!(first.change, PlannedChange::Nothing) {
            layout_version::refuse_newer(&self.tree)?;
        }
        match from {
            Some(from) => self.write_store((first, from), plan, call),
            None => self.write_files(first, || Ok(plan()?.0), call),
        }
    }

    fn write_files<A>(
        &self,
        first: Plan<A>,
        plan: impl Fn() -> Result<Plan<A>>,
        call: &Call,
    ) -> Result<MutationAnswer<A>> {
        let Plan { summary, change, answer, retry_on_conflict: again } = first;
        let Some(edits) = change.edits() else { return Ok(unchanged_answer(answer)) };
        let _lock = self.lock(call)?;
        self.recover()?;
        match self.commit(edits, summary, change.undone_change(), call) {
            Ok(id) => Ok(committed_answer(answer, edits, id)),
            Err(problem) if problem.code == ProblemCode::Conflict && again => {
                self.commit_replanned(plan()?, edits, problem, call)
            }
            Err(problem) => Err(problem),
        }
    }

    /// Commits a change to a store. Writers queue at its lock, so that a plan which met another
    /// writer is made once more and then holds.
    fn write_store<A>(
        &self,
        (mut planned, from): (Plan<A>, StorePlanBasis),
        plan: impl Fn() -> Result<(Plan<A>, Option<StorePlanBasis>)>,
        call: &Call,
    ) -> Result<MutationAnswer<A>> {
        let PlannedChange::Store(change) = &planned.change else {
            return Ok(unchanged_answer(planned.answer));
        };
        let durable = self.durable(change.store())?;
        self.create_branch_store(&from.place, &durable, call)?;
        let file = from.place.write_path(&durable);
        let _lock = Self::lock_store(&file, call)?;
        let (mut revision, mut pulled) = (from.revision, from.pulled);
        if self.stores.revision(&durable, &file)? != revision {
            let (again, from) = plan()?;
            let Some(from) = from else { return Ok(unchanged_answer(again.answer)) };
            if from.place.write_path(&durable) != file {
                return Err(Problem::new(
                    ProblemCode::Busy,
                    "another branch was checked out meanwhile",
                )
                .hint("repeat the request"));
            }
            (planned, revision, pulled) = (again, from.revision, from.pulled);
        }
        let Plan { summary, change, answer, .. } = planned;
        let PlannedChange::Store(change) = change else { return Ok(unchanged_answer(answer)) };
        let done = self.stores.commit(&StoreCommit {
            durable: &durable,
            path: &file,
            change: change.as_ref(),
            planned_from: revision,
            pulled: pulled.as_deref(),
            summary: &summary,
            counter: &self.counter,
            call,
        })?;
        Ok(MutationAnswer { result: answer, files: Vec::new(), change: Some(done), diff: None })
    }

    /// Waits until nobody else writes to a store.
    pub(crate) fn lock_store(file: &Path, call: &Call) -> Result<tree::FileLock> {
        tree::lock(&DurableStore::lock_file(file)?, WRITE_LOCK_TIMEOUT, call)
    }

    /// A plan that met another writer is made once more; one that comes out the same conflicts.
    fn commit_replanned<A>(
        &self,
        plan: Plan<A>,
        before: &[FileEdit],
        problem: Problem,
        call: &Call,
    ) -> Result<MutationAnswer<A>> {
        match plan.change {
            PlannedChange::Files(edits) if edits != before => {
                let id = self.commit(&edits, plan.summary, None, call)?;
                Ok(committed_answer(plan.answer, &edits, id))
            }
            PlannedChange::Nothing => Ok(unchanged_answer(plan.answer)),
            _ => Err(problem),
        }
    }

    fn commit(
        &self,
        edits: &[FileEdit],
        summary: String,
        undoes: Option<u64>,
        call: &Call,
    ) -> Result<u64> {
        tree::check_edits(&self.tree, edits)?; // a change that is refused needs no number
        let number = self.counter.reserve(self.journal.highest_number(), 1, call)?;
        let title = ChangeTitle { id: ChangeId(number), summary, undoes: undoes.map(ChangeId) };
        let entry = self.journal.commit(&self.tree, &self.disk, edits, title, call)?;
        self.journal.prune(&self.disk);
        Ok(entry.id.0)
    }

    /// Shows what a plan would do.
    pub fn preview<A>(&self, plan: Plan<A>) -> Result<MutationAnswer<A>> {
        if let Some(edits) = plan.change.edits() {
            tree::check_edits(&self.tree, edits)?;
        }
        let diff = Some(plan.change.preview(&self.tree)?);
        Ok(MutationAnswer { files: plan.change.files(), result: plan.answer, change: None, diff })
    }

    /// Where the stores are, by what is checked out now.
    pub(crate) fn store_locations(&self, call: &Call) -> Result<StoreLocations> {
        let settings = self.settings()?;
        let default = settings.config.kb.default_branch.as_ref().map(config::BranchName::as_str);
        let followed = self.follow_renames(call)?;
        StoreLocations::find(&self.data_folders.shared, self.git.as_ref(), default, followed, call)
    }

    /// Moves the stores of branches that were renamed since the last look.
    fn follow_renames(&self, call: &Call) -> Result<FollowedRenames> {
        let Some(git) = &self.git else { return Ok(FollowedRenames::default()) };
        let followed = locations::follow_renames(&self.data_folders.shared, git, call)?;
        if followed.moved {
            self.stores.close_idle();
        }
        Ok(followed)
    }

    /// Makes the branch's own stores where they are not there yet, as copies of the default
    /// branch's. Where nothing was ever written there is nothing to copy. A commit that is
    /// checked out without a branch gets its own with the first write, because most are only
    /// looked at.
    pub(crate) fn create_branch_stores_if_written(&self, call: &Call) -> Result<()> {
        let place = self.store_locations(call)?;
        if matches!(place.checked_out(), Some(StoreOwner::Commit(_))) {
            return Ok(());
        }
        let durables = self.areas.iter().filter_map(|area| area.durable);
        let fit = durables.filter(|durable| place.read_path(durable).exists());
        fit.into_iter().try_for_each(|durable| self.create_branch_store(&place, &durable, call))
    }

    /// Makes the stores of the branch that is checked out, also where nothing was ever written.
    pub(crate) fn create_branch_stores(&self, call: &Call) -> Result<()> {
        let place = self.store_locations(call)?;
        let is_branch = !matches!(place.checked_out(), Some(StoreOwner::Commit(_)));
        let durables = self.areas.iter().filter_map(|area| area.durable);
        for durable in durables.filter(|durable| is_branch && durable.is_per_branch()) {
            self.create_branch_store(&place, &durable, call)?;
            let file = place.write_path(&durable);
            if !file.exists() {
                let _lock = Self::lock_store(&file, call)?;
                drop(durable.open(&file)?);
            }
        }
        Ok(())
    }

    /// Makes the branch's own store where it is not there. A folder that gets another name is
    /// not one that something is open in.
    fn create_branch_store(
        &self,
        place: &StoreLocations,
        durable: &DurableStore,
        call: &Call,
    ) -> Result<()> {
        if place.create_branch_store(durable, call)? {
            self.stores.close_idle();
        }
        Ok(())
    }

    /// The durable stores that are open.
    pub(crate) fn stores(&self) -> &OpenStores {
        &self.stores
    }

    pub(crate) fn durable(&self, name: &str) -> Result<DurableStore> {
        let all = self.areas.iter().filter_map(|area| area.durable);
        let found = all.into_iter().find(|durable| durable.name == name);
        found.ok_or_else(|| Problem::not_found(format!("no store is called `{name}`")))
    }

    /// What was derived from a store, as of its revision.
    pub(crate) fn derived_cache(&self) -> &DerivedCache {
        &self.derived_cache
    }
    /// Changes that were committed to files.
    pub(crate) fn journal(&self) -> &Journal {
        &self.journal
    }

    /// What every answer has to say besides: once what was recovered, always what is missing.
    pub(crate) fn take_notices(&self) -> (Vec<String>, Vec<String>) {
        let mut notices = self.notices.lock().unwrap_or_else(PoisonError::into_inner);
        (std::mem::take(&mut *notices), self.degradations.clone())
    }

    fn lock(&self, call: &Call) -> Result<tree::FileLock> {
        self.data_folders.check()?;
        std::fs::create_dir_all(&self.data_folders.local)
            .map_err(Problem::io("make the journal's folder"))?;
        tree::lock(&self.lock_file(), WRITE_LOCK_TIMEOUT, call)
    }

    fn lock_file(&self) -> PathBuf {
        self.data_folders.local.join("write.lock")
    }

    /// Whoever holds the lock is alive and recovers before writing: then nothing is left for us.
    /// A child that was just forked holds it for a moment too, hence a little patience.
    fn recover_if_unlocked(&self) {
        if !self.journal.is_unfinished() || self.data_folders.check().is_err() {
            return;
        }
        let call = Call::new("recovery", jiff::Timestamp::UNIX_EPOCH);
        match tree::lock(&self.lock_file(), RECOVERY_LOCK_TIMEOUT, &call) {
            Ok(_lock) => {
                self.recover().unwrap_or_else(|problem| self.add_recovery_notice(&problem))
            }
            Err(problem) if problem.code == ProblemCode::Busy => {}
            Err(problem) => self.add_recovery_notice(&problem),
        }
    }

    /// What cannot be finished now must not keep anybody from reading.
    fn add_recovery_notice(&self, problem: &Problem) {
        let mut notices = self.notices.lock().unwrap_or_else(PoisonError::into_inner);
        notices.push(format!("a change that was cut off cannot be finished: {problem}"));
    }

    fn recover(&self) -> Result<()> {
        let found = self.journal.recover(&self.tree, &self.disk)?;
        let mut notices = self.notices.lock().unwrap_or_else(PoisonError::into_inner);
        notices.extend(found.iter().map(recovery_text));
        Ok(())
    }
}

/// The repository as far as trust in it depends on it.
struct WorkspaceTrustEvidence<'a> {
    workspace: &'a Workspace,
    config: &'a Config,
    call: &'a Call,
}

impl TrustEvidence for WorkspaceTrustEvidence<'_> {
    fn programs(&self) -> ProgramFingerprints {
        let workspace = self.workspace;
        crate::language_server::programs(
            self.config,
            workspace.servers.host(),
            workspace.tree.root(),
        )
    }

    fn has_commit(&self, commit: &str) -> bool {
        // Without git nobody can tell, and the folder has to do.
        self.workspace.git.as_ref().is_none_or(|git| git.has_commit(commit, self.call))
    }
}

/// What a change to a store was planned from.
struct StorePlanBasis {
    place: StoreLocations,
    revision: i64,
    /// What was seen in shared files, and the store does not have yet
    pulled: Option<Arc<dyn StoreChange>>,
}

fn worktree_followers(
    areas: &'static [Area],
    homes: &DataFolders,
    most_open: usize,
) -> Vec<WorktreeFollower> {
    let one =
        |area: &Area| Some(WorktreeFollower::new((area.name, area.follower?), homes, most_open));
    areas.iter().filter_map(one).collect()
}

fn unchanged_answer<A>(result: A) -> MutationAnswer<A> {
    MutationAnswer { result, files: Vec::new(), change: None, diff: None }
}

fn committed_answer<A>(result: A, edits: &[FileEdit], id: u64) -> MutationAnswer<A> {
    let files = edits.iter().map(|edit| edit.path.clone()).collect::<Vec<RepoPath>>();
    MutationAnswer { result, files, change: Some(id.to_string()), diff: None }
}

fn recovery_text(recovered: &RecoveryOutcome) -> String {
    match recovered {
        RecoveryOutcome::Finished(entry) => {
            format!("change {} ({}) was cut off and is now finished", entry.id, entry.summary)
        }
        RecoveryOutcome::Discarded(id) => {
            format!("change {id} was cut off before it began; nothing of it was written")
        }
        RecoveryOutcome::PartlyFinished(entry, files) => {
            let files: Vec<String> = files.iter().map(ToString::to_string).collect();
            format!(
                "change {} ({}) was cut off; left alone, because edited since: {}",
                entry.id,
                entry.summary,
                files.join(", ")
            )
        }
    }
}

/// Without git, the nearest folder that cairn was set up in; else the folder itself.
fn plain_root(start: &Path) -> Result<PathBuf> {
    let start = start.canonicalize().map_err(Problem::io(format!("open {}", start.display())))?;
    let folder = if start.is_dir() { start.as_path() } else { start.parent().unwrap_or(&start) };
    // A cache alone does not make a root: every read leaves one.
    let is_root = |folder: &&Path| {
        folder.join("cairn.jsonc").is_file() || folder.join(".cairn/schema/version").is_file()
    };
    Ok(folder.ancestors().find(is_root).unwrap_or(folder).to_path_buf())
}

fn bare_repository_problem(folder: &Path) -> Problem {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    Problem::new(
        ProblemCode::InvalidOperation,
        format!("{name} is a bare repository: it has no files"),
    )
    .hint("run cairn in one of its worktrees, or make one with  git worktree add")
}
