//! Where stores are. Some are one for the repository; some are one a branch, and a branch that
//! has none yet reads the default branch's.
//!
//! @see spec::kb/branches

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use base::{Call, Problem, Result};

use super::Durable;
use super::name::Owner;
use crate::repo::Repository;

/// Stands for the branch in the name of a store's file.
const BRANCH: &str = "{branch}";

/// The folder of all branches' stores.
const FOLDER: &str = "branches";

/// The file in a branch's folder that says whose it is: folders' names may be cut.
const LABEL: &str = "branch";

/// How long to wait while another process makes a branch's stores.
const PATIENCE: Duration = Duration::from_secs(5);

/// Where the stores are for one call.
#[derive(Debug, Clone)]
pub(crate) struct StorePlace {
    shared: PathBuf,
    at: At,
}

#[derive(Debug, Clone)]
enum At {
    /// Without git there are no branches, and one store
    Plain,
    /// With git
    Branch {
        /// What is checked out
        own: Owner,
        /// The branch that others start from
        default: Owner,
        /// The branch that this one was renamed from
        renamed: Option<Owner>,
    },
}

/// A branch that has stores.
#[derive(Debug, Clone)]
pub(crate) struct Kept {
    /// Whose they are
    pub owner: Owner,
    /// Their folder
    pub folder: PathBuf,
}

impl Durable {
    /// Whether every branch has its own.
    pub(crate) fn is_per_branch(&self) -> bool {
        self.file.contains(BRANCH)
    }

    /// The file's own name.
    fn file_name(&self) -> &'static str {
        self.file.rsplit('/').next().unwrap_or(self.file)
    }
}

impl StorePlace {
    /// Looks what is checked out now.
    pub(crate) fn find(
        shared: &Path,
        git: Option<&Repository>,
        default: Option<&str>,
        call: &Call,
    ) -> Result<Self> {
        let shared = shared.to_path_buf();
        let Some(git) = git else { return Ok(Self { shared, at: At::Plain }) };
        let head = git.head(call)?;
        let own = match (head.branch, head.commit) {
            (Some(branch), _) => Owner::Branch(branch),
            (None, Some(commit)) => Owner::Commit(commit.into()),
            (None, None) => Owner::Branch("HEAD".into()),
        };
        let default = match default {
            Some(name) => name.to_owned(),
            None => git.default_branch(call)?.unwrap_or_else(|| "main".into()),
        };
        let default = Owner::Branch(default);
        let mut place = Self { shared, at: At::Branch { own, default, renamed: None } };
        place.follow_rename(git, call)?;
        Ok(place)
    }

    /// A branch without stores may be another one under a new name.
    fn follow_rename(&mut self, git: &Repository, call: &Call) -> Result<()> {
        let At::Branch { own: Owner::Branch(name), .. } = &self.at else { return Ok(()) };
        if self.folder(&Owner::Branch(name.clone())).exists() {
            return Ok(());
        }
        let Some(old) = git.renamed_from(name)? else { return Ok(()) };
        let old = Owner::Branch(old);
        let is_left = self.folder(&old).exists() && !git.has_branch(old.name(), call)?;
        if let At::Branch { renamed, .. } = &mut self.at {
            *renamed = is_left.then_some(old);
        }
        Ok(())
    }

    fn folder(&self, owner: &Owner) -> PathBuf {
        self.shared.join(FOLDER).join(owner.folder())
    }

    /// The file that is read: the branch's own, else the default branch's.
    pub(crate) fn seen(&self, durable: &Durable) -> PathBuf {
        self.file(durable, |owner| self.stands_for(owner, durable))
    }

    /// The file that is written.
    pub(crate) fn own(&self, durable: &Durable) -> PathBuf {
        self.file(durable, Clone::clone)
    }

    fn file(&self, durable: &Durable, pick: impl Fn(&Owner) -> Owner) -> PathBuf {
        match &self.at {
            _ if !durable.is_per_branch() => self.shared.join(durable.file),
            At::Plain => self.shared.join(durable.file_name()),
            At::Branch { own, .. } => self.folder(&pick(own)).join(durable.file_name()),
        }
    }

    /// The branch whose store is read in place of one that is not there.
    fn stands_for(&self, owner: &Owner, durable: &Durable) -> Owner {
        let At::Branch { default, renamed, .. } = &self.at else { return owner.clone() };
        let is_there = |owner: &&Owner| self.folder(owner).join(durable.file_name()).exists();
        let candidates = [Some(owner), renamed.as_ref(), Some(default)];
        candidates.into_iter().flatten().find(is_there).unwrap_or(owner).clone()
    }

    /// The branch whose store is read; none without branches. A renamed branch is itself.
    pub(crate) fn seen_branch(&self, durable: &Durable) -> Option<String> {
        let At::Branch { own, renamed, .. } = &self.at else { return None };
        let seen = self.stands_for(own, durable);
        let is_own = Some(&seen) == renamed.as_ref();
        Some(if is_own { own.name() } else { seen.name() }.to_owned())
    }

    /// What is checked out and the default branch; none without branches.
    pub(crate) fn owners(&self) -> Option<(&Owner, &Owner)> {
        match &self.at {
            At::Plain => None,
            At::Branch { own, default, .. } => Some((own, default)),
        }
    }

    /// Makes the branch's own store if it is not there: under its new name, or as a copy of the
    /// default branch's. Says whether something was made.
    pub(crate) fn settle_in(&self, durable: &Durable, call: &Call) -> Result<bool> {
        let At::Branch { own, default, renamed } = &self.at else { return Ok(false) };
        let file = self.own(durable);
        if !durable.is_per_branch() || file.exists() {
            return Ok(false);
        }
        let failed = || Problem::io("make the folder of a branch's stores");
        let all = self.shared.join(FOLDER);
        fs::create_dir_all(&all).map_err(failed())?;
        let _lock = tree::lock(&all.join(".lock"), PATIENCE, call)?;
        if file.exists() {
            return Ok(false); // another process was quicker
        }
        let folder = self.folder(own);
        if let Some(old) = renamed {
            fs::rename(self.folder(old), &folder).map_err(failed())?;
        }
        fs::create_dir_all(&folder).map_err(failed())?;
        fs::write(folder.join(LABEL), own.name()).map_err(failed())?;
        let source = self.folder(default).join(durable.file_name());
        if !file.exists() && source.exists() {
            store::back_up(durable.open(&source)?.connection(), &file)?;
        }
        Ok(true)
    }

    /// Every branch that has this store, by name.
    pub(crate) fn kept(&self, durable: &Durable) -> Result<Vec<Kept>> {
        let all = match fs::read_dir(self.shared.join(FOLDER)) {
            Ok(all) => all,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(Problem::io("list the stores of branches")(error)),
        };
        let folders = all.flatten().map(|entry| entry.path());
        let with_store = folders.filter(|folder| folder.join(durable.file_name()).exists());
        let kept = with_store.filter_map(|folder| Some(Kept { owner: owner(&folder)?, folder }));
        let mut kept: Vec<Kept> = kept.collect();
        kept.sort_by(|a, b| a.owner.cmp(&b.owner));
        Ok(kept)
    }
}

impl Kept {
    /// The store's file.
    pub(crate) fn file(&self, durable: &Durable) -> PathBuf {
        self.folder.join(durable.file_name())
    }
}

/// Whose folder it is, by its label; a label that does not fit the folder is not believed.
fn owner(folder: &Path) -> Option<Owner> {
    let name = folder.file_name()?.to_str()?;
    if let Some(commit) = name.strip_prefix('@') {
        return Some(Owner::Commit(commit.into()));
    }
    let label = fs::read_to_string(folder.join(LABEL)).ok();
    let owner = Owner::Branch(label.unwrap_or_else(|| name.to_owned()));
    (owner.folder() == name).then_some(owner)
}
