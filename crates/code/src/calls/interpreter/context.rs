//! What is expected of a function where it is written: the parameters of a callback, of a result
//! and of what a variable holds are what the type beside it says.
//!
//! A function type is an object whose members `(0)`, `(1)`, … are what it is called with. What
//! can be called has members `(1,0)`, … for what its second parameter, a function, is called with.

use syntax::{BindingKind, SymbolOwner, TypeRef};

use super::super::value::{AbstractValue, PossibleValue, join};
use super::args::ArgValue;
use super::{HeapObject, Interpreter, LanguageFamily};

/// Parameters beyond these are not looked at.
const MAX_CALLBACK_PARAMS: u32 = 4;

/// The member of a function type that is one of its parameters.
pub(super) fn param_member_name(at: u32) -> String {
    format!("({at})")
}

impl Interpreter<'_> {
    /// A value of a function type.
    pub(super) fn function_type(
        &mut self,
        params: &[TypeRef],
        owner: SymbolOwner,
    ) -> AbstractValue {
        let mut known = Vec::new();
        for (at, ty) in (0..MAX_CALLBACK_PARAMS).zip(params) {
            let value = self.instance_of(ty, owner);
            if !value.is_empty() {
                known.push((at, value));
            }
        }
        if known.is_empty() {
            return Vec::new();
        }
        let made = self.alloc_object(HeapObject::default());
        for (at, value) in known {
            self.set(&made, &param_member_name(at), value, false, owner);
        }
        vec![made]
    }

    /// The function types among the parameters of what can be called, by their place.
    pub(super) fn callback_params(&mut self, symbol: u32) -> Vec<(u32, AbstractValue)> {
        if self.family != LanguageFamily::JavaScript {
            return Vec::new();
        }
        let facts = self.facts;
        let mut types: Vec<(u32, &TypeRef)> = Vec::new();
        for (at, _) in self.params.get(&symbol).cloned().unwrap_or_default() {
            let param = &facts.flow.params[at as usize];
            types.extend(param.ty.as_ref().map(|ty| (param.position, ty)));
        }
        // An interface that can be called says so for each of its signatures.
        let own = &facts.symbols[symbol as usize];
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
            // What a type of another file is, that file knows.
            value.retain(|atom| {
                matches!(atom, PossibleValue::External(_)) || self.is_function_type(atom)
            });
            match found.iter_mut().find(|(place, _)| *place == at) {
                Some((_, known)) => join(known, value),
                None if value.is_empty() => {}
                None => found.push((at, value)),
            }
        }
        found
    }

    fn is_function_type(&self, atom: &PossibleValue) -> bool {
        let PossibleValue::Object(id) = atom else { return false };
        self.objects[*id as usize].fields.keys().any(|name| name.starts_with('('))
    }

    /// Notes what constants that hold a function are expected to be.
    pub(super) fn expect_annotated(&mut self) {
        let facts = self.facts;
        for binding in &facts.flow.bindings {
            if let (BindingKind::Symbol(symbol), Some(ty)) = (binding.kind, &binding.ty)
                && self.kind(symbol).is_callable()
            {
                let types = self.instance_of(ty, binding.owner);
                self.expect_types(&[PossibleValue::Function(symbol, 0)], &types, binding.owner);
            }
        }
    }

    /// Notes what callbacks that are handed to something are called with.
    pub(super) fn expect_args(
        &mut self,
        callee: &PossibleValue,
        args: &[ArgValue],
        owner: SymbolOwner,
    ) {
        if self.family != LanguageFamily::JavaScript {
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
                PossibleValue::External(_) => {
                    for (function, place) in self.untyped_params(&arg.value) {
                        let value = self.get(callee, &format!("({at},{place})"), owner);
                        join(self.expected_params.entry((function, place)).or_default(), value);
                    }
                    continue;
                }
                _ => continue,
            };
            self.expect_types(&arg.value, &types, owner);
        }
    }

    /// Notes that functions are expected to be of some types.
    pub(super) fn expect_types(
        &mut self,
        functions: &[PossibleValue],
        types: &[PossibleValue],
        owner: SymbolOwner,
    ) {
        if types.is_empty() {
            return;
        }
        for (function, place) in self.untyped_params(functions) {
            let value = self.get_all(types, &param_member_name(place), owner);
            join(self.expected_params.entry((function, place)).or_default(), value);
        }
    }

    /// The parameters of functions that nobody wrote a type beside.
    fn untyped_params(&self, functions: &[PossibleValue]) -> Vec<(u32, u32)> {
        let mut open = Vec::new();
        for atom in functions {
            let PossibleValue::Function(function, _) = atom else { continue };
            for (at, _) in self.params.get(function).into_iter().flatten() {
                let param = &self.facts.flow.params[*at as usize];
                if param.ty.is_none() && param.position < MAX_CALLBACK_PARAMS {
                    open.push((*function, param.position));
                }
            }
        }
        open
    }
}
