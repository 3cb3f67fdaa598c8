//! The areas that are built in: what each adds to the index, the graph and the stores.

use crate::durable::Durable;
use crate::follow::Follower;
use crate::graph::Layer;
use crate::index::Indexer;
use crate::layers::cards::{CardsIndexer, CardsLayer, RULES as CARD_RULES};
use crate::layers::code::{CodeIndexer, CodeLayer};
use crate::layers::files::{FilesIndexer, FilesLayer};
use crate::layers::graph::{GraphLayer, RULES as GRAPH_RULES};
use crate::layers::history::{HistoryFollower, HistoryLayer};
use crate::layers::kb::{self, KbIndexer, KbLayer};
use crate::layers::work::{self, WorkLayer};
use crate::rules::{CONFIG_INVALID, LINK_DEAD, Rule, SHARED_RULES};

/// One capability, as the engine sees it. Capabilities do not see each other.
#[derive(Clone, Copy)]
pub struct Area {
    /// Its name, which starts the names of its operations
    pub name: &'static str,
    /// Its part of the index
    pub indexer: Option<&'static dyn Indexer>,
    /// Its part of the cache that follows commits
    pub follower: Option<&'static dyn Follower>,
    /// Its layer of the graph
    pub layer: Option<&'static dyn Layer>,
    /// Its durable store
    pub durable: Option<Durable>,
    /// What must hold in it
    pub rules: &'static [Rule],
}

impl Area {
    /// An area that adds nothing, for the fields that one leaves out.
    pub const NOTHING: Self =
        Self { name: "", indexer: None, follower: None, layer: None, durable: None, rules: &[] };
}

/// Every area, in the order their answers are shown.
pub const AREAS: &[Area] = &[
    Area {
        name: "files",
        indexer: Some(&FilesIndexer),
        layer: Some(&FilesLayer),
        rules: &[CONFIG_INVALID, LINK_DEAD],
        ..Area::NOTHING
    },
    Area { name: "code", indexer: Some(&CodeIndexer), layer: Some(&CodeLayer), ..Area::NOTHING },
    Area {
        name: "card",
        indexer: Some(&CardsIndexer),
        layer: Some(&CardsLayer),
        rules: CARD_RULES,
        ..Area::NOTHING
    },
    Area {
        name: "kb",
        indexer: Some(&KbIndexer),
        layer: Some(&KbLayer),
        durable: Some(kb::DURABLE),
        rules: &kb::RULES,
        ..Area::NOTHING
    },
    Area {
        name: "history",
        follower: Some(&HistoryFollower),
        layer: Some(&HistoryLayer),
        ..Area::NOTHING
    },
    Area { name: "graph", layer: Some(&GraphLayer), rules: GRAPH_RULES, ..Area::NOTHING },
    Area { name: "shared", rules: &SHARED_RULES, ..Area::NOTHING },
    Area {
        name: "work",
        layer: Some(&WorkLayer),
        durable: Some(work::DURABLE),
        rules: work::RULES,
        ..Area::NOTHING
    },
];

impl std::fmt::Debug for Area {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Area({})", self.name)
    }
}
