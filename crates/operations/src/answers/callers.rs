//! Who uses a symbol directly, most useful first: production code before tests, near before far,
//! central before marginal. A module that only imports the symbol's file does not count.

use std::collections::BTreeMap;

use base::{EntityRef, RepoPath, Result};
use code::{CallEdgeRow, EdgeConfidence, SymbolEndpoint, SymbolRelation};

use super::role::FileRole;
use engine::areas::code::{dispatched_calls, named_node};
use engine::graph::Confidence;
use engine::view::View;

/// A symbol, or a file's own code, that uses another symbol directly.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SymbolCaller {
    /// The symbol, or the module whose own code it is
    pub node: EntityRef,
    /// The file it is in
    pub path: RepoPath,
    /// Its nested name; empty for a file's own code
    pub name: String,
    /// The line that uses it
    pub line: u32,
    /// Type of the use
    pub relation: SymbolRelation,
    /// Confidence of the use
    pub confidence: Confidence,
    /// Whether it is a test
    pub is_test: bool,
    /// How many use it in turn
    pub used_by: usize,
}

/// Which uses are asked for.
pub(crate) const USE_RELATIONS: [SymbolRelation; 4] = [
    SymbolRelation::Calls,
    SymbolRelation::Uses,
    SymbolRelation::Extends,
    SymbolRelation::Implements,
];

/// Who uses some symbols of one file directly, best first, each once.
pub(crate) fn direct_callers(view: &View, targets: &[EntityRef]) -> Result<Vec<SymbolCaller>> {
    let ends: Vec<SymbolEndpoint<'_>> = targets.iter().filter_map(as_symbol).collect();
    let Some(SymbolEndpoint { file: own, .. }) = ends.first().copied() else {
        return Ok(Vec::new());
    };
    let conn = view.index()?.conn();
    let mut rows = code::edges_to(conn, &ends, &USE_RELATIONS)?;
    rows.extend(dispatched_calls(conn, &ends)?);
    let mut best: BTreeMap<(RepoPath, String), CallEdgeRow> = BTreeMap::new();
    for row in rows {
        if ends.contains(&SymbolEndpoint::new(&row.from.0, &row.from.1)) {
            continue; // a use within the requested symbols
        }
        let rank = |row: &CallEdgeRow| {
            (row.relation as usize, row.sure != EdgeConfidence::Exact, row.line)
        };
        let known = best.get(&row.from);
        if known.is_none_or(|known| rank(&row) < rank(known)) {
            best.insert(row.from.clone(), row);
        }
    }
    let mut callers = Vec::new();
    for ((path, name), row) in best {
        let symbol = code::symbol(conn, &path, &name)?;
        let is_test = super::role::is_test_file(&path) || symbol.is_some_and(|row| row.is_test);
        callers.push(SymbolCaller {
            node: named_node(&row.from.0, &row.from.1),
            used_by: code::count_edges_to(conn, SymbolEndpoint::new(&path, &name))?,
            confidence: confidence(row.sure),
            relation: row.relation,
            line: row.line,
            is_test,
            path,
            name,
        });
    }
    callers.sort_by_cached_key(|caller| rank(caller, own));
    Ok(callers)
}

fn rank(caller: &SymbolCaller, own: &RepoPath) -> impl Ord + use<> {
    let role = if caller.is_test { FileRole::Test } else { FileRole::of(&caller.path) };
    let distance = path_distance(own, &caller.path);
    let is_use = caller.relation == SymbolRelation::Uses;
    let used_by = std::cmp::Reverse(caller.used_by);
    (role, is_use, distance, used_by, caller.path.clone(), caller.line)
}

/// The distance of two files: 0 for the same file, otherwise it grows with the folders between
/// them.
pub(crate) fn path_distance(one: &RepoPath, other: &RepoPath) -> usize {
    if one == other {
        return 0;
    }
    let (one, other) = (one.to_string(), other.to_string());
    let (one, other): (Vec<&str>, Vec<&str>) =
        (one.split('/').collect(), other.split('/').collect());
    let common = one.iter().zip(&other).take_while(|(a, b)| a == b).count();
    one.len() + other.len() - 2 * common
}

fn as_symbol(node: &EntityRef) -> Option<SymbolEndpoint<'_>> {
    match node {
        EntityRef::Symbol(path, name) => Some(SymbolEndpoint::new(path, name.as_str())),
        _ => None,
    }
}

const fn confidence(sure: EdgeConfidence) -> Confidence {
    match sure {
        EdgeConfidence::Exact => Confidence::Exact,
        EdgeConfidence::Inferred => Confidence::Inferred,
    }
}
