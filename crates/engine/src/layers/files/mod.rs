//! Files and folders as a layer of the graph: what holds what, and which document links where.

mod index;
mod layer;
mod tables;

pub(crate) use index::{FilesIndexer, node};
pub(crate) use layer::FilesLayer;
