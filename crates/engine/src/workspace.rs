//! One open repository: creates views, keeps the index up to date and commits plans.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use base::{Call, Problem, ProblemCode, RepoPath, Result};
use config::Config;
use git::{GitHost, RepoLocation};
use tree::{DiskWriter, Journal, WorkingTree};

use crate::area::Area;
use crate::contract::answer::{Basis, BasisState};
use crate::contract::spec::OpSpec;
use crate::data_folders::DataFolders;
use crate::durable::locations::StoreLocations;
use crate::durable::{self, DerivedCache, StoreManager};
use crate::follow::{FollowResult, FollowedCheckout, WorktreeFollower, is_incomplete};
use crate::index::read::is_index_problem;
use crate::index::{Freshness, Index, ParseScope, RefreshSources, RefreshWait, Refresher};
use crate::language_servers::LanguageServerPool;
use crate::plan::{MutationAnswer, Plan, PlannedChange};
use crate::plan_committer::{CommitTarget, PlanCommitter, PlannedWrite, StorePlanBasis};
use crate::repository::Repository;
use crate::settings::{Settings, SettingsFile};
use crate::trust::{ProgramFingerprints, TrustEvidence, TrustStatus, TrustStore};
use crate::view::View;

/// How long a reader of a server waits for a large refresh before it answers from the last state.
const SERVER_REFRESH_TIMEOUT: Duration = Duration::from_secs(8);

/// The interval of polls for changes without a file event, such as a commit.
const WATCH_POLL_INTERVAL: Duration = Duration::from_secs(2);

/// How long a watcher waits after the first event, because more usually follow.
const DEBOUNCE: Duration = Duration::from_millis(40);

/// From this size of git's index on, in bytes, a repository is large: about 90 files.
const MIN_LARGE_GIT_INDEX: u64 = 8 * 1024;

/// The most connections of one kind that a server keeps open.
const MAX_OPEN_STORES: usize = 6;

/// A refresh that `watch` reports.
#[derive(Debug)]
pub struct WatchUpdate {
    /// How many files are indexed
    pub files: u64,
    /// The state that the index shows
    pub basis: Basis,
    /// How long it took
    pub took: Duration,
}

/// The inputs of [`Workspace::open`]. The door collects them; nothing below reads the environment.
#[derive(Debug)]
pub struct WorkspaceOptions<'a> {
    /// A folder of the repository
    pub start: &'a Path,
    /// Where git is, if it is installed
    pub host: Option<GitHost>,
    /// The environment that programs are looked up in and started with
    pub env: Vec<(OsString, OsString)>,
    /// Whether it serves one call or many
    pub mode: WorkspaceMode,
    /// The folder for temporary directories, outside every repository
    pub scratch: PathBuf,
    /// The user's folder with the records of trusted repositories
    pub trust_folder: Option<PathBuf>,
    /// The disk writer, which can inject faults
    pub disk: DiskWriter,
    /// The registered areas
    pub areas: &'static [Area],
    /// Finds an operation by its name: a request that waited for a team's server is planned again
    pub find_operation: fn(&str) -> Option<&'static OpSpec>,
}

/// Whether a workspace serves one call or many.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorkspaceMode {
    /// One call, which waits for as long as it takes
    Once,
    /// Many calls, with a watcher
    Serving,
}

/// An open repository. Actions get this; queries and mutations get a [`View`].
pub struct Workspace {
    /// The working tree
    pub tree: WorkingTree,
    /// The repository, unless there is none or git is not installed
    pub git: Option<Repository>,
    /// The folders that hold its data
    pub data_folders: DataFolders,
    /// The registered areas
    pub areas: &'static [Area],
    /// The environment that programs are looked up in and started with
    pub env: Vec<(OsString, OsString)>,
    /// The folder for temporary directories, outside every repository
    pub scratch: PathBuf,
    /// Whether the repository's own programs may run
    pub trust: TrustStore,
    /// The language servers that run for it
    pub servers: LanguageServerPool,
    pub(crate) find_operation: fn(&str) -> Option<&'static OpSpec>,
    is_repository: bool,
    mode: WorkspaceMode,
    settings: SettingsFile,
    refresher: Refresher,
    followers: Vec<WorktreeFollower>,
    committer: PlanCommitter,
    /// Set when a reader was given an outdated index
    refresh_needed: (Mutex<bool>, Condvar),
    /// Permanent degradations, reported by every answer
    degradations: Vec<String>,
    /// Values derived from stores, by the store's revision
    derived_cache: DerivedCache,
    stores: StoreManager,
    /// Whether somebody builds the first index while questions about named files are answered
    has_index_builder: bool,
    /// Whether a question was answered before there was an index
    answered_early: AtomicBool,
}

impl Workspace {
    /// Opens the repository around a folder and completes changes that a crash interrupted.
    pub fn open(opening: WorkspaceOptions<'_>) -> Result<Self> {
        let place = git::discover(opening.start)?;
        let (root, layout) = match place {
            RepoLocation::Worktree(layout) => (layout.root.clone(), Some(layout)),
            RepoLocation::NoRepository => (plain_root(opening.start)?, None),
            RepoLocation::Bare(folder) => return Err(bare_repository_problem(&folder)),
        };
        let private_rules = layout.as_ref().map(|layout| layout.common_dir.join("info/exclude"));
        let tree = WorkingTree::open_with_exclude_file(&root, private_rules)?;
        let folders = DataFolders::of(tree.root(), layout.as_ref());
        let mut degradations: Vec<String> = match (&layout, &opening.host) {
            (Some(_), None) => vec!["git is not installed".into()],
            _ => Vec::new(),
        };
        degradations.extend(folders.check().err().map(|problem| problem.to_string()));
        let is_repository = layout.is_some();
        let trust = TrustStore::of(opening.trust_folder, tree.root(), layout.as_ref());
        let servers = LanguageServerPool::new(tree.root(), &opening.env);
        let git = layout.zip(opening.host).map(|(layout, host)| Repository::open(host, layout));
        let indexers = opening.areas.iter().filter_map(|area| area.indexer).collect();
        let durables = opening.areas.iter().filter_map(|area| area.durable).collect();
        let facts = folders.facts.clone();
        // A process that gives one answer keeps nothing open.
        let most_open = if opening.mode == WorkspaceMode::Serving { MAX_OPEN_STORES } else { 0 };
        let workspace = Self {
            followers: worktree_followers(opening.areas, &folders, most_open),
            refresher: Refresher::new(&tree, facts, indexers, opening.disk.clone()),
            committer: PlanCommitter::new(folders.clone(), opening.disk),
            is_repository,
            trust,
            servers,
            mode: opening.mode,
            find_operation: opening.find_operation,
            stores: StoreManager::new(
                durables,
                folders.shared.clone(),
                most_open,
                opening.env.clone(),
            ),
            env: opening.env,
            scratch: opening.scratch,
            areas: opening.areas,
            settings: SettingsFile::default(),
            refresh_needed: Default::default(),
            derived_cache: DerivedCache::default(),
            has_index_builder: false,
            answered_early: AtomicBool::new(false),
            git: git.transpose()?,
            data_folders: folders,
            tree,
            degradations,
        };
        workspace.committer.recover_if_unlocked(&workspace.tree);
        Ok(workspace)
    }

    /// A consistent, read-only view.
    pub fn view(&self, call: Arc<Call>) -> Result<View<'_>> {
        if self.mode == WorkspaceMode::Serving {
            self.check_root_unchanged()?;
        }
        let settings = self.settings.current(&self.tree)?;
        if self.mode == WorkspaceMode::Once {
            // The first command after a branch was renamed moves its stores, whatever the command
            // is. A failure is reported to the caller that needs the store.
            self.stores.follow_renames_once(self.git.as_ref(), &call);
        }
        Ok(View::new(self, settings, call))
    }

    /// Fails if another folder has taken the place of the one that the server was started in.
    fn check_root_unchanged(&self) -> Result<()> {
        let became_repository = !self.is_repository && self.tree.root().join(".git").exists();
        if self.tree.is_root_unchanged() && !became_repository {
            return Ok(());
        }
        Err(Problem::new(ProblemCode::Unavailable, "the served folder was replaced by another one")
            .hint("restart the server"))
    }

    /// Whether the user trusts the programs that the repository would run now.
    pub(crate) fn trust_status(&self, config: &Config, call: &Call) -> TrustStatus {
        self.trust.status(&self.trust_evidence(config, call))
    }

    /// Whether the user trusts the repository as it is now.
    pub fn is_trusted(&self, call: &Call) -> Result<bool> {
        let settings = self.settings()?;
        Ok(self.trust_status(&settings.config, call) == TrustStatus::Trusted)
    }

    /// Trusts the programs that the repository would run now. Returns them, and whether any is new.
    pub fn grant_trust(&self, call: &Call) -> Result<(ProgramFingerprints, bool)> {
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

    /// Whether it serves one call or many.
    pub(crate) fn mode(&self) -> WorkspaceMode {
        self.mode
    }

    /// Stops the language servers. Call it when a workspace is kept after its last answer.
    pub fn stop_servers(&self) {
        self.servers.stop();
    }

    /// Runs a read. If the index or a follower turns out to be damaged, rebuilds it and reads again.
    pub fn read<T>(
        &self,
        call: &Arc<Call>,
        read: impl Fn(&View<'_>) -> Result<T>,
    ) -> Result<(T, Basis)> {
        let once = || {
            let view = self.view(call.clone())?;
            let answer = read(&view);
            if view.is_early() {
                self.answered_early.store(true, Ordering::Relaxed);
            }
            if answer.is_err() && view.is_early() {
                // The problem may come from looking at a few files only, so the whole index is
                // asked.
                let view = View::waiting(self, self.settings()?, call.clone());
                return Ok((read(&view)?, view.basis()?));
            }
            Ok((answer?, view.basis()?))
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

    /// Lets questions about named files be answered before there is an index. The caller has the
    /// index built in the meantime, or when it [is needed](Self::needs_index_builder).
    #[must_use]
    pub fn with_index_builder(mut self) -> Self {
        self.has_index_builder = true;
        self
    }

    /// Whether a question was answered before there was an index, and nobody builds one.
    pub fn needs_index_builder(&self, call: &Call) -> bool {
        self.answered_early.load(Ordering::Relaxed)
            && self.index_path().is_none()
            && !self.refresher.is_being_written(call)
    }

    /// Whether a question about named files is answered before there is an index. The first index
    /// of a small repository takes no longer than such an answer.
    pub(crate) fn answers_early(&self) -> bool {
        let is_large = |git: &Repository| git.index_bytes() >= MIN_LARGE_GIT_INDEX;
        self.has_index_builder && self.git.as_ref().is_some_and(is_large)
    }

    /// Whether there is no index yet and git's index has at least this many bytes. Callers that
    /// must be quick then say nothing instead of waiting. The index [is
    /// needed](Self::needs_index_builder) from then on, if somebody can build it.
    pub fn lacks_index_of(&self, git_index_bytes: u64) -> bool {
        let is_large = |git: &Repository| git.index_bytes() >= git_index_bytes;
        let lacks = self.index_path().is_none() && self.git.as_ref().is_some_and(is_large);
        if lacks && self.has_index_builder {
            self.answered_early.store(true, Ordering::Relaxed);
        }
        lacks
    }

    /// An index of some files alone.
    pub(crate) fn early_index(
        &self,
        settings: &Settings,
        paths: &BTreeSet<RepoPath>,
        call: &Call,
    ) -> Result<Option<Index>> {
        self.refresher.open_early(&self.refresh_sources(settings), paths, call)
    }

    /// The configuration in force.
    pub fn settings(&self) -> Result<Arc<Settings>> {
        self.settings.current(&self.tree)
    }

    /// The basis of an answer after a change was committed. Neither a deadline nor a failure to read
    /// the basis may turn the committed change into a problem.
    pub(crate) fn basis_afterwards(&self, call: &Call) -> Basis {
        let patient = Arc::new(Call::new(call.actor.clone(), call.now));
        let told = self.view(patient).and_then(|view| view.basis());
        let told = told.map(|basis| Basis { team: self.stores.team().last_status(), ..basis });
        told.unwrap_or_else(|problem| Basis {
            state: BasisState::Partial,
            worktree: ".".into(),
            reasons: vec![problem.to_string()],
            ..Basis::default()
        })
    }

    /// Refreshes the index, or rebuilds it if `full`. Waits for as long as it takes.
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

    /// Updates a follower, for as long as `call` waits, or for `limit` where that is shorter.
    /// `None` without git.
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

    /// The follower of an area.
    pub fn follower(&self, name: &str) -> Result<&WorktreeFollower> {
        let found = self.followers.iter().find(|following| following.name == name);
        found.ok_or_else(|| Problem::internal(format!("{name} has no follower")))
    }

    /// The files of all followers, each with a name.
    pub(crate) fn follower_paths(&self) -> Vec<(&'static str, PathBuf)> {
        self.followers.iter().flat_map(WorktreeFollower::paths).collect()
    }

    /// Opens the index, refreshed if that is possible in time.
    pub(crate) fn index(&self, settings: &Settings, call: &Call) -> Result<(Index, Freshness)> {
        let wait = match self.mode {
            // There is nothing else to answer from before the first index.
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

    /// Refreshes the index of a server now, and again whenever a reader could not wait for it.
    /// Sleeps in between; returns when `call` is stopped.
    pub fn refresh_in_background(&self, call: &Call) {
        while call.check_stopped().is_ok() {
            // A failure is reported to the next reader, whose call tries again.
            let _ = self.sync(false, call);
            let (flag, woken) = (&self.refresh_needed.0, &self.refresh_needed.1);
            let waiting = flag.lock().unwrap_or_else(PoisonError::into_inner);
            let waited = woken.wait_while(waiting, |is_behind| !*is_behind);
            *waited.unwrap_or_else(PoisonError::into_inner) = false;
        }
    }

    /// Keeps the index up to date until `call` is stopped, and reports every refresh.
    ///
    /// Sleeps until a file event comes. A commit changes no file and is noticed after at most
    /// `WATCH_POLL_INTERVAL`.
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

    /// The whole index as sorted text. Equal trees give equal text, however the index was built.
    pub fn dump(&self, call: &Arc<Call>) -> Result<String> {
        let view = self.view(call.clone())?;
        let mut text = self.refresher.dump(view.index()?)?;
        for following in &self.followers {
            if let Some(files) = view.follower_files(following.name)? {
                text.push_str(&files.dump()?);
            }
        }
        Ok(text)
    }

    /// The file of the current index, if there is one.
    pub fn index_path(&self) -> Option<PathBuf> {
        self.refresher.generations.current().map(|(_, path)| path)
    }

    /// Creates the cache folder, with a `.gitignore` that hides it.
    pub fn make_cache(&self) -> Result<()> {
        self.cache().map(drop)
    }

    /// The cache folder, created if it is missing.
    pub(crate) fn cache(&self) -> Result<tree::DirHandle> {
        self.refresher.generations.make_folder()
    }

    /// The disk writer, which can inject faults.
    pub fn disk(&self) -> &DiskWriter {
        self.committer.disk()
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

    /// Plans and commits. If another writer changed something meanwhile, the plan is made once more
    /// under the lock.
    pub fn write<A>(
        &self,
        call: &Arc<Call>,
        plan: impl Fn(&View<'_>) -> Result<Plan<A>>,
    ) -> Result<MutationAnswer<A>> {
        let before_store_write = || durable::team::work_off_first(self, call);
        let target = CommitTarget {
            tree: &self.tree,
            stores: &self.stores,
            before_store_write: &before_store_write,
            call,
        };
        self.committer.commit(target, || {
            let view = self.view(call.clone())?;
            let plan = plan(&view)?;
            let store_basis = match &plan.change {
                PlannedChange::Store(change) => Some(StorePlanBasis {
                    locations: view.store_locations()?.clone(),
                    revision: view.store_revision(change.store())?,
                    pulled: view.shared_change(change.store())?,
                }),
                _ => None,
            };
            Ok(PlannedWrite { plan, store_basis })
        })
    }

    /// Shows what a plan would do.
    pub fn preview<A>(&self, plan: Plan<A>) -> Result<MutationAnswer<A>> {
        PlanCommitter::preview(&self.tree, plan)
    }

    /// The durable stores.
    pub fn stores(&self) -> &StoreManager {
        &self.stores
    }

    /// The locations of the stores for what is checked out now.
    pub fn store_locations(&self, call: &Call) -> Result<StoreLocations> {
        let settings = self.settings()?;
        let default = settings.config.kb.default_branch.as_ref().map(config::BranchName::as_str);
        self.stores.locate(self.git.as_ref(), default, call)
    }

    /// Values derived from stores, by the store's revision.
    pub(crate) fn derived_cache(&self) -> &DerivedCache {
        &self.derived_cache
    }

    /// The journal of changes to files.
    pub fn journal(&self) -> &Journal {
        self.committer.journal()
    }

    /// Fails if a folder that cairn writes is a link, or is reached through one. Nothing is found or
    /// changed there.
    pub fn check_data_folders(&self) -> Result<()> {
        self.data_folders.check()
    }

    /// What every answer reports besides its content.
    pub(crate) fn take_notices(&self) -> WorkspaceNotices {
        WorkspaceNotices {
            recovery: self.committer.take_notices(),
            degradations: self.degradations.clone(),
        }
    }
}

/// What answers report about the workspace itself.
pub(crate) struct WorkspaceNotices {
    /// What recovery did, reported once
    pub recovery: Vec<String>,
    /// Permanent degradations, reported by every answer
    pub degradations: Vec<String>,
}

/// What trust in the repository depends on, read when it is needed.
struct WorkspaceTrustEvidence<'a> {
    workspace: &'a Workspace,
    config: &'a Config,
    call: &'a Call,
}

impl TrustEvidence for WorkspaceTrustEvidence<'_> {
    fn programs(&self) -> ProgramFingerprints {
        let workspace = self.workspace;
        crate::language_servers::programs(
            self.config,
            workspace.servers.host(),
            workspace.tree.root(),
        )
    }

    fn has_commit(&self, commit: &str) -> bool {
        // Without git there are no commits to compare, so the folder decides.
        self.workspace.git.as_ref().is_none_or(|git| git.has_commit(commit, self.call))
    }
}

fn worktree_followers(
    areas: &'static [Area],
    folders: &DataFolders,
    most_open: usize,
) -> Vec<WorktreeFollower> {
    let one =
        |area: &Area| Some(WorktreeFollower::new(area.name, area.follower?, folders, most_open));
    areas.iter().filter_map(one).collect()
}

/// The root without git: the nearest folder that cairn was set up in, else the folder itself.
fn plain_root(start: &Path) -> Result<PathBuf> {
    let start =
        platform::canonicalize(start).map_err(Problem::io(format!("open {}", start.display())))?;
    let folder = if start.is_dir() { start.as_path() } else { start.parent().unwrap_or(&start) };
    // A folder with only a cache is not a root, because every read creates a cache.
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
