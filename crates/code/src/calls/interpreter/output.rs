//! What the interpreter has found: edges inside the file, edges that lead to other files, and calls
//! of which only the name is known.

use std::collections::{BTreeMap, BTreeSet};

use super::super::ids::{Owner, SymbolId};
use super::super::summary::{EdgeConfidence, LocalEdge, SymbolRelation, UnresolvedEdge};
use super::super::value::{ExportedValue, ExternalRef};
use super::call::CallOrigin;

/// How many of the latest unresolved edges a new one is compared with before it is recorded. A loop
/// or a second run of a function repeats what was recorded shortly before.
const DUPLICATE_WINDOW: usize = 64;

/// Edges and unresolved calls that were recorded so far.
#[derive(Debug, Default)]
pub(super) struct Output {
    edges: BTreeMap<EdgeKey, EdgeEvidence>,
    unresolved_edges: Vec<(Owner, UnresolvedEdge)>,
    /// The first line of each call, by caller and called name
    unresolved_calls: BTreeMap<(Owner, String), u32>,
    /// Whether nothing is recorded, because the running function was already run with real
    /// arguments and only its summary is still missing
    pub is_muted: bool,
}

/// What tells two edges inside a file apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct EdgeKey {
    from: Owner,
    relation: SymbolRelation,
    to: SymbolId,
}

/// How an edge was found.
#[derive(Debug, Clone, Copy)]
struct EdgeEvidence {
    confidence: EdgeConfidence,
    line: u32,
}

/// The recorded edges and calls in the form that a summary stores: symbols are named by their path.
pub(super) struct RecordedCalls {
    pub edges: Vec<LocalEdge>,
    pub unresolved_edges: Vec<UnresolvedEdge>,
    /// Caller, called name and line
    pub unresolved_calls: Vec<(String, String, u32)>,
}

impl Output {
    /// Records an edge to a symbol of the file. An edge that was recorded before keeps its line and
    /// the higher of both confidences.
    pub(super) fn record_edge(
        &mut self,
        origin: CallOrigin,
        relation: SymbolRelation,
        to: SymbolId,
    ) {
        if self.is_muted {
            return;
        }
        let confidence = origin.confidence();
        let key = EdgeKey { from: origin.owner, relation, to };
        let new = EdgeEvidence { confidence, line: origin.line };
        let known = self.edges.entry(key).or_insert(new);
        known.confidence = known.confidence.min(confidence);
    }

    /// Records an edge to a symbol of another file, unless the same edge was recorded just before.
    pub(super) fn record_unresolved_edge(
        &mut self,
        origin: CallOrigin,
        relation: SymbolRelation,
        to: &ExternalRef,
        args: Vec<Vec<ExportedValue>>,
    ) {
        if self.is_muted {
            return;
        }
        let mut latest = self.unresolved_edges.iter().rev().take(DUPLICATE_WINDOW);
        let is_known = latest.any(|(owner, edge)| {
            *owner == origin.owner
                && edge.to == *to
                && edge.relation == relation
                && edge.args == args
        });
        if !is_known {
            let edge = UnresolvedEdge {
                from: String::new(),
                relation,
                to: to.clone(),
                args,
                sure: origin.confidence(),
                line: origin.line,
            };
            self.unresolved_edges.push((origin.owner, edge));
        }
    }

    /// Records a call of which only the name is known.
    pub(super) fn record_unresolved_call(&mut self, origin: CallOrigin, name: &str) {
        if !self.is_muted {
            let key = (origin.owner, name.to_owned());
            self.unresolved_calls.entry(key).or_insert(origin.line);
        }
    }

    /// Takes out all that was recorded. `path` gives the path of a symbol. A symbol that is called
    /// is also mentioned, so mentions of called symbols are left out.
    pub(super) fn into_recorded(self, path: impl Fn(Owner) -> String) -> RecordedCalls {
        let is_call = |key: &&EdgeKey| key.relation == SymbolRelation::Calls;
        let called: BTreeSet<(Owner, SymbolId)> =
            self.edges.keys().filter(is_call).map(|key| (key.from, key.to)).collect();
        let is_kept = |key: &EdgeKey| {
            key.relation != SymbolRelation::Uses || !called.contains(&(key.from, key.to))
        };
        let edge = |(key, evidence): (EdgeKey, EdgeEvidence)| LocalEdge {
            from: path(key.from),
            relation: key.relation,
            to: path(Some(key.to)),
            sure: evidence.confidence,
            line: evidence.line,
        };
        let edges = self.edges.into_iter().filter(|(key, _)| is_kept(key)).map(edge).collect();
        let with_path =
            |(from, edge): (Owner, UnresolvedEdge)| UnresolvedEdge { from: path(from), ..edge };
        let calls = self.unresolved_calls.into_iter();
        RecordedCalls {
            edges,
            unresolved_edges: self.unresolved_edges.into_iter().map(with_path).collect(),
            unresolved_calls: calls.map(|((from, name), line)| (path(from), name, line)).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edges(output: Output) -> Vec<String> {
        let path = |symbol: Owner| symbol.map_or_else(String::new, |id| format!("s{}", id.index()));
        let line = |edge: LocalEdge| {
            let (relation, confidence) = (edge.relation.name(), edge.sure);
            format!("{} {relation} {} {confidence:?} {}", edge.from, edge.to, edge.line)
        };
        output.into_recorded(path).edges.into_iter().map(line).collect()
    }

    #[test]
    fn an_edge_keeps_its_first_line_and_its_highest_confidence() {
        let mut output = Output::default();
        output.record_edge(
            CallOrigin::written(None, 3).inferred(),
            SymbolRelation::Calls,
            SymbolId::at(7),
        );
        output.record_edge(CallOrigin::written(None, 5), SymbolRelation::Calls, SymbolId::at(7));
        assert_eq!(edges(output), [" calls s7 Exact 3"]);
    }

    #[test]
    fn a_called_symbol_is_not_listed_as_mentioned() {
        let mut output = Output::default();
        output.record_edge(
            CallOrigin::written(Some(SymbolId::at(1)), 3),
            SymbolRelation::Uses,
            SymbolId::at(7),
        );
        output.record_edge(
            CallOrigin::written(Some(SymbolId::at(1)), 3),
            SymbolRelation::Calls,
            SymbolId::at(7),
        );
        output.record_edge(
            CallOrigin::written(Some(SymbolId::at(1)), 4),
            SymbolRelation::Uses,
            SymbolId::at(8),
        );
        assert_eq!(edges(output), ["s1 calls s7 Exact 3", "s1 uses s8 Exact 4"]);
    }

    #[test]
    fn nothing_is_recorded_while_muted() {
        let mut output = Output { is_muted: true, ..Output::default() };
        output.record_edge(CallOrigin::written(None, 3), SymbolRelation::Calls, SymbolId::at(7));
        output.record_unresolved_call(CallOrigin::written(None, 3), "f");
        let recorded = output.into_recorded(|_| String::new());
        assert!(recorded.edges.is_empty() && recorded.unresolved_calls.is_empty());
    }
}
