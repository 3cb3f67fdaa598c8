//! Each area as a part of the one graph, and as a part of the index. One folder for each area that has a
//! part in the index or the graph; `link` and `shared` have rules only.

pub mod cards;
pub mod code;
pub mod files;
pub mod history;
pub mod kb;
pub mod knowledge;
pub mod work;
