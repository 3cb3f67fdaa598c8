//! One graph over all layers: nodes with one name each, typed edges between them.
//!
//! A layer adapts one area. Walks ask every layer about a whole frontier at once, so their cost
//! grows with hops and not with nodes.

mod resolve;
pub mod walk;

use std::cell::Cell;
use std::collections::BTreeSet;

use base::{EntityRef, Problem, RepoPath, Result};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use crate::area::AREAS;
use crate::search::{SearchFilter, SearchText};
use crate::view::View;

pub use resolve::{NodeCandidate, PathScope, resolve, resolve_path_scope};

/// Which way an edge is looked along.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// From its source to its target
    Outgoing,
    /// From its target to its source
    Incoming,
    /// Either way
    Both,
}

/// How change travels along an edge: who has to look when one of its ends changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangePropagation {
    /// From the target to the source: the source uses the target
    TargetToSource,
    /// From the source to the target
    SourceToTarget,
    /// Either way
    Both,
    /// Only when the edge is asked for by name
    OnRequest,
}

impl ChangePropagation {
    /// The direction in which a change is followed; none unless it is asked for.
    pub const fn impact_direction(self, asked: bool) -> Option<Direction> {
        match self {
            Self::TargetToSource => Some(Direction::Incoming),
            Self::SourceToTarget => Some(Direction::Outgoing),
            Self::Both => Some(Direction::Both),
            Self::OnRequest if asked => Some(Direction::Both),
            Self::OnRequest => None,
        }
    }

    /// The direction in which what something rests on is followed.
    pub const fn dependency_direction(self, asked: bool) -> Option<Direction> {
        match self.impact_direction(asked) {
            Some(Direction::Incoming) => Some(Direction::Outgoing),
            Some(Direction::Outgoing) => Some(Direction::Incoming),
            other => other,
        }
    }
}

/// A type of edge, as its layer declares it.
#[derive(Debug, PartialEq, Eq)]
pub struct EdgeKind {
    /// The area it belongs to
    pub area: &'static str,
    /// Its name in the area
    pub name: &'static str,
    /// How change travels along it
    pub propagation: ChangePropagation,
    /// What it means, as a sentence without its full stop
    pub means: &'static str,
}

impl EdgeKind {
    /// Whether a filter means it: by its name, or by area and name.
    pub fn matches_name(&self, wanted: &str) -> bool {
        wanted == self.name
            || wanted
                .split_once('.')
                .is_some_and(|(area, name)| area == self.area && name == self.name)
    }
}

/// A type of edge that a walk asks for.
#[derive(Debug, Clone, Copy)]
pub struct EdgeRequest {
    /// The type
    pub kind: &'static EdgeKind,
    /// Which way it is looked along
    pub direction: Direction,
}

impl EdgeRequest {
    /// Whether edges that start at a node are wanted.
    pub fn wants_outgoing(&self) -> bool {
        self.direction != Direction::Incoming
    }

    /// Whether edges that end at a node are wanted.
    pub fn wants_incoming(&self) -> bool {
        self.direction != Direction::Outgoing
    }
}

/// The nodes that a walk has come to, to go on from.
#[derive(Debug, Clone, Copy)]
pub struct WalkFrontier<'a> {
    /// The nodes
    pub nodes: &'a [EntityRef],
    /// Whether the walk starts here: what is asked about is told whole, what is passed through
    /// only as far as it says something
    pub is_start: bool,
    /// Edges less sure than this are not followed: a layer need not make them
    pub min_confidence: Confidence,
    /// How many it did not make
    pub left_out: &'a Cell<usize>,
}

/// How sure an edge is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    /// It is written there
    Exact,
    /// It follows from what is written
    Inferred,
    /// Only the name fits
    Name,
}

/// An edge between two nodes.
#[derive(Debug, Clone)]
pub struct GraphEdge {
    /// Where it starts
    pub from: EntityRef,
    /// Where it ends
    pub to: EntityRef,
    /// What it is
    pub kind: &'static EdgeKind,
    /// How sure it is
    pub confidence: Confidence,
}

/// A node as an answer shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct NodeDescription {
    /// The node's handle
    pub node: EntityRef,
    /// What it is called
    pub name: String,
    /// What it is, in a few words
    pub about: String,
}

/// A part of what is worth knowing about a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContextItem {
    /// Where it belongs in the answer
    pub section: ContextSection,
    /// The line that says it
    pub text: String,
    /// What the next call takes
    pub handle: Option<String>,
}

/// The sections of a context, in the order they are shown and valued.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ContextSection {
    /// What is in it
    Outline,
    /// Who uses it, and its tests
    IfItChanges,
    /// What must stay true
    MustHold,
    /// What others learnt
    Know,
    /// Open work and the newest changes
    Now,
    /// What it uses
    RestsOn,
    /// What is nearby
    Around,
}

impl ContextSection {
    /// The heading.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Outline => "Outline",
            Self::MustHold => "Specs and requirements",
            Self::Know => "Knowledge",
            Self::IfItChanges => "Used by",
            Self::RestsOn => "Uses",
            Self::Now => "Open work and recent changes",
            Self::Around => "Nearby",
        }
    }
}

impl ContextSection {
    /// How dear another item of this section is, compared with one of the others.
    pub const fn item_cost(self) -> usize {
        match self {
            Self::MustHold | Self::Know => 1,
            Self::Outline | Self::IfItChanges | Self::Now => 2,
            Self::RestsOn => 3,
            Self::Around => 8,
        }
    }
}

/// Which edges a walk may take.
#[derive(Debug, Clone, Default)]
pub struct EdgeFilter {
    /// Only these, by name; what each layer follows by itself if empty
    pub names: Vec<String>,
    /// Types that are not followed unless they are named
    pub except: &'static [&'static str],
    /// The least sure edge that is followed
    pub confidence: Option<Confidence>,
}

/// The names of all types of edge, each once, in order.
pub fn edge_names() -> Vec<&'static str> {
    let layers = AREAS.iter().filter_map(|area| area.graph_area);
    let names = layers.flat_map(GraphArea::edges).map(|kind| kind.name);
    names.collect::<BTreeSet<_>>().into_iter().collect()
}

impl EdgeFilter {
    /// Refuses a name that no type of edge has: a walk without it would find nothing and say so.
    pub fn refuse_unknown(&self, layers: &[&dyn GraphArea]) -> Result<()> {
        let kinds = || layers.iter().flat_map(|layer| layer.edges());
        let is_known = |name: &&String| kinds().any(|kind| kind.matches_name(name));
        let Some(unknown) = self.names.iter().find(|name| !is_known(name)) else { return Ok(()) };
        let names: BTreeSet<&str> = kinds().map(|kind| kind.name).collect();
        let names = names.into_iter().collect::<Vec<_>>().join(", ");
        let unknown = unknown.escape_debug();
        Err(Problem::invalid(format!("`{unknown}` is not a type of edge: {names}")))
    }

    /// Whether an edge type was asked for by name.
    pub fn names_kind(&self, kind: &EdgeKind) -> bool {
        self.names.iter().any(|name| kind.matches_name(name))
    }

    /// Whether an edge type may be taken at all.
    pub fn allows(&self, kind: &EdgeKind) -> bool {
        match self.names.is_empty() {
            true => !self.except.iter().any(|name| kind.matches_name(name)),
            false => self.names_kind(kind),
        }
    }

    /// Whether an edge is sure enough.
    pub fn accepts_confidence(&self, confidence: Confidence) -> bool {
        confidence <= self.confidence.unwrap_or(Confidence::Inferred)
    }
}

/// One area as a part of the graph.
pub trait GraphArea: Sync {
    /// The types of edge it has.
    fn edges(&self) -> &'static [EdgeKind];

    /// Nodes that a loosely written name may mean, surest reading only.
    fn resolve(&self, view: &View, name: &str) -> Result<Vec<NodeCandidate>>;

    /// Names near to one that means nothing, each with how near it is, from 0 to 1.
    fn similar_names(&self, view: &View, name: &str) -> Result<Vec<(f64, String)>>;

    /// Whether a handle names something that is there.
    fn contains(&self, view: &View, node: &EntityRef) -> Result<bool>;

    /// The edges of some of its types at any node of a frontier: one call for each hop, so that a
    /// layer can ask its tables once for all of them.
    fn neighbours(
        &self,
        view: &View,
        frontier: WalkFrontier<'_>,
        wanted: &[EdgeRequest],
    ) -> Result<Vec<GraphEdge>>;

    /// What a node is, if it is one of this layer.
    fn describe(&self, view: &View, node: &EntityRef) -> Result<Option<NodeDescription>>;

    /// What a node consists of: a change of the whole is a change of its parts.
    fn parts(&self, view: &View, node: &EntityRef) -> Result<Vec<EntityRef>>;

    /// What is worth knowing before touching a node, most useful first in each section.
    fn context(&self, view: &View, node: &EntityRef) -> Result<Vec<ContextItem>>;

    /// Adds what a search can be narrowed by, as far as this layer knows it of a node.
    fn add_metadata(
        &self,
        _view: &View,
        _node: &EntityRef,
        _marks: &mut NodeMetadata,
    ) -> Result<()> {
        Ok(())
    }

    /// Says what an answer that may show nodes of these kinds, or of all if none is named, has to
    /// do without.
    fn report_missing(&self, _view: &View, _kinds: &[String]) -> Result<()> {
        Ok(())
    }

    /// Texts that may fit a query, of a layer whose texts are neither in the index nor in a store.
    fn search_texts(
        &self,
        _view: &View,
        _query: &str,
        _filter: &SearchFilter,
    ) -> Result<Vec<SearchText>> {
        Ok(Vec::new())
    }
}

/// What a search can be narrowed by.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NodeMetadata {
    /// The tags of a node
    pub tags: BTreeSet<String>,
    /// When it last changed; none if nobody knows
    pub changed: Option<Timestamp>,
    /// The file it is written in, where its name does not say so
    pub file: Option<RepoPath>,
}

/// What all layers together say of a node.
pub fn node_metadata(view: &View, node: &EntityRef) -> Result<NodeMetadata> {
    let mut marks = NodeMetadata::default();
    view.graph_areas().iter().try_for_each(|layer| layer.add_metadata(view, node, &mut marks))?;
    Ok(marks)
}

/// What a node is, in the words of the layer that knows it.
pub fn describe(view: &View, node: &EntityRef) -> Result<NodeDescription> {
    for layer in view.graph_areas() {
        if let Some(description) = layer.describe(view, node)? {
            return Ok(description);
        }
    }
    Ok(NodeDescription { name: node.to_string(), about: "unknown".into(), node: node.clone() })
}
