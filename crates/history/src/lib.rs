//! How every file got here: commits in one order, artifacts through their renames, their tags,
//! and what usually changes together.
//!
//! Commits are kept by name ([`facts`]), since they are the same wherever they are reachable;
//! what they add up to for one checkout is the [`line`](mod@line). Knows neither git nor the graph: who
//! uses it brings the commits.

mod bytes;
pub mod cochange;
pub mod commit;
pub mod facts;
pub mod line;
mod order;
pub mod snapshot;
mod subject;
mod tags;

pub use commit::{Change, Commit, How, Person, hex, unhex};
pub use order::{Link, all_descend_from, in_order};
pub use subject::{Conventional, conventional};
pub use tags::{Folders, TagOp, said as tags_said, state as tag_state};
