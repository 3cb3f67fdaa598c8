//! What `impact` and `deps` share: one walk, told as rows from near to far.

use base::words::counted;
use base::{EntityRef, Result};
use schemars::JsonSchema;
use serde::Serialize;

use crate::contract::answer::Paging;
use crate::contract::args::{Depth, Limit, Offset, Target};
use crate::contract::page::{Cell, Page, Render};
use crate::graph::walk::{self, Reached, Sense, Walked};
use crate::graph::{self, Confidence, EdgeFilter};
use crate::layers::code::{doubt_cut_short, doubt_embedded};
use crate::precise::{By, CallGraph};
use crate::view::View;

/// The edges that `kart_impact` and `kart_deps` follow, as JSON.
pub(super) const CODE: &str = r#"["code.imports", "code.calls", "code.uses", "code.extends",
    "code.implements", "code.injects", "code.provides"]"#;

/// A walk that reached so many, and those that are shown, need not count the rest.
const ENOUGH: usize = 100;

/// How many nodes with a high fan-out a page names.
const CROWDED: usize = 5;

/// What was asked.
pub(super) struct Asked<'a> {
    pub operation: &'static str,
    pub target: &'a Target,
    pub sense: Sense,
    pub depth: Depth,
    pub filter: EdgeFilter,
    pub precise: bool,
    pub path: Option<&'a Target>,
    pub limit: Limit,
    pub offset: Offset,
}

/// How far a change reaches, or what something rests on
#[derive(Debug, Serialize, JsonSchema)]
pub struct Reach {
    /// The node that was asked about
    pub target: EntityRef,
    /// How many hops were followed
    pub depth: usize,
    /// How many nodes were reached, by kind
    pub reached: std::collections::BTreeMap<String, usize>,
    /// Whether there are more: the walk stopped counting
    pub is_cut: bool,
    /// The nodes, nearest first
    pub rows: Vec<Row>,
    /// Nodes with more than ten direct connections, most first
    pub high_fan_out: Vec<Crowded>,
    /// Direct edges that were not followed because only a name fits
    pub not_followed: usize,
    /// What the answer leaves open
    pub notes: Vec<String>,
    /// Who said who calls whom, where that was asked for
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<By>,
    #[serde(skip)]
    paging: Paging,
    #[serde(skip)]
    operation: &'static str,
}

/// A node that was reached
#[derive(Debug, Serialize, JsonSchema)]
pub struct Row {
    /// How many hops away
    pub distance: usize,
    /// The node
    pub node: EntityRef,
    /// The edge it was reached by
    pub edge: &'static str,
    /// The node before it, if that is not the target
    #[serde(skip_serializing_if = "Option::is_none")]
    pub through: Option<EntityRef>,
    /// How sure the way there is
    pub confidence: Confidence,
}

/// A node with many direct connections
#[derive(Debug, Serialize, JsonSchema)]
pub struct Crowded {
    /// The node
    pub node: EntityRef,
    /// How many
    pub connections: usize,
}

pub(super) fn reach(view: &View, asked: &Asked<'_>) -> Result<Reach> {
    let target = graph::resolve(view, asked.target)?;
    let mut start = vec![target.clone()];
    for layer in view.layers() {
        start.extend(layer.parts(view, &target)?);
    }
    let depth = asked.depth.clamped();
    let by = if asked.precise { Some(follow_server(view, &target)?) } else { None };
    let enough = ENOUGH.max(asked.offset.get() + asked.limit.get());
    let (sense, filter) = (asked.sense, &asked.filter);
    let mut walked = walk::outwards_to(view, &start, sense, (depth, filter), enough)?;
    let nodes = walked.reached.iter().map(|reached| &reached.node);
    doubt_cut_short(view, nodes.chain([&target]))?;
    if let Some(path) = asked.path {
        let place = graph::place(view, path)?;
        walked.reached.retain(|reached| place.holds(&reached.node));
    }
    if asked.sense == Sense::Impact {
        doubt_embedded(view, std::iter::once(&target))?;
    }
    walked.high_fan_out.sort_by(|a, b| (b.1, &a.0).cmp(&(a.1, &b.0)));
    let (reached, notes) = (counts(&walked), notes(asked.depth, &walked));
    let (rows, paging) = Paging::cut(walked.reached, asked.offset, asked.limit);
    Ok(Reach {
        depth,
        reached,
        is_cut: walked.is_cut,
        rows: rows.iter().map(|one| row(one, &start)).collect(),
        notes,
        not_followed: walked.unsure,
        high_fan_out: walked.high_fan_out.into_iter().map(crowded).collect(),
        paging,
        operation: asked.operation,
        by,
        target,
    })
}

/// Has calls come from the language server, where there is one.
fn follow_server(view: &View, target: &EntityRef) -> Result<By> {
    Ok(match CallGraph::of(view, target)? {
        Ok(graph) => {
            let by = graph.by.borrow().clone();
            view.follow_calls(graph);
            by
        }
        Err(absent) => absent.by(),
    })
}

fn row(reached: &Reached, start: &[EntityRef]) -> Row {
    Row {
        distance: reached.distance,
        node: reached.node.clone(),
        edge: reached.edge.name,
        through: (!start.contains(&reached.through)).then(|| reached.through.clone()),
        confidence: reached.confidence,
    }
}

fn crowded((node, connections): (EntityRef, usize)) -> Crowded {
    Crowded { node, connections }
}

fn counts(walked: &Walked) -> std::collections::BTreeMap<String, usize> {
    let mut counts = std::collections::BTreeMap::new();
    for reached in &walked.reached {
        *counts.entry(reached.node.kind().to_owned()).or_default() += 1;
    }
    counts
}

fn notes(asked: Depth, walked: &Walked) -> Vec<String> {
    let clamped = asked.note();
    let far = walked.reached.last().map_or(0, |last| last.distance);
    let cut = walked.is_cut.then(|| {
        let count = walked.reached.len();
        let far = counted(far, "hop");
        format!("It stopped counting at {count}, {far} away; --depth 1 or --edges narrows it")
    });
    clamped.into_iter().chain(cut).collect()
}

impl Render for Reach {
    fn render(&self, page: &mut Page) {
        page.answer(self.first_line());
        page.table(0, self.rows.iter().map(cells).collect());
        self.paging.say_rest(page, self.rows.len());
        for crowded in self.high_fan_out.iter().take(CROWDED) {
            let text = format!("High fan-out: {} connections", crowded.connections);
            page.say_next(text, &crowded.node);
        }
        if let Some(more) = self.high_fan_out.len().checked_sub(CROWDED + 1) {
            page.say(format!("High fan-out: {} more nodes", more + 1));
        }
        if self.not_followed > 0 {
            let wider = page.asked().with("confidence", "name").without("offset");
            page.say_call(not_followed(self.not_followed, self.is_cut), wider);
        }
        match self.by.as_ref().map(|by| (by, by.name())) {
            Some((_, Some(name))) => page.item("calls by", name),
            Some((by, None)) => by.render_as(page, "calls from the index"),
            None => {}
        }
        self.notes.iter().for_each(|note| page.say(note));
    }

    fn paging(&self) -> Option<Paging> {
        Some(self.paging)
    }
}

impl Reach {
    fn first_line(&self) -> String {
        let verb = if self.operation == "impact" { "reaches" } else { "rests on" };
        if self.reached.is_empty() {
            return format!("{} {verb} nothing that is known (depth {})", self.target, self.depth);
        }
        let part = |(kind, count): (&String, &usize)| counted(*count, kind_noun(kind));
        let parts: Vec<String> = self.reached.iter().map(part).collect();
        let least = if self.is_cut { "at least " } else { "" };
        format!("{} {verb} {least}{} (depth {})", self.target, parts.join(", "), self.depth)
    }
}

/// What the nodes of a kind are called in a sentence.
fn kind_noun(kind: &str) -> &str {
    match kind {
        "dir" => "folder",
        "kb" => "knowledge entity",
        kind => kind,
    }
}

fn not_followed(count: usize, is_cut: bool) -> String {
    let least = if is_cut { "at least " } else { "" };
    let calls = counted(count, "direct call");
    format!("Not followed: {least}{calls} by name only, on values of unknown type")
}

fn cells(row: &Row) -> Vec<Cell> {
    let name = match &row.node {
        EntityRef::Symbol(_, name) => name.to_string(),
        node => node.path().map_or_else(|| node.to_string(), ToString::to_string),
    };
    let how = match (&row.through, row.confidence) {
        (Some(through), _) => format!("{}, through {through}", row.edge),
        (None, Confidence::Exact) => row.edge.to_owned(),
        (None, Confidence::Inferred) => format!("{}, inferred", row.edge),
        (None, Confidence::Name) => format!("{}, by name only", row.edge),
    };
    vec![Cell::text(row.distance), Cell::text(name), Cell::faint(how), Cell::handle(&row.node)]
}
