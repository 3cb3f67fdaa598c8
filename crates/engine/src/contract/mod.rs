//! The operation contract: what an operation declares, and what every door may know of it.

pub mod alias;
pub mod answer;
pub mod args;
pub mod node_kind;
pub mod op;
pub mod page;
pub mod schema;
pub mod schema_choices;
pub mod spec;
pub mod synonyms;
