//! History as a part of the cache and as an area of the graph: commits, the files they touched,
//! and what usually changes together.

mod early_commits;
mod file_dates;
mod follower;
mod graph_area;
mod line_history;
mod reader;
pub mod snapshot;
pub mod snapshot_check;
mod symbol_history;
mod update;

pub use file_dates::{dates_of, updated_at};
pub(crate) use follower::HistoryFollower;
pub(crate) use graph_area::HistoryGraphArea;
pub use graph_area::{commit_node, files_of_commit};
pub use history::cochange::ArtifactPair;
pub use line_history::{LineHistory, trace_lines};
pub use reader::{
    Artifact, ChurnByArtifact, CochangedFile, HistoryConnections, HistoryReader, MAX_PARTNERS,
    elapsed_text, short_commit_id, time_text,
};
pub use symbol_history::{MAX_COMMITS as MAX_SYMBOL_COMMITS, trace_symbol};
pub use symbol_history::{SymbolHistory, SymbolTouch};
