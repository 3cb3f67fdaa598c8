//! What `cairn init` writes into a repository, and what `cairn uninstall` takes back.
//!
//! Pure: the text of a file in, its new text out; reading, writing and the executable bit of
//! hooks are the caller's business. The laws, tested over many shapes of files:
//!
//! - installing twice is installing once;
//! - removing what was installed gives the file back byte for byte, and deletes a file that was
//!   not there before;
//! - what the user wrote in between stays;
//! - a file that does not parse is [`MalformedFile`] and left alone, and an entry that the user
//!   changed is the user's.
//!
//! Nothing is stored between installing and removing: the layout of an entry shows what was there
//! before.

mod agent_hooks;
mod append;
mod attributes;
mod client;
mod files;
mod hooks;
mod json;
mod malformed;
mod markdown_block;
mod plan;
mod shell;
mod text;
mod toml;

pub use agent_hooks::AgentHook;
pub use attributes::{MERGE_COMMAND, MERGE_DRIVER, plan_merge_driver, plan_merge_driver_removal};
pub use client::{Client, ClientTraces, parse_clients};
pub use files::{FORMAT_VERSION, SetupFile};
pub use hooks::GitHook;
pub use malformed::MalformedFile;
pub use plan::{
    FileChange, SetupPlan, SetupRefusal, SetupRequest, is_client_set_up, plan_hooks_init,
    plan_hooks_uninstall, plan_init, plan_uninstall,
};
