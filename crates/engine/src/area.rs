//! The areas that are built in: what each adds to the index, the graph, the stores and the rules.

use crate::areas::cards::{CardsGraphArea, CardsIndexer, RULES as CARD_RULES};
use crate::areas::code::{CodeGraphArea, CodeIndexer};
use crate::areas::files::{FilesGraphArea, FilesIndexer};
use crate::areas::history::{HistoryFollower, HistoryGraphArea};
use crate::areas::kb::{self, KbGraphArea, KbIndexer};
use crate::areas::knowledge::{KnowledgeGraphArea, RULES as KNOWLEDGE_RULES};
use crate::areas::work::{self, WorkGraphArea};
use crate::durable::DurableStore;
use crate::follow::CommitFollower;
use crate::graph::GraphArea;
use crate::index::Indexer;
use crate::rules::{CONFIG_INVALID, LINK_DEAD, SHARED_RULES, VerifyRule};
use crate::spec_links::RULES as LINK_RULES;

/// One area as the engine sees it. An area may call the module of another one.
#[derive(Clone, Copy)]
pub struct Area {
    /// Its name. Its operations, if it has any, are the group of this name
    pub name: &'static str,
    /// Its part of the index
    pub indexer: Option<&'static dyn Indexer>,
    /// What keeps its files for the checked-out commit up to date
    pub follower: Option<&'static dyn CommitFollower>,
    /// Its nodes and edges in the graph
    pub graph_area: Option<&'static dyn GraphArea>,
    /// Its durable store
    pub durable: Option<DurableStore>,
    /// Its rules, which `verify` runs
    pub rules: &'static [VerifyRule],
}

impl Area {
    /// An area that adds nothing. Other areas take the fields that they leave out from it.
    pub const EMPTY: Self = Self {
        name: "",
        indexer: None,
        follower: None,
        graph_area: None,
        durable: None,
        rules: &[],
    };
}

/// Every area, in the order their answers are shown.
pub const AREAS: &[Area] = &[
    Area {
        name: "files",
        indexer: Some(&FilesIndexer),
        graph_area: Some(&FilesGraphArea),
        rules: &[CONFIG_INVALID, LINK_DEAD],
        ..Area::EMPTY
    },
    Area {
        name: "code",
        indexer: Some(&CodeIndexer),
        graph_area: Some(&CodeGraphArea),
        ..Area::EMPTY
    },
    Area {
        name: "card",
        indexer: Some(&CardsIndexer),
        graph_area: Some(&CardsGraphArea),
        rules: CARD_RULES,
        ..Area::EMPTY
    },
    Area {
        name: "kb",
        indexer: Some(&KbIndexer),
        graph_area: Some(&KbGraphArea),
        durable: Some(kb::DURABLE),
        rules: &kb::RULES,
        ..Area::EMPTY
    },
    Area {
        name: "history",
        follower: Some(&HistoryFollower),
        graph_area: Some(&HistoryGraphArea),
        ..Area::EMPTY
    },
    Area {
        name: "knowledge",
        graph_area: Some(&KnowledgeGraphArea),
        rules: KNOWLEDGE_RULES,
        ..Area::EMPTY
    },
    Area { name: "shared", rules: &SHARED_RULES, ..Area::EMPTY },
    Area { name: "link", rules: LINK_RULES, ..Area::EMPTY },
    Area {
        name: "work",
        graph_area: Some(&WorkGraphArea),
        durable: Some(work::DURABLE),
        rules: work::RULES,
        ..Area::EMPTY
    },
];

/// Areas that were renamed: the former name, which is still accepted, and the present one.
pub const OLDER_AREAS: &[(&str, &str)] = &[("graph", "knowledge")];

/// The present name of an area.
pub fn current_area(name: &str) -> &str {
    OLDER_AREAS.iter().find(|(older, _)| *older == name).map_or(name, |(_, present)| present)
}

impl std::fmt::Debug for Area {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Area({})", self.name)
    }
}
