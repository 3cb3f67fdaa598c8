//! Which tests reach what changed, nearest first, and what none reaches.

use std::collections::{BTreeMap, BTreeSet};

use base::{EntityRef, RepoPath, Result};

use super::{Change, Found, few};
use crate::diff::ChangedSymbol;
use crate::graph::EdgeFilter;
use crate::graph::walk::{Sense, outwards};
use crate::layers::files::node;
use crate::locate::is_test;
use crate::rules::{Finding, Severity};
use crate::view::View;

/// How far a test may be from what it tests.
const HOPS: usize = 3;

/// More symbols than this are looked at together, without saying which test reaches which.
const ONE_BY_ONE: usize = 40;

/// The edges that lead from code to its tests.
const EDGES: [&str; 7] = [
    "code.calls",
    "code.uses",
    "code.extends",
    "code.implements",
    "kb.covered_by",
    "kb.implements",
    "kb.verified_by",
];

/// Tests of one file, or one test of the knowledge base.
#[derive(Debug, Clone)]
pub(crate) struct ToRun {
    /// The file, or the entity
    pub node: EntityRef,
    /// The tests in it that reach what changed
    pub names: Vec<String>,
    /// How many of the changed symbols they reach
    pub symbols: usize,
    /// How near the nearest is
    pub hops: usize,
}

/// What was reached: hops, names of tests, changed symbols.
type Reached = BTreeMap<EntityRef, (usize, BTreeSet<String>, BTreeSet<usize>)>;

pub(super) fn look(change: &Change<'_>) -> Result<(Vec<ToRun>, Found)> {
    let mut reached: Reached = BTreeMap::new();
    let symbols: Vec<&ChangedSymbol> =
        change.symbols.iter().filter(|symbol| symbol.is_live()).collect();
    for symbol in symbols.iter().filter(|symbol| symbol.is_test || is_test(&symbol.path)) {
        add(&mut reached, &symbol.path, symbol.short(), (0, usize::MAX));
    }
    let code: Vec<&ChangedSymbol> =
        symbols.into_iter().filter(|symbol| !symbol.is_test && !is_test(&symbol.path)).collect();
    let mut alone: Vec<&ChangedSymbol> = Vec::new();
    if code.len() > ONE_BY_ONE {
        let all: Vec<EntityRef> = code.iter().map(|symbol| symbol.node()).collect();
        walk(change.view, &all, 0, &mut reached)?;
    } else {
        for (at, symbol) in code.iter().enumerate() {
            let found = walk(change.view, &[symbol.node()], at, &mut reached)?;
            if !found && symbol.is_callable && symbol.exported {
                alone.push(symbol);
            }
        }
    }
    let mut found = Found::default();
    if let Some(first) = alone.first() {
        let names = few(alone.iter().map(|symbol| symbol.full.as_str()));
        found.findings.push(Finding {
            severity: Severity::Note,
            code: "NO_TEST_REACHES",
            path: Some(first.path.clone()),
            line: Some(first.lines.0),
            node: Some(first.node()),
            message: format!("no test reaches {names} within {HOPS} calls"),
            fix: "write one, or say why not".into(),
        });
    }
    let mut tests: Vec<ToRun> = reached
        .into_iter()
        .map(|(node, (hops, names, symbols))| ToRun {
            node,
            names: names.into_iter().collect(),
            symbols: symbols.into_iter().filter(|at| *at != usize::MAX).count(),
            hops,
        })
        .collect();
    tests.sort_by(|a, b| (a.hops, b.symbols, &a.node).cmp(&(b.hops, a.symbols, &b.node)));
    Ok((tests, found))
}

fn add(reached: &mut Reached, path: &RepoPath, name: &str, (hops, at): (usize, usize)) {
    let entry =
        reached.entry(node(path)).or_insert_with(|| (hops, BTreeSet::new(), BTreeSet::new()));
    entry.0 = entry.0.min(hops);
    entry.1.insert(name.to_owned());
    entry.2.insert(at);
}

/// Follows who relies on some symbols; says whether a test was among them.
fn walk(view: &View, start: &[EntityRef], at: usize, reached: &mut Reached) -> Result<bool> {
    let filter = EdgeFilter { names: EDGES.map(ToOwned::to_owned).to_vec(), confidence: None };
    let walked = outwards(view, start, Sense::Impact, HOPS, &filter)?;
    let conn = view.index()?.conn();
    let mut found = false;
    for one in walked.reached {
        match &one.node {
            EntityRef::Symbol(path, name) => {
                let marked =
                    code::symbol(conn, path, name.as_str())?.is_some_and(|row| row.is_test);
                if marked || is_test(path) {
                    let short = name.as_str().rsplit('.').next().unwrap_or_default();
                    add(reached, path, short, (one.distance, at));
                    found = true;
                }
            }
            EntityRef::Module(path) if is_test(path) => {
                add(reached, path, "", (one.distance, at));
                found = true;
            }
            EntityRef::Kb(_) if one.edge.name == "covered_by" || one.edge.name == "verified_by" => {
                let entry = reached.entry(one.node.clone());
                let entry =
                    entry.or_insert_with(|| (one.distance, BTreeSet::new(), BTreeSet::new()));
                entry.0 = entry.0.min(one.distance);
                entry.2.insert(at);
                found = true;
            }
            _ => {}
        }
    }
    Ok(found)
}
