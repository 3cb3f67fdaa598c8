//! Classes: members, inheritance and constructors.

use std::rc::Rc;

use syntax::{Expr, HeritageKind, SymbolFlags, SymbolKind};

use super::super::ids::{FrameId, ObjectId, Owner, SymbolId};
use super::super::value::{
    AbstractValue, ExternalBase, ExternalRef, ExternalStep, PossibleValue, join,
};
use super::budget::MAX_INHERITANCE_DEPTH;
use super::call::CallOrigin;
use super::{CallModel, Interpreter, ObjectKind};

/// Ancestors of one class that are looked at.
const MAX_ANCESTORS: usize = 200;

impl<'a> Interpreter<'a> {
    /// The receiver of a method that runs for its summary.
    pub(super) fn summary_receiver(&mut self, function: SymbolId) -> AbstractValue {
        if let Some(prototype) = self.heap.known_prototype(function) {
            return vec![PossibleValue::Object(prototype)];
        }
        let Some(parent) = self.tables.parent(function) else { return Vec::new() };
        match self.tables.kind(parent) {
            kind if kind.is_type() => {
                let is_class = self.tables.is_class_method(function);
                match self.tables.self_type(parent) {
                    Some(class) if is_class => vec![PossibleValue::Class(class)],
                    Some(class) => vec![PossibleValue::Instance(class)],
                    None => self.external_impl_receiver(parent),
                }
            }
            kind if self.tables.family == CallModel::JavaScript => {
                self.object_receiver(function, parent, kind)
            }
            _ => Vec::new(),
        }
    }

    /// The receiver of a function that is a member of an object or of a prototype.
    fn object_receiver(
        &mut self,
        function: SymbolId,
        parent: SymbolId,
        kind: SymbolKind,
    ) -> AbstractValue {
        let is_method = self.tables.kind(function) == SymbolKind::Method
            && !self.tables.has_flag(function, SymbolFlags::ARROW);
        match kind {
            SymbolKind::Constant | SymbolKind::Variable if is_method => {
                self.symbol_value(parent, FrameId::MODULE)
            }
            SymbolKind::Function if is_method => {
                vec![PossibleValue::Object(self.heap.prototype(&mut self.budget, parent))]
            }
            _ => Vec::new(),
        }
    }

    /// The receiver of a method in an `impl` of a type of another file.
    fn external_impl_receiver(&mut self, parent: SymbolId) -> AbstractValue {
        let ty = self.tables.symbol(parent).ty.as_ref();
        ty.map(|ty| self.instance_of(ty, Some(parent))).unwrap_or_default()
    }

    /// The members of a class with a name: its own, else those of the nearest ancestor that has
    /// any.
    pub(super) fn member_symbols(&mut self, class: SymbolId, name: &str) -> &'a [SymbolId] {
        let tables = self.tables;
        let lineage = self.lineage(class);
        let found = lineage.iter().map(|one| match one {
            PossibleValue::Class(class) => tables.members_named(*class, name),
            _ => &[],
        });
        found.into_iter().find(|found| !found.is_empty()).unwrap_or_default()
    }

    /// A class and all its ancestors, nearest first, in C3 order where there is one.
    pub(super) fn lineage(&mut self, class: SymbolId) -> Rc<[PossibleValue]> {
        if let Some(known) = self.summaries.lineage(class) {
            return Rc::clone(known);
        }
        self.linearise(class, &mut vec![]);
        let known = self.summaries.lineage(class).cloned();
        known.unwrap_or_else(|| [PossibleValue::Class(class)].into())
    }

    /// The lineage of a class; `seen` are its subclasses on the way here. Each lineage is computed
    /// once, because otherwise the work would double with every generation of classes that share a
    /// parent.
    fn linearise(&mut self, class: SymbolId, seen: &mut Vec<SymbolId>) -> Vec<PossibleValue> {
        if let Some(known) = self.summaries.lineage(class) {
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
        self.summaries.set_lineage(class, &all);
        all
    }

    /// What a class inherits from directly, in order.
    pub(super) fn parents_of(&mut self, class: SymbolId) -> AbstractValue {
        if let Some(parents) = self.summaries.parents(class) {
            return parents.clone();
        }
        // A class that inherits from itself has no parents while they are being looked up.
        self.summaries.set_parents(class, Vec::new());
        let around = self.tables.parent(class);
        let mut parents = Vec::new();
        for step in self.tables.heritage(class) {
            let mut value = match &step.value {
                Expr::Unknown => Vec::new(),
                value => {
                    let function = self.tables.enclosing_function(around);
                    let frame = self.heap.latest_frame(function);
                    let frame = frame.unwrap_or_else(|| self.heap.last_frame());
                    self.eval(value, frame, around)
                }
            };
            if value.is_empty() {
                value = self.type_class(&step.target, around);
            }
            if step.kind == HeritageKind::Mixin {
                value.truncate(1);
            }
            // An alias of a type stands for what its members come from.
            for alternative in &mut value {
                if let PossibleValue::Instance(class) = alternative
                    && self.tables.family == CallModel::JavaScript
                {
                    *alternative = PossibleValue::Class(*class);
                }
            }
            value.retain(|alternative| {
                matches!(
                    alternative,
                    PossibleValue::Class(_)
                        | PossibleValue::External(_)
                        | PossibleValue::Function(..)
                )
            });
            join(
                &mut parents,
                value.into_iter().filter(|alternative| *alternative != PossibleValue::Class(class)),
            );
        }
        self.summaries.set_parents(class, parents.clone());
        parents
    }

    /// A member of every possible value of an expression.
    pub(super) fn get_all(
        &mut self,
        objects: &[PossibleValue],
        name: &str,
        owner: Owner,
    ) -> AbstractValue {
        let mut all = Vec::new();
        for object in objects {
            let found = self.get(object, name, owner);
            join(&mut all, found);
        }
        all
    }

    /// A member of one possible value.
    pub(super) fn get(
        &mut self,
        object: &PossibleValue,
        name: &str,
        owner: Owner,
    ) -> AbstractValue {
        self.limit_lookup(|interpreter| interpreter.lookup_member(object, name, owner))
    }

    fn lookup_member(&mut self, object: &PossibleValue, name: &str, owner: Owner) -> AbstractValue {
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
            PossibleValue::External(term) => self
                .tables
                .external_step(term, ExternalStep::Get(name.to_owned()))
                .into_iter()
                .collect(),
            _ => Vec::new(),
        }
    }

    fn object_member(&mut self, id: ObjectId, name: &str, owner: Owner) -> AbstractValue {
        let object = self.heap.object(id);
        let is_dict = object.kind == ObjectKind::Dict && self.tables.family == CallModel::Python;
        let (proto, class) = (object.proto, object.class);
        if let Some(held) = self.heap.field(id, name).filter(|_| !is_dict) {
            return held
                .into_iter()
                .map(|alternative| bind_receiver(alternative, &PossibleValue::Object(id)))
                .collect();
        }
        if let Some(proto) = proto {
            let found = self.object_member(proto, name, owner);
            let unbound = found.into_iter().map(|alternative| match alternative {
                PossibleValue::BoundMethod(inner) => inner.0.clone(),
                other => other,
            });
            return unbound
                .map(|alternative| bind_receiver(alternative, &PossibleValue::Object(id)))
                .collect();
        }
        match class {
            Some(class) => self.instance_member(class, &PossibleValue::Object(id), name, owner),
            None => Vec::new(),
        }
    }

    fn instance_member(
        &mut self,
        class: SymbolId,
        object: &PossibleValue,
        name: &str,
        owner: Owner,
    ) -> AbstractValue {
        if self.tables.family == CallModel::Go {
            return self.member_of_type(class, object, name, owner);
        }
        let mut elsewhere = Vec::new();
        for one in self.lineage(class).iter() {
            let found = match one.clone() {
                PossibleValue::Class(class) => self.own_instance_member(class, object, name, owner),
                PossibleValue::Function(function, _) => {
                    let proto = self.heap.prototype(&mut self.budget, function);
                    self.object_member(proto, name, owner)
                }
                PossibleValue::External(term) => {
                    let inst = term
                        .then(ExternalStep::Inst)
                        .and_then(|it| it.then(ExternalStep::Get(name.into())));
                    join(&mut elsewhere, inst.map(PossibleValue::from));
                    continue;
                }
                _ => Vec::new(),
            };
            if !found.is_empty() {
                // Only the files of the earlier parents show whether these have the member.
                return if elsewhere.is_empty() { found } else { elsewhere };
            }
        }
        join(&mut elsewhere, self.external_impl_member(class, name));
        elsewhere
    }

    /// A member that an `impl` in another file may add to a type of this file.
    fn external_impl_member(&self, class: SymbolId, name: &str) -> Option<PossibleValue> {
        let symbol = self.tables.symbol(class);
        if self.tables.family != CallModel::Rust || !self.tables.kind(class).is_type() {
            return None;
        }
        let base = ExternalBase::Scope(
            self.tables.module_path(self.tables.parent(class)),
            vec![symbol.name.clone()],
        );
        let own = ExternalRef { base, ops: Vec::new() };
        let member =
            own.then(ExternalStep::Inst).and_then(|it| it.then(ExternalStep::Get(name.to_owned())));
        member.map(PossibleValue::from)
    }

    pub(super) fn own_instance_member(
        &mut self,
        class: SymbolId,
        object: &PossibleValue,
        name: &str,
        owner: Owner,
    ) -> AbstractValue {
        let held = self.heap.instance_member(class, name);
        if self.tables.family != CallModel::Go && held.iter().any(PossibleValue::is_known) {
            return held;
        }
        let assigned = self.heap.static_member(class, name);
        if !assigned.is_empty() {
            return self.bind_members(assigned, object, owner);
        }
        let symbols = self.tables.members_named(class, name);
        let mut found = held;
        for symbol in self.tables.prefer_implementations(symbols) {
            let value = self.symbol_value(symbol, FrameId::MODULE);
            let value = self.bind_members(value, object, owner);
            join(&mut found, value);
        }
        found
    }

    /// Members as read from an instance: methods are bound to it, getters are called.
    fn bind_members(
        &mut self,
        members: AbstractValue,
        object: &PossibleValue,
        owner: Owner,
    ) -> AbstractValue {
        let mut all = Vec::new();
        for member in members {
            let value = match &member {
                PossibleValue::Function(function, _)
                    if self.tables.kind(*function) == SymbolKind::Getter =>
                {
                    self.call_alternative(&member, Some(object), &[], CallOrigin::implicit(owner))
                }
                PossibleValue::Function(function, _) => {
                    let receiver = self.method_receiver(*function, object);
                    vec![receiver.map_or_else(
                        || member.clone(),
                        |this| bind_receiver(member.clone(), &this),
                    )]
                }
                _ => match self.read_descriptor(&member, owner) {
                    read if read.is_empty() => vec![member],
                    read => read,
                },
            };
            join(&mut all, value);
        }
        all
    }

    /// What a descriptor of Python gives when it is read from an instance; nothing for other
    /// values.
    fn read_descriptor(&mut self, member: &PossibleValue, owner: Owner) -> AbstractValue {
        let class = self.heap.class_of(member);
        let Some(class) = class.filter(|_| self.tables.family == CallModel::Python) else {
            return Vec::new();
        };
        if self.member_symbols(class, "__get__").is_empty() {
            return Vec::new();
        }
        let found = self.get(member, "__get__", owner);
        let known: AbstractValue = found.into_iter().filter(PossibleValue::is_known).collect();
        self.call_value(&known, &[], CallOrigin::implicit(owner))
    }

    /// The receiver of a method that is read from an object; `None` for a static method.
    fn method_receiver(&self, function: SymbolId, object: &PossibleValue) -> Option<PossibleValue> {
        let decorators = &self.tables.symbol(function).decorators;
        let is = |name: &str| decorators.iter().any(|one| one.name == name);
        if self.tables.family == CallModel::Python && is("staticmethod") {
            return None;
        }
        if self.tables.family == CallModel::Python && is("classmethod") {
            return match object {
                PossibleValue::Object(_) | PossibleValue::Instance(_) => {
                    self.heap.class_of(object).map(PossibleValue::Class)
                }
                other => Some(other.clone()),
            };
        }
        Some(object.clone())
    }

    fn class_member(&mut self, class: SymbolId, name: &str) -> AbstractValue {
        if name == "prototype" && self.tables.family == CallModel::JavaScript {
            return vec![PossibleValue::Instance(class)];
        }
        let mut elsewhere = Vec::new();
        for one in self.lineage(class).iter() {
            let found = match one.clone() {
                PossibleValue::Class(one) => self.own_class_member(one, class, name),
                PossibleValue::External(term) => {
                    let next = term.then(ExternalStep::Get(name.to_owned()));
                    join(&mut elsewhere, next.map(PossibleValue::from));
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

    fn own_class_member(&mut self, class: SymbolId, asked: SymbolId, name: &str) -> AbstractValue {
        let mut held = self.heap.static_member(class, name);
        if held.is_empty() {
            let symbols = self.tables.members_named(class, name);
            let best = self.tables.prefer_implementations(symbols);
            held = self.symbol_values(&best);
        }
        let with_class = |alternative: PossibleValue| match &alternative {
            PossibleValue::Function(function, _) if self.tables.is_class_method(*function) => {
                bind_receiver(alternative, &PossibleValue::Class(asked))
            }
            _ => alternative,
        };
        held.into_iter().map(with_class).collect()
    }

    fn function_member(&mut self, function: SymbolId, name: &str) -> AbstractValue {
        if name == "prototype" {
            return vec![PossibleValue::Object(self.heap.prototype(&mut self.budget, function))];
        }
        let held = self.heap.static_member(function, name);
        match self.tables.merged_namespace(function) {
            Some(namespace) if held.is_empty() => self.class_member(namespace, name),
            _ => held,
        }
    }

    /// A member read through `super` in a class. The receiver may be an instance of a subclass,
    /// whose lineage then decides.
    fn parent_member(
        &mut self,
        class: SymbolId,
        this: &PossibleValue,
        name: &str,
    ) -> AbstractValue {
        let of = match this {
            PossibleValue::Class(of) => Some(*of),
            other => self.heap.class_of(other),
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
                    let bind = |alternative: PossibleValue| match alternative {
                        PossibleValue::BoundMethod(inner) => bind_receiver(inner.0.clone(), this),
                        other => bind_receiver(other, this),
                    };
                    held.into_iter().map(bind).collect()
                }
                PossibleValue::External(term) => {
                    let next = term
                        .then(ExternalStep::Inst)
                        .and_then(|it| it.then(ExternalStep::Get(name.into())));
                    next.map(PossibleValue::from).into_iter().collect()
                }
                _ => AbstractValue::new(),
            };
            if !found.is_empty() {
                return found;
            }
        }
        Vec::new()
    }

    /// The constructors that run when an instance is created.
    pub(super) fn constructor(&mut self, class: SymbolId) -> AbstractValue {
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

    pub(super) fn own_constructor(&mut self, class: SymbolId) -> AbstractValue {
        let assigned = self.heap.static_member(class, "__init__");
        if !assigned.is_empty() {
            return assigned;
        }
        let members = self.tables.members(class).flat_map(|(_, symbols)| symbols).copied();
        let is_constructor = |one: &SymbolId| self.tables.kind(*one) == SymbolKind::Constructor;
        let found: Vec<SymbolId> = members.filter(is_constructor).collect();
        self.tables
            .prefer_implementations(&found)
            .into_iter()
            .map(|one| PossibleValue::Function(one, FrameId::MODULE))
            .collect()
    }
}

/// Binds a function to a receiver. Any other value stays as it is.
pub(super) fn bind_receiver(member: PossibleValue, this: &PossibleValue) -> PossibleValue {
    match member {
        PossibleValue::Function(..) => PossibleValue::BoundMethod(Rc::new((member, this.clone()))),
        other => other,
    }
}

/// The merge step of C3 linearisation: takes the first head that is in no tail, or the first head
/// if there is none.
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
