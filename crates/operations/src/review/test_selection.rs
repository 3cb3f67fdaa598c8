//! Which tests to run for a change, and which of its symbols no test was found for.

use std::collections::{BTreeMap, BTreeSet};

use base::{EntityRef, RepoPath, Result};
use syntax::Language;

use super::{ReviewCheckResult, ReviewedChange, join_few};
use crate::answers::role::is_test_file;
use crate::answers::test_finder::{SEARCH_METHODS, TestFile, tests_for};
use crate::diff::{ChangedSymbol, FileChangeKind, SymbolHow};
use engine::areas::files::file_node;
use engine::graph::EdgeFilter;
use engine::graph::walk::{WalkKind, WalkOptions, walk_from};
use engine::rules::{RuleFinding, RuleSeverity};
use engine::view::View;

/// Maximum number of hops between code and a test of the knowledge base.
const MAX_HOPS: usize = 3;

/// With more symbols than this, tests are searched for all of them together, without telling which
/// test reaches which symbol.
const MAX_SYMBOLS_ONE_BY_ONE: usize = 25;

/// The edges that lead from code to the tests that the knowledge base names.
const EDGES: [&str; 4] = ["code.calls", "kb.covered_by", "kb.implements", "kb.verified_by"];

/// Tests of one file, or one test of the knowledge base.
#[derive(Debug, Clone)]
pub(crate) struct TestsToRun {
    /// The file, or the entity
    pub node: EntityRef,
    /// The tests in it that reach what changed
    pub names: Vec<String>,
    /// How many of the changed symbols they reach
    pub symbols: usize,
    /// How many calls away the nearest is, if calls lead to it; 0 if it changed itself
    pub hops: Option<usize>,
    /// How it was found
    pub how: String,
}

pub(super) fn select_tests(
    change: &ReviewedChange<'_>,
) -> Result<(Vec<TestsToRun>, ReviewCheckResult)> {
    let mut selection = TestSelection::default();
    let live: Vec<&ChangedSymbol> =
        change.symbols.iter().filter(|symbol| symbol.changes_behavior()).collect();
    let (tests, code): (Vec<&ChangedSymbol>, Vec<&ChangedSymbol>) =
        live.into_iter().partition(|symbol| symbol.is_test || is_test_file(&symbol.path));
    for symbol in &tests {
        selection.add_changed(symbol);
    }
    let nodes: Vec<EntityRef> = code.iter().map(|symbol| symbol.node()).collect();
    for (at, nodes) in (nodes.len()..).zip(changes_outside_symbols(change, !code.is_empty())) {
        selection.add(at, tests_for(change.view, &nodes)?, WEIGHT_OF_OTHER_CHANGES);
    }
    let mut alone: Vec<&ChangedSymbol> = Vec::new();
    if code.len() > MAX_SYMBOLS_ONE_BY_ONE {
        selection.add(0, tests_for(change.view, &nodes)?, 1.0);
    } else {
        for (at, symbol) in code.iter().enumerate() {
            let found = tests_for(change.view, &nodes[at..=at])?;
            let of_knowledge = selection.add_knowledge(change.view, at, &nodes[at])?;
            // A test that changed in the same file counts as covering the symbol, even if no call
            // leads there, as in a macro.
            let has_changed_test = tests.iter().any(|test| test.path == symbol.path);
            let is_found = !found.is_empty() || of_knowledge || has_changed_test;
            selection.add(at, found, 1.0);
            if !is_found && symbol.is_callable && symbol.exported {
                alone.push(symbol);
            }
        }
    }
    let mut found = ReviewCheckResult::default();
    found.checked.push("tests");
    if let Some(first) = alone.first() {
        let names = join_few(alone.iter().map(|symbol| symbol.full_name.as_str()));
        found.findings.push(RuleFinding {
            severity: RuleSeverity::Note,
            code: "NO_TEST_REACHES",
            path: Some(first.path.clone()),
            line: Some(first.lines.0),
            node: Some(first.node()),
            message: format!("no test found for {names} ({SEARCH_METHODS})"),
            fix: "write a test, or explain why none is needed".into(),
        });
    }
    Ok((selection.ranked(), found))
}

/// The weight of tests of what changed outside of any symbol that still exists.
const WEIGHT_OF_OTHER_CHANGES: f64 = 0.5;

/// What changed without changing a symbol that still exists, each with the nodes whose tests are to
/// be run: symbols that were removed, files that were renamed, and, if no symbol changed, files
/// whose imports or other top-level code changed.
fn changes_outside_symbols(change: &ReviewedChange<'_>, has_symbols: bool) -> Vec<Vec<EntityRef>> {
    let removed = change.symbols.iter().filter(|symbol| {
        symbol.kind == SymbolHow::Removed && !symbol.is_test && !is_test_file(&symbol.path)
    });
    let removed = removed.map(|symbol| vec![symbol.node()]);
    let is_code = |path: &RepoPath| {
        Language::from_path(path).is_some_and(Language::is_code) && !is_test_file(path)
    };
    let files = change.files.iter().filter(|file| {
        let is_wanted = match file.kind {
            FileChangeKind::Renamed => true,
            FileChangeKind::Modified => !has_symbols,
            FileChangeKind::Added | FileChangeKind::Deleted => false,
        };
        is_wanted && is_code(&file.path)
    });
    let files = files.map(|file| {
        let both = [Some(&file.path), file.old.as_ref()].into_iter().flatten();
        both.map(file_node).collect::<Vec<_>>()
    });
    removed.chain(files).take(MAX_SYMBOLS_ONE_BY_ONE).collect()
}

/// A test file, or a test of the knowledge base, while tests are collected.
#[derive(Default)]
struct SelectedTests {
    names: Vec<String>,
    symbols: BTreeSet<usize>,
    hops: Option<usize>,
    how: String,
    score: f64,
}

/// The tests that were found, by what is run.
#[derive(Default)]
struct TestSelection(BTreeMap<EntityRef, SelectedTests>);

impl TestSelection {
    /// A test that is part of the change.
    fn add_changed(&mut self, symbol: &ChangedSymbol) {
        let selected = self.0.entry(file_node(&symbol.path)).or_default();
        selected.names.push(symbol.short_name().to_owned());
        selected.hops = Some(0);
        selected.how = "changed itself".into();
        selected.score = f64::MAX;
    }

    fn add(&mut self, at: usize, found: Vec<TestFile>, weight: f64) {
        for file in found {
            let selected = self.0.entry(file_node(&file.path)).or_default();
            selected.symbols.insert(at);
            let score = file.score() * weight;
            if score > selected.score {
                (selected.score, selected.how) = (score, file.found_by_text());
            }
            selected.hops = [selected.hops, file.hops].into_iter().flatten().min();
            for name in file.tests {
                if !selected.names.contains(&name) {
                    selected.names.push(name);
                }
            }
        }
    }

    /// Tests that the knowledge base says cover the code.
    fn add_knowledge(&mut self, view: &View, at: usize, start: &EntityRef) -> Result<bool> {
        let names = EDGES.map(ToOwned::to_owned).to_vec();
        let filter = EdgeFilter { names, ..EdgeFilter::default() };
        let options = WalkOptions::new(WalkKind::Impact, MAX_HOPS, &filter);
        let walked = walk_from(view, std::slice::from_ref(start), options)?;
        let is_test = |edge: &str| edge == "covered_by" || edge == "verified_by";
        let mut found = false;
        for one in walked.reached {
            if matches!(one.node, EntityRef::Kb(_)) && is_test(one.edge.name) {
                let selected = self.0.entry(one.node).or_default();
                selected.symbols.insert(at);
                selected.hops = Some(selected.hops.unwrap_or(one.distance).min(one.distance));
                selected.how = "named in the knowledge base".into();
                selected.score = selected.score.max(1.0);
                found = true;
            }
        }
        Ok(found)
    }

    /// Best first.
    fn ranked(self) -> Vec<TestsToRun> {
        let mut all: Vec<(EntityRef, SelectedTests)> = self.0.into_iter().collect();
        all.sort_by(|(one, a), (other, b)| {
            let by_symbols = b.symbols.len().cmp(&a.symbols.len());
            b.score.total_cmp(&a.score).then(by_symbols).then_with(|| one.cmp(other))
        });
        let row = |(node, one): (EntityRef, SelectedTests)| TestsToRun {
            node,
            names: one.names,
            symbols: one.symbols.len(),
            hops: one.hops,
            how: one.how,
        };
        all.into_iter().map(row).collect()
    }
}
