//! `trace`: how two nodes are connected.

use base::words::counted;
use base::{EntityRef, Result};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use engine::contract::alias::OpAlias;
use engine::contract::args::{NodeTarget, comma_list};
use engine::contract::op::{OpExample, Query};
use engine::contract::page::{Page, PageCell, Render};
use engine::contract::schema_choices;
use engine::graph::walk::{self, TraceStep};
use engine::graph::{self, EdgeFilter};
use engine::view::View;

/// Length of the longest path that is searched for, in hops.
const MAX_HOPS: usize = 12;

/// Show how two things are connected: the shortest path from one to the other
///
/// Edges are followed either way; the arrows show which way each points.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Trace {
    /// Path, symbol, id or handle to start from
    pub from: NodeTarget,
    /// Path, symbol, id or handle to reach
    pub to: NodeTarget,
    /// Only follow these types of edge, such as `calls`
    #[arg(long, value_delimiter = ',')]
    #[serde(default, deserialize_with = "comma_list")]
    #[schemars(schema_with = "schema_choices::edge_types", extend("x-rare" = true))]
    pub edges: Vec<String>,
}

/// The path from one node to another
#[derive(Debug, Serialize, JsonSchema)]
pub struct TraceAnswer {
    /// Where it starts
    pub from: EntityRef,
    /// Where it ends
    pub to: EntityRef,
    /// Whether there is a path
    pub found: bool,
    /// Its steps
    pub hops: Vec<TraceHop>,
}

/// One step
#[derive(Debug, Serialize, JsonSchema)]
pub struct TraceHop {
    /// Where the step starts
    pub from: EntityRef,
    /// The edge it takes
    pub edge: &'static str,
    /// Whether the edge points this way; otherwise it points back
    pub forward: bool,
    /// Where the step ends
    pub to: EntityRef,
}

impl Query for Trace {
    const NAME: &'static str = "trace";
    const ALIASES: &'static [OpAlias] =
        &[OpAlias::of("trace_chain").renaming(&[("from_key", "from"), ("to_key", "to")])];
    const EXAMPLES: &'static [OpExample] =
        &[OpExample { args: "README.md docs", shows: "how a document is connected to a folder" }];
    type Answer = TraceAnswer;

    fn run(self, view: &View) -> Result<TraceAnswer> {
        let (from, to) = (graph::resolve(view, &self.from)?, graph::resolve(view, &self.to)?);
        let filter = EdgeFilter { names: self.edges, ..EdgeFilter::default() };
        let hops = walk::trace(view, &from, &to, MAX_HOPS, &filter)?;
        let row = |hop: TraceStep| TraceHop {
            forward: hop.edge.from == hop.from,
            edge: hop.edge.kind.name,
            from: hop.from,
            to: hop.to,
        };
        let found = hops.is_some();
        let hops = hops.unwrap_or_default().into_iter().map(row).collect();
        Ok(TraceAnswer { from, to, found, hops })
    }
}

impl Render for TraceAnswer {
    fn render(&self, page: &mut Page) {
        let Self { from, to, hops, .. } = self;
        match (self.found, hops.len()) {
            (false, _) => {
                page.answer(format!("No path from {from} to {to} within {MAX_HOPS} hops"));
            }
            (true, 0) => page.answer(format!("{from} and {to} are the same node")),
            (true, count) => {
                page.answer(format!("{} from {from} to {to}", counted(count, "hop")));
            }
        }
        let cells = |hop: &TraceHop| {
            let arrow = match hop.forward {
                true => format!("--{}->", hop.edge),
                false => format!("<-{}--", hop.edge),
            };
            vec![PageCell::handle(&hop.from), PageCell::text(arrow), PageCell::handle(&hop.to)]
        };
        page.table(0, hops.iter().map(cells).collect());
    }
}
