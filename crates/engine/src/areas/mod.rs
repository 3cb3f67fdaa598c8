//! Each area as a layer of the one graph, and as a part of the index. One folder an area.

pub(crate) mod cards;
pub(crate) mod code;
pub(crate) mod files;
pub(crate) mod history;
pub(crate) mod kb;
pub(crate) mod knowledge;
pub(crate) mod work;
