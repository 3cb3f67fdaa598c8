//! `impact`: everything that depends on a node, across all areas.

use base::Result;
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::reach::{ReachAnswer, ReachQuery, edge_filter, reach};
use engine::contract::alias::OpAlias;
use engine::contract::args::{Limit, NodeTarget, Offset, WalkDepth, comma_list};
use engine::contract::op::{OpExample, Query, ToolVisibility};
use engine::graph::Confidence;
use engine::graph::walk::WalkKind;
use engine::view::View;

/// Show what may break if this changes: everything that depends on it
///
/// Use before editing. Callers grouped by file, nearest first, with the tests to run.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Impact {
    /// Path, symbol, id or handle
    pub target: NodeTarget,
    /// Hops to follow, at most 5
    #[arg(long, default_value_t)]
    #[serde(default)]
    pub depth: WalkDepth,
    /// Only follow these types of edge, such as `calls`
    #[arg(long, value_delimiter = ',')]
    #[serde(default, deserialize_with = "comma_list")]
    #[schemars(schema_with = "engine::contract::schema_choices::edge_types", extend("x-rare" = true))]
    pub edges: Vec<String>,
    /// Lowest confidence of the edges to follow
    #[arg(long, value_enum, default_value_t)]
    #[serde(default)]
    pub confidence: Confidence,
    /// Take calls from the language server instead of the index
    #[arg(long)]
    #[serde(default)]
    pub precise: bool,
    /// Also follow imports between files
    #[arg(long)]
    #[serde(default)]
    pub imports: bool,
    /// Only show nodes in this file or folder
    #[arg(long)]
    #[serde(default)]
    pub path: Option<NodeTarget>,
    /// Rows to show
    #[arg(long, default_value_t)]
    #[serde(default)]
    pub limit: Limit,
    /// Rows to skip
    #[arg(long, default_value_t)]
    #[serde(default)]
    pub offset: Offset,
}

impl Query for Impact {
    const NAME: &'static str = "impact";
    const VISIBILITY: ToolVisibility = ToolVisibility::Everyday;
    const ALIASES: &'static [OpAlias] = &[
        OpAlias::of("impact_analysis").renaming(&[("card_key", "target")]),
        OpAlias::of("kart_impact")
            .joining(["path", "symbol", "#", "target"])
            .presetting(&[("edges", super::reach::CODE_EDGES)]),
    ];
    const EXAMPLES: &'static [OpExample] = &[
        OpExample { args: "README.md", shows: "which documents link to the README" },
        OpExample { args: "src --depth 1", shows: "what depends on anything in a folder" },
    ];
    type Answer = ReachAnswer;

    fn named_targets(&self) -> Vec<&NodeTarget> {
        vec![&self.target]
    }

    fn run(self, view: &View) -> Result<ReachAnswer> {
        let filter = edge_filter(self.edges, self.imports, self.confidence);
        reach(
            view,
            &ReachQuery {
                target: &self.target,
                walk_kind: WalkKind::Impact,
                depth: self.depth,
                filter,
                precise: self.precise,
                path: self.path.as_ref(),
                limit: self.limit,
                offset: self.offset,
            },
        )
    }
}
