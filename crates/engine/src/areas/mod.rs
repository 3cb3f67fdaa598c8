//! Each area as a part of the one graph, and as a part of the index. One folder an area.

pub mod cards;
pub mod code;
pub mod files;
pub mod history;
pub mod kb;
pub mod knowledge;
pub mod work;
