//! Work and knowledge: projects, features and tasks, and the molecules and atoms that hold knowledge
//! about the code.
//!
//! Rules are functions over a [`WorkDraft`]: the rows of the store with planned rows laid over them.
//! The result of a draft is a list of [`WorkRowChange`]s, which the engine commits, records and
//! undoes. The store is behind `tables.rs`, whose SQL is plain enough for a second backend.

pub mod blocks;
pub mod board;
pub mod check;
pub mod claim;
pub mod container;
pub mod dependencies;
pub mod draft;
pub mod edit;
pub mod events;
pub mod flow;
pub mod id;
pub mod key;
pub mod knowledge;
mod lookup;
pub mod pipeline;
pub mod plan;
mod planned_index;
pub mod query;
pub mod record;
pub mod rows;
pub mod sections;
pub mod share;
pub mod start;
pub mod tables;
pub mod tags;
pub mod templates;
pub mod text;
pub mod words;

pub use container::WorkItem;
pub use draft::{WorkDraft, WorkRowChange};
pub use id::{VersionedRef, WorkRecordId, WorkRecordRef};
pub use key::WorkKey;
pub use record::Record;
