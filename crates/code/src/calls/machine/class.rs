//! Classes: members, parents, what an instance has.

use std::rc::Rc;

use syntax::{Expr, Flags, HeritageKind, Owner, SymbolKind};

use super::super::value::{Atom, Base, MOST_ATOMS, Op, Term, Value, join};
use super::{Family, Kind, Machine, Object};

/// Deeper families of classes are not followed.
const MOST_PARENTS: usize = 40;

/// More than so many ancestors are not looked at.
const LONGEST_LINEAGE: usize = 200;

/// How far members and types may lead to one another.
const FARTHEST: u32 = 40;

impl Machine<'_> {
    /// The class whose body a symbol that is no function stands in.
    pub(super) fn class_around(&self, owner: u32) -> Option<u32> {
        let mut at = Some(owner);
        while let Some(symbol) = at {
            let kind = self.kind(symbol);
            if kind.is_callable() {
                return None;
            }
            if kind.is_type() {
                return self.home(symbol);
            }
            at = self.facts.symbols[symbol as usize].parent;
        }
        None
    }

    /// The class that a symbol belongs to, however deep inside its methods.
    pub(super) fn class_of_method(&self, owner: u32) -> Option<u32> {
        let mut at = Some(owner);
        while let Some(symbol) = at {
            if self.kind(symbol).is_type() {
                return self.home(symbol);
            }
            at = self.facts.symbols[symbol as usize].parent;
        }
        None
    }

    /// What stands for the receiver of a method when it runs for its summary.
    pub(super) fn receiver_of(&mut self, function: u32) -> Value {
        let Some(parent) = self.facts.symbols[function as usize].parent else { return Vec::new() };
        match self.kind(parent) {
            kind if kind.is_type() => {
                let is_class = self.is_class_method(function);
                match self.home(parent) {
                    Some(class) if is_class => vec![Atom::Class(class)],
                    Some(class) => vec![Atom::Inst(class)],
                    None => self.foreign_receiver(parent),
                }
            }
            _ => Vec::new(),
        }
    }

    /// An `impl` of a type of another file.
    fn foreign_receiver(&mut self, parent: u32) -> Value {
        let ty = self.facts.symbols[parent as usize].ty.clone();
        ty.map(|ty| self.instance_of(&ty, Some(parent))).unwrap_or_default()
    }

    fn is_class_method(&self, function: u32) -> bool {
        let symbol = &self.facts.symbols[function as usize];
        match self.family {
            Family::Python => symbol.decorators.iter().any(|one| one.name == "classmethod"),
            _ => symbol.flags.has(Flags::STATIC),
        }
    }

    /// The symbols of a class with a name, its own or inherited; those of the nearest.
    pub(super) fn member_symbols(&mut self, class: u32, name: &str) -> Vec<u32> {
        for one in self.lineage(class).iter() {
            if let Atom::Class(class) = one
                && let Some(found) = self.members.get(class).and_then(|all| all.get(name))
            {
                return found.clone();
            }
        }
        Vec::new()
    }

    /// A class and all it inherits from, nearest first (C3 where it applies).
    pub(super) fn lineage(&mut self, class: u32) -> Rc<[Atom]> {
        if let Some(known) = self.lineages.get(&class) {
            return Rc::clone(known);
        }
        self.linear(class, &mut vec![]);
        let known = self.lineages.get(&class).cloned();
        known.unwrap_or_else(|| [Atom::Class(class)].into())
    }

    /// The lineage of a class that those below it are already part of. Each is made once: families
    /// in which many share a parent would double with each generation.
    fn linear(&mut self, class: u32, seen: &mut Vec<u32>) -> Vec<Atom> {
        if let Some(known) = self.lineages.get(&class) {
            return known.to_vec();
        }
        if seen.contains(&class) || seen.len() > MOST_PARENTS || !self.spend(1) {
            return Vec::new();
        }
        seen.push(class);
        let parents = self.parents_of(class);
        let mut lists: Vec<Vec<Atom>> = Vec::new();
        for parent in &parents {
            lists.push(match parent {
                Atom::Class(parent) => self.linear(*parent, seen),
                other => vec![other.clone()],
            });
        }
        lists.push(parents);
        seen.pop();
        let mut all = vec![Atom::Class(class)];
        all.append(&mut merge(lists));
        all.truncate(LONGEST_LINEAGE);
        self.spend(all.len());
        self.lineages.insert(class, all.as_slice().into());
        all
    }

    /// What a class inherits from directly, in order.
    pub(super) fn parents_of(&mut self, class: u32) -> Value {
        if let Some(parents) = self.parents.get(&class) {
            return parents.clone();
        }
        self.parents.insert(class, Vec::new());
        let facts = self.facts;
        let mut parents = Vec::new();
        for step in self.heritage.get(&class).cloned().unwrap_or_default() {
            let step = &facts.heritage[step as usize];
            let around = facts.symbols[class as usize].parent;
            let frame = self.frames.len() - 1;
            let mut value = match &step.value {
                Expr::Unknown => Vec::new(),
                value => {
                    let home = around.and_then(|around| self.runs_in[around as usize]);
                    let near = self.frames.iter().rposition(|one| one.function == home);
                    self.eval(value, super::number(near.unwrap_or(frame)), around)
                }
            };
            if value.is_empty() {
                value = self.class_of(&step.target, around);
            }
            if step.kind == HeritageKind::Mixin {
                value.truncate(1);
            }
            value.retain(|atom| matches!(atom, Atom::Class(_) | Atom::Ext(_) | Atom::Fun(..)));
            join(&mut parents, value.into_iter().filter(|atom| *atom != Atom::Class(class)));
        }
        self.parents.insert(class, parents.clone());
        parents
    }

    /// A member of some values.
    pub(super) fn get_all(&mut self, objects: &[Atom], name: &str, owner: Owner) -> Value {
        let mut all = Vec::new();
        for object in objects {
            let found = self.get(object, name, owner);
            join(&mut all, found);
        }
        all
    }

    /// A member of a value.
    pub(super) fn get(&mut self, object: &Atom, name: &str, owner: Owner) -> Value {
        self.within_reach(|machine| machine.member_of(object, name, owner))
    }

    /// Does something that may lead to itself, as often as it makes sense.
    pub(super) fn within_reach(&mut self, step: impl FnOnce(&mut Self) -> Value) -> Value {
        if self.depth >= FARTHEST {
            return Vec::new();
        }
        self.depth += 1;
        let value = self.deeper(step);
        self.depth -= 1;
        value
    }

    fn member_of(&mut self, object: &Atom, name: &str, owner: Owner) -> Value {
        match object {
            Atom::Obj(id) => self.get_of_object(*id, name, owner),
            Atom::Class(class) => self.get_of_class(*class, name),
            Atom::Inst(class) => self.get_of_instance(*class, object, name, owner),
            Atom::Fun(function, _) => self.get_of_function(*function, name),
            Atom::Bound(bound) => {
                let inner = bound.0.clone();
                self.get(&inner, name, owner)
            }
            Atom::Super(class, this) => {
                let (class, this) = (*class, Rc::clone(this));
                self.get_of_parent(class, &this, name)
            }
            Atom::Ext(term) => self.after(term, Op::Get(name.to_owned())).into_iter().collect(),
            _ => Vec::new(),
        }
    }

    /// A value of another file after one more step.
    pub(super) fn after(&self, term: &Term, op: Op) -> Option<Atom> {
        let next = match self.family {
            Family::Go => term.then_declared(op),
            _ => term.then(op),
        };
        next.map(|next| Atom::Ext(Rc::new(next)))
    }

    fn get_of_object(&mut self, id: u32, name: &str, owner: Owner) -> Value {
        let object = &self.objects[id as usize];
        let is_dict = object.kind == Kind::Dict && self.family == Family::Python;
        if let Some(cell) = object.fields.get(name).filter(|_| !is_dict) {
            let held = cell.read(&self.active);
            return held.into_iter().map(|atom| bound(atom, &Atom::Obj(id))).collect();
        }
        if let Some(proto) = object.proto {
            let found = self.get_of_object(proto, name, owner);
            let unbound = found.into_iter().map(|atom| match atom {
                Atom::Bound(inner) => inner.0.clone(),
                other => other,
            });
            return unbound.map(|atom| bound(atom, &Atom::Obj(id))).collect();
        }
        match object.class {
            Some(class) => self.get_of_instance(class, &Atom::Obj(id), name, owner),
            None => Vec::new(),
        }
    }

    fn get_of_instance(&mut self, class: u32, object: &Atom, name: &str, owner: Owner) -> Value {
        if self.family == Family::Go {
            return self.member_of_type(class, object, name, owner);
        }
        let mut elsewhere = Vec::new();
        for one in self.lineage(class).iter() {
            let found = match one.clone() {
                Atom::Class(class) => self.own_of_instance(class, object, name, owner),
                Atom::Fun(function, _) => {
                    let proto = self.prototype(function);
                    self.get_of_object(proto, name, owner)
                }
                Atom::Ext(term) => {
                    let inst = term.then(Op::Inst).and_then(|it| it.then(Op::Get(name.into())));
                    join(&mut elsewhere, inst.map(|next| Atom::Ext(Rc::new(next))));
                    continue;
                }
                _ => Vec::new(),
            };
            if !found.is_empty() {
                // Only their own files can tell whether earlier parents have it.
                return if elsewhere.is_empty() { found } else { elsewhere };
            }
        }
        join(&mut elsewhere, self.added_elsewhere(class, name));
        elsewhere
    }

    /// A member that an `impl` in another file may give to a type of this one.
    fn added_elsewhere(&self, class: u32, name: &str) -> Option<Atom> {
        let symbol = &self.facts.symbols[class as usize];
        if self.family != Family::Rust || !self.kind(class).is_type() {
            return None;
        }
        let base = Base::Scope(self.module_path(symbol.parent), vec![symbol.name.clone()]);
        let own = Term { base, ops: Vec::new() };
        let member = own.then(Op::Inst).and_then(|it| it.then(Op::Get(name.to_owned())));
        member.map(|member| Atom::Ext(Rc::new(member)))
    }

    pub(super) fn own_of_instance(
        &mut self,
        class: u32,
        object: &Atom,
        name: &str,
        owner: Owner,
    ) -> Value {
        let fields = self.instance.get(&class).and_then(|fields| fields.get(name));
        let held = fields.map(|cell| cell.read(&self.active)).unwrap_or_default();
        if self.family != Family::Go && held.iter().any(Atom::is_known) {
            return held;
        }
        let statics = self.statics.get(&class).and_then(|all| all.get(name));
        if let Some(cell) = statics {
            let held = cell.read(&self.active);
            if !held.is_empty() {
                return self.bind_members(held, object, owner);
            }
        }
        let symbols = self.members.get(&class).and_then(|all| all.get(name)).cloned();
        let mut found = held;
        for symbol in self.best(&symbols.unwrap_or_default()) {
            let value = self.symbol(symbol, 0);
            let value = self.bind_members(value, object, owner);
            join(&mut found, value);
        }
        found
    }

    /// Of several declarations of a name, those that have a body.
    pub(super) fn best(&self, symbols: &[u32]) -> Vec<u32> {
        let getters = symbols.iter().filter(|one| self.kind(**one) != SymbolKind::Setter);
        let getters: Vec<u32> = getters.copied().collect();
        // In Rust a field and a method may have one name.
        let is_field = |one: u32| self.family == Family::Rust && !self.kind(one).is_callable();
        let with_body: Vec<u32> = getters
            .iter()
            .copied()
            .filter(|one| self.facts.symbols[*one as usize].body.is_some() || is_field(*one))
            .collect();
        let mut among = if with_body.is_empty() { getters } else { with_body };
        match self.family {
            // The last definition of a name is the one that holds; overloads stay apart.
            Family::Python | Family::JavaScript => among.last().copied().into_iter().collect(),
            _ => {
                among.truncate(MOST_ATOMS);
                among
            }
        }
    }

    /// Members as an instance sees them: with their receiver, properties run.
    fn bind_members(&mut self, members: Value, object: &Atom, owner: Owner) -> Value {
        let mut all = Vec::new();
        for member in members {
            let value = match &member {
                Atom::Fun(function, _) if self.kind(*function) == SymbolKind::Getter => {
                    self.call_atom(&member, Some(object), &[], (owner, 0, true))
                }
                Atom::Fun(function, _) => {
                    let receiver = self.receiver(*function, object);
                    vec![
                        receiver
                            .map_or_else(|| member.clone(), |this| bound(member.clone(), &this)),
                    ]
                }
                _ => vec![member],
            };
            join(&mut all, value);
        }
        all
    }

    /// What a method gets as its receiver.
    fn receiver(&self, function: u32, object: &Atom) -> Option<Atom> {
        let decorators = &self.facts.symbols[function as usize].decorators;
        let is = |name: &str| decorators.iter().any(|one| one.name == name);
        if self.family == Family::Python && is("staticmethod") {
            return None;
        }
        if self.family == Family::Python && is("classmethod") {
            return match object {
                Atom::Obj(id) => self.objects[*id as usize].class.map(Atom::Class),
                Atom::Inst(class) => Some(Atom::Class(*class)),
                other => Some(other.clone()),
            };
        }
        Some(object.clone())
    }

    fn get_of_class(&mut self, class: u32, name: &str) -> Value {
        if name == "prototype" && self.family == Family::JavaScript {
            return vec![Atom::Inst(class)];
        }
        let mut elsewhere = Vec::new();
        for one in self.lineage(class).iter() {
            let found = match one.clone() {
                Atom::Class(one) => self.own_of_class(one, class, name),
                Atom::Ext(term) => {
                    let next = term.then(Op::Get(name.to_owned()));
                    join(&mut elsewhere, next.map(|next| Atom::Ext(Rc::new(next))));
                    continue;
                }
                _ => Vec::new(),
            };
            if !found.is_empty() {
                return if elsewhere.is_empty() { found } else { elsewhere };
            }
        }
        elsewhere
    }

    fn own_of_class(&mut self, class: u32, asked: u32, name: &str) -> Value {
        let statics = self.statics.get(&class).and_then(|all| all.get(name));
        let held = statics.map(|cell| cell.read(&self.active)).unwrap_or_default();
        let held = if held.is_empty() {
            let symbols = self.members.get(&class).and_then(|all| all.get(name)).cloned();
            let best = self.best(&symbols.unwrap_or_default());
            best.into_iter().flat_map(|symbol| self.symbol(symbol, 0)).collect()
        } else {
            held
        };
        let with_class = |atom: Atom| match &atom {
            Atom::Fun(function, _) if self.is_class_method(*function) => {
                bound(atom, &Atom::Class(asked))
            }
            _ => atom,
        };
        held.into_iter().map(with_class).collect()
    }

    fn get_of_function(&mut self, function: u32, name: &str) -> Value {
        if name == "prototype" {
            return vec![Atom::Obj(self.prototype(function))];
        }
        let statics = self.statics.get(&function).and_then(|all| all.get(name));
        statics.map(|cell| cell.read(&self.active)).unwrap_or_default()
    }

    /// What instances of a function share.
    pub(super) fn prototype(&mut self, function: u32) -> u32 {
        if let Some(found) = self.prototypes.get(&function) {
            return *found;
        }
        self.objects.push(Object::default());
        let id = super::number(self.objects.len() - 1);
        self.prototypes.insert(function, id);
        id
    }

    /// A member that the parents of a class have, for a receiver that may be of a subclass.
    fn get_of_parent(&mut self, class: u32, this: &Atom, name: &str) -> Value {
        let of = match this {
            Atom::Obj(id) => self.objects[*id as usize].class,
            Atom::Inst(of) | Atom::Class(of) => Some(*of),
            _ => None,
        };
        let lineage = self.lineage(of.unwrap_or(class));
        let own = lineage.iter().position(|one| *one == Atom::Class(class));
        let rest = match own {
            Some(at) => lineage[at + 1..].to_vec(),
            None => self.lineage(class)[1..].to_vec(),
        };
        for one in rest {
            let found = match one {
                Atom::Class(parent) => {
                    let held = self.own_of_class(parent, parent, name);
                    let bind = |atom: Atom| match atom {
                        Atom::Bound(inner) => bound(inner.0.clone(), this),
                        other => bound(other, this),
                    };
                    held.into_iter().map(bind).collect()
                }
                Atom::Ext(term) => {
                    let next = term.then(Op::Inst).and_then(|it| it.then(Op::Get(name.into())));
                    next.map(|next| Atom::Ext(Rc::new(next))).into_iter().collect()
                }
                _ => Value::new(),
            };
            if !found.is_empty() {
                return found;
            }
        }
        Vec::new()
    }

    /// What runs when an instance is made.
    pub(super) fn constructor(&mut self, class: u32) -> Value {
        for one in self.lineage(class).iter() {
            let found = match one.clone() {
                Atom::Class(one) => self.own_constructor(one),
                Atom::Fun(..) | Atom::Ext(_) => vec![one.clone()],
                _ => Vec::new(),
            };
            if !found.is_empty() {
                return found;
            }
        }
        Vec::new()
    }

    fn own_constructor(&mut self, class: u32) -> Value {
        let statics = self.statics.get(&class).and_then(|all| all.get("__init__"));
        if let Some(cell) = statics {
            let held = cell.read(&self.active);
            if !held.is_empty() {
                return held;
            }
        }
        let members = self.members.get(&class);
        let found = members.into_iter().flat_map(|all| all.values().flatten());
        let found = found.copied().filter(|one| self.kind(*one) == SymbolKind::Constructor);
        let found: Vec<u32> = found.collect();
        self.best(&found).into_iter().map(|one| Atom::Fun(one, 0)).collect()
    }
}

/// A function with its receiver; anything else as it is.
pub(super) fn bound(member: Atom, this: &Atom) -> Atom {
    match member {
        Atom::Fun(..) => Atom::Bound(Rc::new((member, this.clone()))),
        other => other,
    }
}

/// The merge of C3: the first head that is in no tail; where there is none, the first.
fn merge(mut lists: Vec<Vec<Atom>>) -> Vec<Atom> {
    let mut all = Vec::new();
    loop {
        lists.retain(|list| !list.is_empty());
        let Some(first) = lists.first() else { return all };
        let free = lists
            .iter()
            .map(|list| &list[0])
            .find(|head| !lists.iter().any(|list| list[1..].contains(head)));
        let next = free.unwrap_or(&first[0]).clone();
        for list in &mut lists {
            list.retain(|one| *one != next);
        }
        all.push(next);
    }
}
