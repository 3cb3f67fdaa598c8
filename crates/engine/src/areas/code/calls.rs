//! Calls, mentions and heritage as edges of the graph.

use std::collections::{BTreeMap, BTreeSet};

use base::entity::own_name;
use base::{EntityRef, RepoPath, Result};
use code::{CallEdgeRow, EdgeConfidence, SymbolEndpoint, SymbolRelation, SymbolRow};
use store::Connection;
use syntax::Language;

use super::graph_area::{named_node, symbol_node};
use crate::graph::{
    CallEdge, ChangePropagation, Confidence, EdgeKind, EdgeRequest, GraphEdge, WalkFrontier,
};
use crate::view::View;

const fn kind(name: &'static str, means: &'static str) -> EdgeKind {
    EdgeKind { area: "code", name, propagation: ChangePropagation::TargetToSource, means }
}

pub(super) const CALLS: EdgeKind = kind("calls", "a symbol or a file's own code calls another");
pub(super) const USES: EdgeKind = kind("uses", "a symbol mentions another without calling it");
pub(super) const EXTENDS: EdgeKind =
    kind("extends", "a type extends another, or a method overrides its parent's");
pub(super) const IMPLEMENTS: EdgeKind =
    kind("implements", "a type or method implements an interface or trait, or a part of it");
pub(super) const INJECTS: EdgeKind = kind("injects", "a container passes a class to another");
pub(super) const PROVIDES: EdgeKind = kind("provides", "a class is registered with a container");

/// Maximum number of calls on an unknown receiver that are read for one name. More calls than that
/// say too little.
const MAX_CALLS_BY_NAME: u32 = 200;

/// If more symbols than this share a name, the name does not show which one is called.
const MAX_NAMESAKES: usize = 20;

/// The relations from a method to the method that it overrides or implements.
const PARENTS: [SymbolRelation; 2] = [SymbolRelation::Extends, SymbolRelation::Implements];

/// Maximum number of overridden methods that are followed.
const MAX_PARENTS: usize = 16;

/// The edges of some types at some nodes.
pub(super) fn edges(
    view: &View,
    frontier: WalkFrontier<'_>,
    wanted: &[EdgeRequest],
) -> Result<Vec<GraphEdge>> {
    let conn = view.index()?.conn();
    let kinds = SymbolRelation::ALL.map(|relation| {
        wanted.iter().find(|one| one.kind.name == relation.name()).map(|one| one.kind)
    });
    let asked = |is: fn(&EdgeRequest) -> bool| -> Vec<SymbolRelation> {
        let is_asked = |relation: &SymbolRelation| {
            wanted.iter().any(|one| one.kind.name == relation.name() && is(one))
        };
        SymbolRelation::ALL.into_iter().filter(is_asked).collect()
    };
    let ends: Vec<SymbolEndpoint<'_>> = frontier.nodes.iter().filter_map(code_end).collect();
    let symbols: Vec<SymbolEndpoint<'_>> =
        ends.iter().filter(|end| !end.name.is_empty()).copied().collect();
    let (along, against) = (asked(EdgeRequest::wants_outgoing), asked(EdgeRequest::wants_incoming));
    let mut rows = code::edges_from(conn, &ends, &along)?;
    rows.extend(code::edges_to(conn, &symbols, &against)?);
    if against.contains(&SymbolRelation::Calls) {
        rows.extend(dispatched_calls(conn, &symbols)?);
    }
    let made = |row: &CallEdgeRow| kinds[row.relation as usize].map(|kind| edge(row, kind));
    let mut edges: Vec<GraphEdge> = rows.iter().filter_map(made).collect();
    let (calls, is_called) =
        (along.contains(&SymbolRelation::Calls), against.contains(&SymbolRelation::Calls));
    if frontier.min_confidence == Confidence::Name {
        if calls {
            add_calls_by_name(view, &ends, &mut edges)?;
        }
        if is_called {
            add_callers_by_name(view, &symbols, &mut edges)?;
        }
    } else if frontier.is_start {
        // What is not followed is counted only for the nodes where the walk starts.
        let mut count = if is_called { count_callers(view, &symbols)? } else { 0 };
        if calls {
            let mut guesses = Vec::new();
            add_calls_by_name(view, &ends, &mut guesses)?;
            count += guesses.len();
        }
        frontier.left_out.update(|before| before + count);
    }
    replace_calls(view, frontier, wanted, &mut edges)?;
    Ok(edges)
}

/// Who may call some methods through the methods that they override or implement: a call of a
/// parent's or an interface's method may reach them.
pub fn dispatched_calls(
    conn: &Connection,
    symbols: &[SymbolEndpoint<'_>],
) -> Result<Vec<CallEdgeRow>> {
    let mut rows = Vec::new();
    let is_dispatched = |end: &&SymbolEndpoint<'_>| dispatches(end.file) && end.name.contains('.');
    for symbol in symbols.iter().filter(is_dispatched) {
        let here = (symbol.file.clone(), symbol.name.to_owned());
        let mut above = vec![here.clone()];
        for at in 0..MAX_PARENTS {
            let Some((path, name)) = above.get(at).cloned() else { break };
            let child = SymbolEndpoint::new(&path, &name);
            for row in code::edges_from(conn, &[child], parents_in(&path))? {
                if !above.contains(&row.to) {
                    above.push(row.to);
                }
            }
        }
        let parents: Vec<SymbolEndpoint<'_>> =
            above[1..].iter().map(|(file, name)| SymbolEndpoint::new(file, name)).collect();
        let calls = code::edges_to(conn, &parents, &[SymbolRelation::Calls])?;
        let calls = calls.into_iter().filter(|row| row.from != here);
        rows.extend(calls.map(|row| CallEdgeRow {
            to: here.clone(),
            sure: EdgeConfidence::Inferred,
            ..row
        }));
    }
    Ok(rows)
}

/// Whether methods of a language are called through their parents as a rule.
fn dispatches(path: &RepoPath) -> bool {
    Language::from_path(path).is_some_and(|language| language.semantics().dispatches_to_overrides)
}

/// The relations from a method to the methods that a call may dispatch from. In Go, a method that
/// hides one of an embedded type is never called in its place.
fn parents_in(path: &RepoPath) -> &'static [SymbolRelation] {
    match Language::from_path(path) {
        Some(language) if !language.semantics().extending_overrides => {
            &[SymbolRelation::Implements]
        }
        _ => &PARENTS,
    }
}

/// Replaces the calls of the index with those of the walk's own call source, at each node that the
/// source knows.
fn replace_calls(
    view: &View,
    frontier: WalkFrontier<'_>,
    wanted: &[EdgeRequest],
    edges: &mut Vec<GraphEdge>,
) -> Result<()> {
    let calls = wanted.iter().find(|one| *one.kind == CALLS);
    let (Some(source), Some(wanted)) = (frontier.call_source, calls) else { return Ok(()) };
    for here in frontier.nodes.iter().filter(|node| code_end(node).is_some()) {
        let Some(told) = source.calls(view, here, wanted.direction)? else { continue };
        let is_of = |edge: &GraphEdge| {
            *edge.kind == CALLS
                && (wanted.wants_outgoing() && edge.from == *here
                    || wanted.wants_incoming() && edge.to == *here)
        };
        edges.retain(|edge| !is_of(edge));
        let made = |call: CallEdge| GraphEdge {
            from: call.caller,
            to: call.callee,
            kind: wanted.kind,
            confidence: Confidence::Exact,
        };
        edges.extend(told.into_iter().map(made));
    }
    Ok(())
}

/// A node as the call graph names it.
fn code_end(node: &EntityRef) -> Option<SymbolEndpoint<'_>> {
    match node {
        EntityRef::Symbol(file, name) => Some(SymbolEndpoint::new(file, name.as_str())),
        EntityRef::Module(file) => Some(SymbolEndpoint::new(file, "")),
        _ => None,
    }
}

fn edge(row: &CallEdgeRow, kind: &'static EdgeKind) -> GraphEdge {
    let confidence = match row.sure {
        EdgeConfidence::Exact => Confidence::Exact,
        EdgeConfidence::Inferred => Confidence::Inferred,
    };
    let (from, to) = (named_node(&row.from.0, &row.from.1), named_node(&row.to.0, &row.to.1));
    GraphEdge { from, to, kind, confidence }
}

fn name_edge(from: EntityRef, to: EntityRef) -> GraphEdge {
    GraphEdge { from, to, kind: &CALLS, confidence: Confidence::Name }
}

/// Adds possible callers that are known by name only. A name that several symbols share is looked
/// up once.
fn add_callers_by_name(
    view: &View,
    symbols: &[SymbolEndpoint<'_>],
    edges: &mut Vec<GraphEdge>,
) -> Result<()> {
    let conn = view.index()?.conn();
    let mut by_name: BTreeMap<&str, Vec<(RepoPath, String, u32)>> = BTreeMap::new();
    for SymbolEndpoint { file: path, name } in symbols {
        let called = own_name(name);
        if !by_name.contains_key(called) {
            by_name.insert(called, code::unresolved_calls(conn, called, MAX_CALLS_BY_NAME)?);
        }
        let callers = &by_name[called];
        if callers.is_empty()
            || !code::symbol_kind(conn, path, name)?.is_some_and(|k| is_method(&k))
        {
            continue;
        }
        let here = named_node(path, name);
        let kin = callers.iter().filter(|(from, ..)| can_call(from, path));
        let guesses =
            kin.map(|(from, symbol, _)| name_edge(named_node(from, symbol), here.clone()));
        edges.extend(guesses.filter(|edge| edge.from != here));
    }
    Ok(())
}

/// The number of calls that may be calls of some symbols, judged by name only. A call may belong to
/// any symbol of that name.
fn count_callers(view: &View, symbols: &[SymbolEndpoint<'_>]) -> Result<usize> {
    let conn = view.index()?.conn();
    let mut seen = BTreeSet::new();
    let mut count = 0;
    for SymbolEndpoint { file: path, name } in symbols {
        let called = own_name(name);
        if seen.contains(called)
            || !code::symbol_kind(conn, path, name)?.is_some_and(|k| is_method(&k))
        {
            continue;
        }
        seen.insert(called);
        let calls = code::unresolved_call_counts(conn, called)?;
        let kin = calls.iter().filter(|(from, _)| can_call(from, path));
        count += kin.map(|(_, calls)| calls).sum::<usize>();
    }
    Ok(count)
}

/// Adds possible callees that are known by name only.
fn add_calls_by_name(
    view: &View,
    ends: &[SymbolEndpoint<'_>],
    edges: &mut Vec<GraphEdge>,
) -> Result<()> {
    let conn = view.index()?.conn();
    let mut by_name: BTreeMap<String, Vec<SymbolRow>> = BTreeMap::new();
    for end in ends {
        for name in code::unresolved_callees(conn, *end)? {
            if !by_name.contains_key(&name) {
                let mut found = code::symbols_with_name(conn, &name)?;
                found.retain(|row| is_method(&row.kind));
                by_name.insert(name.clone(), found);
            }
            let kin = || by_name[&name].iter().filter(|row| can_call(&row.path, end.file));
            if kin().count() <= MAX_NAMESAKES {
                let here = named_node(end.file, end.name);
                edges.extend(kin().map(|row| name_edge(here.clone(), symbol_node(row))));
            }
        }
    }
    Ok(())
}

fn is_method(kind: &str) -> bool {
    matches!(kind, "method" | "function" | "constructor" | "getter" | "setter")
}

/// Whether code of one file can call that of another at all.
fn can_call(one: &RepoPath, other: &RepoPath) -> bool {
    let family = |path| Language::from_path(path).map(Language::family);
    family(one) == family(other)
}

/// The declarations whose change is a change of the node: those of a file or of a type.
pub(super) fn parts(view: &View, whole: &EntityRef) -> Result<Vec<EntityRef>> {
    let conn = view.index()?.conn();
    Ok(match whole {
        EntityRef::Module(path) => {
            code::symbols_in_file(conn, path)?.iter().map(symbol_node).collect()
        }
        EntityRef::Symbol(path, name) => {
            let rows = code::symbols_in_file(conn, path)?;
            let own = rows.iter().find(|row| row.full == name.as_str()).map(|row| row.id);
            let inner = rows.iter().filter(|row| own.is_some() && row.parent == own);
            // The members of a Rust type are declared in its `impl` blocks.
            let prefix = format!("{}.", name.as_str());
            let is_member = |row: &&SymbolRow| {
                row.full.strip_prefix(&prefix).is_some_and(|rest| !rest.contains('.'))
            };
            let mut all: Vec<EntityRef> = inner.map(symbol_node).collect();
            all.extend(rows.iter().filter(is_member).map(symbol_node));
            all.sort();
            all.dedup();
            all
        }
        _ => Vec::new(),
    })
}
