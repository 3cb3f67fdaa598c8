//! The paths of durable stores. Some stores exist once in a repository, others once per branch. A
//! branch without a store of its own reads that of the default branch.
//!
//! @see spec::kb/branches

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use base::{Call, Problem, Result};
use store::BackupNotes;

use super::DurableStore;
use super::branches::{self, DefaultBranch};
use super::owner::StoreOwner;
use super::team::TeamStore;
use crate::repository::Repository;

/// Placeholder for the branch in the file name of a store.
const BRANCH_PLACEHOLDER: &str = "{branch}";

/// Name of the folder that contains the stores of all branches.
const BRANCHES_FOLDER: &str = "branches";

/// Name of the file that contains the full name of the branch, because the name of a branch's
/// folder may be shortened.
const LABEL_FILE: &str = "branch";

/// Maximum length of a branch name, in bytes.
const MAX_LABEL_BYTES: u64 = 64 * 1024;

/// Maximum time to wait while another process creates the stores of a branch.
const LOCK_TIMEOUT: Duration = Duration::from_secs(5);

/// The paths of the stores during one call.
#[derive(Debug, Clone)]
pub struct StoreLocations {
    shared: PathBuf,
    scheme: StoreScheme,
}

#[derive(Debug, Clone)]
enum StoreScheme {
    /// There is no git repository, therefore no branches and one store
    Single,
    /// There is a git repository
    PerBranch {
        /// The checked-out branch or commit
        own: StoreOwner,
        /// The default branch
        default: DefaultBranch,
        /// Renamed branches whose stores could not be moved: present owner to former owner
        unmoved: BTreeMap<StoreOwner, StoreOwner>,
    },
}

/// The stores of one branch.
#[derive(Debug, Clone)]
pub struct BranchStoreFolder {
    /// The branch or commit that they belong to
    pub owner: StoreOwner,
    /// Their folder
    pub folder: PathBuf,
}

/// The result of moving the stores of renamed branches.
#[derive(Debug, Default)]
pub(crate) struct FollowedRenames {
    /// Whether a store was moved
    pub moved: bool,
    /// Stores that could not be moved: present owner to former owner
    unmoved: BTreeMap<StoreOwner, StoreOwner>,
}

impl DurableStore {
    /// Whether every branch has its own store.
    pub(crate) fn is_per_branch(&self) -> bool {
        self.file.contains(BRANCH_PLACEHOLDER)
    }

    /// The name of the store's file, without its folders.
    fn file_name(&self) -> &'static str {
        self.file.rsplit('/').next().unwrap_or(self.file)
    }
}

/// Moves the stores of all renamed branches. If every store belongs to an existing branch, it only
/// reads git's files.
pub(crate) fn follow_renames(
    shared: &Path,
    git: &Repository,
    call: &Call,
) -> Result<FollowedRenames> {
    let mut followed = FollowedRenames::default();
    let owners: Vec<StoreOwner> =
        folders(shared)?.iter().filter_map(|folder| owner_of_folder(folder)).collect();
    let is_branch = |owner: &&StoreOwner| matches!(owner, StoreOwner::Branch(_));
    let names = || owners.iter().filter(is_branch).map(StoreOwner::display_name);
    if git.has_all_branches(names())? {
        return Ok(followed);
    }
    let list = git.branch_list(call)?;
    let gone: BTreeSet<&str> = names().filter(|name| !list.contains(name)).collect();
    for (old, new) in branches::renamed_branches(git, &list, &gone, call)? {
        let (old, new) = (StoreOwner::Branch(old), StoreOwner::Branch(new));
        if owners.contains(&new) {
            continue; // it has a store of its own, and neither may replace the other
        }
        match move_stores(shared, &old, &new, call) {
            Ok(()) => followed.moved = true,
            Err(_) => drop(followed.unmoved.insert(new, old)), // read where they are
        }
    }
    Ok(followed)
}

/// Renames the folder with a branch's stores.
fn move_stores(shared: &Path, old: &StoreOwner, new: &StoreOwner, call: &Call) -> Result<()> {
    let failed = || Problem::io("move the stores of a branch that was renamed");
    let _lock = lock(shared, call)?;
    let (from, to) = (folder_of(shared, old), folder_of(shared, new));
    if to.exists() || !from.exists() {
        return Ok(()); // another process was faster
    }
    // No process may be writing to the stores while they are moved.
    let stores = fs::read_dir(&from).map_err(failed())?.flatten().map(|entry| entry.path());
    let stores = stores.filter(|file| file.extension() == Some("sqlite".as_ref()));
    let locks = stores.map(|file| tree::lock(&file.with_extension("lock"), LOCK_TIMEOUT, call));
    let _locks = locks.collect::<Result<Vec<_>>>()?;
    // A label that does not fit its folder is ignored, so a crash in between is harmless.
    write_label(&from, new.display_name())?;
    fs::rename(&from, &to).map_err(failed())
}

impl StoreLocations {
    /// Determines the paths for what is checked out now.
    pub(crate) fn find(
        shared: &Path,
        git: Option<&Repository>,
        default: Option<&str>,
        followed: FollowedRenames,
        call: &Call,
    ) -> Result<Self> {
        let shared = shared.to_path_buf();
        let Some(git) = git else { return Ok(Self { shared, scheme: StoreScheme::Single }) };
        let own = branches::checked_out(git, call)?;
        let default = DefaultBranch::find(git, default, call)?;
        Ok(Self {
            shared,
            scheme: StoreScheme::PerBranch { own, default, unmoved: followed.unmoved },
        })
    }

    fn folder(&self, owner: &StoreOwner) -> PathBuf {
        folder_of(&self.shared, owner)
    }

    /// The file to read: that of the checked-out branch, or of the default branch if the former
    /// does not exist.
    pub fn read_path(&self, durable: &DurableStore) -> PathBuf {
        self.file(durable, |owner| self.owner_read_for(owner, durable))
    }

    /// The file to write.
    pub fn write_path(&self, durable: &DurableStore) -> PathBuf {
        self.file(durable, Clone::clone)
    }

    fn file(&self, durable: &DurableStore, pick: impl Fn(&StoreOwner) -> StoreOwner) -> PathBuf {
        match &self.scheme {
            _ if !durable.is_per_branch() => self.shared.join(durable.file),
            StoreScheme::Single => self.shared.join(durable.file_name()),
            StoreScheme::PerBranch { own, .. } => self.folder(&pick(own)).join(durable.file_name()),
        }
    }

    /// The branch whose store is read if this owner has none.
    fn owner_read_for(&self, owner: &StoreOwner, durable: &DurableStore) -> StoreOwner {
        let StoreScheme::PerBranch { default, unmoved, .. } = &self.scheme else {
            return owner.clone();
        };
        let default = StoreOwner::Branch(default.name.clone());
        let is_there = |owner: &&StoreOwner| self.folder(owner).join(durable.file_name()).exists();
        let candidates = [Some(owner), unmoved.get(owner), Some(&default)];
        candidates.into_iter().flatten().find(is_there).unwrap_or(owner).clone()
    }

    /// The branch whose store is read; `None` without branches. For a renamed branch whose store
    /// was not moved it is the branch itself.
    pub fn read_branch(&self, durable: &DurableStore) -> Option<String> {
        let StoreScheme::PerBranch { own, unmoved, .. } = &self.scheme else { return None };
        let seen = self.owner_read_for(own, durable);
        let is_own = Some(&seen) == unmoved.get(own);
        Some(if is_own { own.display_name() } else { seen.display_name() }.to_owned())
    }

    /// What is checked out; `None` without branches.
    pub(crate) fn checked_out(&self) -> Option<&StoreOwner> {
        match &self.scheme {
            StoreScheme::Single => None,
            StoreScheme::PerBranch { own, .. } => Some(own),
        }
    }

    /// The default branch; `None` without branches.
    pub fn default_branch(&self) -> Option<&DefaultBranch> {
        match &self.scheme {
            StoreScheme::Single => None,
            StoreScheme::PerBranch { default, .. } => Some(default),
        }
    }

    /// The present owner of a store that still has the branch's former name, because it could not
    /// be moved.
    pub(crate) fn renamed_to(&self, owner: &StoreOwner) -> Option<&StoreOwner> {
        let StoreScheme::PerBranch { unmoved, .. } = &self.scheme else { return None };
        unmoved.iter().find(|(_, old)| *old == owner).map(|(new, _)| new)
    }

    /// Creates the store of the checked-out branch as a copy of the default branch's, unless it
    /// exists. Returns whether it was created.
    pub(crate) fn create_branch_store(&self, durable: &DurableStore, call: &Call) -> Result<bool> {
        let StoreScheme::PerBranch { own, .. } = &self.scheme else { return Ok(false) };
        let file = self.write_path(durable);
        if !durable.is_per_branch() || file.exists() {
            return Ok(false);
        }
        let failed = || Problem::io("make the folder of a branch's stores");
        let _lock = lock(&self.shared, call)?;
        if file.exists() {
            return Ok(false); // another process was faster
        }
        let source = self.read_path(durable);
        let folder = self.folder(own);
        fs::create_dir_all(&folder).map_err(failed())?;
        write_label(&folder, own.display_name())?;
        // Another process may have created the branch's own store meanwhile, which is then not
        // copied onto itself.
        if source != file && source.exists() {
            let source = durable.open(&source)?;
            store::back_up(source.connection(), &file, &BackupNotes::new())?;
        }
        Ok(true)
    }

    /// The stores that a team shares and that a call may read, the checked-out branch's first. The
    /// store of a commit without a branch is not shared.
    pub(crate) fn team_stores(&self, durable: &DurableStore) -> Vec<TeamStore> {
        let StoreScheme::PerBranch { own, default, .. } = &self.scheme else {
            return vec![self.single_team_store(durable)];
        };
        if !durable.is_per_branch() {
            return vec![self.single_team_store(durable)];
        }
        let default = StoreOwner::Branch(default.name.clone());
        let mut owners = vec![own.clone()];
        if *own != default {
            owners.push(default);
        }
        owners.into_iter().filter_map(|owner| self.team_store_of(durable, owner)).collect()
    }

    fn single_team_store(&self, durable: &DurableStore) -> TeamStore {
        TeamStore { name: durable.name.to_owned(), owner: None, path: self.write_path(durable) }
    }

    /// The shared store of a branch; `None` for that of a commit.
    pub(crate) fn team_store_of(
        &self,
        durable: &DurableStore,
        owner: StoreOwner,
    ) -> Option<TeamStore> {
        let StoreOwner::Branch(branch) = &owner else { return None };
        let name = format!("{}/{branch}", durable.name);
        let path = self.folder(&owner).join(durable.file_name());
        Some(TeamStore { name, owner: Some(owner), path })
    }

    /// The file here of a store of the team, by the name that the server has; `None` if it is of another kind.
    pub(crate) fn team_store_named(&self, durable: &DurableStore, name: &str) -> Option<TeamStore> {
        let is_single = !durable.is_per_branch() || matches!(self.scheme, StoreScheme::Single);
        if is_single {
            return (name == durable.name).then(|| self.single_team_store(durable));
        }
        let branch = name.strip_prefix(durable.name)?.strip_prefix('/')?;
        self.team_store_of(durable, StoreOwner::Branch(branch.to_owned()))
    }

    /// All stores of this clone that a team shares.
    pub(crate) fn all_team_stores(&self, durable: &DurableStore) -> Result<Vec<TeamStore>> {
        if !durable.is_per_branch() || matches!(self.scheme, StoreScheme::Single) {
            let store = self.single_team_store(durable);
            return Ok(if store.path.exists() { vec![store] } else { Vec::new() });
        }
        let kept = self.branches_with_store(durable)?.into_iter();
        Ok(kept.filter_map(|kept| self.team_store_of(durable, kept.owner)).collect())
    }

    /// Creates the folder of a store and writes the name of its branch into it.
    pub(crate) fn prepare_folder(&self, store: &TeamStore) -> Result<()> {
        let Some(owner) = &store.owner else { return Ok(()) };
        let folder = self.folder(owner);
        if folder.join(LABEL_FILE).exists() {
            return Ok(());
        }
        fs::create_dir_all(&folder).map_err(Problem::io("make the folder of a branch's stores"))?;
        write_label(&folder, owner.display_name())
    }

    /// All branches that have this store, by name.
    pub(crate) fn branches_with_store(
        &self,
        durable: &DurableStore,
    ) -> Result<Vec<BranchStoreFolder>> {
        let folders = folders(&self.shared)?.into_iter();
        let with_store = folders.filter(|folder| folder.join(durable.file_name()).exists());
        let kept = with_store.filter_map(|folder| {
            Some(BranchStoreFolder { owner: owner_of_folder(&folder)?, folder })
        });
        let mut kept: Vec<BranchStoreFolder> = kept.collect();
        kept.sort_by(|a, b| a.owner.cmp(&b.owner));
        Ok(kept)
    }
}

impl BranchStoreFolder {
    /// The path of the store's file.
    pub fn file(&self, durable: &DurableStore) -> PathBuf {
        self.folder.join(durable.file_name())
    }

    /// The name of the store in backups.
    pub fn store_name(&self, durable: &DurableStore) -> String {
        let stem = durable.file_name().trim_end_matches(".sqlite");
        format!("{BRANCHES_FOLDER}/{}/{stem}", self.owner.folder_name())
    }

    /// Deletes the store. Other files in its folder, such as backups, are kept.
    pub fn remove(&self, durable: &DurableStore) -> std::io::Result<()> {
        let file = self.file(durable);
        fs::remove_file(&file)?;
        for extension in ["sqlite-wal", "sqlite-shm", "lock"] {
            let _ = fs::remove_file(file.with_extension(extension)); // not all of them are there
        }
        let others = fs::read_dir(&self.folder)?.flatten();
        if others.into_iter().all(|entry| entry.file_name() == LABEL_FILE) {
            fs::remove_dir_all(&self.folder)?;
        }
        Ok(())
    }
}

fn folder_of(shared: &Path, owner: &StoreOwner) -> PathBuf {
    shared.join(BRANCHES_FOLDER).join(owner.folder_name())
}

/// The folders of all branches that have stores.
fn folders(shared: &Path) -> Result<Vec<PathBuf>> {
    match fs::read_dir(shared.join(BRANCHES_FOLDER)) {
        Ok(all) => {
            let is_folder =
                |entry: &fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_dir());
            Ok(all.flatten().filter(is_folder).map(|entry| entry.path()).collect())
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(Problem::io("list the stores of branches")(error)),
    }
}

/// Takes the lock for creating, moving and deleting the stores of branches.
pub fn lock(shared: &Path, call: &Call) -> Result<tree::FileLock> {
    let all = shared.join(BRANCHES_FOLDER);
    fs::create_dir_all(&all).map_err(Problem::io("make the folder of all branches' stores"))?;
    tree::lock(&all.join(".lock"), LOCK_TIMEOUT, call)
}

/// The branch that a store's folder names as its owner.
pub(crate) fn label_beside(store: &Path) -> Option<String> {
    read_label(store.parent()?)
}

/// Writes the name of the owner into a folder.
pub(crate) fn write_label(folder: &Path, branch: &str) -> Result<()> {
    let mut options = fs::File::options();
    options.write(true).create(true).truncate(true);
    tree::open_regular_for_write(&folder.join(LABEL_FILE), &mut options)
        .and_then(|mut file| file.write_all(branch.as_bytes()))
        .map_err(Problem::io("label the stores of a branch"))
}

fn read_label(folder: &Path) -> Option<String> {
    let file = folder.join(LABEL_FILE);
    tree::require_regular(&file).ok()?; // nor a link
    String::from_utf8(tree::read_regular(&file, MAX_LABEL_BYTES).ok()?).ok()
}

/// The owner of a folder according to its label. If the label does not fit the name of the folder,
/// the owner is derived from that name.
fn owner_of_folder(folder: &Path) -> Option<StoreOwner> {
    let name = folder.file_name()?.to_str()?;
    if let Some(commit) = name.strip_prefix('@') {
        return Some(StoreOwner::Commit(commit.into()));
    }
    let labelled = read_label(folder).map(StoreOwner::Branch);
    labelled
        .filter(|owner| owner.folder_name() == name)
        .or_else(|| StoreOwner::from_folder_name(name))
}
