//! What `impact` and `deps` share: one walk, listed from near to far. Tests are listed separately
//! from other code, and files that only import another are counted but not followed.

mod page;

use std::collections::{BTreeMap, BTreeSet};

use base::entity::own_name;
use base::words::counted;
use base::{EntityRef, RepoPath, Result};
use schemars::JsonSchema;
use serde::Serialize;
use store::Connection;

use crate::answers::callers::{self, SymbolCaller};
use crate::answers::package::Packages;
use crate::answers::role::FileRole;
use crate::answers::source::SourceText;
use crate::answers::test_finder::{TestFile, count_word, tests_for};
use crate::language_server::{AnswerSource, CallGraph};
use crate::locate;
use engine::areas::code::{report_embedded_code, report_truncated_calls};
use engine::contract::answer::Paging;
use engine::contract::args::{Limit, NodeTarget, Offset, WalkDepth};
use engine::graph::walk::{self, WalkKind, WalkOptions, WalkResult};
use engine::graph::{self, CallSource, Confidence, EdgeFilter};
use engine::view::View;

/// The edges that `kart_impact` and `kart_deps` follow, as JSON.
pub(super) const CODE_EDGES: &str = r#"["code.imports", "code.calls", "code.uses", "code.extends",
    "code.implements", "code.injects", "code.provides"]"#;

/// Nodes after which a walk stops counting, beyond those that are shown.
const SUFFICIENT_NODES: usize = 100;

/// Edge types that `impact` and `deps` follow only on request.
const IMPORT_EDGES: &[&str] = &["code.imports"];

/// How many documents are searched for the name of a symbol.
const MAX_DOCUMENTS: usize = 40;

/// The arguments that `impact` and `deps` share.
pub(super) struct ReachQuery<'a> {
    pub target: &'a NodeTarget,
    pub walk_kind: WalkKind,
    pub depth: WalkDepth,
    pub filter: EdgeFilter,
    pub precise: bool,
    pub path: Option<&'a NodeTarget>,
    pub limit: Limit,
    pub offset: Offset,
}

/// Which edges a walk follows. Imports are followed only on request.
pub(super) fn edge_filter(names: Vec<String>, imports: bool, least: Confidence) -> EdgeFilter {
    let except = if imports { &[] } else { IMPORT_EDGES };
    EdgeFilter { names, except, min_confidence: least }
}

/// What depends on a node, or what it depends on
#[derive(Debug, Serialize, JsonSchema)]
pub struct ReachAnswer {
    /// The node that was asked about
    pub target: EntityRef,
    /// How many hops were followed
    pub depth: usize,
    /// How many nodes were reached, by kind
    pub reached: BTreeMap<String, usize>,
    /// Whether the walk stopped counting, so that there may be more
    pub is_cut: bool,
    /// The nodes except tests, nearest first, then most useful first
    pub rows: Vec<ReachRow>,
    /// How many symbols outside tests use the target directly, and in how many files
    #[serde(skip_serializing_if = "Option::is_none")]
    pub direct: Option<DirectUse>,
    /// Test files to run, best first
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tests: Vec<TestFile>,
    /// Files that import the target's file without a known use of the target
    pub only_importing: usize,
    /// Documents that name the target
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub documents: Vec<RepoPath>,
    /// Nodes with more than ten direct connections, most first
    pub high_fan_out: Vec<HighFanOutNode>,
    /// Edges that were not followed because they are less certain than was asked for
    pub not_followed: usize,
    /// Limits of the answer: what was not followed or not counted
    pub notes: Vec<String>,
    /// Where the calls come from, if `precise` was asked for
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<AnswerSource>,
    #[serde(skip)]
    paging: Paging,
    #[serde(skip)]
    walk_kind: Option<WalkKind>,
}

/// Who uses something directly, in numbers
#[derive(Debug, Serialize, JsonSchema)]
pub struct DirectUse {
    /// Symbols that use it
    pub symbols: usize,
    /// Files they are in
    pub files: usize,
    /// How many of the symbols are in other packages
    pub in_other_packages: usize,
    /// Those packages
    pub other_packages: BTreeSet<RepoPath>,
}

/// A node that was reached
#[derive(Debug, Serialize, JsonSchema)]
pub struct ReachRow {
    /// How many hops away
    pub distance: usize,
    /// The node
    pub node: EntityRef,
    /// The edge it was reached by
    pub edge: &'static str,
    /// The line of the use, for a direct use of the target
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The node before it, if that is not the target
    #[serde(skip_serializing_if = "Option::is_none")]
    pub through: Option<EntityRef>,
    /// How many nodes use it, at the next hop
    #[serde(skip_serializing_if = "is_zero")]
    pub leads_on: usize,
    /// The first of those, by name
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub next: Vec<String>,
    /// Confidence of the path to it
    pub confidence: Confidence,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands out references")]
const fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// A node with many direct connections
#[derive(Debug, Serialize, JsonSchema)]
pub struct HighFanOutNode {
    /// The node
    pub node: EntityRef,
    /// How many
    pub connections: usize,
}

pub(super) fn reach(view: &View, asked: &ReachQuery<'_>) -> Result<ReachAnswer> {
    let target = graph::resolve(view, asked.target)?;
    let mut start = vec![target.clone()];
    for area in view.graph_areas() {
        start.extend(area.parts(view, &target)?);
    }
    let depth = asked.depth.clamped();
    let (call_graph, by) = match asked.precise {
        true => server_calls(view, &target)?,
        false => (None, None),
    };
    let enough = SUFFICIENT_NODES.max(asked.offset.get() + asked.limit.get());
    let (walk_kind, filter) = (asked.walk_kind, &asked.filter);
    let call_source = call_graph.as_ref().map(|graph| graph as &dyn CallSource);
    let options = WalkOptions { kind: walk_kind, depth, filter, call_source };
    let mut walked = walk::walk_until(view, &start, options, enough)?;
    let nodes = walked.reached.iter().map(|reached| &reached.node);
    report_truncated_calls(view, nodes.chain([&target]))?;
    if let Some(path) = asked.path {
        let place = graph::resolve_path_scope(view, path)?;
        walked.reached.retain(|reached| place.contains(&reached.node));
    }
    if asked.walk_kind == WalkKind::Impact {
        report_embedded_code(view, std::iter::once(&target))?;
    }
    walked.high_fan_out.sort_by(|a, b| (b.1, &a.0).cmp(&(a.1, &b.0)));
    let (reached, notes) = (counts(&walked), notes(asked.depth, &walked));
    let is_impact = walk_kind == WalkKind::Impact;
    let is_code = start.iter().any(|node| matches!(node, EntityRef::Symbol(..)));
    let mut callers = if is_impact { callers::direct_callers(view, &start)? } else { Vec::new() };
    if let Some(own) = target.path().filter(|_| !matches!(target, EntityRef::Symbol(..))) {
        callers.retain(|caller| !caller.path.is_at_or_below(own));
    }
    let direct = match is_impact && is_code {
        true => Some(direct_use(view, &target, &callers)?),
        false => None,
    };
    let tests = match is_impact && is_code {
        true => tests_for(view, std::slice::from_ref(&target))?,
        false => Vec::new(),
    };
    let follows_imports = asked.filter.except.is_empty() || !asked.filter.names.is_empty();
    let only_importing = match is_impact && !follows_imports {
        true => only_importing(view, &target, &callers)?,
        false => 0,
    };
    let all = rows(view, &walked, &start, &callers, asked.path.is_some())?;
    let (rows, paging) = Paging::cut(all, asked.offset, asked.limit);
    Ok(ReachAnswer {
        depth,
        reached,
        is_cut: walked.is_cut,
        rows,
        direct,
        tests,
        only_importing,
        documents: if is_impact { documents(view, &target)? } else { Vec::new() },
        notes,
        not_followed: walked.not_followed,
        high_fan_out: walked
            .high_fan_out
            .into_iter()
            .map(|(node, connections)| HighFanOutNode { node, connections })
            .collect(),
        paging,
        walk_kind: Some(walk_kind),
        by,
        target,
    })
}

/// Everything that was reached except tests, nearest first. If the answer is limited to a path,
/// tests in it are included.
fn rows(
    view: &View,
    walked: &WalkResult,
    start: &[EntityRef],
    callers: &[SymbolCaller],
    with_tests: bool,
) -> Result<Vec<ReachRow>> {
    let conn = view.index()?.conn();
    let mut order: BTreeMap<&EntityRef, (usize, u32)> = BTreeMap::new();
    for (at, caller) in callers.iter().enumerate() {
        order.insert(&caller.node, (at, caller.line));
    }
    let mut next: BTreeMap<&EntityRef, Vec<&EntityRef>> = BTreeMap::new();
    for reached in &walked.reached {
        next.entry(&reached.through).or_default().push(&reached.node);
    }
    let mut found = Vec::new();
    for reached in &walked.reached {
        let role = role_of(conn, &reached.node)?;
        if role == FileRole::Test && !with_tests {
            continue;
        }
        let caller = order.get(&reached.node).filter(|_| reached.distance == 1);
        let on = next.get(&reached.node).map(Vec::as_slice).unwrap_or_default();
        let key = (reached.distance, caller.map_or(usize::MAX, |(at, _)| *at), role);
        found.push((
            key,
            ReachRow {
                distance: reached.distance,
                node: reached.node.clone(),
                edge: reached.edge.name,
                line: caller.map(|(_, line)| *line),
                through: (!start.contains(&reached.through)).then(|| reached.through.clone()),
                leads_on: on.len(),
                next: on.iter().take(MAX_NEXT_NAMES).map(|node| page::short_name(node)).collect(),
                confidence: reached.confidence,
            },
        ));
    }
    found.sort_by(|a, b| a.0.cmp(&b.0).then_with(|| a.1.node.cmp(&b.1.node)));
    Ok(found.into_iter().map(|(_, row)| row).collect())
}

/// How many of the next nodes a row names.
const MAX_NEXT_NAMES: usize = 3;

/// The role of a node's file; a node without a file counts as production.
fn role_of(conn: &Connection, node: &EntityRef) -> Result<FileRole> {
    let Some(path) = node.path() else { return Ok(FileRole::Production) };
    if let EntityRef::Symbol(path, name) = node
        && code::symbol(conn, path, name.as_str())?.is_some_and(|row| row.is_test)
    {
        return Ok(FileRole::Test);
    }
    Ok(FileRole::of(path))
}

fn direct_use(view: &View, target: &EntityRef, callers: &[SymbolCaller]) -> Result<DirectUse> {
    let packages = Packages::read(view)?;
    let own = target.path().and_then(|path| packages.of(path));
    let code: Vec<&SymbolCaller> = callers.iter().filter(|caller| !caller.is_test).collect();
    let files: BTreeSet<&RepoPath> = code.iter().map(|caller| &caller.path).collect();
    let other =
        |caller: &&&SymbolCaller| packages.of(&caller.path).is_some_and(|one| Some(one) != own);
    let others: Vec<&&SymbolCaller> = code.iter().filter(other).collect();
    Ok(DirectUse {
        symbols: code.len(),
        files: files.len(),
        in_other_packages: others.len(),
        other_packages: others.iter().filter_map(|one| packages.of(&one.path)).cloned().collect(),
    })
}

/// How many files import the target's file without calling it.
fn only_importing(view: &View, target: &EntityRef, callers: &[SymbolCaller]) -> Result<usize> {
    let Some(path) = target.path() else { return Ok(0) };
    let calling: BTreeSet<&RepoPath> = callers.iter().map(|caller| &caller.path).collect();
    let importing: BTreeSet<RepoPath> = code::importer_names(view.index()?.conn(), path)?
        .into_iter()
        .map(|(path, _)| path)
        .collect();
    Ok(importing.iter().filter(|path| !calling.contains(path)).count())
}

/// The documents whose text names a symbol.
fn documents(view: &View, target: &EntityRef) -> Result<Vec<RepoPath>> {
    let EntityRef::Symbol(_, name) = target else { return Ok(Vec::new()) };
    let name = own_name(name.as_str()).trim_end_matches("()");
    let mut found = locate::files_with_words(view, name)?;
    found.retain(|path| FileRole::of(path) == FileRole::Document);
    found.truncate(MAX_DOCUMENTS);
    let names = |path: &RepoPath| {
        let text = SourceText::read(view, path);
        text.is_ok_and(|text| count_word(text.as_str(), name) > 0)
    };
    found.retain(names);
    Ok(found)
}

/// The language server's calls, if there is a server, and who answers.
fn server_calls(
    view: &View,
    target: &EntityRef,
) -> Result<(Option<CallGraph>, Option<AnswerSource>)> {
    Ok(match CallGraph::of(view, target)? {
        Ok(graph) => {
            let by = graph.by.clone();
            (Some(graph), Some(by))
        }
        Err(absent) => (None, Some(absent.by())),
    })
}

fn counts(walked: &WalkResult) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for reached in &walked.reached {
        *counts.entry(reached.node.kind().to_owned()).or_default() += 1;
    }
    counts
}

fn notes(asked: WalkDepth, walked: &WalkResult) -> Vec<String> {
    let clamped = asked.note();
    let far = walked.reached.last().map_or(0, |last| last.distance);
    let cut = walked.is_cut.then(|| {
        let count = walked.reached.len();
        let far = counted(far, "hop");
        format!(
            "Counting stopped at {count}, {far} away; ask for a `depth` of 1, or for some `edges`"
        )
    });
    clamped.into_iter().chain(cut).collect()
}
