//! One graph over all areas: nodes with one name each, and typed edges between them.
//!
//! A [`GraphArea`] adapts one area to the graph. Walks ask every area about many nodes at once: the
//! whole frontier of a hop, or large parts of it where a walk may stop early.

mod resolve;
pub mod walk;

use std::cell::Cell;
use std::collections::BTreeSet;
use std::fmt::Debug;

use base::{EntityRef, Problem, RepoPath, Result};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::area::{AREAS, current_area};
use crate::search::{SearchFilter, SearchText};
use crate::view::View;

pub use resolve::{NodeCandidate, PathScope, resolve, resolve_path_scope};

/// The direction in which an edge is followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// From its source to its target
    Outgoing,
    /// From its target to its source
    Incoming,
    /// Either way
    Both,
}

/// How change propagates along an edge: which end is affected when the other one changes.
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
    /// The direction in which `impact` follows the edge; `None` if it does not. `asked`: the edge was
    /// named by the caller.
    pub const fn impact_direction(self, asked: bool) -> Option<Direction> {
        match self {
            Self::TargetToSource => Some(Direction::Incoming),
            Self::SourceToTarget => Some(Direction::Outgoing),
            Self::Both => Some(Direction::Both),
            Self::OnRequest if asked => Some(Direction::Both),
            Self::OnRequest => None,
        }
    }

    /// The direction in which `deps` follows the edge.
    pub const fn dependency_direction(self, asked: bool) -> Option<Direction> {
        match self.impact_direction(asked) {
            Some(Direction::Incoming) => Some(Direction::Outgoing),
            Some(Direction::Outgoing) => Some(Direction::Incoming),
            other => other,
        }
    }
}

/// A type of edge, as its area declares it.
#[derive(Debug, PartialEq, Eq)]
pub struct EdgeKind {
    /// The area it belongs to
    pub area: &'static str,
    /// Its name in the area
    pub name: &'static str,
    /// How change propagates along it
    pub propagation: ChangePropagation,
    /// What it means, as a sentence without its full stop
    pub means: &'static str,
}

impl EdgeKind {
    /// Whether a filter names it, as `name` or as `area.name`.
    pub fn matches_name(&self, wanted: &str) -> bool {
        wanted == self.name
            || wanted
                .split_once('.')
                .is_some_and(|(area, name)| current_area(area) == self.area && name == self.name)
    }
}

/// A type of edge that a walk asks for.
#[derive(Debug, Clone, Copy)]
pub struct EdgeRequest {
    /// The type
    pub kind: &'static EdgeKind,
    /// The direction in which it is followed
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

/// The nodes that a walk expands next.
#[derive(Debug, Clone, Copy)]
pub struct WalkFrontier<'a> {
    /// The nodes
    pub nodes: &'a [EntityRef],
    /// Whether these are the nodes the walk started with. Only for these does an area count in
    /// `left_out`
    pub is_start: bool,
    /// Edges less certain than this are not followed: an area need not make them
    pub min_confidence: Confidence,
    /// How many edges an area did not make for that reason
    pub left_out: &'a Cell<usize>,
    /// Replaces the calls of the index where it knows a node
    pub call_source: Option<&'a dyn CallSource>,
}

/// Calls from elsewhere than the index, such as a language server.
///
/// An operation hands one in with a walk. It is a trait because the questions to language servers
/// are above the engine, in `operations`.
pub trait CallSource: Debug {
    /// The calls at a node in the given direction. `None` where the source does not know the
    /// node, so that the calls of the index count.
    fn calls(
        &self,
        view: &View,
        node: &EntityRef,
        direction: Direction,
    ) -> Result<Option<Vec<CallEdge>>>;
}

/// A call between two nodes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallEdge {
    /// The node that calls
    pub caller: EntityRef,
    /// The node that is called
    pub callee: EntityRef,
}

/// How certain an edge is, most certain first. As an argument it is the least certain edge to
/// follow; the default is the one default for all walks.
#[derive(
    Debug,
    Clone,
    Copy,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    clap::ValueEnum,
    Serialize,
    Deserialize,
    JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    /// Stated in the source
    Exact,
    /// Follows from what the source states
    #[default]
    Inferred,
    /// Only the name matches
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
    /// How certain it is
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

/// One line of the context of a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContextItem {
    /// Where it belongs in the answer
    pub section: ContextSection,
    /// The line that says it
    pub text: String,
    /// What the next call takes
    pub handle: Option<String>,
}

/// The sections of a context, in display order, which is also their priority. JSON uses older names
/// for some of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ContextSection {
    /// What is in it
    Outline,
    /// Who uses it, and its tests
    #[serde(rename = "if_it_changes")]
    UsedBy,
    /// What must stay true
    #[serde(rename = "must_hold")]
    Specs,
    /// Knowledge about the target
    #[serde(rename = "know")]
    Knowledge,
    /// Open work and the newest changes
    #[serde(rename = "now")]
    Work,
    /// What it uses
    #[serde(rename = "rests_on")]
    Uses,
    /// What is nearby
    #[serde(rename = "around")]
    Nearby,
}

impl ContextSection {
    /// The heading.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Outline => "Outline",
            Self::Specs => "Specs and requirements",
            Self::Knowledge => "Knowledge",
            Self::UsedBy => "Used by",
            Self::Uses => "Uses",
            Self::Work => "Open work and recent changes",
            Self::Nearby => "Nearby",
        }
    }

    /// The relative cost of one more item of this section.
    pub const fn item_cost(self) -> usize {
        match self {
            Self::Specs | Self::Knowledge => 1,
            Self::Outline | Self::UsedBy | Self::Work => 2,
            Self::Uses => 3,
            Self::Nearby => 8,
        }
    }
}

/// Which edges a walk may take.
#[derive(Debug, Clone, Default)]
pub struct EdgeFilter {
    /// Only these, by name; if empty, all except `except`
    pub names: Vec<String>,
    /// Types that are not followed unless they are named
    pub except: &'static [&'static str],
    /// The least certain edge that is followed
    pub min_confidence: Confidence,
}

/// The names of all types of edge, each once, in order.
pub fn edge_names() -> Vec<&'static str> {
    let areas = AREAS.iter().filter_map(|area| area.graph_area);
    let names = areas.flat_map(GraphArea::edges).map(|kind| kind.name);
    names.collect::<BTreeSet<_>>().into_iter().collect()
}

impl EdgeFilter {
    /// Refuses a name that no type of edge has: a walk would find nothing and not say why.
    pub fn refuse_unknown(&self, areas: &[&dyn GraphArea]) -> Result<()> {
        let kinds = || areas.iter().flat_map(|area| area.edges());
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

    /// Whether an edge is certain enough.
    pub fn accepts_confidence(&self, confidence: Confidence) -> bool {
        confidence <= self.min_confidence
    }
}

/// One area as a part of the graph.
pub trait GraphArea: Sync {
    /// The types of edge it has.
    fn edges(&self) -> &'static [EdgeKind];

    /// Nodes that a name may mean. Only the matches of the most certain interpretation are
    /// returned.
    fn resolve(&self, view: &View, name: &str) -> Result<Vec<NodeCandidate>>;

    /// Names similar to one that no node has, each with its similarity from 0 to 1.
    fn similar_names(&self, view: &View, name: &str) -> Result<Vec<(f64, String)>>;

    /// Whether a handle names an existing node.
    fn contains(&self, view: &View, node: &EntityRef) -> Result<bool>;

    /// Fails if the handle of a node is ambiguous, because several things have it.
    fn refuse_ambiguous(&self, _: &View, _: &EntityRef) -> Result<()> {
        Ok(())
    }

    /// The edges of the wanted types at all nodes of a frontier. An area queries its tables once
    /// for all of these nodes.
    fn neighbours(
        &self,
        view: &View,
        frontier: WalkFrontier<'_>,
        wanted: &[EdgeRequest],
    ) -> Result<Vec<GraphEdge>>;

    /// The description of a node, if it is one of this area.
    fn describe(&self, view: &View, node: &EntityRef) -> Result<Option<NodeDescription>>;

    /// The parts of a node: a change of the node is a change of its parts.
    fn parts(&self, view: &View, node: &EntityRef) -> Result<Vec<EntityRef>>;

    /// What is worth knowing before touching a node, most useful first in each section.
    fn context(&self, view: &View, node: &EntityRef) -> Result<Vec<ContextItem>>;

    /// Adds what this area knows of a node to the metadata that searches filter by.
    fn add_metadata(
        &self,
        _view: &View,
        _node: &EntityRef,
        _marks: &mut NodeMetadata,
    ) -> Result<()> {
        Ok(())
    }

    /// Marks the answer as partial if data of these kinds of nodes is missing; of all kinds if none
    /// is named.
    fn report_missing(&self, _view: &View, _kinds: &[String]) -> Result<()> {
        Ok(())
    }

    /// Texts that may match a query, of an area whose texts are neither in the index nor in a store.
    fn search_texts(
        &self,
        _view: &View,
        _query: &str,
        _filter: &SearchFilter,
    ) -> Result<Vec<SearchText>> {
        Ok(Vec::new())
    }
}

/// The metadata of a node that searches filter by.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NodeMetadata {
    /// The tags of a node
    pub tags: BTreeSet<String>,
    /// When it last changed, if that is known
    pub changed: Option<Timestamp>,
    /// The file that contains it, where its name does not tell
    pub file: Option<RepoPath>,
}

/// The metadata of a node, from all areas.
pub fn node_metadata(view: &View, node: &EntityRef) -> Result<NodeMetadata> {
    let mut marks = NodeMetadata::default();
    view.graph_areas().iter().try_for_each(|area| area.add_metadata(view, node, &mut marks))?;
    Ok(marks)
}

/// The description of a node, by the area that it belongs to.
pub fn describe(view: &View, node: &EntityRef) -> Result<NodeDescription> {
    for area in view.graph_areas() {
        if let Some(description) = area.describe(view, node)? {
            return Ok(description);
        }
    }
    Ok(NodeDescription { name: node.to_string(), about: "unknown".into(), node: node.clone() })
}
