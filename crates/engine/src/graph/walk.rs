//! Walks over the graph: what a change reaches, what a node depends on, everything around a node,
//! and paths between two nodes.
//!
//! @see spec::cross/impact

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use base::{EntityRef, Result};

use super::{
    CallSource, ChangePropagation, Confidence, Direction, EdgeFilter, EdgeKind, EdgeRequest,
    GraphArea, GraphEdge, WalkFrontier,
};
use crate::areas::files::CONTAINS;
use crate::view::View;

/// A node with more direct connections than this is marked.
pub const HIGH_FAN_OUT: usize = 10;

/// A walk stops after so many nodes, and reports that.
const MAX_NODES: usize = 20_000;

/// How many nodes a walk with a limit expands at once: of its start nodes, most of which have no
/// edges, and of the nodes that it reached.
const FRONTIER_BATCH_SIZES: [usize; 2] = [32, 4];

/// A node that a walk reached.
#[derive(Debug, Clone)]
pub struct ReachedNode {
    /// The node
    pub node: EntityRef,
    /// How many hops away
    pub distance: usize,
    /// The node before it on the path
    pub through: EntityRef,
    /// The edge it was reached by
    pub edge: &'static EdgeKind,
    /// The confidence of the least certain edge on the path
    pub confidence: Confidence,
}

/// The result of a walk.
#[derive(Debug, Default)]
pub struct WalkResult {
    /// The nodes, nearest first
    pub reached: Vec<ReachedNode>,
    /// The edges between them
    pub edges: Vec<GraphEdge>,
    /// Nodes with many direct connections, and how many
    pub high_fan_out: Vec<(EntityRef, usize)>,
    /// Edges that were not followed because they are not certain enough; those that an area did not
    /// even make are counted at the start only
    pub not_followed: usize,
    /// Whether the walk stopped at its limit of nodes
    pub is_cut: bool,
}

/// What a walk looks for, which decides the direction in which edges are followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WalkKind {
    /// What a change reaches
    Impact,
    /// What a node depends on
    Deps,
    /// Everything around, by edges of all types and directions
    AllEdges,
}

impl WalkKind {
    fn direction(self, kind: &EdgeKind, filter: &EdgeFilter) -> Option<Direction> {
        let asked = filter.names_kind(kind);
        let travel: ChangePropagation = kind.propagation;
        match self {
            _ if !filter.allows(kind) => None,
            Self::Impact => travel.impact_direction(asked),
            Self::Deps => travel.dependency_direction(asked),
            Self::AllEdges => Some(Direction::Both),
        }
    }
}

/// What a walk follows, and how far.
#[derive(Debug, Clone, Copy)]
pub struct WalkOptions<'a> {
    /// Which way change is followed
    pub kind: WalkKind,
    /// How many hops are taken
    pub depth: usize,
    /// Which edges are taken
    pub filter: &'a EdgeFilter,
    /// Replaces the calls of the index where it knows a node
    pub call_source: Option<&'a dyn CallSource>,
}

impl<'a> WalkOptions<'a> {
    /// A walk over the edges of the index.
    pub const fn new(kind: WalkKind, depth: usize, filter: &'a EdgeFilter) -> Self {
        Self { kind, depth, filter, call_source: None }
    }

    fn frontier(
        &self,
        nodes: &'a [EntityRef],
        is_start: bool,
        left_out: &'a Cell<usize>,
    ) -> WalkFrontier<'a> {
        let (min_confidence, call_source) = (self.filter.min_confidence, self.call_source);
        WalkFrontier { nodes, is_start, min_confidence, left_out, call_source }
    }
}

/// When a walk stops early, and how many nodes it expands at once.
struct WalkLimits {
    max_nodes: usize,
    /// For the start nodes, and for the nodes that were reached
    batch_sizes: [usize; 2],
}

/// Walks outwards from some nodes, a whole frontier at a time.
pub fn walk_from(view: &View, start: &[EntityRef], options: WalkOptions<'_>) -> Result<WalkResult> {
    let limits = WalkLimits { max_nodes: MAX_NODES, batch_sizes: [usize::MAX; 2] };
    walk(view, start, options, &limits)
}

/// Like [`walk_from`], but stops once it has reached `enough` nodes. The nodes that it reaches
/// until then do not depend on that number.
pub fn walk_until(
    view: &View,
    start: &[EntityRef],
    options: WalkOptions<'_>,
    enough: usize,
) -> Result<WalkResult> {
    let max_nodes = enough.min(MAX_NODES);
    walk(view, start, options, &WalkLimits { max_nodes, batch_sizes: FRONTIER_BATCH_SIZES })
}

fn walk(
    view: &View,
    start: &[EntityRef],
    options: WalkOptions<'_>,
    limits: &WalkLimits,
) -> Result<WalkResult> {
    let WalkOptions { kind, depth, filter, .. } = options;
    filter.refuse_unknown(&view.graph_areas())?;
    let wanted = area_requests(view, kind, filter);
    let mut walked = WalkResult::default();
    let mut seen: BTreeMap<EntityRef, Confidence> =
        start.iter().map(|node| (node.clone(), Confidence::Exact)).collect();
    let mut frontier = start.to_vec();
    for distance in 1..=depth {
        view.call().step("walking the graph", distance, depth)?;
        let mut next = Vec::new();
        let batch = limits.batch_sizes[usize::from(distance > 1)].min(frontier.len().max(1));
        let mut batches = frontier.chunks(batch).peekable();
        while let Some(nodes) = batches.next() {
            let left_out = Cell::new(0);
            let from = options.frontier(nodes, distance == 1, &left_out);
            let edges = edges_from(view, from, &wanted)?;
            let (sure, unsure): (Vec<GraphEdge>, Vec<GraphEdge>) =
                edges.into_iter().partition(|edge| filter.accepts_confidence(edge.confidence));
            walked.not_followed += unsure.len() + left_out.get();
            next.extend(walked.add_frontier(&sure, nodes, &mut seen, distance));
            walked.edges.extend(sure);
            let is_last = batches.peek().is_none() && (distance == depth || next.is_empty());
            if walked.reached.len() >= limits.max_nodes && !is_last {
                walked.is_cut = true;
                return Ok(walked);
            }
        }
        frontier = next;
    }
    Ok(walked)
}

/// How many sets of start nodes are followed in one walk: one bit of a mask each.
const STARTS_PER_WALK: usize = 64;

/// Which of several sets of start nodes lead to a node that `is_goal` accepts, by their positions.
/// All sets are followed in one walk; a set that has led to a goal is not followed further. A start
/// node does not count as a goal of its own set.
pub fn starts_that_reach(
    view: &View,
    starts: &[Vec<EntityRef>],
    options: WalkOptions<'_>,
    is_goal: impl Fn(&EntityRef) -> Result<bool>,
) -> Result<BTreeSet<usize>> {
    options.filter.refuse_unknown(&view.graph_areas())?;
    let wanted = area_requests(view, options.kind, options.filter);
    let mut found = BTreeSet::new();
    for (chunk, sets) in starts.chunks(STARTS_PER_WALK).enumerate() {
        let mut masks: BTreeMap<EntityRef, u64> = BTreeMap::new();
        for (bit, set) in sets.iter().enumerate() {
            for node in set {
                *masks.entry(node.clone()).or_default() |= 1 << bit;
            }
        }
        let (mut fresh, mut done) = (masks.clone(), 0_u64);
        let mut known_goals: BTreeMap<EntityRef, bool> = BTreeMap::new();
        for distance in 1..=options.depth {
            view.call().step("walking the graph", distance, options.depth)?;
            fresh.retain(|_, mask| *mask & !done != 0);
            if fresh.is_empty() {
                break;
            }
            let nodes: Vec<EntityRef> = fresh.keys().cloned().collect();
            let left_out = Cell::new(0);
            let from = options.frontier(&nodes, distance == 1, &left_out);
            let mut next: BTreeMap<EntityRef, u64> = BTreeMap::new();
            for edge in edges_from(view, from, &wanted)? {
                if !options.filter.accepts_confidence(edge.confidence) {
                    continue;
                }
                for (here, there) in [(&edge.from, &edge.to), (&edge.to, &edge.from)] {
                    let Some(mask) = fresh.get(here) else { continue };
                    let seen = masks.entry(there.clone()).or_default();
                    let new = mask & !done & !*seen;
                    if new == 0 {
                        continue;
                    }
                    *seen |= new;
                    *next.entry(there.clone()).or_default() |= new;
                    let goal = if let Some(known) = known_goals.get(there) {
                        *known
                    } else {
                        let goal = is_goal(there)?;
                        known_goals.insert(there.clone(), goal);
                        goal
                    };
                    if goal {
                        done |= new;
                    }
                }
            }
            fresh = next;
        }
        let first = chunk * STARTS_PER_WALK;
        found.extend((0..sets.len()).filter(|bit| done & (1 << bit) != 0).map(|bit| first + bit));
    }
    Ok(found)
}

impl WalkResult {
    fn add_frontier(
        &mut self,
        edges: &[GraphEdge],
        frontier: &[EntityRef],
        seen: &mut BTreeMap<EntityRef, Confidence>,
        distance: usize,
    ) -> Vec<EntityRef> {
        let from: BTreeSet<&EntityRef> = frontier.iter().collect();
        let mut fan: BTreeMap<&EntityRef, BTreeSet<&EntityRef>> = BTreeMap::new();
        let before = self.reached.len();
        for edge in edges {
            for (here, there) in [(&edge.from, &edge.to), (&edge.to, &edge.from)] {
                if !from.contains(here) {
                    continue;
                }
                fan.entry(here).or_default().insert(there);
                if seen.contains_key(there) {
                    continue;
                }
                let way = seen.get(here).copied().unwrap_or(Confidence::Exact);
                let confidence = way.max(edge.confidence);
                seen.insert(there.clone(), confidence);
                let (node, through) = (there.clone(), here.clone());
                self.reached.push(ReachedNode {
                    node,
                    distance,
                    through,
                    edge: edge.kind,
                    confidence,
                });
            }
        }
        let high = fan.into_iter().filter(|(_, others)| others.len() > HIGH_FAN_OUT);
        self.high_fan_out.extend(high.map(|(node, others)| (node.clone(), others.len())));
        let new = &mut self.reached[before..];
        new.sort_by(|a, b| a.node.cmp(&b.node));
        new.iter().map(|reached| reached.node.clone()).collect()
    }
}

/// The types of edge that a walk asks each area for.
type AreaRequests = Vec<(&'static dyn GraphArea, Vec<EdgeRequest>)>;

fn area_requests(view: &View, walk_kind: WalkKind, filter: &EdgeFilter) -> AreaRequests {
    let of_area = |area: &'static dyn GraphArea| {
        let wanted = |kind: &'static EdgeKind| {
            walk_kind.direction(kind, filter).map(|direction| EdgeRequest { kind, direction })
        };
        (area, area.edges().iter().filter_map(wanted).collect())
    };
    let all = view.graph_areas().into_iter().map(of_area);
    all.filter(|(_, wanted): &(_, Vec<EdgeRequest>)| !wanted.is_empty()).collect()
}

/// All edges at the nodes of a frontier, in a fixed order.
fn edges_from(
    view: &View,
    frontier: WalkFrontier<'_>,
    asked: &AreaRequests,
) -> Result<Vec<GraphEdge>> {
    let mut edges = Vec::new();
    for (area, wanted) in asked {
        edges.extend(area.neighbours(view, frontier, wanted)?);
    }
    let order = |a: &GraphEdge, b: &GraphEdge| {
        let key = |edge: &GraphEdge| (edge.kind.name, edge.kind.area, edge.confidence);
        (&a.from, &a.to).cmp(&(&b.from, &b.to)).then_with(|| key(a).cmp(&key(b)))
    };
    edges.sort_by(order);
    edges.dedup_by(|a, b| a.from == b.from && a.to == b.to && a.kind == b.kind);
    Ok(edges)
}

/// One step of a path. Its edge may point either way.
#[derive(Debug, Clone)]
pub struct TraceStep {
    /// Where the step starts
    pub from: EntityRef,
    /// Where it ends
    pub to: EntityRef,
    /// The edge between them
    pub edge: GraphEdge,
}

/// Edges that only say that files changed in the same commit.
const HISTORY_EDGES: &[&str] = &["history.touches", "history.co_change"];

/// The shortest path from one node to another, in either direction of the edges. A path by code,
/// specs and work is preferred to a shorter one by common commits. Two files are not related by
/// being in the same folder, so no path leads up into a folder and down again unless the filter
/// names `contains`. The search starts from both ends and expands the smaller frontier first.
pub fn trace(
    view: &View,
    from: &EntityRef,
    to: &EntityRef,
    depth: usize,
    filter: &EdgeFilter,
) -> Result<Option<Vec<TraceStep>>> {
    if filter.names.is_empty() && filter.except.is_empty() {
        let direct = EdgeFilter { except: HISTORY_EDGES, ..filter.clone() };
        if let Some(found) = shortest_path(view, from, to, depth, &direct)? {
            return Ok(Some(found));
        }
    }
    shortest_path(view, from, to, depth, filter)
}

fn shortest_path(
    view: &View,
    from: &EntityRef,
    to: &EntityRef,
    depth: usize,
    filter: &EdgeFilter,
) -> Result<Option<Vec<TraceStep>>> {
    let options = WalkOptions::new(WalkKind::AllEdges, depth, filter);
    filter.refuse_unknown(&view.graph_areas())?;
    if from == to {
        return Ok(Some(Vec::new()));
    }
    let wanted = area_requests(view, WalkKind::AllEdges, filter);
    let (mut near, mut far) = (TraceEnd::at(from), TraceEnd::at(to));
    for hop in 0..depth {
        if near.is_exhausted() || far.is_exhausted() {
            break;
        }
        view.call().step("searching for a path", hop, depth)?;
        let (side, other) = match near.frontier.len() <= far.frontier.len() {
            true => (&mut near, &far),
            false => (&mut far, &near),
        };
        side.advance(view, &wanted, options)?;
        let is_way = |node: &&EntityRef| {
            other.came_from.contains_key(*node)
                && (filter.names_kind(&CONTAINS)
                    || !side.reached_from_child(node)
                    || !other.reached_from_child(node))
        };
        let met = side.frontier.iter().find(is_way).cloned();
        if let Some(met) = met {
            let mut hops = near.steps_back_from(&met);
            hops.reverse();
            hops.extend(far.steps_back_from(&met).into_iter().map(TraceStep::reversed));
            return Ok(Some(hops));
        }
    }
    Ok(None)
}

/// One end of a bidirectional path search.
struct TraceEnd {
    came_from: BTreeMap<EntityRef, Option<(EntityRef, GraphEdge)>>,
    frontier: Vec<EntityRef>,
}

impl TraceEnd {
    fn at(node: &EntityRef) -> Self {
        Self { came_from: BTreeMap::from([(node.clone(), None)]), frontier: vec![node.clone()] }
    }

    fn is_exhausted(&self) -> bool {
        self.frontier.is_empty() || self.came_from.len() > MAX_NODES
    }

    /// Expands the frontier by one hop.
    fn advance(
        &mut self,
        view: &View,
        wanted: &AreaRequests,
        options: WalkOptions<'_>,
    ) -> Result<()> {
        let (filter, left_out) = (options.filter, Cell::new(0));
        let frontier = options.frontier(&self.frontier, self.came_from.len() == 1, &left_out);
        let mut edges = edges_from(view, frontier, wanted)?;
        // A call is a better explanation than a common type or an import, and these are better than
        // a declaration.
        edges.sort_by_key(|edge| match edge.kind.name {
            "declares" | "contains" => 2,
            "imports" | "uses" => 1,
            _ => 0,
        });
        let mut next = Vec::new();
        for edge in edges.into_iter().filter(|edge| filter.accepts_confidence(edge.confidence)) {
            for (here, there) in [(&edge.from, &edge.to), (&edge.to, &edge.from)] {
                let is_down = edge.kind == &CONTAINS && edge.from == *here;
                if is_down && self.reached_from_child(here) && !filter.names_kind(&CONTAINS) {
                    continue;
                }
                if self.came_from.contains_key(here) && !self.came_from.contains_key(there) {
                    self.came_from.insert(there.clone(), Some((here.clone(), edge.clone())));
                    next.push(there.clone());
                }
            }
        }
        self.frontier = next;
        Ok(())
    }

    /// Whether a node is a folder that was reached from something inside it.
    fn reached_from_child(&self, node: &EntityRef) -> bool {
        let way = self.came_from.get(node).and_then(Option::as_ref);
        way.is_some_and(|(_, edge)| edge.kind == &CONTAINS && edge.from == *node)
    }

    /// The steps that led to a node, last first.
    fn steps_back_from(&self, node: &EntityRef) -> Vec<TraceStep> {
        let mut hops = Vec::new();
        let mut here = node.clone();
        while let Some(Some((before, edge))) = self.came_from.get(&here) {
            hops.push(TraceStep { from: before.clone(), to: here, edge: edge.clone() });
            here = before.clone();
        }
        hops
    }
}

impl TraceStep {
    /// The same step the other way.
    fn reversed(self) -> Self {
        Self { from: self.to, to: self.from, edge: self.edge }
    }
}
