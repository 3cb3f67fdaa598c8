//! The graph around a node. It starts with what is one hop away and grows where one clicks; which
//! nodes are open is part of the address, so it works without a script and can be bookmarked.

use std::collections::BTreeMap;

use base::words::counted;
use base::{EntityRef, Result};
use engine::contract::page::Render;
use maud::{Markup, html};
use operations::ops::typed::{Deps, Hotspots, Impact, ReachAnswer};
use serde_json::json;

use crate::asker::NodeNames;
use crate::components::{self, Tone, badge, heading, section};
use crate::layout::{NavSection, Screen};
use crate::links;
use crate::pictures::layers::{self, LayerEdge, LayerNode, MAX_NODES};
use crate::request::query_pair;
use crate::routes::{ViewContext, ViewResult};

/// Nodes that opening one node adds at most.
const MAX_NEIGHBOURS: usize = 24;

/// Nodes that can be open at once: each is a walk.
const MAX_OPEN: usize = 30;

/// A graph that is being collected.
struct GrownGraph {
    nodes: Vec<GrownNode>,
    positions: BTreeMap<EntityRef, usize>,
    edges: Vec<GrownEdge>,
    /// What was left out, in words
    left_out: Vec<String>,
}

struct GrownNode {
    node: EntityRef,
    layer: usize,
    is_open: bool,
    leads_on: usize,
}

struct GrownEdge {
    from: usize,
    to: usize,
    kind: &'static str,
}

/// What may break if something changes, or what it uses, hop by hop.
pub(crate) fn graph(context: &ViewContext<'_>) -> Result<ViewResult> {
    let Some(around) = context.request.param("around") else {
        return Ok(Screen::new(NavSection::Graph, "Graph", introduction(context)?).into());
    };
    let is_deps = context.request.param("direction").as_deref() == Some("deps");
    let open = context.request.params("open");
    let grown = grow(context, &around, is_deps, &open)?;
    let center = grown.nodes[0].node.clone();
    let names = context.asker.names(grown.nodes.iter().map(|one| &one.node))?;
    let question = if is_deps { "What it uses" } else { "What may break" };
    let name = names.get(&center).map_or_else(|| center.short_handle(), |known| known.name.clone());
    let lead = format!("{} around {name}", counted(grown.nodes.len() - 1, "node"));
    let first = format!("/graph?{}", query_pair("around", &around));
    let options =
        [("What may break", first.clone()), ("What it uses", format!("{first}&direction=deps"))];
    let body = html! {
        (heading(html! { (question) }, &lead))
        div.toolbar {
            (components::choice("Direction", &options, question))
            a.button href=(links::node(&center)) { "Its page" }
            @if !open.is_empty() { a.button href=(if is_deps { options[1].1.clone() } else { first.clone() }) { "Close all" } }
        }
        @if grown.nodes.len() == 1 {
            @if is_deps { (components::empty("It depends on nothing that is known here.", None)) }
            @else { (components::empty("Nothing that is known here depends on it.", None)) }
        } @else {
            ul.legend {
                li { span.swatch.accent {} "the start" }
                li { span.swatch {} "click to open it" }
                @if !open.is_empty() { li { span.swatch.good {} "open; a click leads to its page" } }
            }
            (picture(context, &grown, &open, &names))
            @for text in &grown.left_out { p.muted { (text) } }
            div.part {}
            (table(&grown, &names))
        }
    };
    Ok(Screen::new(NavSection::Graph, format!("{question}: {name}"), body).into())
}

/// Files that the start offers.
const MAX_STARTS: usize = 10;

fn introduction(context: &ViewContext<'_>) -> Result<Markup> {
    let busy = context.asker.ask_optional::<Hotspots>(json!({"limit": MAX_STARTS}))?;
    let busy = busy.map(|answer| answer.files).unwrap_or_default();
    let text = "A graph starts at a file, a symbol, a card or a task, and grows where you click.";
    Ok(html! {
        (heading(html! { "Graph" }, text))
        form.inline.toolbar method="get" action="/graph" {
            label for="around" { "Start at" }
            input #around type="text" name="around" placeholder="src/main.rs, or path#symbol" size="40" spellcheck="false" autocapitalize="none" required;
            button type="submit" { "Show" }
        }
        @if !busy.is_empty() {
            (section("Where most of the change happens", None, html! {
                div.scroll {
                    table.stack.flow {
                        thead { tr { th { "File" } th.number { "Commits" } th { "Graph" } } }
                        tbody {
                            @for row in &busy {
                                tr {
                                    td.main { (components::path_link(&row.path)) }
                                    td.number data-label="Commits" { (row.commits) }
                                    td {
                                        a href=(links::graph(&row.path.to_string())) { "what may break" } " · "
                                        a href={ (links::graph(&row.path.to_string())) "&direction=deps" } { "what it uses" }
                                    }
                                }
                            }
                        }
                    }
                }
            }))
        }
        p.muted { "Search finds names; every page of a file, symbol, card or task has a button " strong { "Graph" } "." }
    })
}

fn grow(
    context: &ViewContext<'_>,
    around: &str,
    is_deps: bool,
    open: &[String],
) -> Result<GrownGraph> {
    let first = neighbours(context, around, is_deps)?;
    let mut grown = GrownGraph {
        nodes: Vec::new(),
        positions: BTreeMap::new(),
        edges: Vec::new(),
        left_out: Vec::new(),
    };
    grown.add(&first.target, 0, 0);
    grown.open(&first);
    for handle in open.iter().take(MAX_OPEN) {
        let Ok(node) = handle.parse::<EntityRef>() else { continue };
        if grown.positions.contains_key(&node) {
            let more = neighbours(context, handle, is_deps)?;
            grown.open(&more);
        }
    }
    if open.len() > MAX_OPEN {
        grown.left_out.push(format!(
            "At most {MAX_OPEN} nodes are open at once; the later ones stay closed."
        ));
    }
    Ok(grown)
}

fn neighbours(context: &ViewContext<'_>, target: &str, is_deps: bool) -> Result<ReachAnswer> {
    // One hop more than is shown, so that the number of nodes behind each node is known.
    let args = json!({"target": target, "depth": 2, "imports": true, "limit": 400});
    if is_deps { context.asker.ask::<Deps>(args) } else { context.asker.ask::<Impact>(args) }
}

impl GrownGraph {
    /// The position of a node; it is added unless the graph is full.
    fn add(&mut self, node: &EntityRef, layer: usize, leads_on: usize) -> Option<usize> {
        if let Some(position) = self.positions.get(node) {
            return Some(*position);
        }
        if self.nodes.len() >= MAX_NODES {
            return None;
        }
        let position = self.nodes.len();
        self.nodes.push(GrownNode { node: node.clone(), layer, is_open: false, leads_on });
        self.positions.insert(node.clone(), position);
        Some(position)
    }

    /// Adds what is one hop from a node that is shown.
    fn open(&mut self, answer: &ReachAnswer) {
        let Some(center) = self.positions.get(&answer.target).copied() else { return };
        self.nodes[center].is_open = true;
        let layer = self.nodes[center].layer + 1;
        let near: Vec<_> = answer.rows.iter().filter(|row| row.distance == 1).collect();
        let mut left_out = near.len().saturating_sub(MAX_NEIGHBOURS);
        for row in near.iter().take(MAX_NEIGHBOURS) {
            match self.add(&row.node, layer, row.leads_on) {
                Some(to) if to != center => self.connect(center, to, row.edge),
                Some(_) => {}
                None => left_out += 1,
            }
        }
        let name = answer.target.short_handle();
        if left_out > 0 {
            // Rows are sorted by distance: if even the last row is near, more near ones may have
            // been cut off.
            let is_all_near = near.len() == answer.rows.len();
            let has_more = answer.paging().is_some_and(|p| p.total > answer.rows.len() as u64);
            let at_least = if is_all_near && has_more { "At least " } else { "" };
            let nodes = counted(left_out, "node");
            self.left_out.push(format!("{at_least}{nodes} next to {name} left out."));
        }
        if !answer.tests.is_empty() {
            let tests = counted(answer.tests.len(), "test file");
            self.left_out.push(format!("{tests} of {name} left out; see its page."));
        }
    }

    fn connect(&mut self, from: usize, to: usize, kind: &'static str) {
        if !self.edges.iter().any(|edge| edge.from == from && edge.to == to) {
            self.edges.push(GrownEdge { from, to, kind });
        }
    }
}

fn picture(
    context: &ViewContext<'_>,
    grown: &GrownGraph,
    open: &[String],
    names: &NodeNames,
) -> Markup {
    let node = |(position, one): (usize, &GrownNode)| {
        let handle = one.node.to_string();
        let is_closed = !one.is_open && open.len() < MAX_OPEN;
        let address = match is_closed {
            true => {
                let mut address = context.request.address();
                address.push('&');
                address.push_str(&query_pair("open", &handle));
                address
            }
            false => links::node(&one.node),
        };
        let more = match one.leads_on {
            0 => String::new(),
            count => format!(", {count} behind it"),
        };
        let verb = if is_closed { "open" } else { "go to" };
        LayerNode {
            layer: one.layer,
            name: label(&one.node, names),
            note: place(&one.node, names),
            title: format!("{verb} {}{more}", one.node.short_handle()),
            address,
            grows: is_closed,
            tone: if position == 0 {
                Tone::Accent
            } else if one.is_open {
                Tone::Good
            } else {
                Tone::Neutral
            },
        }
    };
    let nodes: Vec<LayerNode> = grown.nodes.iter().enumerate().map(node).collect();
    let edges: Vec<LayerEdge> =
        grown.edges.iter().map(|edge| LayerEdge { from: edge.from, to: edge.to }).collect();
    layers::graph(&nodes, &edges, "What is connected, hop by hop from left to right")
}

fn label(node: &EntityRef, names: &NodeNames) -> String {
    if let Some(known) = names.get(node) {
        return known.name.clone();
    }
    match node {
        EntityRef::Symbol(_, name) => name.as_str().to_owned(),
        EntityRef::Module(path) | EntityRef::File(path) | EntityRef::Dir(path) => path.name(),
        other => other.to_string(),
    }
}

fn place(node: &EntityRef, names: &NodeNames) -> String {
    if let Some(known) = names.get(node) {
        return known.about.replace('_', " ");
    }
    match node {
        EntityRef::Symbol(path, _) => path.to_string(),
        EntityRef::Module(path) | EntityRef::File(path) | EntityRef::Dir(path) => {
            let folder = path.parent().filter(|parent| !parent.is_root());
            folder.map_or_else(|| "top folder".to_owned(), |folder| folder.to_string())
        }
        other => other.kind().to_owned(),
    }
}

fn table(grown: &GrownGraph, names: &NodeNames) -> Markup {
    html! {
        div.scroll {
            table.stack.flow {
                thead { tr { th { "Node" } th { "Connected with" } th.fit { "By" } th.number { "Hops" } } }
                tbody {
                    @for edge in &grown.edges {
                        tr {
                            td.main { (components::named_link(&grown.nodes[edge.to].node, names)) }
                            td.main data-label="with" { (components::named_link(&grown.nodes[edge.from].node, names)) }
                            td.fit { (badge(&edge.kind.replace('_', " "), Tone::Neutral)) }
                            td.number data-label="Hops" { (grown.nodes[edge.to].layer) }
                        }
                    }
                }
            }
        }
    }
}
