//! Where values go.

use syntax::{Owner, Place, SymbolKind};

use super::super::value::{Atom, Value};
use super::Machine;

impl Machine<'_> {
    /// Gives a value to a place.
    pub(super) fn assign(&mut self, place: &Place, value: Value, frame: u32, owner: Owner) {
        let active = self.active.clone();
        match place {
            Place::Local(binding) => {
                if let Some(ty) = &self.facts.flow.bindings[*binding as usize].ty
                    && value.iter().any(Atom::is_method)
                {
                    let types = self.instance_of(ty, owner);
                    self.expect(&value, &types, owner);
                }
                let home = self.home_frame(*binding, frame).unwrap_or(0);
                let is_go = self.family == super::Family::Go;
                let vars = &mut self.frames[home as usize].vars;
                // A variable keeps the type of its first value.
                if is_go
                    && let Some(cell) = vars.get_mut(binding)
                    && !cell.read(&active).is_empty()
                {
                    cell.add(value.into_iter().filter(Atom::is_method).collect());
                    return;
                }
                vars.entry(*binding).or_default().write(value.clone(), &active);
                if let Some(symbol) = self.facts.flow.bindings[*binding as usize].symbol {
                    self.note_worth(symbol, value);
                }
            }
            Place::Name(name) if self.family == super::Family::Go => {
                self.named.entry(name.clone()).or_default().add(value);
            }
            Place::Name(name) => {
                self.named.entry(name.clone()).or_default().write(value, &active);
            }
            Place::Member(object, name) => {
                let objects = self.eval(object, frame, owner);
                let several = objects.len() > 1;
                for object in objects {
                    self.set(&object, name, value.clone(), several, owner);
                }
            }
            Place::Index(object, key) => {
                let objects = self.eval(object, frame, owner);
                let keys = self.eval(key, frame, owner);
                for object in objects {
                    self.set_at(&object, &keys, value.clone(), owner);
                }
            }
        }
    }

    fn note_worth(&mut self, symbol: u32, value: Value) {
        if matches!(self.kind(symbol), SymbolKind::Variable | SymbolKind::Constant) {
            super::super::value::join(self.worth.entry(symbol).or_default(), value);
        }
    }

    /// Gives a member of an object a value.
    pub(super) fn set(
        &mut self,
        object: &Atom,
        name: &str,
        value: Value,
        is_one_of_several: bool,
        owner: Owner,
    ) {
        if self.call_setter(object, name, &value, owner) {
            return;
        }
        let mut active = self.active.clone();
        if is_one_of_several {
            active.push((u32::MAX, super::PERHAPS));
        }
        match object {
            Atom::Obj(id) => {
                let fields = &mut self.objects[*id as usize].fields;
                fields.entry(name.to_owned()).or_default().write(value, &active);
            }
            Atom::Class(symbol) | Atom::Fun(symbol, _) => {
                let statics = self.statics.entry(*symbol).or_default();
                statics.entry(name.to_owned()).or_default().write(value, &active);
            }
            Atom::Inst(class) => {
                let fields = self.instance.entry(*class).or_default();
                fields.entry(name.to_owned()).or_default().add(value);
            }
            Atom::Bound(bound) => {
                let inner = bound.0.clone();
                self.set(&inner, name, value, is_one_of_several, owner);
            }
            _ => {}
        }
    }

    fn set_at(&mut self, object: &Atom, keys: &[Atom], value: Value, owner: Owner) {
        match object {
            Atom::Obj(id) if self.objects[*id as usize].class.is_none() => {
                self.put(*id, keys, value);
            }
            other => {
                if let [Atom::Text(key)] = keys {
                    self.set(other, key.as_ref(), value, false, owner);
                }
            }
        }
    }

    /// A property that has code of its own runs it.
    fn call_setter(&mut self, object: &Atom, name: &str, value: &Value, owner: Owner) -> bool {
        let class = match object {
            Atom::Obj(id) => self.objects[*id as usize].class,
            Atom::Inst(class) => Some(*class),
            _ => None,
        };
        let Some(class) = class else { return false };
        let found = self.member_symbols(class, name);
        let setter = found.into_iter().find(|one| self.kind(*one) == SymbolKind::Setter);
        let Some(setter) = setter else { return false };
        let args = vec![super::args::Given::plain(value.clone())];
        let callee = Atom::Fun(setter, 0);
        self.call_atom(&callee, Some(object), &args, (owner, 0, true));
        true
    }
}
