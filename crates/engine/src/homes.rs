//! Where cairn keeps what it keeps.

use std::path::{Path, PathBuf};

/// The folders that cairn keeps data in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Homes {
    /// The index of this working tree; may be deleted
    pub cache: PathBuf,
    /// What belongs to this working tree alone: the journal and its lock
    pub local: PathBuf,
    /// What all worktrees share: durable stores
    pub shared: PathBuf,
    /// Facts by content, shared too; a cache like the index
    pub facts: PathBuf,
}

impl Homes {
    /// Those of a working tree, in a repository or not.
    pub(crate) fn of(root: &Path, layout: Option<&git::Layout>) -> Self {
        let cache = root.join(".cairn/cache");
        if let Some(layout) = layout {
            Self {
                cache,
                local: layout.git_dir.join("cairn"),
                shared: layout.common_dir.join("cairn"),
                facts: layout.common_dir.join("cairn/cache/facts.sqlite"),
            }
        } else {
            let own = root.join(".cairn/local");
            // Without git there is nothing to share with, and a read makes its cache alone.
            let facts = cache.join("facts.sqlite");
            Self { cache, local: own.clone(), shared: own, facts }
        }
    }
}
