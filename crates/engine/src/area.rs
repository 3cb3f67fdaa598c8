//! The areas that are built in: what each adds to the index, the graph and the stores.

use crate::durable::Durable;
use crate::graph::Layer;
use crate::index::Indexer;
use crate::layers::code::{CodeIndexer, CodeLayer};
use crate::layers::files::{FilesIndexer, FilesLayer};
use crate::layers::graph::GraphLayer;
use crate::layers::work::{self, WorkLayer};

/// One capability, as the engine sees it. Capabilities do not see each other.
#[derive(Clone, Copy)]
pub struct Area {
    /// Its name, which starts the names of its operations
    pub name: &'static str,
    /// Its part of the index
    pub indexer: Option<&'static dyn Indexer>,
    /// Its layer of the graph
    pub layer: Option<&'static dyn Layer>,
    /// Its durable store
    pub durable: Option<Durable>,
}

/// Every area, in the order their answers are shown.
pub const AREAS: &[Area] = &[
    Area { name: "files", indexer: Some(&FilesIndexer), layer: Some(&FilesLayer), durable: None },
    Area { name: "code", indexer: Some(&CodeIndexer), layer: Some(&CodeLayer), durable: None },
    Area { name: "graph", indexer: None, layer: Some(&GraphLayer), durable: None },
    Area { name: "work", indexer: None, layer: Some(&WorkLayer), durable: Some(work::DURABLE) },
];

impl std::fmt::Debug for Area {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Area({})", self.name)
    }
}
