//! What is found while the file runs.

use syntax::SymbolOwner;

use super::super::summary::{EdgeConfidence, SymbolRelation, UnresolvedEdge};
use super::super::value::{ExportedValue, ExternalBase, ExternalRef, args_weight};
use super::Interpreter;
use super::args::ArgValue;
use super::call::CallOrigin;

impl Interpreter<'_> {
    /// Keeps an edge to a symbol of the file; the surest finding counts.
    pub(super) fn record_edge(
        &mut self,
        from: SymbolOwner,
        relation: SymbolRelation,
        to: u32,
        (sure, line): (EdgeConfidence, u32),
    ) {
        if self.is_muted {
            return;
        }
        let kept = self.edges.entry((from, relation, to)).or_insert((sure, line));
        kept.0 = kept.0.min(sure);
    }

    /// Keeps an edge to something of another file.
    pub(super) fn record_unresolved_edge(
        &mut self,
        (from, line, inferred): CallOrigin,
        relation: SymbolRelation,
        to: &ExternalRef,
        args: Vec<Vec<ExportedValue>>,
    ) {
        // A name of the language itself leads nowhere.
        let is_builtin = matches!(&to.base, ExternalBase::Global(_))
            && matches!(
                self.family,
                super::LanguageFamily::Python | super::LanguageFamily::JavaScript
            );
        if self.is_muted || is_builtin || !self.spend(1 + to.weight() + args_weight(&args)) {
            return;
        }
        let sure = if inferred { EdgeConfidence::Inferred } else { EdgeConfidence::Exact };
        let want =
            UnresolvedEdge { from: String::new(), relation, to: to.clone(), args, sure, line };
        let is_known = self.unresolved_edges.iter().rev().take(64).any(|(owner, one)| {
            *owner == from && one.to == want.to && one.relation == relation && one.args == want.args
        });
        if !is_known {
            self.unresolved_edges.push((from, want));
        }
    }

    /// Keeps a call of which only the name is known.
    pub(super) fn record_unresolved_call(&mut self, (from, line, _): CallOrigin, name: &str) {
        if !self.is_muted {
            self.unresolved_calls.entry((from, name.to_owned())).or_insert(line);
        }
    }

    /// Arguments as other files see them.
    pub(super) fn export_args(&mut self, args: &[ArgValue]) -> Vec<Vec<ExportedValue>> {
        let mut all: Vec<Vec<ExportedValue>> = Vec::new();
        for arg in args {
            all.push(if arg.spread || arg.name.is_some() {
                Vec::new()
            } else {
                self.export_values(&arg.value, 1)
            });
        }
        while all.last().is_some_and(Vec::is_empty) {
            all.pop();
        }
        all
    }
}
