//! Records relations other than calls: inheritance, overriding, mentions, dependency injection.

use syntax::framework_relations::{EXTRACTORS, FrameworkRelationTarget};
use syntax::{Expr, Heritage, HeritageKind, NameUse, SymbolKind};

use super::super::ids::{BindingId, FrameId, SymbolId};
use super::super::summary::SymbolRelation;
use super::super::value::{ExternalBase, ExternalRef, ExternalStep, PossibleValue};
use super::Interpreter;
use super::call::CallOrigin;

impl Interpreter<'_> {
    /// Records relations other than calls: heritage, mentions, and what framework extractors find.
    pub(super) fn record_relations(&mut self) {
        self.heap.replace_blocks(Vec::new());
        for step in &self.tables.facts.heritage {
            self.record_heritage(step);
        }
        for one in &self.tables.facts.flow.uses {
            self.record_mention(one);
        }
        for used in &self.tables.facts.schema_uses {
            let from = CallOrigin::written(SymbolId::owner(used.owner), used.line);
            let from = if used.is_own_language { from } else { from.inferred() };
            let base = ExternalBase::Schema(used.key.clone());
            let to = ExternalRef { base, ops: Vec::new() };
            self.output.record_unresolved_edge(from, SymbolRelation::Uses, &to, Vec::new());
        }
        for extractor in EXTRACTORS {
            for found in extractor.extract(self.tables.facts) {
                let source = SymbolId::owner(found.source);
                let value = match &found.target {
                    FrameworkRelationTarget::Type(ty) => self.type_class(ty, source),
                    FrameworkRelationTarget::Value(value) => {
                        self.eval(value, FrameId::MODULE, source)
                    }
                };
                let relation = if found.kind == "injects" {
                    SymbolRelation::Injects
                } else {
                    SymbolRelation::Provides
                };
                let origin = CallOrigin::written(source, found.line);
                self.record_edges(origin, relation, &value);
            }
        }
    }

    fn record_heritage(&mut self, step: &Heritage) {
        let relation = match step.kind {
            HeritageKind::Implements => SymbolRelation::Implements,
            HeritageKind::Extends | HeritageKind::Mixin => SymbolRelation::Extends,
        };
        let class = SymbolId::from(step.symbol);
        let around = self.tables.parent(class);
        let mut value = self.type_class(&step.target, around);
        if value.is_empty() {
            value = self.eval(&step.value, FrameId::MODULE, around);
        }
        let from = self.tables.self_type(class).unwrap_or(class);
        self.record_edges(CallOrigin::written(Some(from), step.line), relation, &value);
        // A method that overrides another one is related to it too.
        for (name, symbols) in self.tables.members(class) {
            for &symbol in symbols {
                let kind = self.tables.kind(symbol);
                if !kind.is_callable() || kind == SymbolKind::Constructor {
                    continue;
                }
                let line = self.tables.symbol(symbol).line;
                for base in &value {
                    match base {
                        PossibleValue::Class(class) => {
                            for &target in self.member_symbols(*class, name) {
                                if target != symbol && self.tables.kind(target).is_callable() {
                                    let origin = CallOrigin::written(Some(symbol), line);
                                    self.output.record_edge(origin, relation, target);
                                }
                            }
                        }
                        PossibleValue::External(term) => {
                            if let Some(to) = term.then(ExternalStep::Get(name.to_owned())) {
                                self.record_unresolved_edge(
                                    CallOrigin::written(Some(symbol), line),
                                    relation,
                                    &to,
                                    Vec::new(),
                                );
                            }
                        }
                        _ => {}
                    }
                }
            }
        }
    }

    fn record_edges(
        &mut self,
        from: CallOrigin,
        relation: SymbolRelation,
        value: &[PossibleValue],
    ) {
        for alternative in value {
            match alternative {
                PossibleValue::Class(symbol) | PossibleValue::Function(symbol, _)
                    if Some(*symbol) != from.owner =>
                {
                    self.output.record_edge(from, relation, *symbol);
                }
                PossibleValue::External(term) => {
                    self.record_unresolved_edge(from, relation, term, Vec::new());
                }
                _ => {}
            }
        }
    }

    /// Records that a name is mentioned, whether or not it is called.
    fn record_mention(&mut self, used: &NameUse) {
        let owner = SymbolId::owner(used.owner);
        let from = CallOrigin::written(owner, used.line);
        let symbol = match &used.target {
            Expr::Local(binding) => {
                SymbolId::owner(self.tables.binding(BindingId::from(*binding)).symbol)
            }
            Expr::Name(name) => self.tables.declared_symbol(name, owner),
            Expr::Path(parts) if parts.len() == 1 => self.tables.declared_symbol(&parts[0], owner),
            _ => None,
        };
        if let Some(symbol) = symbol {
            if owner != Some(symbol) {
                self.output.record_edge(from, SymbolRelation::Uses, symbol);
            }
            return;
        }
        match &used.target {
            Expr::Path(parts) if parts.len() > 1 => self.record_path_mention(parts, from),
            target => {
                let value = self.eval(target, FrameId::MODULE, owner);
                self.record_edges(from, SymbolRelation::Uses, &value);
            }
        }
    }

    /// Records every type on a path as mentioned: `Kind::A` mentions `Kind` and its variant `A`.
    fn record_path_mention(&mut self, parts: &[String], from: CallOrigin) {
        let value = self.resolve_path(&parts[..parts.len() - 1], from.owner);
        let mut last = None;
        for alternative in &value {
            if let PossibleValue::Class(class) = alternative {
                let found = self.tables.members_named(*class, &parts[parts.len() - 1]);
                last = found.first().copied().or(last);
            }
        }
        // The inner parts of a path are types or modules, even if a function has the same name.
        let through = |alternative: &PossibleValue| match alternative {
            PossibleValue::External(term) => term.then(ExternalStep::Inst).map(PossibleValue::from),
            PossibleValue::Function(..) => None,
            other => Some(other.clone()),
        };
        let through: Vec<PossibleValue> = value.iter().filter_map(through).collect();
        self.record_edges(from, SymbolRelation::Uses, &through);
        if let Some(symbol) = last {
            self.output.record_edge(from, SymbolRelation::Uses, symbol);
        } else {
            let value = self.resolve_path(parts, from.owner);
            self.record_edges(from, SymbolRelation::Uses, &value);
        }
    }
}
