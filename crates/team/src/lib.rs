//! The shared home of a team's durable records: a PostgreSQL database.
//!
//! Connects, keeps the schema up to date, and reads and writes record images and change entries.
//! What a record means, the local replica and the rules of a write are the business of the engine.

mod address;
mod client;
mod connection;
mod credentials;
mod failure;
mod ids;
mod project;
mod schema;
mod tables;
mod tls;

pub use address::TeamAddress;
pub use client::{ActiveMember, ChangeEntry, LockedProject, NewChange, RecordPage, TeamClient};
pub use credentials::CredentialSources;
pub use failure::{TeamFailure, TeamResult};
pub use ids::{ChangeUid, ProjectId};
pub use project::{NewProject, ProjectRoles, TeamProject};
pub use schema::{SCHEMA_VERSION, SchemaState};
