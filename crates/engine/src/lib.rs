//! What can be asked, and the only road to a change.
//!
//! Nothing here prints, exits, or reads the clock, the environment or the current directory: a
//! door hands those in with the [`base::Call`]. Domain crates compute; this crate names what can
//! be asked of them, composes them into one graph, and commits what they plan.

mod answers;
mod area;
pub mod areas;
mod backup;
mod call_format;
mod changes;
mod connection_pool;
pub mod contract;
mod data_folders;
mod diff;
mod doctor;
mod durable;
mod explain;
mod facts;
mod fix;
mod follow;
pub mod graph;
mod identity;
mod index;
mod language_server;
mod layout_version;
mod locate;
pub mod ops;
mod path_globs;
mod path_resolver;
mod plan;
mod plan_committer;
pub mod prompts;
mod repository;
pub mod resources;
mod review;
pub mod rules;
pub mod search;
mod settings;
mod shared_files;
mod trust;
mod view;
mod workspace;

pub use area::{AREAS, Area};
pub use call_format::CallFormat;
pub use contract::answer::{Basis, BasisState, OpAnswer, Outcome, Paging};
pub use contract::op::{Door, Effect, FieldPrompt, OpExample, ToolVisibility};
pub use contract::page::ColorMode;
pub use contract::schema::{self, JsonObject};
pub use contract::spec::OpSpec;
pub use data_folders::DataFolders;
pub use durable::{DurableStore, StoreChange, StoreReader, UNDO_MIGRATION};
pub use follow::{CommitFollower, FollowTarget, FollowerFile, FollowerFileScope};
pub use index::{Freshness, Index, IndexedFile, Indexer, RefreshSummary};
pub use path_resolver::PathResolver;
pub use plan::{MutationAnswer, Plan, PlannedChange};
pub use repository::Repository;
pub use search::{MatchReason, SearchFilter, SearchHit, SearchText};
pub use trust::TrustStore;
pub use view::View;
pub use workspace::{WatchUpdate, Workspace, WorkspaceMode, WorkspaceOptions};
