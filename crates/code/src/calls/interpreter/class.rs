//! Classes: members, parents, what an instance has.

use std::rc::Rc;

use syntax::{Expr, HeritageKind, SymbolFlags, SymbolKind, SymbolOwner};

use super::super::value::{
    AbstractValue, ExternalBase, ExternalRef, ExternalStep, MAX_ALTERNATIVES, PossibleValue, join,
};
use super::budget::MAX_INHERITANCE_DEPTH;
use super::call::CallOrigin;
use super::{HeapObject, Interpreter, LanguageFamily, ObjectKind};

/// More than so many ancestors are not looked at.
const MAX_ANCESTORS: usize = 200;

impl Interpreter<'_> {
    /// The class whose body a symbol that is no function stands in.
    pub(super) fn enclosing_class_body(&self, owner: u32) -> Option<u32> {
        let mut at = Some(owner);
        while let Some(symbol) = at {
            let kind = self.kind(symbol);
            if kind.is_callable() {
                return None;
            }
            if kind.is_type() {
                return self.self_type(symbol);
            }
            at = self.facts.symbols[symbol as usize].parent;
        }
        None
    }

    /// The class that a symbol belongs to, however deep inside its methods.
    pub(super) fn enclosing_class(&self, owner: u32) -> Option<u32> {
        let mut at = Some(owner);
        while let Some(symbol) = at {
            if self.kind(symbol).is_type() {
                return self.self_type(symbol);
            }
            at = self.facts.symbols[symbol as usize].parent;
        }
        None
    }

    /// What stands for the receiver of a method when it runs for its summary.
    pub(super) fn summary_receiver(&mut self, function: u32) -> AbstractValue {
        let Some(parent) = self.facts.symbols[function as usize].parent else { return Vec::new() };
        match self.kind(parent) {
            kind if kind.is_type() => {
                let is_class = self.is_class_method(function);
                match self.self_type(parent) {
                    Some(class) if is_class => vec![PossibleValue::Class(class)],
                    Some(class) => vec![PossibleValue::Instance(class)],
                    None => self.external_impl_receiver(parent),
                }
            }
            _ => Vec::new(),
        }
    }

    /// An `impl` of a type of another file.
    fn external_impl_receiver(&mut self, parent: u32) -> AbstractValue {
        let ty = self.facts.symbols[parent as usize].ty.clone();
        ty.map(|ty| self.instance_of(&ty, Some(parent))).unwrap_or_default()
    }

    fn is_class_method(&self, function: u32) -> bool {
        let symbol = &self.facts.symbols[function as usize];
        match self.family {
            LanguageFamily::Python => symbol.decorators.iter().any(|one| one.name == "classmethod"),
            _ => symbol.flags.contains(SymbolFlags::STATIC),
        }
    }

    /// The symbols of a class with a name, its own or inherited; those of the nearest.
    pub(super) fn member_symbols(&mut self, class: u32, name: &str) -> Vec<u32> {
        for one in self.lineage(class).iter() {
            if let PossibleValue::Class(class) = one
                && let Some(found) = self.members.get(class).and_then(|all| all.get(name))
            {
                return found.clone();
            }
        }
        Vec::new()
    }

    /// A class and all it inherits from, nearest first (C3 where it applies).
    pub(super) fn lineage(&mut self, class: u32) -> Rc<[PossibleValue]> {
        if let Some(known) = self.lineages.get(&class) {
            return Rc::clone(known);
        }
        self.linearise(class, &mut vec![]);
        let known = self.lineages.get(&class).cloned();
        known.unwrap_or_else(|| [PossibleValue::Class(class)].into())
    }

    /// The lineage of a class that those below it are already part of. Each is made once: families
    /// in which many share a parent would double with each generation.
    fn linearise(&mut self, class: u32, seen: &mut Vec<u32>) -> Vec<PossibleValue> {
        if let Some(known) = self.lineages.get(&class) {
            return known.to_vec();
        }
        if seen.contains(&class) || seen.len() > MAX_INHERITANCE_DEPTH || !self.budget.spend(1) {
            return Vec::new();
        }
        seen.push(class);
        let parents = self.parents_of(class);
        let mut lists: Vec<Vec<PossibleValue>> = Vec::new();
        for parent in &parents {
            lists.push(match parent {
                PossibleValue::Class(parent) => self.linearise(*parent, seen),
                other => vec![other.clone()],
            });
        }
        lists.push(parents);
        seen.pop();
        let mut all = vec![PossibleValue::Class(class)];
        all.append(&mut merge(lists));
        all.truncate(MAX_ANCESTORS);
        self.budget.spend(all.len());
        self.lineages.insert(class, all.as_slice().into());
        all
    }

    /// What a class inherits from directly, in order.
    pub(super) fn parents_of(&mut self, class: u32) -> AbstractValue {
        if let Some(parents) = self.parent_classes.get(&class) {
            return parents.clone();
        }
        self.parent_classes.insert(class, Vec::new());
        let facts = self.facts;
        let mut parents = Vec::new();
        for step in self.heritage.get(&class).cloned().unwrap_or_default() {
            let step = &facts.heritage[step as usize];
            let around = facts.symbols[class as usize].parent;
            let frame = self.frames.len() - 1;
            let mut value = match &step.value {
                Expr::Unknown => Vec::new(),
                value => {
                    let home = around.and_then(|around| self.enclosing_functions[around as usize]);
                    let near = self.frames.iter().rposition(|one| one.function == home);
                    self.eval(value, super::to_index(near.unwrap_or(frame)), around)
                }
            };
            if value.is_empty() {
                value = self.type_class(&step.target, around);
            }
            if step.kind == HeritageKind::Mixin {
                value.truncate(1);
            }
            value.retain(|atom| {
                matches!(
                    atom,
                    PossibleValue::Class(_)
                        | PossibleValue::External(_)
                        | PossibleValue::Function(..)
                )
            });
            join(
                &mut parents,
                value.into_iter().filter(|atom| *atom != PossibleValue::Class(class)),
            );
        }
        self.parent_classes.insert(class, parents.clone());
        parents
    }

    /// A member of some values.
    pub(super) fn get_all(
        &mut self,
        objects: &[PossibleValue],
        name: &str,
        owner: SymbolOwner,
    ) -> AbstractValue {
        let mut all = Vec::new();
        for object in objects {
            let found = self.get(object, name, owner);
            join(&mut all, found);
        }
        all
    }

    /// A member of a value.
    pub(super) fn get(
        &mut self,
        object: &PossibleValue,
        name: &str,
        owner: SymbolOwner,
    ) -> AbstractValue {
        self.limit_lookup(|machine| machine.lookup_member(object, name, owner))
    }

    fn lookup_member(
        &mut self,
        object: &PossibleValue,
        name: &str,
        owner: SymbolOwner,
    ) -> AbstractValue {
        match object {
            PossibleValue::Object(id) => self.object_member(*id, name, owner),
            PossibleValue::Class(class) => self.class_member(*class, name),
            PossibleValue::Instance(class) => self.instance_member(*class, object, name, owner),
            PossibleValue::Function(function, _) => self.function_member(*function, name),
            PossibleValue::BoundMethod(bound) => {
                let inner = bound.0.clone();
                self.get(&inner, name, owner)
            }
            PossibleValue::Super(class, this) => {
                let (class, this) = (*class, Rc::clone(this));
                self.parent_member(class, &this, name)
            }
            PossibleValue::External(term) => {
                self.external_step(term, ExternalStep::Get(name.to_owned())).into_iter().collect()
            }
            _ => Vec::new(),
        }
    }

    /// A value of another file after one more step.
    pub(super) fn external_step(
        &self,
        term: &ExternalRef,
        op: ExternalStep,
    ) -> Option<PossibleValue> {
        let next = match self.family {
            LanguageFamily::Go => term.then_declared(op),
            _ => term.then(op),
        };
        next.map(|next| PossibleValue::External(Rc::new(next)))
    }

    fn object_member(&mut self, id: u32, name: &str, owner: SymbolOwner) -> AbstractValue {
        let object = &self.objects[id as usize];
        let is_dict = object.kind == ObjectKind::Dict && self.family == LanguageFamily::Python;
        if let Some(cell) = object.fields.get(name).filter(|_| !is_dict) {
            let held = cell.read(&self.active_blocks);
            return held
                .into_iter()
                .map(|atom| bind_receiver(atom, &PossibleValue::Object(id)))
                .collect();
        }
        if let Some(proto) = object.proto {
            let found = self.object_member(proto, name, owner);
            let unbound = found.into_iter().map(|atom| match atom {
                PossibleValue::BoundMethod(inner) => inner.0.clone(),
                other => other,
            });
            return unbound.map(|atom| bind_receiver(atom, &PossibleValue::Object(id))).collect();
        }
        match object.class {
            Some(class) => self.instance_member(class, &PossibleValue::Object(id), name, owner),
            None => Vec::new(),
        }
    }

    fn instance_member(
        &mut self,
        class: u32,
        object: &PossibleValue,
        name: &str,
        owner: SymbolOwner,
    ) -> AbstractValue {
        if self.family == LanguageFamily::Go {
            return self.member_of_type(class, object, name, owner);
        }
        let mut elsewhere = Vec::new();
        for one in self.lineage(class).iter() {
            let found = match one.clone() {
                PossibleValue::Class(class) => self.own_instance_member(class, object, name, owner),
                PossibleValue::Function(function, _) => {
                    let proto = self.prototype(function);
                    self.object_member(proto, name, owner)
                }
                PossibleValue::External(term) => {
                    let inst = term
                        .then(ExternalStep::Inst)
                        .and_then(|it| it.then(ExternalStep::Get(name.into())));
                    join(&mut elsewhere, inst.map(|next| PossibleValue::External(Rc::new(next))));
                    continue;
                }
                _ => Vec::new(),
            };
            if !found.is_empty() {
                // Only their own files can tell whether earlier parents have it.
                return if elsewhere.is_empty() { found } else { elsewhere };
            }
        }
        join(&mut elsewhere, self.external_impl_member(class, name));
        elsewhere
    }

    /// A member that an `impl` in another file may give to a type of this one.
    fn external_impl_member(&self, class: u32, name: &str) -> Option<PossibleValue> {
        let symbol = &self.facts.symbols[class as usize];
        if self.family != LanguageFamily::Rust || !self.kind(class).is_type() {
            return None;
        }
        let base = ExternalBase::Scope(self.module_path(symbol.parent), vec![symbol.name.clone()]);
        let own = ExternalRef { base, ops: Vec::new() };
        let member =
            own.then(ExternalStep::Inst).and_then(|it| it.then(ExternalStep::Get(name.to_owned())));
        member.map(|member| PossibleValue::External(Rc::new(member)))
    }

    pub(super) fn own_instance_member(
        &mut self,
        class: u32,
        object: &PossibleValue,
        name: &str,
        owner: SymbolOwner,
    ) -> AbstractValue {
        let fields = self.instance_members.get(&class).and_then(|fields| fields.get(name));
        let held = fields.map(|cell| cell.read(&self.active_blocks)).unwrap_or_default();
        if self.family != LanguageFamily::Go && held.iter().any(PossibleValue::is_known) {
            return held;
        }
        let statics = self.static_members.get(&class).and_then(|all| all.get(name));
        if let Some(cell) = statics {
            let held = cell.read(&self.active_blocks);
            if !held.is_empty() {
                return self.bind_members(held, object, owner);
            }
        }
        let symbols = self.members.get(&class).and_then(|all| all.get(name)).cloned();
        let mut found = held;
        for symbol in self.prefer_implementations(&symbols.unwrap_or_default()) {
            let value = self.symbol_value(symbol, 0);
            let value = self.bind_members(value, object, owner);
            join(&mut found, value);
        }
        found
    }

    /// Of several declarations of a name, those that have a body.
    pub(super) fn prefer_implementations(&self, symbols: &[u32]) -> Vec<u32> {
        let getters = symbols.iter().filter(|one| self.kind(**one) != SymbolKind::Setter);
        let getters: Vec<u32> = getters.copied().collect();
        // In Rust a field and a method may have one name.
        let is_field =
            |one: u32| self.family == LanguageFamily::Rust && !self.kind(one).is_callable();
        let with_body: Vec<u32> = getters
            .iter()
            .copied()
            .filter(|one| self.facts.symbols[*one as usize].body.is_some() || is_field(*one))
            .collect();
        let mut among = if with_body.is_empty() { getters } else { with_body };
        match self.family {
            // The last definition of a name is the one that holds; overloads stay apart.
            LanguageFamily::Python | LanguageFamily::JavaScript => {
                among.last().copied().into_iter().collect()
            }
            _ => {
                among.truncate(MAX_ALTERNATIVES);
                among
            }
        }
    }

    /// Members as an instance sees them: with their receiver, properties run.
    fn bind_members(
        &mut self,
        members: AbstractValue,
        object: &PossibleValue,
        owner: SymbolOwner,
    ) -> AbstractValue {
        let mut all = Vec::new();
        for member in members {
            let value = match &member {
                PossibleValue::Function(function, _)
                    if self.kind(*function) == SymbolKind::Getter =>
                {
                    self.call_atom(&member, Some(object), &[], CallOrigin::implicit(owner))
                }
                PossibleValue::Function(function, _) => {
                    let receiver = self.method_receiver(*function, object);
                    vec![receiver.map_or_else(
                        || member.clone(),
                        |this| bind_receiver(member.clone(), &this),
                    )]
                }
                _ => vec![member],
            };
            join(&mut all, value);
        }
        all
    }

    /// What a method gets as its receiver.
    fn method_receiver(&self, function: u32, object: &PossibleValue) -> Option<PossibleValue> {
        let decorators = &self.facts.symbols[function as usize].decorators;
        let is = |name: &str| decorators.iter().any(|one| one.name == name);
        if self.family == LanguageFamily::Python && is("staticmethod") {
            return None;
        }
        if self.family == LanguageFamily::Python && is("classmethod") {
            return match object {
                PossibleValue::Object(id) => {
                    self.objects[*id as usize].class.map(PossibleValue::Class)
                }
                PossibleValue::Instance(class) => Some(PossibleValue::Class(*class)),
                other => Some(other.clone()),
            };
        }
        Some(object.clone())
    }

    fn class_member(&mut self, class: u32, name: &str) -> AbstractValue {
        if name == "prototype" && self.family == LanguageFamily::JavaScript {
            return vec![PossibleValue::Instance(class)];
        }
        let mut elsewhere = Vec::new();
        for one in self.lineage(class).iter() {
            let found = match one.clone() {
                PossibleValue::Class(one) => self.own_class_member(one, class, name),
                PossibleValue::External(term) => {
                    let next = term.then(ExternalStep::Get(name.to_owned()));
                    join(&mut elsewhere, next.map(|next| PossibleValue::External(Rc::new(next))));
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

    fn own_class_member(&mut self, class: u32, asked: u32, name: &str) -> AbstractValue {
        let statics = self.static_members.get(&class).and_then(|all| all.get(name));
        let held = statics.map(|cell| cell.read(&self.active_blocks)).unwrap_or_default();
        let held = if held.is_empty() {
            let symbols = self.members.get(&class).and_then(|all| all.get(name)).cloned();
            let best = self.prefer_implementations(&symbols.unwrap_or_default());
            best.into_iter().flat_map(|symbol| self.symbol_value(symbol, 0)).collect()
        } else {
            held
        };
        let with_class = |atom: PossibleValue| match &atom {
            PossibleValue::Function(function, _) if self.is_class_method(*function) => {
                bind_receiver(atom, &PossibleValue::Class(asked))
            }
            _ => atom,
        };
        held.into_iter().map(with_class).collect()
    }

    fn function_member(&mut self, function: u32, name: &str) -> AbstractValue {
        if name == "prototype" {
            return vec![PossibleValue::Object(self.prototype(function))];
        }
        let statics = self.static_members.get(&function).and_then(|all| all.get(name));
        statics.map(|cell| cell.read(&self.active_blocks)).unwrap_or_default()
    }

    /// What instances of a function share.
    pub(super) fn prototype(&mut self, function: u32) -> u32 {
        if let Some(found) = self.prototypes.get(&function) {
            return *found;
        }
        self.objects.push(HeapObject::default());
        let id = super::to_index(self.objects.len() - 1);
        self.prototypes.insert(function, id);
        id
    }

    /// A member that the parents of a class have, for a receiver that may be of a subclass.
    fn parent_member(&mut self, class: u32, this: &PossibleValue, name: &str) -> AbstractValue {
        let of = match this {
            PossibleValue::Object(id) => self.objects[*id as usize].class,
            PossibleValue::Instance(of) | PossibleValue::Class(of) => Some(*of),
            _ => None,
        };
        let lineage = self.lineage(of.unwrap_or(class));
        let own = lineage.iter().position(|one| *one == PossibleValue::Class(class));
        let rest = match own {
            Some(at) => lineage[at + 1..].to_vec(),
            None => self.lineage(class)[1..].to_vec(),
        };
        for one in rest {
            let found = match one {
                PossibleValue::Class(parent) => {
                    let held = self.own_class_member(parent, parent, name);
                    let bind = |atom: PossibleValue| match atom {
                        PossibleValue::BoundMethod(inner) => bind_receiver(inner.0.clone(), this),
                        other => bind_receiver(other, this),
                    };
                    held.into_iter().map(bind).collect()
                }
                PossibleValue::External(term) => {
                    let next = term
                        .then(ExternalStep::Inst)
                        .and_then(|it| it.then(ExternalStep::Get(name.into())));
                    next.map(|next| PossibleValue::External(Rc::new(next))).into_iter().collect()
                }
                _ => AbstractValue::new(),
            };
            if !found.is_empty() {
                return found;
            }
        }
        Vec::new()
    }

    /// What runs when an instance is made.
    pub(super) fn constructor(&mut self, class: u32) -> AbstractValue {
        for one in self.lineage(class).iter() {
            let found = match one.clone() {
                PossibleValue::Class(one) => self.own_constructor(one),
                PossibleValue::Function(..) | PossibleValue::External(_) => vec![one.clone()],
                _ => Vec::new(),
            };
            if !found.is_empty() {
                return found;
            }
        }
        Vec::new()
    }

    fn own_constructor(&mut self, class: u32) -> AbstractValue {
        let statics = self.static_members.get(&class).and_then(|all| all.get("__init__"));
        if let Some(cell) = statics {
            let held = cell.read(&self.active_blocks);
            if !held.is_empty() {
                return held;
            }
        }
        let members = self.members.get(&class);
        let found = members.into_iter().flat_map(|all| all.values().flatten());
        let found = found.copied().filter(|one| self.kind(*one) == SymbolKind::Constructor);
        let found: Vec<u32> = found.collect();
        self.prefer_implementations(&found)
            .into_iter()
            .map(|one| PossibleValue::Function(one, 0))
            .collect()
    }
}

/// A function with its receiver; anything else as it is.
pub(super) fn bind_receiver(member: PossibleValue, this: &PossibleValue) -> PossibleValue {
    match member {
        PossibleValue::Function(..) => PossibleValue::BoundMethod(Rc::new((member, this.clone()))),
        other => other,
    }
}

/// The merge of C3: the first head that is in no tail; where there is none, the first.
fn merge(mut lists: Vec<Vec<PossibleValue>>) -> Vec<PossibleValue> {
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
