//! Assignments to variables, members and elements.

use syntax::{AssignTarget, SymbolKind};

use super::super::ids::{BindingId, FrameId, Owner, SymbolId};
use super::super::value::{AbstractValue, PossibleValue};
use super::call::CallOrigin;
use super::heap::Assignment;
use super::{CallModel, Interpreter};

impl Interpreter<'_> {
    /// Assigns a value to a target.
    pub(super) fn assign(
        &mut self,
        place: &AssignTarget,
        value: AbstractValue,
        frame: FrameId,
        owner: Owner,
    ) {
        match place {
            AssignTarget::Local(binding) => {
                self.assign_variable(BindingId::from(*binding), value, frame, owner);
            }
            AssignTarget::Name(name) if self.tables.family == CallModel::Go => {
                self.heap.add_to_free_name(name, value);
            }
            AssignTarget::Name(name) => self.heap.write_free_name(name, value),
            AssignTarget::Member(object, name) => {
                let objects = self.eval(object, frame, owner);
                let assignment =
                    if objects.len() > 1 { Assignment::Possible } else { Assignment::Certain };
                for object in objects {
                    self.set_one(&object, name, value.clone(), assignment, owner);
                }
            }
            AssignTarget::Index(object, key) => {
                let objects = self.eval(object, frame, owner);
                let keys = self.eval(key, frame, owner);
                for object in objects {
                    self.set_index(&object, &keys, value.clone(), owner);
                }
            }
        }
    }

    fn assign_variable(
        &mut self,
        binding: BindingId,
        value: AbstractValue,
        frame: FrameId,
        owner: Owner,
    ) {
        let declared = self.tables.binding(binding);
        if let Some(ty) = &declared.ty
            && value.iter().any(PossibleValue::is_function)
        {
            let types = self.instance_of(ty, owner);
            self.expect_types(&value, &types, owner);
        }
        let home = self.frame_of_binding(binding, frame).unwrap_or(FrameId::MODULE);
        // In Go a variable keeps the type of its first value.
        if self.tables.family == CallModel::Go
            && self.heap.variable(home, binding).is_some_and(|value| !value.is_empty())
        {
            let functions = value.into_iter().filter(PossibleValue::is_function).collect();
            self.heap.add_to_variable(home, binding, functions);
            return;
        }
        self.heap.write_variable(home, binding, value.clone());
        if let Some(symbol) = SymbolId::owner(declared.symbol)
            && matches!(self.tables.kind(symbol), SymbolKind::Variable | SymbolKind::Constant)
        {
            self.heap.add_symbol_value(symbol, value);
        }
    }

    /// Assigns a value to a member of an object.
    pub(super) fn set(
        &mut self,
        object: &PossibleValue,
        name: &str,
        value: AbstractValue,
        owner: Owner,
    ) {
        self.set_one(object, name, value, Assignment::Certain, owner);
    }

    fn set_one(
        &mut self,
        object: &PossibleValue,
        name: &str,
        value: AbstractValue,
        assignment: Assignment,
        owner: Owner,
    ) {
        if self.call_setter(object, name, &value, owner) {
            return;
        }
        match object {
            PossibleValue::Object(id) => self.heap.write_field(*id, name, value, assignment),
            PossibleValue::Class(symbol) | PossibleValue::Function(symbol, _) => {
                self.heap.write_static_member(*symbol, name, value, assignment);
            }
            PossibleValue::Instance(class) => {
                self.heap.add_instance_member(*class, name, value);
            }
            PossibleValue::BoundMethod(bound) => {
                let inner = bound.0.clone();
                self.set_one(&inner, name, value, assignment, owner);
            }
            _ => {}
        }
    }

    fn set_index(
        &mut self,
        object: &PossibleValue,
        keys: &[PossibleValue],
        value: AbstractValue,
        owner: Owner,
    ) {
        match object {
            PossibleValue::Object(id) if self.heap.object(*id).class.is_none() => {
                self.put_at_key(*id, keys, value);
            }
            other => {
                if let [PossibleValue::Text(key)] = keys {
                    self.set(other, key.as_ref(), value, owner);
                }
            }
        }
    }

    /// Calls the setter of a property. Returns `false` if the property has none.
    fn call_setter(
        &mut self,
        object: &PossibleValue,
        name: &str,
        value: &AbstractValue,
        owner: Owner,
    ) -> bool {
        let Some(class) = self.heap.class_of(object) else { return false };
        let found = self.member_symbols(class, name);
        let setter = found.iter().copied().find(|one| self.tables.kind(*one) == SymbolKind::Setter);
        let Some(setter) = setter else { return false };
        let args = vec![super::args::ArgValue::plain(value.clone())];
        let callee = PossibleValue::Function(setter, FrameId::MODULE);
        self.call_alternative(&callee, Some(object), &args, CallOrigin::implicit(owner));
        true
    }
}
