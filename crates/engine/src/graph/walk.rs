//! Walks over the graph: outwards by what a change reaches, all around, and from one to another.
//!
//! @see spec::cross/impact

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use base::{EntityRef, Result};

use super::{Confidence, Direction, Edge, EdgeFilter, EdgeKind, Frontier, Layer, Travel, Wanted};
use crate::layers::files::CONTAINS;
use crate::view::View;

/// A node with more direct connections than this is marked.
pub const HIGH_FAN_OUT: usize = 10;

/// A walk stops taking in nodes here, and says so.
const MOST_NODES: usize = 20_000;

/// A walk that is to stop early goes on from so many nodes at once: from what it starts at, of
/// which most leads nowhere, and from what it came to.
const STRIDES: [usize; 2] = [32, 4];

/// A node that a walk came to.
#[derive(Debug, Clone)]
pub struct Reached {
    /// The node
    pub node: EntityRef,
    /// How many hops away
    pub distance: usize,
    /// The node before it on the way
    pub through: EntityRef,
    /// The edge it was reached by
    pub edge: &'static EdgeKind,
    /// The least sure edge on the way
    pub confidence: Confidence,
}

/// Where a walk came to.
#[derive(Debug, Default)]
pub struct Walked {
    /// The nodes, nearest first
    pub reached: Vec<Reached>,
    /// The edges that were seen between them
    pub edges: Vec<Edge>,
    /// Nodes with many direct connections, and how many
    pub high_fan_out: Vec<(EntityRef, usize)>,
    /// Edges at the start that were not followed because they are not sure enough
    pub unsure: usize,
    /// Whether there was more than could be taken in
    pub is_cut: bool,
}

/// Which way change is followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sense {
    /// What a change reaches
    Impact,
    /// What something rests on
    Deps,
    /// Everything around, whatever the edge
    Around,
}

impl Sense {
    fn direction(self, kind: &EdgeKind, filter: &EdgeFilter) -> Option<Direction> {
        let asked = filter.asks_for(kind);
        let travel: Travel = kind.travel;
        match self {
            _ if !filter.allows(kind) => None,
            Self::Impact => travel.impact(asked),
            Self::Deps => travel.deps(asked),
            Self::Around => Some(Direction::Both),
        }
    }
}

/// Walks outwards from some nodes, a whole frontier at a time.
pub fn outwards(
    view: &View,
    start: &[EntityRef],
    sense: Sense,
    depth: usize,
    filter: &EdgeFilter,
) -> Result<Walked> {
    walk((view, start), sense, (depth, filter), (MOST_NODES, [usize::MAX; 2]))
}

/// The same, and it stops once it has reached so many. What it reached until then does not depend
/// on how many they are.
pub fn outwards_to(
    view: &View,
    start: &[EntityRef],
    sense: Sense,
    (depth, filter): (usize, &EdgeFilter),
    enough: usize,
) -> Result<Walked> {
    walk((view, start), sense, (depth, filter), (enough.min(MOST_NODES), STRIDES))
}

fn walk(
    (view, start): (&View, &[EntityRef]),
    sense: Sense,
    (depth, filter): (usize, &EdgeFilter),
    (enough, strides): (usize, [usize; 2]),
) -> Result<Walked> {
    filter.refuse_unknown(&view.layers())?;
    let wanted = wanted(view, sense, filter);
    let mut walked = Walked::default();
    let mut seen: BTreeMap<EntityRef, Confidence> =
        start.iter().map(|node| (node.clone(), Confidence::Exact)).collect();
    let mut frontier = start.to_vec();
    for distance in 1..=depth {
        view.call().step("walking the graph", distance, depth)?;
        let mut next = Vec::new();
        let stride = strides[usize::from(distance > 1)].min(frontier.len().max(1));
        let mut parts = frontier.chunks(stride).peekable();
        while let Some(nodes) = parts.next() {
            let (is_start, left_out) = (distance == 1, Cell::new(0));
            let least = filter.confidence.unwrap_or(Confidence::Name);
            let edges =
                step(view, Frontier { nodes, is_start, least, left_out: &left_out }, &wanted)?;
            let (sure, unsure): (Vec<Edge>, Vec<Edge>) =
                edges.into_iter().partition(|edge| filter.believes(edge.confidence));
            walked.unsure += unsure.len() + left_out.get();
            next.extend(walked.take_in(&sure, nodes, &mut seen, distance));
            walked.edges.extend(sure);
            let is_last = parts.peek().is_none() && (distance == depth || next.is_empty());
            if walked.reached.len() >= enough && !is_last {
                walked.is_cut = true;
                return Ok(walked);
            }
        }
        frontier = next;
    }
    Ok(walked)
}

impl Walked {
    fn take_in(
        &mut self,
        edges: &[Edge],
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
                self.reached.push(Reached { node, distance, through, edge: edge.kind, confidence });
            }
        }
        let high = fan.into_iter().filter(|(_, others)| others.len() > HIGH_FAN_OUT);
        self.high_fan_out.extend(high.map(|(node, others)| (node.clone(), others.len())));
        let new = &mut self.reached[before..];
        new.sort_by(|a, b| a.node.cmp(&b.node));
        new.iter().map(|reached| reached.node.clone()).collect()
    }
}

/// What a walk asks each layer for.
type Asked = Vec<(&'static dyn Layer, Vec<Wanted>)>;

fn wanted(view: &View, sense: Sense, filter: &EdgeFilter) -> Asked {
    let of_layer = |layer: &'static dyn Layer| {
        let wanted = |kind: &'static EdgeKind| {
            sense.direction(kind, filter).map(|direction| Wanted { kind, direction })
        };
        (layer, layer.edges().iter().filter_map(wanted).collect())
    };
    let all = view.layers().into_iter().map(of_layer);
    all.filter(|(_, wanted): &(_, Vec<Wanted>)| !wanted.is_empty()).collect()
}

/// All edges that lead on from a frontier, in a fixed order.
fn step(view: &View, frontier: Frontier<'_>, asked: &Asked) -> Result<Vec<Edge>> {
    let mut edges = Vec::new();
    for (layer, wanted) in asked {
        edges.extend(layer.neighbours(view, frontier, wanted)?);
    }
    let order = |a: &Edge, b: &Edge| {
        let key = |edge: &Edge| (edge.kind.name, edge.kind.area, edge.confidence);
        (&a.from, &a.to).cmp(&(&b.from, &b.to)).then_with(|| key(a).cmp(&key(b)))
    };
    edges.sort_by(order);
    edges.dedup_by(|a, b| a.from == b.from && a.to == b.to && a.kind == b.kind);
    Ok(edges)
}

/// One step of a path, with the way its edge points.
#[derive(Debug, Clone)]
pub struct Hop {
    /// Where the step starts
    pub from: EntityRef,
    /// Where it ends
    pub to: EntityRef,
    /// The edge between them
    pub edge: Edge,
}

/// The shortest way from one node to another, whichever way the edges point. That a folder holds
/// two files says nothing about them, so that no way leads up into a folder and down again, unless
/// that is asked for. Both ends are walked from, the smaller frontier first: what lies between grows far less than what lies
/// around.
pub fn trace(
    view: &View,
    from: &EntityRef,
    to: &EntityRef,
    (depth, filter): (usize, &EdgeFilter),
) -> Result<Option<Vec<Hop>>> {
    filter.refuse_unknown(&view.layers())?;
    if from == to {
        return Ok(Some(Vec::new()));
    }
    let wanted = wanted(view, Sense::Around, filter);
    let (mut near, mut far) = (Side::at(from), Side::at(to));
    for hop in 0..depth {
        if near.is_spent() || far.is_spent() {
            break;
        }
        view.call().step("looking for a way", hop, depth)?;
        let (side, other) = match near.frontier.len() <= far.frontier.len() {
            true => (&mut near, &far),
            false => (&mut far, &near),
        };
        side.advance(view, &wanted, filter)?;
        let is_way = |node: &&EntityRef| {
            other.ways.contains_key(*node)
                && (filter.asks_for(&CONTAINS) || !side.came_up_to(node) || !other.came_up_to(node))
        };
        let met = side.frontier.iter().find(is_way).cloned();
        if let Some(met) = met {
            let mut hops = near.back_from(&met);
            hops.reverse();
            hops.extend(far.back_from(&met).into_iter().map(Hop::turned));
            return Ok(Some(hops));
        }
    }
    Ok(None)
}

/// One end of a way that is looked for, and how far one has come from there.
struct Side {
    ways: BTreeMap<EntityRef, Option<(EntityRef, Edge)>>,
    frontier: Vec<EntityRef>,
}

impl Side {
    fn at(node: &EntityRef) -> Self {
        Self { ways: BTreeMap::from([(node.clone(), None)]), frontier: vec![node.clone()] }
    }

    fn is_spent(&self) -> bool {
        self.frontier.is_empty() || self.ways.len() > MOST_NODES
    }

    /// Goes one hop further.
    fn advance(&mut self, view: &View, wanted: &Asked, filter: &EdgeFilter) -> Result<()> {
        let is_start = self.ways.len() == 1;
        let least = filter.confidence.unwrap_or(Confidence::Name);
        let left_out = &Cell::new(0);
        let frontier = Frontier { nodes: &self.frontier, is_start, least, left_out };
        let edges = step(view, frontier, wanted)?;
        let mut next = Vec::new();
        for edge in edges.into_iter().filter(|edge| filter.believes(edge.confidence)) {
            for (here, there) in [(&edge.from, &edge.to), (&edge.to, &edge.from)] {
                let is_down = edge.kind == &CONTAINS && edge.from == *here;
                if is_down && self.came_up_to(here) && !filter.asks_for(&CONTAINS) {
                    continue;
                }
                if self.ways.contains_key(here) && !self.ways.contains_key(there) {
                    self.ways.insert(there.clone(), Some((here.clone(), edge.clone())));
                    next.push(there.clone());
                }
            }
        }
        self.frontier = next;
        Ok(())
    }

    /// Whether a node is a folder that was reached from what it holds.
    fn came_up_to(&self, node: &EntityRef) -> bool {
        let way = self.ways.get(node).and_then(Option::as_ref);
        way.is_some_and(|(_, edge)| edge.kind == &CONTAINS && edge.from == *node)
    }

    /// The steps that led to a node, last first.
    fn back_from(&self, node: &EntityRef) -> Vec<Hop> {
        let mut hops = Vec::new();
        let mut here = node.clone();
        while let Some(Some((before, edge))) = self.ways.get(&here) {
            hops.push(Hop { from: before.clone(), to: here, edge: edge.clone() });
            here = before.clone();
        }
        hops
    }
}

impl Hop {
    /// The same step the other way.
    fn turned(self) -> Self {
        Self { from: self.to, to: self.from, edge: self.edge }
    }
}
