//! Contextual typing: the parameters of a callback, of a returned function and of a function that
//! is assigned to an annotated variable get the types that their context declares.
//!
//! A function type is modelled as an object whose members `(0)`, `(1)`, … are the types of its
//! parameters. A callable symbol has members `(1,0)`, …: the first parameter of the callback that
//! is its second parameter.

use syntax::{BindingKind, TypeRef};

use super::super::ids::{FrameId, Owner, SymbolId};
use super::super::value::{AbstractValue, PossibleValue, join};
use super::args::ArgValue;
use super::file_tables::FunctionParam;
use super::go::RESULT_MEMBER;
use super::{CallModel, Interpreter, ObjectKind};

/// Parameters of a callback that are looked at.
pub(super) const MAX_CALLBACK_PARAMS: u32 = 4;

/// The name of the member that stands for a parameter of a function type.
pub(super) fn param_member_name(at: u32) -> String {
    format!("({at})")
}

impl Interpreter<'_> {
    /// A value of a function type.
    pub(super) fn function_type(
        &mut self,
        params: &[TypeRef],
        result: &TypeRef,
        owner: Owner,
    ) -> AbstractValue {
        let mut known = Vec::new();
        for (at, ty) in (0..MAX_CALLBACK_PARAMS).zip(params) {
            let value = self.instance_of(ty, owner);
            if !value.is_empty() {
                known.push((at, value));
            }
        }
        let result = self.instance_of(result, owner);
        if known.is_empty() && result.is_empty() {
            return Vec::new();
        }
        let made = PossibleValue::Object(self.alloc_kind(ObjectKind::Plain));
        for (at, value) in known {
            self.set(&made, &param_member_name(at), value, owner);
        }
        if !result.is_empty() {
            self.set(&made, RESULT_MEMBER, result, owner);
        }
        vec![made]
    }

    /// The function types among the parameters of a callable symbol, by the position of the
    /// parameter.
    pub(super) fn callback_params(&mut self, symbol: SymbolId) -> Vec<(u32, AbstractValue)> {
        if self.tables.family != CallModel::JavaScript {
            return Vec::new();
        }
        let mut types: Vec<(u32, &TypeRef)> = Vec::new();
        for FunctionParam { param, .. } in self.tables.params(symbol) {
            types.extend(param.ty.as_ref().map(|ty| (param.position, ty)));
        }
        // A callable interface has one function type for each of its signatures.
        let own = self.tables.symbol(symbol);
        if own.kind.is_type() {
            let one = own.ty.as_ref();
            let all = match one {
                Some(TypeRef::Union(all)) => all.as_slice(),
                one => one.map(std::slice::from_ref).unwrap_or_default(),
            };
            for ty in all {
                if let TypeRef::Function(params, _) = ty {
                    types.extend((0..MAX_CALLBACK_PARAMS).zip(params));
                }
            }
        }
        let mut found: Vec<(u32, AbstractValue)> = Vec::new();
        for (at, ty) in types {
            let mut value = self.instance_of(ty, Some(symbol));
            // Whether a type of another file is a function type is decided when that file is
            // linked.
            value.retain(|alternative| {
                matches!(alternative, PossibleValue::External(_))
                    || self.heap.is_function_type(alternative)
            });
            match found.iter_mut().find(|(place, _)| *place == at) {
                Some((_, known)) => join(known, value),
                None if value.is_empty() => {}
                None => found.push((at, value)),
            }
        }
        found
    }

    /// Records what the parameters of functions in annotated constants are expected to be.
    pub(super) fn expect_annotated(&mut self) {
        for binding in &self.tables.facts.flow.bindings {
            let (BindingKind::Symbol(symbol), Some(ty)) = (binding.kind, &binding.ty) else {
                continue;
            };
            let symbol = SymbolId::from(symbol);
            if self.tables.kind(symbol).is_callable() {
                let owner = SymbolId::owner(binding.owner);
                let types = self.instance_of(ty, owner);
                let function = PossibleValue::Function(symbol, FrameId::MODULE);
                self.expect_types(&[function], &types, owner);
            }
        }
    }

    /// Records what the parameters of callbacks among the arguments of a call are expected to be.
    pub(super) fn expect_args(&mut self, callee: &PossibleValue, args: &[ArgValue], owner: Owner) {
        if self.tables.family != CallModel::JavaScript {
            return;
        }
        for (at, arg) in (0..MAX_CALLBACK_PARAMS).zip(args) {
            if arg.spread || !arg.value.iter().any(PossibleValue::is_function) {
                continue;
            }
            let types: AbstractValue = match callee {
                PossibleValue::Function(symbol, _) | PossibleValue::Instance(symbol) => {
                    let all = self.callback_params(*symbol).into_iter();
                    all.filter(|(place, _)| *place == at).flat_map(|(_, value)| value).collect()
                }
                PossibleValue::BoundMethod(bound) => {
                    let inner = bound.0.clone();
                    self.expect_args(&inner, args, owner);
                    return;
                }
                PossibleValue::Object(_) if self.heap.is_function_type(callee) => {
                    self.get(callee, &param_member_name(at), owner)
                }
                PossibleValue::External(_) => {
                    for param in self.tables.untyped_params(&arg.value) {
                        let member = format!("({at},{})", param.position);
                        let value = self.get(callee, &member, owner);
                        self.summaries.expect(param, value);
                    }
                    continue;
                }
                _ => continue,
            };
            self.expect_types(&arg.value, &types, owner);
        }
    }

    /// Records that functions are expected to be of some function types.
    pub(super) fn expect_types(
        &mut self,
        functions: &[PossibleValue],
        types: &[PossibleValue],
        owner: Owner,
    ) {
        if types.is_empty() {
            return;
        }
        for param in self.tables.untyped_params(functions) {
            let value = self.get_all(types, &param_member_name(param.position), owner);
            self.summaries.expect(param, value);
        }
    }
}
