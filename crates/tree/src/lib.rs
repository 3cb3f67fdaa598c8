//! All file I/O on a working tree: reading, watching and changing it.
//!
//! Every path is resolved beneath an open directory handle, so neither a symlink nor a swap
//! between check and use leads out of it. Writes are atomic, and tests can inject a fault before
//! each of their steps. What files mean is left to other crates.

mod confined;
mod disk;
mod ignore_rules;
mod journal;
mod lock;
mod private_folder;
mod regular_file;
mod stat;
mod swap;
mod walk;
mod watch;

pub use confined::{FileContent, WorkingTree};
pub use disk::{DirHandle, DiskStep, DiskWriter, FaultInjector, open_folder};
pub use ignore_rules::{IgnoreLimit, IgnoreRule};
pub use journal::{
    ChangeId, ChangeTitle, FileEdit, Journal, JournalEdit, JournalEntry, PreviousContent,
    RecoveryOutcome, check_edits,
};
pub use lock::{FileLock, WAITING_FOR_LOCK, lock, lock_for_a_moment, lock_in, try_lock};
pub use private_folder::{PrivateFolder, is_link_free, open_private_folder};
pub use regular_file::{
    open_regular, open_regular_for_write, open_regular_in, read_regular, read_regular_in,
    require_regular,
};
pub use stat::{FileKind, FileTime, Stat};
pub use walk::{Excludes, FileWalk, ProjectFile, SkipReason, SkippedEntry, is_at_or_below};
pub use watch::{ChangeWaiter, DirtyPaths, Watcher};
