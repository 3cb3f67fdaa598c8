//! The views, one per file: each asks operations and renders their answers.

pub(crate) mod board;
pub(crate) mod card;
pub(crate) mod checks;
pub(crate) mod cochange;
pub(crate) mod confirm;
pub(crate) mod decisions;
pub(crate) mod file;
pub(crate) mod graph;
pub(crate) mod history;
pub(crate) mod hotspots;
pub(crate) mod knowledge;
pub(crate) mod matrix;
pub(crate) mod overview;
pub(crate) mod reasons;
pub(crate) mod review;
pub(crate) mod search;
pub(crate) mod symbol;
pub(crate) mod work;
