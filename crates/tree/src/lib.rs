//! The only file I/O of cairn: reading, watching and changing one working tree.
//!
//! Every path is resolved beneath an open directory handle, so neither a symlink nor a swap
//! between check and use leads out. Writes are whole or absent, and a fault can be put before
//! each of their steps. What files mean is left to others.

mod confined;
mod disk;
mod journal;
mod lock;
mod own;
mod regular;
mod rules;
mod stat;
mod swap;
mod walk;
mod watch;

pub use confined::{Blob, Tree};
pub use disk::{Disk, Fault, Folder, Step, may_run, open_folder};
pub use journal::{Before, ChangeTitle, Entry, FileEdit, Journal, Logged, Recovered, check};
pub use lock::{Lock, WAITING, lock, lock_in, try_lock};
pub use own::{OwnFolder, is_own, own_folder};
pub use regular::{
    open_regular, open_regular_in, read_regular, read_regular_in, require_regular, write_regular,
};
pub use rules::{IgnoreLimit, IgnoreRule};
pub use stat::{Kind, Moment, Stat};
pub use walk::{Excludes, Found, Skipped, Walk, Why, is_at_or_below};
pub use watch::{Dirty, Watcher};
