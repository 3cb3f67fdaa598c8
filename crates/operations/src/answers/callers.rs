//! Who uses a symbol directly, most useful first: production code before tests, near before far,
//! central before marginal. A module that only imports the symbol's file does not count.

use std::collections::BTreeMap;

use base::entity::own_name;
use base::{EntityRef, RepoPath, Result};
use code::{CallEdgeRow, EdgeConfidence, SymbolEndpoint, SymbolRelation, SymbolRow};

use super::role::FileRole;
use super::source::SourceText;
use super::test_finder::count_word;
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
            let has_line = row.line > 0;
            (row.relation as usize, row.sure != EdgeConfidence::Exact, !has_line, row.line)
        };
        let known = best.get(&row.from);
        if known.is_none_or(|known| rank(&row) < rank(known)) {
            best.insert(row.from.clone(), row);
        }
    }
    let mut callers = Vec::new();
    for ((path, name), row) in best {
        let symbol = code::symbol(conn, &path, &name)?;
        let line = match row.line {
            0 => implicit_use_line(view, &path, symbol.as_ref(), own_name(&row.to.1)),
            line => line,
        };
        let is_test = super::role::is_test_file(&path) || symbol.is_some_and(|row| row.is_test);
        callers.push(SymbolCaller {
            node: named_node(&row.from.0, &row.from.1),
            used_by: code::count_edges_to(conn, SymbolEndpoint::new(&path, &name))?,
            confidence: confidence(row.sure),
            relation: row.relation,
            line,
            is_test,
            path,
            name,
        });
    }
    callers.sort_by_cached_key(|caller| rank(caller, own));
    Ok(callers)
}

/// The line of a use that is not written as a call, such as the reading of a property: the first in
/// the caller that reads a member of that name, otherwise the first with the name, otherwise the
/// caller's own.
fn implicit_use_line(view: &View, path: &RepoPath, caller: Option<&SymbolRow>, used: &str) -> u32 {
    let (declared, last) = caller.map_or((1, u32::MAX), |row| (row.line, row.end_line));
    let Ok(text) = SourceText::read(view, path) else { return declared };
    // A body begins below the caller's own name, which may be the same word.
    let first = if declared < last && caller.is_some() { declared + 1 } else { declared };
    let body = text.lines(first, last.min(text.line_count()));
    let numbered = (first..).zip(body.lines());
    let named: Vec<(u32, &str)> = numbered.filter(|(_, line)| count_word(line, used) > 0).collect();
    let member = format!(".{used}");
    let read = named.iter().find(|(_, line)| line.contains(&member));
    read.or(named.first()).map_or(declared, |(line, _)| *line)
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
