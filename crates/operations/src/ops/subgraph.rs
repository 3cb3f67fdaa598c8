//! `subgraph`: everything around a node.

use base::words::counted;
use base::{EntityRef, Result};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use engine::contract::alias::OpAlias;
use engine::contract::answer::Paging;
use engine::contract::args::{Hops, Limit, NodeTarget, Offset, comma_list};
use engine::contract::node_kind::NodeKind;
use engine::contract::op::{OpExample, Query};
use engine::contract::page::{Page, PageCell, Render};
use engine::contract::schema_choices;
use engine::graph::walk::{self, WalkKind, WalkOptions};
use engine::graph::{self, EdgeFilter, GraphEdge};
use engine::view::View;

/// Nodes after which a walk stops, beyond those that are shown. Around a node with many edges lies
/// nearly everything.
const MAX_WALKED_NODES: usize = 300;

/// Show the neighbourhood of a node, following edges in both directions
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Subgraph {
    /// Path, symbol, id or handle at the centre
    pub center: NodeTarget,
    /// Hops to follow, at most 5
    #[arg(long, default_value_t)]
    #[serde(default)]
    pub hops: Hops,
    /// Only follow these types of edge, such as `calls`
    #[arg(long, value_delimiter = ',')]
    #[serde(default, deserialize_with = "comma_list")]
    #[schemars(schema_with = "schema_choices::edge_types", extend("x-rare" = true))]
    pub edges: Vec<String>,
    /// Only show these kinds of node, such as `symbol`; all if left out
    #[arg(long, value_delimiter = ',')]
    #[serde(default, alias = "types", deserialize_with = "comma_list")]
    pub kinds: Vec<NodeKind>,
    /// Only show edges that start or end in this file or folder
    #[arg(long)]
    #[serde(default)]
    pub path: Option<NodeTarget>,
    /// Edges to show
    #[arg(long, default_value_t)]
    #[serde(default)]
    pub limit: Limit,
    /// Edges to skip
    #[arg(long, default_value_t)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub offset: Offset,
}

/// A node and what is around it
#[derive(Debug, Serialize, JsonSchema)]
pub struct SubgraphAnswer {
    /// The node at the centre
    pub center: EntityRef,
    /// How many hops were followed
    pub hops: usize,
    /// How many nodes are around it; a lower bound if the walk was cut off
    pub nodes: usize,
    /// Whether the walk stopped at a number of nodes, so that there may be more
    pub is_cut: bool,
    /// The edges between them, nearest first
    pub edges: Vec<SubgraphEdge>,
    /// Limits of the answer: what was not followed
    pub notes: Vec<String>,
    #[serde(skip)]
    paging: Paging,
}

/// One edge
#[derive(Debug, Serialize, JsonSchema)]
pub struct SubgraphEdge {
    /// Where it starts
    pub from: EntityRef,
    /// Its type
    pub edge: &'static str,
    /// Where it ends
    pub to: EntityRef,
}

impl Query for Subgraph {
    const NAME: &'static str = "subgraph";
    const ALIASES: &'static [OpAlias] =
        &[OpAlias::of("get_subgraph").renaming(&[("card_key", "center")]).lifting(&["filters"])];
    const EXAMPLES: &'static [OpExample] =
        &[OpExample { args: "docs --hops 1", shows: "a folder, its content and what links to it" }];
    type Answer = SubgraphAnswer;

    fn run(self, view: &View) -> Result<SubgraphAnswer> {
        let center = graph::resolve(view, &self.center)?;
        let hops = self.hops.clamped();
        let filter = EdgeFilter { names: self.edges, ..EdgeFilter::default() };
        let start = std::slice::from_ref(&center);
        let enough = MAX_WALKED_NODES.max(self.offset.get() + self.limit.get());
        let walked = walk::walk_until(
            view,
            start,
            WalkOptions::new(WalkKind::AllEdges, hops, &filter),
            enough,
        )?;
        let shown = |node: &EntityRef| {
            *node == center
                || self.kinds.is_empty()
                || self.kinds.iter().any(|kind| kind.word() == node.kind())
        };
        let mut edges: Vec<GraphEdge> =
            walked.edges.into_iter().filter(|e| shown(&e.from) && shown(&e.to)).collect();
        if let Some(path) = &self.path {
            let place = graph::resolve_path_scope(view, path)?;
            edges.retain(|edge| place.contains(&edge.from) || place.contains(&edge.to));
        }
        let mut seen = std::collections::BTreeSet::new();
        edges.retain(|e| seen.insert((e.from.clone(), e.to.clone(), e.kind.name)));
        let (edges, paging) = Paging::cut(edges, self.offset, self.limit);
        let edges = edges
            .into_iter()
            .map(|e| SubgraphEdge { from: e.from, edge: e.kind.name, to: e.to })
            .collect();
        let far = walked.reached.last().map_or(0, |last| last.distance);
        let cut = walked.is_cut.then(|| {
            let (nodes, far) = (counted(walked.reached.len(), "node"), counted(far, "hop"));
            format!(
                "The walk stopped at {nodes}, {far} away; ask for 1 in `hops`, or for some `edges`"
            )
        });
        Ok(SubgraphAnswer {
            hops,
            nodes: walked.reached.iter().filter(|reached| shown(&reached.node)).count(),
            edges,
            is_cut: walked.is_cut,
            notes: self.hops.note().into_iter().chain(cut).collect(),
            paging,
            center,
        })
    }
}

impl Render for SubgraphAnswer {
    fn render(&self, page: &mut Page) {
        let least = if self.is_cut { "at least " } else { "" };
        page.answer(format!(
            "{least}{} and {} within {} of {}",
            counted(self.nodes, "node"),
            counted(self.paging.total, "edge"),
            counted(self.hops, "hop"),
            self.center
        ));
        let cells = |row: &SubgraphEdge| {
            vec![PageCell::handle(&row.from), PageCell::text(row.edge), PageCell::handle(&row.to)]
        };
        page.table(0, self.edges.iter().map(cells).collect());
        self.paging.render_rest(page, self.edges.len());
        self.notes.iter().for_each(|note| page.say(note));
    }

    fn paging(&self) -> Option<Paging> {
        Some(self.paging)
    }
}
