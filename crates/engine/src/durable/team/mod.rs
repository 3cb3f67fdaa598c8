//! The team's shared home, as the durable stores see it.
//!
//! A joined repository keeps its stores as replicas. A read brings the replica up to date if the
//! server answers soon, and says so if it does not. A write plans on the replica while it holds the
//! project's row on the server, so one set of rules checks everything. Without the server a write
//! waits in the outbox.

mod client_pool;
mod comparison;
mod conflict;
mod follow;
mod home;
pub(crate) mod join;
mod leave;
mod membership;
pub mod outbox;
mod overview;
mod pending;
mod push;
pub(crate) mod replay;
mod replica;
pub(crate) mod status;
mod tables;
mod write;

pub use comparison::StoreComparison;
pub use follow::follow;
pub use home::TeamLink;
pub use join::{JoinedTeam, join};
pub(crate) use leave::own_restored;
pub use leave::{LeftTeam, leave, require_usable};
pub use membership::{TeamMembership, forget_proposed_project, proposed_project};
pub use overview::{
    ActiveWriter, ServerOverview, TEAM_SCHEMA_VERSION, TeamHealth, TeamOverview, WaitingChange,
};
pub use push::{PushedRecords, PushedStore, push};
pub(crate) use replay::work_off_first;
pub use replay::{ConflictSide, OutboxReport, settle, work_off};
pub(crate) use replica::{TeamStore, record_tables};
pub use status::{TeamBasis, TeamState};
pub use team::{ProjectId, TeamAddress};
pub(crate) use write::{PublishedChange, TeamWrite};
