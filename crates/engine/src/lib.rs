//! What can be asked, and the only road to a change.
//!
//! Nothing here prints, exits, or reads the clock, the environment or the current directory: a
//! door hands those in with the [`base::Call`]. Domain crates compute; this crate names what can
//! be asked of them, composes them into one graph, and commits what they plan.

mod answers;
mod area;
mod backup;
mod changes;
pub mod contract;
mod diff;
mod doctor;
mod door_words;
mod durable;
mod explain;
mod facts;
mod fix;
mod follow;
mod globs;
pub mod graph;
mod homes;
mod identity;
mod idle;
mod index;
pub mod layers;
mod layout;
mod locate;
pub mod ops;
mod plan;
mod precise;
pub mod prompts;
mod repo;
pub mod resources;
mod review;
pub mod rules;
pub mod search;
mod settings;
mod shared;
mod trust;
mod view;

mod workspace;

pub use area::{AREAS, Area};
pub use contract::answer::{Answer, Basis, Outcome, Paging, State};
pub use contract::op::{Ask, Door, Effect, Example, Toolset};
pub use contract::page::Paint;
pub use contract::schema::{self, Object};
pub use contract::spec::OpSpec;
pub use door_words::DoorWords;
pub use durable::{Durable, Reading, StoreChange, UNDO};
pub use follow::{Follower, Goal, Home, Shelf};
pub use homes::Homes;
pub use index::{Freshness, Index, Indexer, Learned, News};
pub use plan::{Change, Plan, Written};
pub use repo::Repository;
pub use search::{Filter, Hit, Text, Why};
pub use trust::Trust;
pub use view::View;
pub use workspace::{Mode, Opening, Watched, Workspace};
