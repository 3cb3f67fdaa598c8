//! A graph in layers: the node that was asked about at the left, what is one hop further right of
//! it. Layers are ordered so that edges cross little. It never has more nodes than can be read.

use std::collections::BTreeMap;

use maud::{Markup, html};

use super::{fitted, fitted_end, px};
use crate::components::Tone;

/// Maximum number of nodes in a graph; the page says how many were left out.
pub(crate) const MAX_NODES: usize = 300;

/// The size of a node, and the room between two.
const NODE_WIDTH: f64 = 250.0;
const NODE_HEIGHT: f64 = 38.0;
const GAP_X: f64 = 70.0;
const GAP_Y: f64 = 10.0;

/// How often the order of the layers is improved.
const ROUNDS: usize = 6;

/// A node of a graph.
#[derive(Debug, Clone)]
pub(crate) struct LayerNode {
    /// Which layer it is in, 0 is leftmost
    pub layer: usize,
    /// Its label
    pub name: String,
    /// Where it is
    pub note: String,
    /// What a reader sees when pointing at it
    pub title: String,
    /// Where a click leads: the graph with this node opened, or the node's page
    pub address: String,
    /// Whether a click only grows the graph
    pub grows: bool,
    /// Its colour
    pub tone: Tone,
}

/// An edge, by the positions of its nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LayerEdge {
    /// Where it starts
    pub from: usize,
    /// Where it ends
    pub to: usize,
}

/// The upper left corner of a node.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Corner {
    x: f64,
    y: f64,
}

/// The picture; `label` says what it shows.
pub(crate) fn graph(nodes: &[LayerNode], edges: &[LayerEdge], label: &str) -> Markup {
    let places = places(nodes, edges);
    let width = places.iter().map(|place| place.x + NODE_WIDTH).fold(0.0, f64::max) + 2.0;
    let height = places.iter().map(|place| place.y + NODE_HEIGHT).fold(0.0, f64::max) + 2.0;
    html! {
        div.picture.wide {
            svg viewBox={ "0 0 " (px(width)) " " (px(height)) } width=(px(width)) height=(px(height))
                role="group" aria-label=(label) {
                @for edge in edges { (curve(places[edge.from], places[edge.to])) }
                @for (node, place) in nodes.iter().zip(&places) { (drawn_node(node, *place)) }
            }
        }
    }
}

fn drawn_node(node: &LayerNode, Corner { x, y }: Corner) -> Markup {
    let inner = NODE_WIDTH - 20.0;
    let fit = if node.note.contains('/') { fitted_end } else { fitted };
    html! {
        a href=(node.address) aria-label=(node.title) data-swap=[node.grows.then_some("")] {
            rect class={ "shape " (node.tone.class()) } x=(px(x)) y=(px(y))
                width=(px(NODE_WIDTH)) height=(px(NODE_HEIGHT)) rx="6" { title { (node.title) } }
            text x=(px(x + 10.0)) y=(px(y + 16.0)) { (fitted(&node.name, inner, 7.2)) }
            text.small x=(px(x + 10.0)) y=(px(y + 30.0)) { (fit(&node.note, inner, 6.4)) }
        }
    }
}

/// An edge from the right side of one node to the left side of another, or round it within a layer.
fn curve(from: Corner, to: Corner) -> Markup {
    let middle = NODE_HEIGHT / 2.0;
    let (y1, y2) = (from.y + middle, to.y + middle);
    let path = if to.x > from.x {
        let (x1, x2) = (from.x + NODE_WIDTH, to.x);
        let bend = f64::midpoint(x1, x2);
        format!(
            "M{} {}C{} {} {} {} {} {}",
            px(x1),
            px(y1),
            px(bend),
            px(y1),
            px(bend),
            px(y2),
            px(x2),
            px(y2)
        )
    } else {
        let (x1, x2) = (from.x + NODE_WIDTH, to.x + NODE_WIDTH);
        let bend = x1.max(x2) + GAP_X / 2.0;
        format!(
            "M{} {}C{} {} {} {} {} {}",
            px(x1),
            px(y1),
            px(bend),
            px(y1),
            px(bend),
            px(y2),
            px(x2),
            px(y2)
        )
    };
    html! { path.edge d=(path) {} }
}

/// Where each node is drawn. Layers begin at the top, so that the start is seen first.
#[expect(clippy::cast_precision_loss, reason = "a few hundred nodes")]
fn places(nodes: &[LayerNode], edges: &[LayerEdge]) -> Vec<Corner> {
    let layers = ordered_layers(nodes, edges);
    let mut places = vec![Corner { x: 0.0, y: 0.0 }; nodes.len()];
    for (column, layer) in layers.values().enumerate() {
        for (row, node) in layer.iter().enumerate() {
            let y = (row as f64).mul_add(NODE_HEIGHT + GAP_Y, 1.0);
            let x = (column as f64).mul_add(NODE_WIDTH + GAP_X, 1.0);
            places[*node] = Corner { x, y };
        }
    }
    places
}

/// The nodes of each layer, ordered by the mean position of their neighbours.
#[expect(clippy::cast_precision_loss, reason = "a few hundred nodes")]
fn ordered_layers(nodes: &[LayerNode], edges: &[LayerEdge]) -> BTreeMap<usize, Vec<usize>> {
    let mut layers: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (position, node) in nodes.iter().enumerate() {
        layers.entry(node.layer).or_default().push(position);
    }
    let mut neighbours = vec![Vec::new(); nodes.len()];
    for edge in edges {
        neighbours[edge.from].push(edge.to);
        neighbours[edge.to].push(edge.from);
    }
    let mut rank = vec![0.0; nodes.len()];
    let rank_layer = |layer: &[usize], rank: &mut [f64]| {
        for (row, node) in layer.iter().enumerate() {
            rank[*node] = (row as f64 + 0.5) / layer.len() as f64;
        }
    };
    for layer in layers.values() {
        rank_layer(layer, &mut rank);
    }
    let numbers: Vec<usize> = layers.keys().copied().collect();
    for round in 0..ROUNDS {
        // Once from left to right by what is before, then back by what comes after.
        let is_forward = round % 2 == 0;
        for at in 0..numbers.len() {
            let number = numbers[if is_forward { at } else { numbers.len() - 1 - at }];
            let layer = layers.get_mut(&number).expect("it is one of their numbers");
            let mean = |node: usize| {
                let is_fixed = |other: &&usize| match is_forward {
                    true => nodes[**other].layer < number,
                    false => nodes[**other].layer > number,
                };
                let near: Vec<f64> =
                    neighbours[node].iter().filter(is_fixed).map(|other| rank[*other]).collect();
                let sum: f64 = near.iter().sum();
                if near.is_empty() { rank[node] } else { sum / near.len() as f64 }
            };
            layer.sort_by(|a, b| mean(*a).total_cmp(&mean(*b)).then(a.cmp(b)));
            rank_layer(layer, &mut rank);
        }
    }
    layers
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(layer: usize) -> LayerNode {
        LayerNode {
            layer,
            name: String::new(),
            note: String::new(),
            title: String::new(),
            address: String::new(),
            grows: false,
            tone: Tone::Neutral,
        }
    }

    #[test]
    fn layers_are_ordered_so_that_edges_do_not_cross() {
        let nodes = [node(0), node(1), node(1), node(2), node(2)];
        let edges = [(0, 1), (0, 2), (1, 4), (2, 3)].map(|(from, to)| LayerEdge { from, to });
        let layers = ordered_layers(&nodes, &edges);
        let row = |layer: usize, node| layers[&layer].iter().position(|one| *one == node);
        assert_eq!(row(1, 1) < row(1, 2), row(2, 4) < row(2, 3));
    }

    #[test]
    fn no_two_nodes_are_in_one_place() {
        let nodes: Vec<LayerNode> = (0..40).map(|at| node(at % 3)).collect();
        let mut places: Vec<String> = places(&nodes, &[])
            .into_iter()
            .map(|place| format!("{} {}", place.x, place.y))
            .collect();
        places.sort();
        places.dedup();
        assert_eq!(places.len(), nodes.len());
    }
}
