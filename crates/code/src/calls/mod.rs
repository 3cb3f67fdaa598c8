//! Who calls, mentions, extends and implements whom.
//!
//! Two steps. [`machine`] interprets one file and leaves a [`summary`]: a pure function of its
//! facts. [`link`] answers what a file wants of others from what those offer. [`keep`] stores
//! both, with what each answer rests on, so that another file's change reaches those alone who
//! asked for what changed.

mod keep;
mod link;
mod machine;
mod summary;
mod tables;
mod value;

pub use keep::{Digest, every_edge, settle};
pub(crate) use keep::{forget, learn};
pub use summary::{Relation, Sure};
pub use tables::{
    EdgeRow, End, count_edges_to, cut_short, edges_from, edges_to, unsure_calls, unsure_counts,
    unsure_names,
};
