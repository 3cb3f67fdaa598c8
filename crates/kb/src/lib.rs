//! A knowledge base: requirements, behaviours, tests, decisions, flags, events, code and facts,
//! with typed relations between them.
//!
//! What is written is a changeset: checked whole, applied in the caller's one transaction, and
//! kept in a log that nothing changes. Knows neither the graph nor any other capability.

mod apply;
mod changeset;
pub mod derived_tables;
mod edit;
mod end;
mod extract;
mod import;
mod model;
mod plan;
mod promote;
mod query;
mod read;
mod references;
mod replay;
pub mod rules;
pub mod share;
mod tables;

pub use apply::{Outside, Planned, apply, check, hand_over, inverse, roll_back};
pub use changeset::{Changeset, Doomed, Fault, Patch, Tie, refused};
pub use edit::{Edit, Tally};
pub use end::End;
pub use extract::{EXTRACTORS, Extracted, Extractor, extractor};
pub use import::{Code, IMPORTERS, Imported, Importer};
pub use model::{Entity, Kind, More, Priority, Relates, Relation, RelationKey, Side};
pub use plan::Stamp;
pub use promote::{document_path, to_document};
pub use query::{Found, Pattern, Wanted, Way, query};
pub use read::{Bond, Fact, Model, Origin, Told};
pub use references::{code_node, renamed_code, text_node};
pub use replay::{Replay, merge, replay, torn};
pub use tables::{
    Logged, STEPS, counts, entities, entity, entry, ids, logged, number_log_from, relations,
    shrink, uids, whole_log,
};
