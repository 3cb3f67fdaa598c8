//! One open repository: its graph, index and stores, the contract of operations, and the only
//! place that commits changes.
//!
//! Nothing here prints, exits, or reads the clock, the environment or the current directory: a
//! door hands those in with the [`base::Call`]. Domain crates compute; this crate composes them
//! into one graph and commits what they plan; `operations`, above it, names what can be asked.
//!
//! The modules that operations work with are public; the types that doors need are at the root.

mod area;
pub mod areas;
pub mod backup;
pub mod changes;
mod connection_pool;
pub mod contract;
mod data_folders;
pub mod durable;
mod facts;
pub mod file_text;
mod follow;
pub mod graph;
mod identity;
pub mod index;
pub mod language_servers;
pub mod layout_version;
pub mod path_globs;
mod path_resolver;
pub mod plan;
mod plan_committer;
pub mod repository;
pub mod rules;
pub mod search;
mod settings;
pub mod shared_files;
pub mod spec_links;
pub mod trust;
pub mod view;
pub mod workspace;

pub use area::{AREAS, Area, OLDER_AREAS, current_area};
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
