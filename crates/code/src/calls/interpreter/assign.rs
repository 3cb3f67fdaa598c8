//! Where values go.

use syntax::{AssignTarget, SymbolKind, SymbolOwner};

use super::super::value::{AbstractValue, PossibleValue};
use super::Interpreter;
use super::call::CallOrigin;

impl Interpreter<'_> {
    /// Gives a value to a place.
    pub(super) fn assign(
        &mut self,
        place: &AssignTarget,
        value: AbstractValue,
        frame: u32,
        owner: SymbolOwner,
    ) {
        let active = self.active_blocks.clone();
        match place {
            AssignTarget::Local(binding) => {
                if let Some(ty) = &self.facts.flow.bindings[*binding as usize].ty
                    && value.iter().any(PossibleValue::is_function)
                {
                    let types = self.instance_of(ty, owner);
                    self.expect_types(&value, &types, owner);
                }
                let home = self.frame_of_binding(*binding, frame).unwrap_or(0);
                let is_go = self.family == super::LanguageFamily::Go;
                let vars = &mut self.frames[home as usize].vars;
                // A variable keeps the type of its first value.
                if is_go
                    && let Some(cell) = vars.get_mut(binding)
                    && !cell.read(&active).is_empty()
                {
                    cell.add(value.into_iter().filter(PossibleValue::is_function).collect());
                    return;
                }
                vars.entry(*binding).or_default().write(value.clone(), &active);
                if let Some(symbol) = self.facts.flow.bindings[*binding as usize].symbol {
                    self.record_symbol_value(symbol, value);
                }
            }
            AssignTarget::Name(name) if self.family == super::LanguageFamily::Go => {
                self.free_names.entry(name.clone()).or_default().add(value);
            }
            AssignTarget::Name(name) => {
                self.free_names.entry(name.clone()).or_default().write(value, &active);
            }
            AssignTarget::Member(object, name) => {
                let objects = self.eval(object, frame, owner);
                let several = objects.len() > 1;
                for object in objects {
                    self.set(&object, name, value.clone(), several, owner);
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

    fn record_symbol_value(&mut self, symbol: u32, value: AbstractValue) {
        if matches!(self.kind(symbol), SymbolKind::Variable | SymbolKind::Constant) {
            super::super::value::join(self.symbol_values.entry(symbol).or_default(), value);
        }
    }

    /// Gives a member of an object a value.
    pub(super) fn set(
        &mut self,
        object: &PossibleValue,
        name: &str,
        value: AbstractValue,
        is_one_of_several: bool,
        owner: SymbolOwner,
    ) {
        if self.call_setter(object, name, &value, owner) {
            return;
        }
        let mut active = self.active_blocks.clone();
        if is_one_of_several {
            active.push((u32::MAX, super::MAYBE_EXECUTED));
        }
        match object {
            PossibleValue::Object(id) => {
                let fields = &mut self.objects[*id as usize].fields;
                fields.entry(name.to_owned()).or_default().write(value, &active);
            }
            PossibleValue::Class(symbol) | PossibleValue::Function(symbol, _) => {
                let statics = self.static_members.entry(*symbol).or_default();
                statics.entry(name.to_owned()).or_default().write(value, &active);
            }
            PossibleValue::Instance(class) => {
                let fields = self.instance_members.entry(*class).or_default();
                fields.entry(name.to_owned()).or_default().add(value);
            }
            PossibleValue::BoundMethod(bound) => {
                let inner = bound.0.clone();
                self.set(&inner, name, value, is_one_of_several, owner);
            }
            _ => {}
        }
    }

    fn set_index(
        &mut self,
        object: &PossibleValue,
        keys: &[PossibleValue],
        value: AbstractValue,
        owner: SymbolOwner,
    ) {
        match object {
            PossibleValue::Object(id) if self.objects[*id as usize].class.is_none() => {
                self.put_at_key(*id, keys, value);
            }
            other => {
                if let [PossibleValue::Text(key)] = keys {
                    self.set(other, key.as_ref(), value, false, owner);
                }
            }
        }
    }

    /// A property that has code of its own runs it.
    fn call_setter(
        &mut self,
        object: &PossibleValue,
        name: &str,
        value: &AbstractValue,
        owner: SymbolOwner,
    ) -> bool {
        let class = match object {
            PossibleValue::Object(id) => self.objects[*id as usize].class,
            PossibleValue::Instance(class) => Some(*class),
            _ => None,
        };
        let Some(class) = class else { return false };
        let found = self.member_symbols(class, name);
        let setter = found.into_iter().find(|one| self.kind(*one) == SymbolKind::Setter);
        let Some(setter) = setter else { return false };
        let args = vec![super::args::ArgValue::plain(value.clone())];
        let callee = PossibleValue::Function(setter, 0);
        self.call_atom(&callee, Some(object), &args, CallOrigin::implicit(owner));
        true
    }
}
