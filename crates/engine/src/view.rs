//! A consistent, read-only view of the repository: the index, the stores, git and the settings.

use std::any::{Any, TypeId};
use std::cell::{Cell, OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use base::call::Progress;
use base::{Call, Problem, RepoPath, Result};
use config::Config;
use store::Connection;
use tree::{Journal, WorkingTree};

use crate::area::Area;
use crate::contract::answer::{Basis, BasisState};
use crate::contract::args::NodeTarget;
use crate::data_folders::DataFolders;
use crate::durable::locations::StoreLocations;
use crate::durable::overlay::{self, SharedOverlay, StoreView};
use crate::durable::team::{TeamBasis, TeamLink};
use crate::durable::{DurableStore, StoreChange, StoreReader};
use crate::follow::{FollowResult, FollowerFiles};
use crate::graph::GraphArea;
use crate::index::{Freshness, Index, file_fingerprint, tables};
use crate::language_servers::LanguageServerPool;
use crate::path_resolver::PathResolver;
use crate::repository::Repository;
use crate::settings::Settings;
use crate::trust::TrustStatus;
use crate::workspace::{Workspace, WorkspaceMode, WorkspaceNotices};

/// What queries read and mutations plan from. Everything is opened at its first use and then
/// stays as it was, so that one answer shows one state.
pub struct View<'w> {
    workspace: &'w Workspace,
    settings: Arc<Settings>,
    call: Arc<Call>,
    /// Opened at its first use: many answers need no index
    index: OnceCell<(Index, Freshness)>,
    /// The files that the question is about, if it can be answered from these alone
    named_files: RefCell<BTreeSet<RepoPath>>,
    /// Whether the index holds these files alone
    is_early: Cell<bool>,
    /// Whether it waits for the index even if it could answer from named files
    waits_for_index: bool,
    /// Each durable store, opened at its first use
    store_views: Vec<(DurableStore, OnceCell<StoreView>)>,
    /// The locations of the stores for what is checked out
    locations: OnceCell<StoreLocations>,
    /// The followers, one for each area that has one
    followers: Vec<FollowerSlot>,
    partial_reasons: RefCell<Vec<String>>,
    /// What the stores that were read say about the team
    team: RefCell<Option<TeamBasis>>,
    /// The files of the stores that were read, by the stores' names
    store_files: RefCell<BTreeMap<&'static str, PathBuf>>,
    /// Values that areas compute once for a view, by type
    per_view_cache: RefCell<BTreeMap<TypeId, Rc<dyn Any>>>,
}

impl<'w> View<'w> {
    pub(crate) fn new(workspace: &'w Workspace, settings: Arc<Settings>, call: Arc<Call>) -> Self {
        let (index, partial_reasons) = (OnceCell::new(), RefCell::default());
        let durables = workspace.areas.iter().filter_map(|area| area.durable);
        let store_views = durables.map(|durable| (durable, OnceCell::new())).collect();
        let followers = workspace.areas.iter().filter(|area| area.follower.is_some());
        let followers = followers.map(|area| FollowerSlot::new(area.name)).collect();
        Self {
            workspace,
            settings,
            call,
            index,
            named_files: RefCell::default(),
            is_early: Cell::new(false),
            waits_for_index: false,
            store_views,
            locations: OnceCell::new(),
            followers,
            partial_reasons,
            team: RefCell::default(),
            store_files: RefCell::default(),
            per_view_cache: RefCell::default(),
        }
    }

    /// A view whose answers wait for the index, whatever the question is about.
    pub(crate) fn waiting(
        workspace: &'w Workspace,
        settings: Arc<Settings>,
        call: Arc<Call>,
    ) -> Self {
        Self { waits_for_index: true, ..Self::new(workspace, settings, call) }
    }

    /// The working tree.
    pub fn tree(&self) -> &'w WorkingTree {
        &self.workspace.tree
    }

    /// The repository, unless there is none.
    pub fn git(&self) -> Option<&'w Repository> {
        self.workspace.git.as_ref()
    }

    /// The file in `GIT_INDEX_FILE`, which git sets in hooks of a partial commit.
    pub fn git_index(&self) -> Option<PathBuf> {
        let named = self.workspace.env.iter().find(|(name, _)| name == "GIT_INDEX_FILE");
        named.map(|(_, path)| self.tree().root().join(path))
    }

    /// The language servers.
    pub fn servers(&self) -> &'w LanguageServerPool {
        &self.workspace.servers
    }

    /// Whether the repository's own programs may run.
    pub fn trust_status(&self) -> TrustStatus {
        self.workspace.trust_status(self.config(), &self.call)
    }

    /// Whether the workspace serves one call or many.
    pub fn mode(&self) -> WorkspaceMode {
        self.workspace.mode()
    }

    /// The folders that hold data.
    pub fn data_folders(&self) -> &'w DataFolders {
        &self.workspace.data_folders
    }

    /// The configuration in force.
    pub fn config(&self) -> &Config {
        &self.settings.config
    }

    /// The mistakes in `cairn.jsonc`.
    pub fn config_findings(&self) -> &[config::ConfigFinding] {
        &self.settings.findings
    }

    /// The file of the current index.
    pub fn index_path(&self) -> Option<PathBuf> {
        self.workspace.index_path()
    }

    /// The call that is being answered.
    pub fn call(&self) -> &Call {
        &self.call
    }

    /// Resolves paths that the caller typed.
    pub fn paths(&self) -> PathResolver<'_> {
        PathResolver::new(self.tree().root(), &self.call.prefix, self.git())
    }

    /// The registered areas.
    pub fn areas(&self) -> &'static [Area] {
        self.workspace.areas
    }

    /// The areas that have nodes or edges in the graph.
    pub fn graph_areas(&self) -> Vec<&'static dyn GraphArea> {
        self.areas().iter().filter_map(|area| area.graph_area).collect()
    }

    /// The index, up to date.
    pub fn index(&self) -> Result<&Index> {
        if self.index.get().is_none() {
            let opened = match self.early_index()? {
                Some(index) => (index, Freshness::default()),
                None => self.workspace.index(&self.settings, &self.call)?,
            };
            let _ = self.index.set(opened); // nobody else can have set it: a view is not shared
        }
        self.index.get().map(|(index, _)| index).ok_or_else(|| Problem::internal("no index"))
    }

    /// Sets the targets that the question is about. If all of them name files, and there is no
    /// index yet, the answer is made from these files.
    pub(crate) fn name_targets(&self, targets: &[&NodeTarget]) {
        if self.waits_for_index || !self.workspace.answers_early() {
            return;
        }
        let files = targets.iter().map(|target| self.file_named_by(target.as_str()));
        *self.named_files.borrow_mut() = files.collect::<Option<_>>().unwrap_or_default();
    }

    /// The existing file that a target names, without asking the index.
    fn file_named_by(&self, target: &str) -> Option<RepoPath> {
        let text = target.trim();
        let kinds = ["module:", "file:", "symbol:"];
        let text = kinds.iter().find_map(|kind| text.strip_prefix(kind)).unwrap_or(text);
        let path = text.split('#').next().unwrap_or(text);
        let without_lines = path.rsplit_once(':').map(|(path, _)| path);
        let is_file = |path: &RepoPath| {
            self.tree().stat_if_reachable(path).is_some_and(|stat| stat.is_file())
        };
        let mut found = [Some(path), without_lines].into_iter().flatten();
        found.find_map(|typed| self.paths().candidates(typed).into_iter().find(is_file))
    }

    /// An index of the named files, if there is no other.
    fn early_index(&self) -> Result<Option<Index>> {
        let files = self.named_files.borrow();
        if files.is_empty() || self.workspace.index_path().is_some() {
            return Ok(None);
        }
        let found = self.workspace.early_index(&self.settings, &files, &self.call)?;
        if found.is_some() {
            self.is_early.set(true);
            let names: Vec<String> = files.iter().map(ToString::to_string).collect();
            self.mark_partial(format!(
                "the first index is still being built; this answer is based on {} only",
                names.join(", ")
            ));
        }
        Ok(found)
    }

    /// Whether the answer was made from named files alone.
    pub(crate) fn is_early(&self) -> bool {
        self.is_early.get()
    }

    /// A value that is computed once for this view, by its type.
    pub fn cached_for_view<T: 'static>(&self, make: impl FnOnce() -> Result<T>) -> Result<Rc<T>> {
        let known = self.per_view_cache.borrow().get(&TypeId::of::<T>()).cloned();
        if let Some(known) = known.and_then(|known| known.downcast().ok()) {
            return Ok(known);
        }
        let made = Rc::new(make()?);
        self.per_view_cache.borrow_mut().insert(TypeId::of::<T>(), made.clone());
        Ok(made)
    }

    /// Marks the answer as partial, with the reason.
    pub fn mark_partial(&self, why: impl Into<String>) {
        let why = why.into();
        let mut partial_reasons = self.partial_reasons.borrow_mut();
        if !partial_reasons.contains(&why) {
            partial_reasons.push(why);
        }
    }

    /// Whether the answer is marked as partial so far.
    pub(crate) fn is_partial(&self) -> bool {
        !self.partial_reasons.borrow().is_empty()
    }

    /// The journal of changes to files.
    pub fn journal(&self) -> &Journal {
        self.workspace.journal()
    }

    /// The link to the team that shares the stores.
    pub fn team(&self) -> &'w TeamLink {
        self.workspace.stores().team()
    }

    /// Every durable store.
    pub fn durables(&self) -> Vec<DurableStore> {
        self.store_views.iter().map(|(durable, _)| *durable).collect()
    }

    /// A durable store as of its first use in this view, with records of shared files that it does
    /// not have yet. `None` if there is neither.
    pub fn store(&self, name: &str) -> Result<Option<&StoreReader>> {
        Ok(self.store_view(name)?.reading.as_ref())
    }

    /// The records of shared files for a store; `None` where nothing is shared.
    pub(crate) fn overlay(&self, name: &str) -> Result<Option<&SharedOverlay>> {
        Ok(self.store_view(name)?.overlay.as_deref())
    }

    fn store_view(&self, name: &str) -> Result<&StoreView> {
        let found = self.store_views.iter().find(|(durable, _)| durable.name == name);
        let (durable, cell) =
            found.ok_or_else(|| Problem::internal(format!("unknown store `{name}`")))?;
        if cell.get().is_none() {
            let path = self.store_file(durable)?;
            let written = self.workspace.stores().open_stores().reader(durable, &path)?;
            let opened = overlay::read_with_overlay(self, durable, written)?;
            let _ = cell.set(opened); // nobody else can have set it: a view is not shared
        }
        cell.get().ok_or_else(|| Problem::internal("no store"))
    }

    /// The file of a store that is read, with the changes that wait for the team's server. It was
    /// brought up to date with the team when it was first read.
    pub(crate) fn store_file(&self, durable: &DurableStore) -> Result<PathBuf> {
        if let Some(known) = self.store_files.borrow().get(durable.name) {
            return Ok(known.clone());
        }
        let locations = self.store_locations()?;
        let team = self.workspace.stores().team().before_read(durable, locations, &self.call)?;
        let pending = team.and_then(|team| {
            *self.team.borrow_mut() = Some(team.basis);
            team.pending
        });
        let file = pending.unwrap_or_else(|| locations.read_path(durable));
        self.store_files.borrow_mut().insert(durable.name, file.clone());
        Ok(file)
    }

    /// Brings every store up to date with the team, for callers that read the files directly.
    pub(crate) fn catch_up_with_team(&self) -> Result<()> {
        self.durables().iter().try_for_each(|durable| self.store_file(durable).map(drop))
    }

    /// Brings the store of another branch up to date with the team, as far as its server answers.
    pub fn catch_up_branch(&self, durable: &DurableStore, branch: &str) -> Result<()> {
        self.team().catch_up_branch(durable, self.store_locations()?, branch, &self.call)
    }

    /// A value derived from a store, cached between views until the store changes.
    pub(crate) fn cached_for_store<T: Send + Sync + 'static>(
        &self,
        name: &'static str,
        store: &str,
        make: impl FnOnce() -> Result<T>,
    ) -> Result<Arc<T>> {
        self.workspace.derived_cache().get_or_make(name, self.store_fingerprint(store)?, make)
    }

    /// Identifies the state of a store that this view sees. Another file in its place has another
    /// fingerprint.
    pub(crate) fn store_fingerprint(&self, name: &str) -> Result<String> {
        let (revision, pulled) = match self.store(name)? {
            Some(reading) => {
                (reading.revision, reading.shared_state.as_deref().unwrap_or_default())
            }
            None => (0, ""),
        };
        let path = self.store_file(&self.workspace.stores().find(name)?)?;
        Ok(format!("{} {:?} {revision} {pulled}", path.display(), file_fingerprint(&path)))
    }

    /// The cached value of this name and fingerprint.
    pub(crate) fn cached_at<T: Send + Sync + 'static>(
        &self,
        name: &str,
        fingerprint: &str,
    ) -> Option<Arc<T>> {
        self.workspace.derived_cache().get_cached(name, fingerprint)
    }

    /// Caches a value under a name and the fingerprint of the state that it was derived from.
    pub(crate) fn cache_at<T: Send + Sync + 'static>(
        &self,
        name: &'static str,
        fingerprint: String,
        made: T,
    ) -> Arc<T> {
        self.workspace.derived_cache().put(name, fingerprint, made)
    }

    /// A value derived from the index, cached until the index changes. An index in memory has no
    /// fingerprint, so the value is computed each time.
    pub fn cached_for_index<T: Send + Sync + 'static>(
        &self,
        name: &'static str,
        make: impl FnOnce() -> Result<T>,
    ) -> Result<Arc<T>> {
        let Some(fingerprint) = self.index()?.fingerprint() else { return make().map(Arc::new) };
        match self.cached_at(name, &fingerprint) {
            Some(kept) => Ok(kept),
            None => Ok(self.cache_at(name, fingerprint, make()?)),
        }
    }

    /// The locations of the stores for this call.
    pub fn store_locations(&self) -> Result<&StoreLocations> {
        if self.locations.get().is_none() {
            let _ = self.locations.set(self.workspace.store_locations(&self.call)?);
        }
        self.locations.get().ok_or_else(|| Problem::internal("no store locations"))
    }

    /// The files of an area's follower, up to date, however long that takes. `None` without git.
    pub(crate) fn follower_files(&self, area: &str) -> Result<Option<&FollowerFiles>> {
        self.follower_files_within(area, None)
    }

    /// The files of an area's follower, if they are up to date soon. For answers that the follower
    /// only adds to.
    pub(crate) fn follower_files_if_ready(&self, area: &str) -> Result<Option<&FollowerFiles>> {
        let wait = if self.is_early() { Duration::ZERO } else { self.call.optional_wait };
        self.follower_files_within(area, Some(wait))
    }

    fn follower_files_within(
        &self,
        area: &str,
        limit: Option<Duration>,
    ) -> Result<Option<&FollowerFiles>> {
        let found = self.followers.iter().find(|followed| followed.name == area);
        let followed = found.ok_or_else(|| Problem::internal(format!("{area} has no follower")))?;
        if let Some(known) = followed.get(limit.is_some()) {
            return Ok(known.files.as_ref());
        }
        let name = followed.name;
        let look = self.workspace.update_follower(name, &self.settings, &self.call, limit)?;
        let (files, why) = match look {
            None => (None, None),
            Some(FollowResult::Fresh(files)) => (Some(files), None),
            Some(FollowResult::Behind(files, progress)) => {
                (Some(files), Some(format!("{name} is behind: {}", progress_text(progress))))
            }
            Some(FollowResult::Empty(progress)) => {
                (None, Some(format!("{name} is not indexed yet: {}", progress_text(progress))))
            }
        };
        let is_fresh = why.is_none();
        if let Some(why) = why {
            self.call.check_stopped().map_err(|problem| problem.hint(why.clone()))?;
            self.mark_partial(why);
        }
        let cell = if limit.is_some() { &followed.if_ready } else { &followed.up_to_date };
        Ok(cell.get_or_init(|| FollowerState { files, is_fresh }).files.as_ref())
    }

    /// The files of all followers.
    pub fn follower_paths(&self) -> Vec<(&'static str, PathBuf)> {
        self.workspace.follower_paths()
    }

    /// The connections with search text: the index, and the stores that have their own.
    pub fn search_connections(&self) -> Result<Vec<&Connection>> {
        let mut texts = vec![self.index()?.conn()];
        for (durable, _) in self.store_views.iter().filter(|(durable, _)| durable.has_search_text())
        {
            texts.extend(self.store(durable.name)?.map(|reading| &*reading.conn));
        }
        Ok(texts)
    }

    /// The change that writes records of shared files which a store does not have yet.
    pub(crate) fn shared_change(&self, store: &str) -> Result<Option<Arc<dyn StoreChange>>> {
        let (at, actor) = (self.call.now.to_string(), &self.call.actor);
        Ok(self.overlay(store)?.and_then(|overlay| overlay.change(&at, actor)))
    }

    /// The revision of a store that this view saw.
    pub(crate) fn store_revision(&self, store: &str) -> Result<i64> {
        Ok(self.store(store)?.map_or(0, |reading| reading.revision))
    }

    /// The state that the answer shows, for its last line.
    pub fn basis(&self) -> Result<Basis> {
        let mut basis = Basis { worktree: ".".into(), ..Basis::default() };
        if let Some(git) = self.git() {
            let head = git.head(&self.call)?;
            basis.worktree = git.worktree_name();
            (basis.branch, basis.commit) = (head.branch, head.commit.map(String::from));
        }
        let WorkspaceNotices { recovery, degradations: mut always } = self.workspace.take_notices();
        basis.reasons.extend(recovery);
        let (warnings, mistakes) = self.settings.basis_reasons();
        basis.reasons.extend(warnings);
        always.extend(mistakes);
        let partial_reasons = self.partial_reasons.borrow();
        if let Some((index, freshness)) = self.index.get() {
            basis.revisions.insert("index".into(), index.revision);
            if self.git().is_some() && !self.is_early() {
                basis.edited = Some(tables::count_edited(index.conn())?);
            }
            always.extend(index.notes()?);
            basis.reasons.extend(freshness.reasons.iter().cloned());
            basis.files.clone_from(&freshness.stale);
        }
        for (durable, cell) in &self.store_views {
            if cell.get().is_some() && durable.is_per_branch() {
                basis.kb_branch = self.store_locations()?.read_branch(durable);
            }
            if let Some(reading) = cell.get().and_then(|seen| seen.reading.as_ref()) {
                let revision = u64::try_from(reading.revision).unwrap_or_default();
                basis.revisions.insert(durable.name.into(), revision);
            }
        }
        basis.team.clone_from(&self.team.borrow());
        let is_behind = self.index.get().is_some_and(|(_, freshness)| freshness.is_behind);
        basis.state = match (!is_behind, partial_reasons.is_empty() && always.is_empty()) {
            (false, _) => BasisState::Stale,
            (true, false) => BasisState::Partial,
            (true, true) => BasisState::Fresh,
        };
        basis.reasons.extend(always);
        basis.reasons.extend(partial_reasons.iter().cloned());
        Ok(basis)
    }
}

/// A follower as this view has seen it.
struct FollowerSlot {
    /// The area's name
    name: &'static str,
    /// Its state when it was read without waiting
    if_ready: OnceCell<FollowerState>,
    /// Its state when it was read after waiting
    up_to_date: OnceCell<FollowerState>,
}

/// The files of a follower, and whether they were up to date.
struct FollowerState {
    files: Option<FollowerFiles>,
    is_fresh: bool,
}

impl FollowerSlot {
    const fn new(name: &'static str) -> Self {
        Self { name, if_ready: OnceCell::new(), up_to_date: OnceCell::new() }
    }

    /// The state that was seen before, if it is good enough for this caller.
    fn get(&self, can_do_without: bool) -> Option<&FollowerState> {
        let soon = self.if_ready.get().filter(|seen| seen.is_fresh || can_do_without);
        self.up_to_date.get().or(soon)
    }
}

/// The progress of a follower, and the call that completes it.
fn progress_text(progress: Progress) -> String {
    match progress {
        Progress { total: 0, .. } => "`sync` finishes it".into(),
        Progress { done, total, .. } => format!("{done} of {total}, `sync` finishes it"),
    }
}
