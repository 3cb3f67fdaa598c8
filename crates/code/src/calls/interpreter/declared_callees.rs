//! Calls of what is declared but holds a function only at run time: variables of a module, and
//! fields and properties of classes, interfaces and types.

use syntax::{Expr, SymbolKind};

use super::super::ids::{BindingId, FrameId, SymbolId};
use super::super::summary::SymbolRelation;
use super::super::value::{AbstractValue, PossibleValue};
use super::call::CallOrigin;
use super::go::RESULT_MEMBER;
use super::{CallModel, Interpreter};

impl Interpreter<'_> {
    /// Records a call of a variable of the module, whatever it holds.
    pub(super) fn record_named_callee(&mut self, callee: &Expr, frame: FrameId, site: CallOrigin) {
        if self.tables.family != CallModel::JavaScript {
            return;
        }
        match callee {
            Expr::Local(binding) => {
                let symbol = self.tables.binding(BindingId::from(*binding)).symbol;
                if let Some(symbol) = SymbolId::owner(symbol).filter(|one| self.is_variable(*one)) {
                    self.record_declared(symbol, site);
                }
            }
            Expr::Typed(inner, _) => self.record_named_callee(inner, frame, site),
            Expr::Member(object, name) => {
                for receiver in self.eval(object, frame, site.owner) {
                    self.record_called_field(&receiver, name, site);
                }
            }
            _ => {}
        }
    }

    /// Records a call of a field, a property, or a variable of a namespace. Returns whether the
    /// member is one of these.
    pub(super) fn record_called_field(
        &mut self,
        receiver: &PossibleValue,
        name: &str,
        site: CallOrigin,
    ) -> bool {
        if self.tables.family != CallModel::JavaScript {
            return false;
        }
        let class = match receiver {
            PossibleValue::Class(class) => Some(*class),
            other => self.heap.class_of(other),
        };
        let Some(class) = class else { return false };
        let members = self.member_symbols(class, name);
        let fields: Vec<SymbolId> =
            members.iter().copied().filter(|one| self.is_variable(*one)).collect();
        for field in &fields {
            self.record_declared(*field, site);
        }
        !fields.is_empty()
    }

    fn is_variable(&self, symbol: SymbolId) -> bool {
        matches!(
            self.tables.kind(symbol),
            SymbolKind::Variable | SymbolKind::Constant | SymbolKind::Field | SymbolKind::Property
        )
    }

    fn record_declared(&mut self, symbol: SymbolId, site: CallOrigin) {
        let written = CallOrigin { is_inferred: false, ..site };
        self.output.record_edge(written, SymbolRelation::Calls, symbol);
    }

    /// The result of calling a value of which only the function type is known.
    pub(super) fn call_function_type(&mut self, callee: &PossibleValue) -> AbstractValue {
        match callee {
            PossibleValue::Object(id) => self.heap.field(*id, RESULT_MEMBER).unwrap_or_default(),
            PossibleValue::Instance(class) => {
                let ty = self.tables.symbol(*class).ty.as_ref();
                let types = ty.map(|ty| self.instance_of(ty, Some(*class))).unwrap_or_default();
                let is_type = |one: &&PossibleValue| matches!(one, PossibleValue::Object(_));
                types.iter().filter(is_type).flat_map(|one| self.call_function_type(one)).collect()
            }
            _ => AbstractValue::new(),
        }
    }
}
