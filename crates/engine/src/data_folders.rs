//! The folders that cairn keeps data in.

use std::path::{Path, PathBuf};

use base::Result;
use tree::PrivateFolder;

/// The folders in `shared` that contain other folders.
const SHARED_SUBFOLDERS: [&str; 3] = ["branches", "backups", "cache/snapshots"];

/// The folders that cairn keeps data in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DataFolders {
    /// The index of this working tree; may be deleted
    pub cache: PathBuf,
    /// What belongs to this working tree alone: the journal and its lock
    pub local: PathBuf,
    /// What all worktrees share: durable stores
    pub shared: PathBuf,
    /// The file of facts by content, shared too; a cache like the index
    pub facts: PathBuf,
    /// `local`, with the folder above it that cairn did not create
    own_local: PrivateFolder,
    /// `shared`, with the folder above it
    own_shared: PrivateFolder,
}

impl DataFolders {
    /// The folders of a working tree, inside a repository or not.
    pub(crate) fn of(root: &Path, layout: Option<&git::RepoLayout>) -> Self {
        let cache = root.join(".cairn/cache");
        if let Some(layout) = layout {
            Self {
                cache,
                local: layout.git_dir.join("cairn"),
                shared: layout.common_dir.join("cairn"),
                facts: layout.common_dir.join("cairn/cache/facts.sqlite"),
                own_local: PrivateFolder::below(&layout.git_dir, "cairn"),
                own_shared: PrivateFolder::below(&layout.common_dir, "cairn"),
            }
        } else {
            let own = root.join(".cairn/local");
            // Without git there are no other worktrees to share with, and reading creates only the
            // cache.
            let facts = cache.join("facts.sqlite");
            let own_local = PrivateFolder::below(root, ".cairn/local");
            let own_shared = own_local.clone();
            Self { cache, local: own.clone(), shared: own, facts, own_local, own_shared }
        }
    }

    /// The folder of the journal.
    pub(crate) fn journal(&self) -> PrivateFolder {
        self.own_local.join("journal")
    }

    /// Fails if a folder that cairn writes or clears is a link, is reached through one, or is not a
    /// folder.
    pub(crate) fn check(&self) -> Result<()> {
        let shared = SHARED_SUBFOLDERS.iter().map(|name| self.own_shared.join(name));
        shared.chain([self.journal()]).try_for_each(|folder| folder.check())
    }
}
