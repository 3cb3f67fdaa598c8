//! Evaluating expressions.

use std::rc::Rc;

use syntax::{BindingKind, Expr, LiteralItem, LiteralKind, SymbolFlags, SymbolKind, TypeRef};

use super::super::ids::{BindingId, CallId, FrameId, ImportId, ObjectId, Owner, SymbolId};
use super::super::value::{AbstractValue, ExternalBase, ExternalStep, PossibleValue, join};
use super::call::CallOrigin;
use super::heap::key_value;
use super::{CallModel, Interpreter, ObjectKind};

impl Interpreter<'_> {
    /// Evaluates an expression in a frame.
    pub(super) fn eval(&mut self, expr: &Expr, frame: FrameId, owner: Owner) -> AbstractValue {
        self.recurse(|interpreter| interpreter.eval_expr(expr, frame, owner))
    }

    fn eval_expr(&mut self, expr: &Expr, frame: FrameId, owner: Owner) -> AbstractValue {
        match expr {
            Expr::Unknown => Vec::new(),
            Expr::Local(binding) => self.read(BindingId::from(*binding), frame),
            Expr::Name(name) => self.resolve_name(name, owner),
            Expr::Path(parts) => self.resolve_path(parts, owner),
            Expr::Member(object, name) => {
                let object = self.eval(object, frame, owner);
                let mut value = self.get_all(&object, name, owner);
                if self.tables.family == CallModel::Rust
                    && !value.iter().all(PossibleValue::is_function)
                {
                    value.retain(|alternative| !alternative.is_function()); // a method is called, a field is read
                }
                value
            }
            Expr::Index(object, key) => {
                let object = self.eval(object, frame, owner);
                let keys = self.eval(key, frame, owner);
                self.index(&object, &keys, owner)
            }
            Expr::Call(call) => {
                let result = self.heap.frame(frame).results.get(&CallId::from(*call));
                result.cloned().unwrap_or_default()
            }
            Expr::Symbol(symbol) => self.symbol_value(SymbolId::from(*symbol), frame),
            Expr::Import(import) => vec![self.tables.import_value(ImportId::from(*import), None)],
            Expr::This => self.this_value(frame, owner),
            Expr::Super => self.super_value(frame, owner),
            Expr::Items(kind, items) => vec![self.eval_items(*kind, items, frame, owner)],
            Expr::Either(values) => {
                let mut all = Vec::new();
                for value in values {
                    let value = self.eval(value, frame, owner);
                    join(&mut all, value);
                }
                all
            }
            Expr::Each(many) => {
                let many = self.eval(many, frame, owner);
                self.elements_of(&many, owner)
            }
            Expr::Text(text) => vec![PossibleValue::Text(text.as_str().into())],
            Expr::Number(number) => vec![PossibleValue::Number(*number)],
            Expr::Typed(value, ty) => {
                let value = self.eval(value, frame, owner);
                self.with_declared_type(value, ty, owner)
            }
        }
    }

    /// A value of which the type is declared too. In JavaScript a known object keeps its type
    /// beside it, because a call of a member is also a call of what the type declares.
    pub(super) fn with_declared_type(
        &mut self,
        value: AbstractValue,
        ty: &TypeRef,
        owner: Owner,
    ) -> AbstractValue {
        if !value.iter().any(PossibleValue::is_known) {
            let declared = self.instance_of(ty, owner);
            return prefer_known(value, declared);
        }
        let is_object = |one: &PossibleValue| {
            matches!(one, PossibleValue::Object(_) | PossibleValue::Instance(_))
        };
        if self.tables.family != CallModel::JavaScript || !value.iter().any(is_object) {
            return value;
        }
        let declared = self.instance_of(ty, owner);
        let mut all = value;
        for one in declared {
            let is_new = match &one {
                PossibleValue::Instance(class) => {
                    all.iter().all(|known| self.heap.class_of(known) != Some(*class))
                }
                PossibleValue::External(_) => true,
                _ => false,
            };
            if is_new {
                join(&mut all, [one]);
            }
        }
        all
    }

    /// The value of a binding, seen from a frame.
    pub(super) fn read(&mut self, binding: BindingId, frame: FrameId) -> AbstractValue {
        let declared = self.tables.binding(binding);
        let owner = SymbolId::owner(declared.owner);
        let home = self.frame_of_binding(binding, frame);
        let held = home.and_then(|home| self.heap.variable(home, binding));
        if self.tables.family == CallModel::Go
            && let Some(ty) = &declared.ty
            && !matches!(declared.kind, BindingKind::Param(_))
        {
            let types = self.instance_of(ty, owner);
            return declared_with_functions(types, held.unwrap_or_default());
        }
        let value = match (held, declared.kind) {
            (Some(held), _) => held,
            (None, BindingKind::Symbol(symbol)) => {
                self.symbol_value(SymbolId::from(symbol), home.unwrap_or(FrameId::MODULE))
            }
            (None, BindingKind::Import(import, name)) => {
                self.tables.imported_value(ImportId::from(import), name)
            }
            (None, _) => Vec::new(),
        };
        match &declared.ty {
            Some(ty) => self.with_declared_type(value, ty, owner),
            None => value,
        }
    }

    /// The frame that holds the value of a binding, seen from an inner frame.
    pub(super) fn frame_of_binding(&self, binding: BindingId, frame: FrameId) -> Option<FrameId> {
        let function = self.tables.function_of_binding(binding);
        let mut frames = self.heap.frames_outward(frame);
        let found = frames.find(|id| self.heap.frame(*id).function == function);
        found.or_else(|| function.is_none().then_some(FrameId::MODULE))
    }

    /// The value of a declared symbol. `frame` is the frame that a function is created in.
    pub(super) fn symbol_value(&mut self, symbol: SymbolId, frame: FrameId) -> AbstractValue {
        match self.tables.kind(symbol) {
            kind if kind.is_callable() => vec![PossibleValue::Function(symbol, frame)],
            SymbolKind::Variable
            | SymbolKind::Constant
            | SymbolKind::Field
            | SymbolKind::Property => {
                if self.tables.family == CallModel::Go {
                    return self.variable_value(symbol);
                }
                let worth = self.heap.symbol_value(symbol);
                match &self.tables.symbol(symbol).ty {
                    Some(ty) => self.with_declared_type(worth, ty, Some(symbol)),
                    None => worth,
                }
            }
            // A variant is a value of its type, and a function that returns one.
            SymbolKind::Variant => {
                let of = self.tables.parent(symbol);
                of.map(|of| vec![PossibleValue::Instance(of)]).unwrap_or_default()
            }
            SymbolKind::Type if self.tables.has_flag(symbol, SymbolFlags::DISTINCT_TYPE) => {
                vec![PossibleValue::Class(symbol)]
            }
            SymbolKind::Type => self.alias_target(symbol),
            SymbolKind::Impl => {
                self.tables.self_type(symbol).map(PossibleValue::Class).into_iter().collect()
            }
            _ => vec![PossibleValue::Class(symbol)],
        }
    }

    /// The values of several declared symbols.
    pub(super) fn symbol_values(&mut self, symbols: &[SymbolId]) -> AbstractValue {
        symbols.iter().flat_map(|one| self.symbol_value(*one, FrameId::MODULE)).collect()
    }

    /// The receiver of the enclosing function.
    pub(super) fn this_value(&mut self, frame: FrameId, owner: Owner) -> AbstractValue {
        // In the body of a class the receiver is the instance that is being made.
        if let Some(class) = self.tables.enclosing_class_body(owner)
            && self.tables.enclosing_function(Some(class)) == self.heap.frame(frame).function
        {
            return vec![PossibleValue::Instance(class)];
        }
        let is_arrow = |id: &FrameId| {
            let function = self.heap.frame(*id).function;
            function.is_some_and(|function| self.tables.has_flag(function, SymbolFlags::ARROW))
        };
        let nearest = self.heap.frames_outward(frame).find(|id| !is_arrow(id));
        nearest.map(|id| self.heap.frame(id).this.clone()).unwrap_or_default()
    }

    fn super_value(&mut self, frame: FrameId, owner: Owner) -> AbstractValue {
        let class = self.tables.enclosing_class(owner);
        let Some(class) = class else { return Vec::new() };
        let mut this = self.this_value(frame, owner);
        if this.is_empty()
            && let Some(first) = self.first_param(frame)
        {
            this = first;
        }
        if this.is_empty() {
            this = vec![PossibleValue::Instance(class)];
        }
        this.into_iter().map(|this| PossibleValue::Super(class, Rc::new(this))).collect()
    }

    fn eval_items(
        &mut self,
        kind: LiteralKind,
        items: &[LiteralItem],
        frame: FrameId,
        owner: Owner,
    ) -> PossibleValue {
        let kind = match kind {
            LiteralKind::Dict => ObjectKind::Dict,
            LiteralKind::Object => ObjectKind::Plain,
            _ => ObjectKind::List,
        };
        let id = self.alloc_kind(kind);
        for (at, item) in items.iter().enumerate() {
            let value = self.eval(&item.value, frame, owner);
            if item.spread {
                self.spread_into(id, &value, owner);
            } else if let Some(key) = &item.key {
                let keys = self.eval(key, frame, owner);
                self.put_at_key(id, &keys, value);
            } else {
                self.put_at_key(
                    id,
                    &[PossibleValue::Number(i64::try_from(at).unwrap_or(0))],
                    value,
                );
            }
        }
        PossibleValue::Object(id)
    }

    /// Adds everything that some values hold to an object.
    pub(super) fn spread_into(&mut self, id: ObjectId, from: &[PossibleValue], owner: Owner) {
        for value in from {
            let PossibleValue::Object(other) = value else {
                let elements = self.elements_of(std::slice::from_ref(value), owner);
                self.heap.add_unknown_key(id, elements);
                continue;
            };
            let is_list = self.heap.object(*other).kind == ObjectKind::List;
            let start = self.heap.field_count(id);
            for (at, (name, held)) in self.heap.fields(*other).into_iter().enumerate() {
                let key = if is_list {
                    PossibleValue::Number(i64::try_from(start + at).unwrap_or(0))
                } else {
                    PossibleValue::Text(name.into())
                };
                self.put_at_key(id, &[key], held);
            }
            let others = self.heap.unknown_keys(*other);
            self.heap.add_unknown_key(id, others);
        }
    }

    /// What iterating over a value gives.
    pub(super) fn elements_of(&mut self, many: &[PossibleValue], owner: Owner) -> AbstractValue {
        let mut all = Vec::new();
        for alternative in many {
            let value = match alternative {
                PossibleValue::Collection(inner) => inner.to_vec(),
                PossibleValue::External(term) => {
                    self.tables.external_step(term, ExternalStep::Each).into_iter().collect()
                }
                PossibleValue::Object(_)
                | PossibleValue::Instance(_)
                | PossibleValue::Function(..)
                | PossibleValue::BoundMethod(_)
                    if self.tables.family == CallModel::Go =>
                {
                    self.range_element(alternative, owner)
                }
                PossibleValue::Object(id) => self.object_elements(*id, owner),
                // Rust's `?` and patterns unwrap types that are not modelled as wrapped.
                PossibleValue::Instance(_) if self.tables.family == CallModel::Rust => {
                    vec![alternative.clone()]
                }
                PossibleValue::Instance(class) => {
                    let class = *class;
                    self.iterate(&PossibleValue::Instance(class), class, owner)
                }
                _ => Vec::new(),
            };
            join(&mut all, value);
        }
        all
    }

    fn object_elements(&mut self, id: ObjectId, owner: Owner) -> AbstractValue {
        let object = self.heap.object(id);
        if let Some(class) = object.class {
            return self.iterate(&PossibleValue::Object(id), class, owner);
        }
        if object.kind == ObjectKind::Dict && self.tables.family == CallModel::Python {
            return self.heap.field_names(id).map(key_value).collect();
        }
        self.heap.object_values(id)
    }

    /// Iterates over an instance of a class: Python calls `__iter__` and `__next__`, or
    /// `__getitem__`, and `async for` calls `__aiter__` and `__anext__`.
    fn iterate(&mut self, object: &PossibleValue, class: SymbolId, owner: Owner) -> AbstractValue {
        let call = |interpreter: &mut Self, on: &[PossibleValue], name: &str| {
            let found = interpreter.get_all(on, name, owner);
            let known: AbstractValue = found.into_iter().filter(PossibleValue::is_known).collect();
            interpreter.call_value(&known, &[], CallOrigin::implicit(owner))
        };
        if self.tables.family != CallModel::Python {
            return Vec::new();
        }
        let start = std::slice::from_ref(object);
        let is_async = self.member_symbols(class, "__iter__").is_empty()
            && !self.member_symbols(class, "__aiter__").is_empty();
        let (begin, next) =
            if is_async { ("__aiter__", "__anext__") } else { ("__iter__", "__next__") };
        if self.member_symbols(class, begin).is_empty() {
            let found = self.get_all(start, "__getitem__", owner);
            let known: AbstractValue = found.into_iter().filter(PossibleValue::is_known).collect();
            return self.call_value(&known, &[], CallOrigin::implicit(owner));
        }
        let over = call(self, start, begin);
        let is_own = |alternative: &PossibleValue| {
            matches!(alternative, PossibleValue::Object(id) if self.heap.object(*id).class.is_some())
                || matches!(alternative, PossibleValue::Instance(_))
        };
        let (own, rest): (AbstractValue, AbstractValue) = over.into_iter().partition(is_own);
        let mut all = call(self, &own, next);
        let rest = self.elements_of(&rest, owner);
        join(&mut all, rest);
        all
    }

    /// The value under a key.
    pub(super) fn index(
        &mut self,
        object: &[PossibleValue],
        keys: &[PossibleValue],
        owner: Owner,
    ) -> AbstractValue {
        let mut all = Vec::new();
        for alternative in object {
            let value = match alternative {
                // A key that is not known could mean every method.
                PossibleValue::Object(id) if keys.is_empty() && self.heap.is_prototype(*id) => {
                    Vec::new()
                }
                PossibleValue::Object(id) if self.heap.object(*id).class.is_none() => {
                    self.heap.read_keys(*id, keys)
                }
                PossibleValue::Collection(inner) => inner.to_vec(),
                // `C[int]` is the class `C`.
                PossibleValue::Class(_) if self.tables.family == CallModel::Python => {
                    vec![alternative.clone()]
                }
                PossibleValue::External(term) => {
                    let op = match keys {
                        [PossibleValue::Text(key)] => ExternalStep::Get(key.to_string()),
                        [PossibleValue::Number(at)] if self.tables.family == CallModel::Go => {
                            ExternalStep::Get(format!("#{at}"))
                        }
                        _ => ExternalStep::Each,
                    };
                    self.tables.external_step(term, op).into_iter().collect()
                }
                other => self.index_instance(other, keys, owner),
            };
            join(&mut all, value);
        }
        all
    }

    fn index_instance(
        &mut self,
        object: &PossibleValue,
        keys: &[PossibleValue],
        owner: Owner,
    ) -> AbstractValue {
        let mut all = Vec::new();
        for key in keys {
            if let PossibleValue::Text(key) = key
                && self.tables.family == CallModel::JavaScript
            {
                let key = key.to_string();
                join(&mut all, self.get(object, &key, owner));
            }
        }
        if self.tables.family == CallModel::Python
            && matches!(object, PossibleValue::Object(_) | PossibleValue::Instance(_))
        {
            let found = self.get(object, "__getitem__", owner);
            let known: AbstractValue = found.into_iter().filter(PossibleValue::is_known).collect();
            join(&mut all, self.call_value(&known, &[], CallOrigin::implicit(owner)));
        }
        all
    }
}

/// Prefers known values, then the declared type; unbound parameters are kept in both cases.
pub(super) fn prefer_known(value: AbstractValue, declared: AbstractValue) -> AbstractValue {
    if value.iter().any(PossibleValue::is_known) || declared.is_empty() {
        return value;
    }
    let mut all = declared;
    join(
        &mut all,
        value.into_iter().filter(|alternative| matches!(alternative, PossibleValue::Param(_))),
    );
    all
}

/// The declared type, with the functions that the value holds: a type does not say which function a
/// variable holds.
pub(super) fn declared_with_functions(
    declared: AbstractValue,
    held: AbstractValue,
) -> AbstractValue {
    if declared.is_empty() {
        return held;
    }
    let mut all = declared;
    let is_kept = |alternative: &PossibleValue| {
        alternative.is_function() || matches!(alternative, PossibleValue::Param(_))
    };
    join(&mut all, held.into_iter().filter(is_kept));
    all
}

/// A name that is declared in another file of the package, or comes with the language.
pub(super) fn global_value(name: &str) -> PossibleValue {
    PossibleValue::external(ExternalBase::Global(name.to_owned()))
}
